/* SPDX-License-Identifier: Apache-2.0 */
/* Headers of shards: what must agree between them, and what becomes of them. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "audit/merge_parts.h"
#include "audit/record.h"

static int number_of(const json_t *object, const char *key, size_t *value)
{
    json_int_t v = json_integer_value(json_object_get(object, key));
    *value = v > 0 ? (size_t)v : 0;
    return v > 0 ? 0 : -1;
}

static int check_header(ug_piece *p, int bad, char *err, size_t cap)
{
    const json_t *shard = json_object_get(p->header, "shard");
    json_int_t schema = json_integer_value(json_object_get(p->header, "schema"));
    if (!p->header || strcmp(ug_text_of(p->header, "type"), "run")) {
        snprintf(err, cap, "%s is no results file: its first line is no header%s", p->path,
                 bad ? ", and no JSON object" : "");
        return -1;
    }
    if (schema != UG_RESULTS_SCHEMA) {
        snprintf(err, cap, "%s has schema %lld, expected %d", p->path, (long long)schema,
                 UG_RESULTS_SCHEMA);
        return -1;
    }
    if (!shard) {
        snprintf(err, cap, "%s is no shard: its header has none; `run --shard K/N` writes shards",
                 p->path);
        return -1;
    }
    if (number_of(shard, "index", &p->shard) || number_of(shard, "count", &p->shards) ||
        number_of(shard, "cases", &p->cases) || p->shard > p->shards ||
        !json_array_size(json_object_get(p->header, "kernels"))) {
        snprintf(err, cap, "%s: the header names no right shard, or no kernels", p->path);
        return -1;
    }
    return 0;
}

int ug_piece_open(ug_piece *p, const char *path, char *err, size_t cap)
{
    int bad;
    *p = (ug_piece){.path = path};
    p->fd = open(path, O_RDONLY | O_CLOEXEC);
    if (p->fd < 0) {
        snprintf(err, cap, "cannot open %s: %s", path, strerror(errno));
        return -1;
    }
    if (ug_lines_open(&p->in, p->fd, path, err, cap)) return -1;
    p->header = ug_lines_next(&p->in, &bad);
    return check_header(p, bad, err, cap);
}

void ug_piece_close(ug_piece *p)
{
    ug_lines_close(&p->in);
    if (p->fd >= 0) close(p->fd);
    json_decref(p->header);
    json_decref(p->end);
    *p = (ug_piece){.fd = -1};
}

int ug_piece_rewind(ug_piece *p, char *err, size_t cap)
{
    ug_lines_close(&p->in);
    if (ug_lines_open(&p->in, p->fd, p->path, err, cap)) return -1;
    ug_lines_whole(&p->in);
    return 0;
}

static int say_differ(const ug_piece *a, const ug_piece *b, const char *what, const json_t *x,
                      const json_t *y, char *err, size_t cap)
{
    char *in_a = x ? json_dumps(x, JSON_ENCODE_ANY | JSON_COMPACT) : NULL;
    char *in_b = y ? json_dumps(y, JSON_ENCODE_ANY | JSON_COMPACT) : NULL;
    snprintf(err, cap,
             "%s and %s are not of one run: %s is %.150s in the one and %.150s in the other",
             a->path, b->path, what, in_a ? in_a : "missing", in_b ? in_b : "missing");
    free(in_a);
    free(in_b);
    return -1;
}

static int same(const json_t *a, const json_t *b)
{
    return a == b || (a && b && json_equal((json_t *)a, (json_t *)b));
}

/* How many cores or devices there were to work with changes no result. */
static int is_count(const char *fact) { return !strcmp(fact, "cores") || !strcmp(fact, "devices"); }

static int facts_fit(const ug_piece *a, const ug_piece *b, json_t *x, json_t *y, char *err,
                     size_t cap)
{
    json_t *fx = json_object_get(x, "facts"), *fy = json_object_get(y, "facts"), *value;
    const char *key;
    char what[128];
    for (int side = 0; side < 2; side++) {
        json_object_foreach(side ? fy : fx, key, value)
        {
            const json_t *u = json_object_get(fx, key), *v = json_object_get(fy, key);
            if (is_count(key) || same(u, v)) continue;
            snprintf(what, sizeof what, "%.40s %.60s", ug_text_of(x, "backend"), key);
            return say_differ(a, b, what, u, v, err, cap);
        }
    }
    return 0;
}

int ug_piece_fits(const ug_piece *a, const ug_piece *b, char *err, size_t cap)
{
    static const char *const keys[] = {"version", "git",       "compiler", "flags", "gate",
                                       "profile", "reference", "kernels",  "plan"};
    json_t *of_a = json_object_get(a->header, "backends"), *of_b;
    size_t i;
    for (i = 0; i < sizeof keys / sizeof *keys; i++) {
        const json_t *x = json_object_get(a->header, keys[i]);
        const json_t *y = json_object_get(b->header, keys[i]);
        if (!same(x, y)) return say_differ(a, b, keys[i], x, y, err, cap);
    }
    if (a->shards != b->shards || a->cases != b->cases)
        return say_differ(a, b, "shard", json_object_get(a->header, "shard"),
                          json_object_get(b->header, "shard"), err, cap);
    of_b = json_object_get(b->header, "backends");
    if (json_array_size(of_a) != json_array_size(of_b))
        return say_differ(a, b, "the list of backends", of_a, of_b, err, cap);
    for (i = 0; i < json_array_size(of_a); i++) {
        json_t *x = json_array_get(of_a, i), *y = json_array_get(of_b, i);
        if (strcmp(ug_text_of(x, "backend"), ug_text_of(y, "backend")) ||
            strcmp(ug_text_of(x, "plugin"), ug_text_of(y, "plugin")))
            return say_differ(a, b, "a backend", x, y, err, cap);
        if (facts_fit(a, b, x, y, err, cap)) return -1;
    }
    return 0;
}

static json_t *origin(const ug_piece *p)
{
    static const char *const keys[] = {"host", "started", "command", "jobs"};
    json_t *o = json_pack("{s:I}", "shard", (json_int_t)p->shard);
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        json_t *value = json_object_get(p->header, keys[i]);
        if (value) json_object_set(o, keys[i], value);
    }
    for (size_t i = 0; i < 2; i++) {
        const char *key = i ? "seconds" : "finished";
        json_t *value = json_object_get(p->end, key);
        if (value) json_object_set(o, key, value);
    }
    return o;
}

json_t *ug_merged_header(ug_piece *const *pieces, size_t count, const char *command)
{
    json_t *h = json_deep_copy(pieces[0]->header), *shards = json_array();
    const char *started = ug_text_of(h, "started");
    json_int_t jobs = 0;
    for (size_t i = 0; i < count; i++) {
        if (strcmp(ug_text_of(pieces[i]->header, "started"), started) < 0)
            started = ug_text_of(pieces[i]->header, "started");
        jobs += json_integer_value(json_object_get(pieces[i]->header, "jobs"));
        json_array_append_new(shards, origin(pieces[i]));
    }
    json_object_set_new(h, "started", json_string(started));
    json_object_set_new(h, "command", ug_record_string(command));
    json_object_set_new(h, "jobs", json_integer(jobs));
    json_object_set_new(h, "cases", json_integer((json_int_t)pieces[0]->cases));
    json_object_del(h, "shard");
    if (json_object_set_new(h, "shards", shards)) {
        json_decref(h);
        return NULL;
    }
    return h;
}
