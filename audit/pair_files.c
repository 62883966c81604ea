/* SPDX-License-Identifier: Apache-2.0 */
/* The verdict on outputs that came as files: what was launched elsewhere is only measured. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "audit/exchange_parts.h"
#include "audit/pair_parts.h"

/* One answer at work. */
typedef struct answer {
    const ug_pair_in *in;
    const ug_exchange *x;
    ug_pair *out;
    char where[sizeof((ug_kernel_card *)0)->name + 16]; /* outputs/NAME */
    json_t *aside;                                      /* ID.json, or NULL */
    char why[512];
} answer;

static ug_pair_verdict end(answer *a, ug_pair_verdict verdict, const char *tag)
{
    a->out->verdict = verdict;
    snprintf(a->out->reason, sizeof a->out->reason, "%s %.170s", tag, a->why);
    return verdict;
}

/* The program that answers must have seen these very values. */
static int check_inputs(answer *a, uint64_t digest)
{
    const ug_subject *s = a->in->s;
    const struct {
        const char *name;
        const void *bits;
        ug_dtype dtype;
        int64_t rows;
    } all[] = {{"x", s->x_bits, s->c->dtype, s->rows},
               {"gamma", s->gamma_bits, s->c->wdtype, 1},
               {"beta", s->beta_bits, s->c->wdtype, 1}};
    if (s->inputs != digest)
        return snprintf(a->why, sizeof a->why,
                        "the manifest has inputs %016" PRIx64 ", this version makes %016" PRIx64,
                        digest, s->inputs),
               -1;
    for (int i = 0; i < 3; i++) {
        size_t row = (size_t)s->n * (i ? s->param_size : s->size);
        int bad = 0;
        void *bits;
        if (!all[i].bits) continue;
        if (ug_exchange_bits(a->x, "inputs", s->id, all[i].name, all[i].dtype, all[i].rows, s->n,
                             &bits, a->why, sizeof a->why))
            return -1;
        for (int64_t r = 0; r < all[i].rows; r++) {
            int64_t from = i ? 0 : ug_subject_source(s, r);
            bad |= memcmp((char *)bits + (size_t)r * row,
                          (const char *)all[i].bits + (size_t)from * row, row);
        }
        free(bits);
        if (!bad) continue;
        return snprintf(a->why, sizeof a->why, "inputs/%s: %s is not that of the case", s->id,
                        all[i].name),
               -1;
    }
    return 0;
}

static int64_t integer(const json_t *o, const char *key)
{
    const json_t *value = json_object_get(o, key);
    return json_is_integer(value) ? json_integer_value(value) : -1;
}

/* What the kernel says of this launch. Returns 0, or -1 with a->why. */
static int read_aside(answer *a)
{
    static const char *const keys[] = {"status",  "message", "path", "geometry",
                                       "reasons", "seen",    NULL};
    char path[UG_EXCHANGE_PATH];
    const char *text;
    const json_t *g;
    int rc;
    snprintf(path, sizeof path, "%s/%s/%s.json", a->x->dir, a->where, a->in->s->id);
    rc = ug_exchange_json(path, keys, &a->aside, a->why, sizeof a->why);
    if (rc) return rc < 0 ? -1 : 0;
    text = json_string_value(json_object_get(a->aside, "path"));
    snprintf(a->out->path, sizeof a->out->path, "%s", text ? text : "");
    g = json_object_get(a->aside, "geometry");
    if (!g) return 0;
    a->out->has_geometry = 1;
    a->out->geometry =
        (ug_geometry){integer(g, "threads"), integer(g, "chain"), integer(g, "levels")};
    if (a->out->geometry.threads >= 1 && a->out->geometry.chain >= 0 &&
        a->out->geometry.levels >= 0)
        return 0;
    snprintf(a->why, sizeof a->why, "%.400s: geometry, expected threads, chain and levels", path);
    return -1;
}

/* Faults that whoever ran the kernel saw: the tags of what a launch here would look for. */
static int add_reasons(answer *a)
{
    static const char *const tags[] = {"input ", "repeat ", "rows ", "note ", NULL};
    const json_t *reasons = json_object_get(a->aside, "reasons");
    for (size_t i = 0; i < json_array_size(reasons); i++) {
        const char *text = json_string_value(json_array_get(reasons, i));
        size_t k = 0;
        while (text && tags[k] && strncmp(text, tags[k], strlen(tags[k]))) k++;
        if (!text || !tags[k])
            return snprintf(a->why, sizeof a->why,
                            "%s/%s.json: reason %zu, expected it to begin with input, repeat, rows "
                            "or note",
                            a->where, a->in->s->id, i + 1),
                   -1;
        ug_measure_reason(&a->out->measure, "%.180s", text);
    }
    return 0;
}

/* Takes out of the list what the other side looked for itself. */
static void take_seen(answer *a)
{
    const json_t *seen = json_object_get(a->aside, "seen");
    char *list = a->out->not_exchanged;
    for (size_t i = 0; i < json_array_size(seen); i++) {
        const char *word = json_string_value(json_array_get(seen, i));
        char *at = word && *word && !strpbrk(word, ", ") ? strstr(list, word) : NULL;
        size_t length = at ? strlen(word) : 0;
        if (!at || (at != list && at[-1] != ' ') || (at[length] && at[length] != ',')) continue;
        if (at[length])
            length += 2;
        else if (at != list)
            at -= 2, length += 2;
        memmove(at, at + length, strlen(at + length) + 1);
    }
}

/* Returns 0, 1 when there is no answer, anything else when it is wrong; with a->why. */
static int read_outputs(answer *a)
{
    const ug_subject *s = a->in->s;
    ug_outputs *o = &a->out->outputs;
    void *mean, *rstd;
    int rc = ug_exchange_bits(a->x, a->where, s->id, "y", s->c->dtype, s->rows, s->n, &o->y, a->why,
                              sizeof a->why);
    if (rc || !s->c->stats) return rc;
    rc = ug_exchange_bits(a->x, a->where, s->id, "mean", UG_F32, 1, s->rows, &mean, a->why,
                          sizeof a->why);
    if (rc) return rc < 0 ? -1 : 0;
    o->mean = mean;
    rc = ug_exchange_bits(a->x, a->where, s->id, "rstd", UG_F32, 1, s->rows, &rstd, a->why,
                          sizeof a->why);
    o->rstd = rstd;
    return rc ? -1 : 0;
}

static ug_pair_verdict judge(answer *a, size_t index)
{
    const char *status, *message;
    int rc;
    if (check_inputs(a, a->x->inputs[index]) || read_aside(a)) return end(a, UG_ERROR, "error");
    status = json_string_value(json_object_get(a->aside, "status"));
    message = json_string_value(json_object_get(a->aside, "message"));
    snprintf(a->why, sizeof a->why, "%s", message ? message : "without a reason");
    if (status && !strcmp(status, "declined")) return end(a, UG_DECLINE, "declined");
    if (status && !strcmp(status, "failed")) return end(a, UG_ERROR, "error");
    if (status && strcmp(status, "ok")) {
        snprintf(a->why, sizeof a->why,
                 "%s/%s.json: status '%.20s', expected ok, declined or failed", a->where,
                 a->in->s->id, status);
        return end(a, UG_ERROR, "error");
    }
    rc = read_outputs(a);
    if (rc) return rc == 1 ? end(a, UG_DECLINE, "declined not judged:") : end(a, UG_ERROR, "error");
    ug_pair_begin(a->in, a->out);
    if (add_reasons(a) || ug_pair_measure(a->in, a->out, a->why, sizeof a->why))
        return end(a, UG_ERROR, "error");
    return a->out->verdict;
}

void ug_pair_judge_files(const ug_pair_in *in, const ug_exchange *x, size_t index, ug_pair *out)
{
    answer a = {.in = in, .x = x, .out = out};
    memset(out, 0, sizeof *out);
    out->time_us = -1;
    snprintf(a.where, sizeof a.where, "outputs/%s", in->card->name);
    ug_exchange_unseen(in->s->c, out->not_exchanged, sizeof out->not_exchanged);
    judge(&a, index);
    take_seen(&a);
    json_decref(a.aside);
}
