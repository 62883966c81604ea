/* SPDX-License-Identifier: Apache-2.0 */
/* The three kinds of record that reports are made from: run, result, end. */
#include "report/record.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const verdict_names[UG_REC_VERDICTS] = {"PASS",  "FAIL", "DECLINED",
                                                           "CRASH", "HANG", "ERROR"};
#define NAME_OF(name) #name,
static const char *const metric_names[UG_REC_METRICS] = {UG_REC_METRIC_LIST(NAME_OF)};
static const char *const rows_names[UG_REC_ROWS_COUNT] = {UG_REC_ROWS_LIST(NAME_OF)};
static const char *const place_names[UG_REC_PLACES] = {"ulp", "abs", "term", "cond", "bound"};

const char *ug_rec_verdict_name(ug_rec_verdict verdict) { return verdict_names[verdict]; }
const char *ug_rec_metric_name(ug_rec_metric metric) { return metric_names[metric]; }
const char *ug_rec_rows_name(ug_rec_rows rows) { return rows_names[rows]; }

static int read_facts(ug_reading *at, const json_t *facts, ug_rec_backend *to)
{
    size_t room = json_object_size(facts);
    const char *key;
    void *i;
    if (!room) return 0;
    to->fact = ug_strings_room(at->strings, room * sizeof *to->fact);
    if (!to->fact) {
        ug_reading_fail(at, "out of memory");
        return -1;
    }
    for (i = json_object_iter((json_t *)facts); i; i = json_object_iter_next((json_t *)facts, i)) {
        key = json_object_iter_key(i);
        to->fact[to->facts].key = ug_strings_keep(at->strings, key);
        to->fact[to->facts].value = ug_field_text(at, facts, "backends: facts.", key);
        if (!to->fact[to->facts].key) ug_reading_fail(at, "out of memory");
        if (at->failed) return -1;
        to->facts++;
    }
    return 0;
}

static int read_backends(ug_reading *at, const json_t *list, ug_rec_run *run)
{
    size_t i, count = json_array_size(list);
    if (list && !json_is_array(list)) {
        ug_reading_fail(at, "backends is not an array");
        return -1;
    }
    if (!count) return 0;
    run->backend = ug_strings_room(at->strings, count * sizeof *run->backend);
    if (!run->backend) {
        ug_reading_fail(at, "out of memory");
        return -1;
    }
    for (i = 0; i < count; i++) {
        const json_t *item = json_array_get(list, i);
        ug_rec_backend *to = &run->backend[run->backends++];
        if (!json_is_object(item)) {
            ug_reading_fail(at, "backends[%zu] is not an object", i);
            return -1;
        }
        to->backend = ug_field_text(at, item, "backends: ", "backend");
        to->plugin = ug_field_text(at, item, "backends: ", "plugin");
        if (read_facts(at, ug_field_object(at, item, "facts"), to)) return -1;
    }
    return at->failed ? -1 : 0;
}

int ug_record_run(ug_reading *at, const json_t *object, ug_rec_run *run)
{
    int64_t schema = ug_field_integer(at, object, "", "schema");
    const json_t *host = ug_field_object(at, object, "host");
    if (!at->failed && schema != UG_RESULTS_SCHEMA) {
        ug_reading_fail(at, "schema is %lld, this program reads schema %d", (long long)schema,
                        UG_RESULTS_SCHEMA);
    }
    run->version = ug_field_text(at, object, "", "version");
    run->git = ug_field_text(at, object, "", "git");
    run->started = ug_field_text(at, object, "", "started");
    run->command = ug_field_text(at, object, "", "command");
    run->gate = ug_field_text(at, object, "", "gate");
    run->profile = ug_field_text(at, object, "", "profile");
    run->reference = ug_field_text(at, object, "", "reference");
    run->compiler = ug_field_text(at, object, "", "compiler");
    run->flags = ug_field_text(at, object, "", "flags");
    run->host = ug_field_text(at, host, "host.", "name");
    run->os = ug_field_text(at, host, "host.", "os");
    run->cpu = ug_field_text(at, host, "host.", "cpu");
    run->cores = ug_field_integer(at, host, "host.", "cores");
    run->jobs = ug_field_integer(at, object, "", "jobs");
    run->cases = ug_field_integer(at, object, "", "cases");
    if (at->failed) return -1;
    return read_backends(at, json_object_get(object, "backends"), run);
}

int ug_record_end(ug_reading *at, const json_t *object, ug_rec_run *run)
{
    int64_t results = ug_field_integer(at, object, "", "results");
    run->finished = ug_field_text(at, object, "", "finished");
    run->seconds = ug_field_number(at, object, "", "seconds", NULL);
    /* Files that were put behind each other have a footer each. */
    if (results >= 0) {
        int64_t before = run->counted > 0 ? run->counted : 0;
        run->counted = results < INT64_MAX - before ? before + results : INT64_MAX;
    }
    run->complete = 1;
    return at->failed ? -1 : 0;
}

static void read_verdict(ug_reading *at, const json_t *object, ug_rec *rec)
{
    const char *verdict = ug_field_text(at, object, "", "verdict");
    int v;
    for (v = 0; v < UG_REC_VERDICTS; v++) {
        if (!strcmp(verdict, verdict_names[v])) {
            rec->verdict = (ug_rec_verdict)v;
            return;
        }
    }
    ug_reading_fail(at, "verdict is \"%.40s\", expected PASS, FAIL, DECLINED, CRASH, HANG or ERROR",
                    verdict);
}

static int read_flag(ug_reading *at, const json_t *object, const char *where, const char *key,
                     int absent)
{
    const json_t *value = json_object_get(object, key);
    if (!value) return absent;
    if (!json_is_boolean(value)) ug_reading_fail(at, "%s%s is neither true nor false", where, key);
    return json_is_true(value);
}

static void read_reasons(ug_reading *at, const json_t *list, ug_rec *rec)
{
    size_t i, count = json_array_size(list);
    if (list && !json_is_array(list)) ug_reading_fail(at, "reasons is not an array");
    if (!count || at->failed) return;
    rec->reason = ug_strings_room(at->strings, count * sizeof *rec->reason);
    for (i = 0; rec->reason && i < count; i++) {
        const json_t *item = json_array_get(list, i);
        if (!json_is_string(item)) {
            ug_reading_fail(at, "reasons[%zu] is not a string", i);
            return;
        }
        rec->reason[i] = ug_strings_keep(at->strings, json_string_value(item));
        if (!rec->reason[i]) break;
        rec->reasons++;
    }
    if ((size_t)rec->reasons != count) ug_reading_fail(at, "out of memory");
}

static void read_row_digests(ug_reading *at, const json_t *list, ug_rec *rec)
{
    size_t i, count = json_array_size(list);
    uint64_t *digest;
    if (list && !json_is_array(list)) ug_reading_fail(at, "row_digests is not an array");
    if (!count || at->failed) return;
    digest = ug_strings_room(at->strings, count * sizeof *digest);
    if (!digest) {
        ug_reading_fail(at, "out of memory");
        return;
    }
    for (i = 0; i < count; i++) {
        const char *text = json_string_value(json_array_get(list, i));
        char *end = NULL;
        if (text) digest[i] = strtoull(text, &end, 16);
        if (!text || end == text || *end) {
            ug_reading_fail(at, "row_digests[%zu] is no digest of hexadecimal digits", i);
            return;
        }
    }
    rec->row_digest = digest;
    rec->row_digests = (int64_t)count;
}

/* Numbers among the parameters are kept as text; n and rows may be any 64-bit integer. */
static int64_t read_param(ug_reading *at, const json_t *params, const char *key)
{
    const json_t *value = json_object_get(params, key);
    const char *text = json_string_value(value);
    char *end;
    long long number;
    if (!value) return -1;
    if (json_is_integer(value)) return (int64_t)json_integer_value(value);
    errno = 0;
    number = text ? strtoll(text, &end, 10) : 0;
    if (!text || end == text || *end || errno) {
        ug_reading_fail(at, "params.%s is not an integer", key);
        return -1;
    }
    return number;
}

static void read_places(ug_reading *at, const json_t *worst, ug_rec *rec)
{
    int p;
    for (p = 0; p < UG_REC_PLACES && !at->failed; p++) {
        const json_t *place = worst ? ug_field_object(at, worst, place_names[p]) : NULL;
        ug_rec_place *to = &rec->worst[p];
        to->known = place != NULL;
        to->row = ug_field_integer(at, place, "worst: ", "row");
        to->col = ug_field_integer(at, place, "worst: ", "col");
        to->value = ug_field_number(at, place, "worst: ", "value", NULL);
        to->x = ug_field_number(at, place, "worst: ", "x", NULL);
        to->got = ug_field_number(at, place, "worst: ", "got", NULL);
        to->want = ug_field_number(at, place, "worst: ", "want", NULL);
        to->kappa = ug_field_number(at, place, "worst: ", "kappa", NULL);
    }
}

static void read_counts(ug_reading *at, const json_t *object, ug_rec *rec)
{
    const json_t *rows = ug_field_object(at, object, "rows");
    const json_t *hist = json_object_get(object, "ulp_hist");
    size_t i;
    for (i = 0; i < UG_REC_ROWS_COUNT; i++) {
        rec->row_count[i] = ug_field_integer(at, rows, "rows.", rows_names[i]);
    }
    if (hist && !json_is_array(hist)) ug_reading_fail(at, "ulp_hist is not an array");
    for (i = 0; i < json_array_size(hist) && !at->failed; i++) {
        const json_t *bin = json_array_get(hist, i);
        if (!json_is_integer(bin) || i >= UG_REC_HIST) {
            ug_reading_fail(at, "ulp_hist[%zu]: expected at most %d integers", i, UG_REC_HIST);
            return;
        }
        rec->hist[i] = (int64_t)json_integer_value(bin);
    }
}

static void read_measures(ug_reading *at, const json_t *object, ug_rec *rec)
{
    const json_t *metrics = ug_field_object(at, object, "metrics");
    int m, present;
    for (m = 0; m < UG_REC_METRICS && !at->failed; m++) {
        rec->metric[m] = ug_field_number(at, metrics, "metrics.", metric_names[m], &present);
        if (present) rec->has |= 1u << m;
    }
    read_places(at, ug_field_object(at, object, "worst"), rec);
    read_counts(at, object, rec);
    rec->bound_abs = ug_field_number(at, object, "", "bound_abs", NULL);
    rec->time_us = ug_field_number(at, object, "", "time_us", NULL);
}

int ug_record_has_case(const json_t *object)
{
    static const char *const keys[] = {"type", "case", "id", "suite", "family", "tier", "params"};
    size_t i;
    for (i = 0; i < sizeof keys / sizeof *keys; i++) {
        if (json_object_get(object, keys[i])) return 1;
    }
    return 0;
}

int ug_record_case(ug_reading *at, const json_t *object, ug_rec *rec)
{
    const json_t *params = ug_field_object(at, object, "params");
    rec->line = ug_field_text(at, object, "", "case");
    if (!at->failed && !*rec->line) ug_reading_fail(at, "a result without \"case\"");
    rec->id = ug_field_text(at, object, "", "id");
    rec->suite = ug_field_text(at, object, "", "suite");
    rec->family = ug_field_text(at, object, "", "family");
    rec->tier = ug_field_text(at, object, "", "tier");
    rec->dtype = ug_field_text(at, params, "params.", "dtype");
    rec->n = read_param(at, params, "n");
    rec->rows = read_param(at, params, "rows");
    return at->failed ? -1 : 0;
}

int ug_record_outcome(ug_reading *at, const json_t *object, ug_rec *rec)
{
    const json_t *passes = ug_field_object(at, object, "passes");
    const json_t *geometry = ug_field_object(at, object, "geometry");
    rec->kernel = ug_field_text(at, object, "", "kernel");
    if (!at->failed && !*rec->kernel) ug_reading_fail(at, "a result without \"kernel\"");
    rec->variance = ug_field_text(at, object, "", "variance");
    rec->path = ug_field_text(at, object, "", "path");
    rec->gate = ug_field_text(at, object, "", "gate");
    rec->digest = ug_field_text(at, object, "", "digest");
    rec->inputs = ug_field_text(at, object, "", "inputs");
    read_row_digests(at, json_object_get(object, "row_digests"), rec);
    rec->threads = ug_field_integer(at, geometry, "geometry.", "threads");
    rec->chain = ug_field_integer(at, geometry, "geometry.", "chain");
    rec->levels = ug_field_integer(at, geometry, "geometry.", "levels");
    rec->yardstick = read_flag(at, object, "", "yardstick", 0);
    rec->bound = read_flag(at, passes, "passes.", "bound", -1);
    rec->sound = read_flag(at, passes, "passes.", "sound", -1);
    read_verdict(at, object, rec);
    read_reasons(at, json_object_get(object, "reasons"), rec);
    read_measures(at, object, rec);
    return at->failed ? -1 : 0;
}

int ug_record_result(ug_reading *at, const json_t *object, ug_rec *rec)
{
    if (ug_record_case(at, object, rec)) return -1;
    return ug_record_outcome(at, object, rec);
}
