/* SPDX-License-Identifier: Apache-2.0 */
/* Joining shards: all lines are checked before the first is copied. */
#include "audit/merge.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "audit/merge_parts.h"
#include "audit/shard.h"

typedef struct merge {
    const ug_merge_options *options;
    ug_piece *pieces;    /* one a file */
    ug_piece **of_shard; /* those of the shards that hold cases, in their order */
    size_t opened, shards, cases;
    json_t *kernels; /* of the first header */
    size_t verdicts[UG_VERDICT_COUNT];
    ug_merge_summary *summary;
    char *err;
    size_t cap;
} merge;

static int out_of_memory(const merge *m)
{
    snprintf(m->err, m->cap, "out of memory");
    return -1;
}

static int open_pieces(merge *m)
{
    const ug_merge_options *o = m->options;
    m->pieces = calloc(o->file_count, sizeof *m->pieces);
    if (!m->pieces) return out_of_memory(m);
    for (size_t i = 0; i < o->file_count; i++) {
        ug_piece *p = &m->pieces[m->opened++];
        if (ug_piece_open(p, o->files[i], m->err, m->cap)) return -1;
        if (i && ug_piece_fits(&m->pieces[0], p, m->err, m->cap)) return -1;
    }
    m->shards = m->pieces[0].shards;
    m->cases = m->pieces[0].cases;
    m->kernels = json_object_get(m->pieces[0].header, "kernels");
    return 0;
}

/* Each shard once. A shard past the last case holds none and may be left out. */
static int sort_pieces(merge *m)
{
    size_t used = m->shards < m->cases ? m->shards : m->cases;
    m->of_shard = calloc(used, sizeof *m->of_shard);
    if (!m->of_shard) return out_of_memory(m);
    for (size_t i = 0; i < m->opened; i++) {
        ug_piece *p = &m->pieces[i];
        if (p->shard > used) {
            snprintf(m->err, m->cap, "%s is shard %zu of %zu, and there are only %zu cases",
                     p->path, p->shard, p->shards, m->cases);
            return -1;
        }
        if (m->of_shard[p->shard - 1]) {
            snprintf(m->err, m->cap, "%s and %s are both shard %zu of %zu",
                     m->of_shard[p->shard - 1]->path, p->path, p->shard, p->shards);
            return -1;
        }
        m->of_shard[p->shard - 1] = p;
    }
    m->shards = used;
    for (size_t i = 0; i < used; i++) {
        if (m->of_shard[i]) continue;
        snprintf(m->err, m->cap, "shard %zu of %zu is missing", i + 1, m->pieces[0].shards);
        return -1;
    }
    return 0;
}

/* The next line of a piece, which has to be a whole object; NULL with err. The caller owns it. */
static json_t *next(merge *m, ug_piece *p)
{
    int bad;
    json_t *line = ug_lines_next(&p->in, &bad);
    if (line) return line;
    if (bad) {
        snprintf(m->err, m->cap, "%s line %lld is no JSON object", p->path, p->in.number);
    } else {
        snprintf(m->err, m->cap,
                 "%s has no footer: shard %zu of %zu was interrupted after %lld of %zu results; "
                 "`run --resume` completes it",
                 p->path, p->shard, p->shards, p->in.number - 1,
                 ug_shard_size(m->cases, p->shard - 1, p->shards) * json_array_size(m->kernels));
    }
    return NULL;
}

/* A record of the k-th kernel; its case's id into id[17] when k is 0, otherwise it must be that.
 * Returns 0, or -1 with err. */
static int check_record(merge *m, const ug_piece *p, const json_t *record, size_t k, char *id)
{
    const char *kernel = json_string_value(json_array_get(m->kernels, k));
    const char *found = ug_text_of(record, "kernel"), *of = ug_text_of(record, "id");
    int end = !strcmp(ug_text_of(record, "type"), "end");
    if (!end && strcmp(ug_text_of(record, "type"), "result")) {
        snprintf(m->err, m->cap, "%s line %lld: found a record of type %.20s, expected a result",
                 p->path, p->in.number, ug_text_of(record, "type"));
        return -1;
    }
    if (!end && !k && strlen(of) == 16) snprintf(id, 17, "%s", of);
    if (end || !kernel || strcmp(found, kernel) || strcmp(of, id)) {
        snprintf(m->err, m->cap, "%s line %lld: found %.60s%s%.17s, expected %.60s%s%s", p->path,
                 p->in.number, end ? "the footer" : found, end ? "" : " of case ", of,
                 kernel ? kernel : "?", k ? " of case " : " of another case", k ? id : "");
        return -1;
    }
    for (int v = 0; v < UG_VERDICT_COUNT; v++) {
        if (strcmp(ug_text_of(record, "verdict"), ug_verdict_names[v])) continue;
        m->verdicts[v]++;
        m->summary->results++;
        return 0;
    }
    snprintf(m->err, m->cap, "%s line %lld: there is no verdict '%.20s'", p->path, p->in.number,
             ug_text_of(record, "verdict"));
    return -1;
}

/* All results of one case. */
static int check_case(merge *m, ug_piece *p, uint64_t *plan)
{
    char id[17] = "";
    for (size_t k = 0; k < json_array_size(m->kernels); k++) {
        json_t *record = next(m, p);
        int rc = record ? check_record(m, p, record, k, id) : -1;
        json_decref(record);
        if (rc) return -1;
    }
    *plan = ug_plan_add(*plan, id);
    return 0;
}

/* Nothing but the footer is left. */
static int check_end(merge *m, ug_piece *p)
{
    p->end = next(m, p);
    if (!p->end) return -1;
    if (!strcmp(ug_text_of(p->end, "type"), "end")) return 0;
    snprintf(m->err, m->cap,
             "%s line %lld: found a record of %.60s of case %.17s, expected the footer: the shard "
             "has %zu cases",
             p->path, p->in.number, ug_text_of(p->end, "kernel"), ug_text_of(p->end, "id"),
             ug_shard_size(m->cases, p->shard - 1, p->shards));
    return -1;
}

/* All lines are the results of the plan, in its order. */
static int check_all(merge *m)
{
    const char *expected = ug_text_of(m->pieces[0].header, "plan");
    uint64_t plan = ug_plan_begin(m->pieces[0].header);
    char text[17];
    for (size_t i = 0; i < m->cases; i++)
        if (check_case(m, m->of_shard[ug_shard_of(i, m->pieces[0].shards)], &plan)) return -1;
    for (size_t i = 0; i < m->shards; i++)
        if (check_end(m, m->of_shard[i])) return -1;
    ug_plan_text(plan, text);
    if (!strcmp(text, expected)) return 0;
    snprintf(m->err, m->cap,
             "the cases in the files are not those of the plan: their hash is %s, the headers say "
             "%.17s",
             text, expected);
    return -1;
}

/* What was checked, line by line. */
static int copy_all(merge *m, ug_results *out)
{
    size_t kernels = json_array_size(m->kernels);
    for (size_t i = 0; i < m->shards; i++)
        if (ug_piece_rewind(m->of_shard[i], m->err, m->cap)) return -1;
    for (size_t i = 0; i < m->cases * kernels; i++) {
        ug_piece *p = m->of_shard[ug_shard_of(i / kernels, m->pieces[0].shards)];
        if (!ug_lines_whole(&p->in)) {
            snprintf(m->err, m->cap, "%s became shorter while it was read", p->path);
            return -1;
        }
        p->in.line[p->in.last - 1] = 0;
        if (ug_results_append(out, p->in.line, m->err, m->cap)) return -1;
    }
    memcpy(out->all, m->verdicts, sizeof out->all);
    return 0;
}

/* An input must not be written over. */
static int check_out(const merge *m)
{
    struct stat out, in;
    if (!m->options->out || stat(m->options->out, &out)) return 0;
    for (size_t i = 0; i < m->opened; i++) {
        if (fstat(m->pieces[i].fd, &in) || in.st_dev != out.st_dev || in.st_ino != out.st_ino)
            continue;
        snprintf(m->err, m->cap, "%s is one of the files to join", m->options->out);
        return -1;
    }
    return 0;
}

static double seconds(const merge *m)
{
    double sum = 0;
    for (size_t i = 0; i < m->shards; i++)
        sum += json_number_value(json_object_get(m->of_shard[i]->end, "seconds"));
    return sum;
}

static int write_all(merge *m)
{
    json_t *header = ug_merged_header(m->of_shard, m->shards, m->options->command);
    ug_results out = {.fd = -1};
    int rc = header ? ug_results_create(&out, m->options->out, header, m->err, m->cap)
                    : out_of_memory(m);
    json_decref(header);
    snprintf(m->summary->out, sizeof m->summary->out, "%s", out.path);
    if (!rc) rc = copy_all(m, &out);
    if (!rc) rc = ug_results_finish(&out, seconds(m), m->err, m->cap);
    ug_results_close(&out);
    return rc;
}

static void summarise(const merge *m)
{
    ug_merge_summary *s = m->summary;
    size_t used = 0;
    s->shards = m->shards;
    s->cases = m->cases;
    for (int v = 0; v < UG_VERDICT_COUNT; v++) {
        if (!m->verdicts[v]) continue;
        used += (size_t)snprintf(s->verdicts + used, sizeof s->verdicts - used, "%s%zu %s",
                                 used ? ", " : "", m->verdicts[v], ug_verdict_names[v]);
    }
}

int ug_merge(const ug_merge_options *options, ug_merge_summary *summary, char *err, size_t cap)
{
    merge m = {.options = options, .summary = summary, .err = err, .cap = cap};
    int rc;
    *summary = (ug_merge_summary){0};
    if (!options->file_count) return snprintf(err, cap, "there is no file to join"), -1;
    rc = open_pieces(&m);
    if (!rc) rc = sort_pieces(&m);
    if (!rc) rc = check_out(&m);
    if (!rc) rc = check_all(&m);
    if (!rc) rc = write_all(&m);
    if (!rc) summarise(&m);
    for (size_t i = 0; i < m.opened; i++) ug_piece_close(&m.pieces[i]);
    free(m.of_shard);
    free(m.pieces);
    return rc;
}
