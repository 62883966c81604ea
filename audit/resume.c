/* SPDX-License-Identifier: Apache-2.0 */
/* Records are written in the order of the run, so what a stopped run leaves is a prefix of it. */
#include "audit/resume.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "audit/lines.h"

/* An empty file, or one that begins as only a results file does, may be written over. */
static int first_line(ug_lines *in, const ug_results *r, json_t **header, char *err, size_t cap)
{
    static const char start[] = "{\"type\":";
    size_t have;
    int bad;
    *header = ug_lines_next(in, &bad);
    if (*header && !strcmp(ug_text_of(*header, "type"), "run")) {
        in->good = (long long)in->last;
        return 0;
    }
    have =
        in->last < (ssize_t)strlen(start) ? (size_t)(in->last > 0 ? in->last : 0) : strlen(start);
    if (!*header && !bad && (!have || !strncmp(in->line, start, have)))
        return 0; /* nothing, or a first line that was cut, be it within `start` */
    json_decref(*header);
    *header = NULL;
    snprintf(err, cap, "%s exists and is no results file; it is left as it is", r->path);
    return -1;
}

int ug_resume_may_overwrite(ug_results *r, char *err, size_t cap)
{
    ug_lines in;
    json_t *header;
    int rc;
    if (ug_lines_open(&in, r->fd, r->path, err, cap)) return -1;
    rc = first_line(&in, r, &header, err, cap);
    json_decref(header);
    ug_lines_close(&in);
    return rc;
}

/* A value of a header for people, at most 100 characters of it: "" is an option that was not given.
 */
static const char *header_text(const json_t *value, char text[104])
{
    char *dump = NULL;
    if (!value) return "missing";
    if (json_is_string(value) && !*json_string_value(value)) return "not given";
    dump = json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT);
    snprintf(text, 104, "%.100s", dump ? dump : "unknown");
    free(dump);
    return text;
}

/* What must be the same for records of two runs to stand in one file. */
static int check_header(const ug_results *r, const json_t *was, const json_t *is, char *err,
                        size_t cap)
{
    static const char *const keys[] = {"schema", "version", "gate",    "profile", "reference",
                                       "shard",  "cases",   "kernels", "plan"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        json_t *a = json_object_get(was, keys[i]), *b = json_object_get(is, keys[i]);
        char found[104], expected[104];
        if (a == b || (a && b && json_equal(a, b))) continue;
        snprintf(err, cap, "%s is of another run: %s is %s there and %s here", r->path, keys[i],
                 header_text(a, found), header_text(b, expected));
        return -1;
    }
    return 0;
}

static int verdict_of(const json_t *record)
{
    for (int v = 0; v < UG_VERDICT_COUNT; v++)
        if (!strcmp(ug_text_of(record, "verdict"), ug_verdict_names[v])) return v;
    return -1;
}

/* Takes one record. Returns 1 when the file has no more to offer, 0 to go on, -1 with err. */
static int take(ug_results *r, const ug_lines *in, const json_t *record, const ug_run_options *o,
                const ug_selection *s, char *err, size_t cap)
{
    size_t c = r->kept / s->kernel_count, k = r->kept % s->kernel_count;
    char id[17] = "";
    int verdict = verdict_of(record);
    if (!strcmp(ug_text_of(record, "type"), "end")) {
        r->complete = c == o->case_count;
        return 1;
    }
    if (c < o->case_count) snprintf(id, sizeof id, "%016" PRIx64, ug_case_hash(&o->cases[c]));
    if (strcmp(ug_text_of(record, "type"), "result") || verdict < 0 || c >= o->case_count ||
        strcmp(ug_text_of(record, "id"), id) ||
        strcmp(ug_text_of(record, "kernel"), s->kernels[k].name)) {
        snprintf(err, cap, "%s line %lld: found %.40s of case %.20s, expected %s of case %s",
                 r->path, in->number, ug_text_of(record, "kernel"), ug_text_of(record, "id"),
                 c < o->case_count ? s->kernels[k].name : "the end",
                 c < o->case_count ? id : "none");
        return -1;
    }
    ug_results_count(r, (ug_pair_verdict)verdict, s->kernels[k].counted);
    r->kept++;
    return 0;
}

int ug_resume(ug_results *r, const ug_run_options *o, const ug_selection *s, const json_t *header,
              int *fresh, char *err, size_t cap)
{
    ug_lines in;
    json_t *was = NULL, *record;
    int rc, bad = 0;
    if (ug_lines_open(&in, r->fd, r->path, err, cap)) return -1;
    rc = first_line(&in, r, &was, err, cap);
    *fresh = !was;
    if (!rc && was) rc = check_header(r, was, header, err, cap);
    json_decref(was);
    while (!rc && !*fresh && (record = ug_lines_next(&in, &bad))) {
        rc = take(r, &in, record, o, s, err, cap);
        json_decref(record);
        if (!rc || r->complete) in.good += (long long)in.last;
    }
    if (!rc && bad) {
        snprintf(err, cap, "%s line %lld is no JSON object", r->path, in.number);
        rc = -1;
    }
    ug_lines_close(&in);
    if (rc < 0) return -1;
    if (*fresh) return 0;
    if (ftruncate(r->fd, (off_t)in.good) || lseek(r->fd, 0, SEEK_END) < 0) {
        snprintf(err, cap, "cannot cut %s: %s", r->path, strerror(errno));
        return -1;
    }
    return 0;
}
