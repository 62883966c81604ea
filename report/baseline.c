/* SPDX-License-Identifier: Apache-2.0 */
/* Baselines: results in a compact form that can be kept and reviewed, a line a case.
 *
 * Kernels with the same outcome share an entry. Kept are verdict, soundness, digests, cond and
 * bound: what `ulpgate diff` judges by. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/diff.h"
#include "report/record.h"

/* Four digits: the rule for worse allows far more. */
static json_t *number(double v)
{
    char text[32];
    if (isnan(v)) return json_string("nan");
    if (isinf(v)) return json_string(v > 0 ? "inf" : "-inf");
    snprintf(text, sizeof text, "%.4g", v);
    return json_real(strtod(text, NULL));
}

static void put_text(json_t *object, const char *key, const char *text)
{
    if (*text) json_object_set_new(object, key, json_string(text));
}

static void put_metric(json_t *object, const ug_rec *rec, ug_rec_metric m)
{
    if (rec->has & 1u << m) {
        json_object_set_new(object, ug_rec_metric_name(m), number(rec->metric[m]));
    }
}

static json_t *outcome(const ug_rec *rec)
{
    json_t *o = json_object();
    json_object_set_new(o, "kernels", json_array());
    put_text(o, "verdict", ug_rec_verdict_name(rec->verdict));
    if (rec->bound >= 0) json_object_set_new(o, "bound", json_boolean(rec->bound));
    if (rec->sound >= 0) json_object_set_new(o, "sound", json_boolean(rec->sound));
    if (rec->yardstick) json_object_set_new(o, "yardstick", json_true());
    put_text(o, "digest", rec->digest);
    put_metric(o, rec, UG_REC_max_cond);
    put_metric(o, rec, UG_REC_max_bound);
    return o;
}

/* Adds a kernel to the entry with the same outcome, or a new entry. */
static void add_outcome(json_t *outcomes, const ug_rec *rec)
{
    json_t *mine = outcome(rec), *theirs, *kernels;
    size_t i;
    for (i = 0; i < json_array_size(outcomes); i++) {
        theirs = json_array_get(outcomes, i);
        kernels = json_incref(json_object_get(theirs, "kernels"));
        json_object_set(mine, "kernels", kernels);
        if (json_equal(mine, theirs)) {
            json_array_append_new(kernels, json_string(rec->kernel));
            json_decref(kernels);
            json_decref(mine);
            return;
        }
        json_decref(kernels);
        json_object_set_new(mine, "kernels", json_array());
    }
    json_array_append_new(json_object_get(mine, "kernels"), json_string(rec->kernel));
    json_array_append_new(outcomes, mine);
}

static int print(json_t *value, FILE *out)
{
    char *text = json_dumps(value, JSON_COMPACT | JSON_REAL_PRECISION(5));
    int bad = !text || fprintf(out, "%s\n", text) < 0;
    free(text);
    json_decref(value);
    return bad ? -1 : 0;
}

/* What a diff compares; no time and no name of a machine, so that it changes with what matters. */
static int print_head(const ug_rec_run *run, FILE *out)
{
    json_t *head = json_object(), *host = json_object(), *backends = json_array();
    size_t b, f;
    json_object_set_new(head, "type", json_string("run"));
    json_object_set_new(head, "schema", json_integer(UG_RESULTS_SCHEMA));
    put_text(head, "version", run->version);
    put_text(host, "cpu", run->cpu);
    json_object_set_new(head, "host", host);
    put_text(head, "compiler", run->compiler);
    put_text(head, "flags", run->flags);
    put_text(head, "gate", run->gate);
    put_text(head, "profile", run->profile);
    put_text(head, "reference", run->reference);
    for (b = 0; b < run->backends; b++) {
        json_t *backend = json_object(), *facts = json_object();
        const char *plugin = run->backend[b].plugin, *slash = strrchr(plugin, '/');
        put_text(backend, "backend", run->backend[b].backend);
        put_text(backend, "plugin", slash ? slash + 1 : plugin);
        for (f = 0; f < run->backend[b].facts; f++) {
            put_text(facts, run->backend[b].fact[f].key, run->backend[b].fact[f].value);
        }
        json_object_set_new(backend, "facts", facts);
        json_array_append_new(backends, backend);
    }
    json_object_set_new(head, "backends", backends);
    return print(head, out);
}

static json_t *case_head(const ug_rec *rec)
{
    json_t *line = json_object();
    json_object_set_new(line, "type", json_string("baseline"));
    put_text(line, "case", rec->line);
    put_text(line, "id", rec->id);
    put_text(line, "suite", rec->suite);
    put_text(line, "family", rec->family);
    put_text(line, "inputs", rec->inputs);
    json_object_set_new(line, "outcomes", json_array());
    return line;
}

int ug_baseline_write(const ug_results *results, int run, FILE *out, char *err, size_t cap)
{
    const ug_rec_run *from = &results->run[run];
    const ug_rec *before = NULL;
    json_t *line = NULL;
    size_t i;
    int bad = print_head(from, out);
    for (i = from->first; i < from->first + from->count && !bad; i++) {
        const ug_rec *rec = &results->rec[i];
        if (before && strcmp(before->line, rec->line)) {
            bad = print(line, out);
            line = NULL;
        }
        if (!line) line = case_head(rec);
        add_outcome(json_object_get(line, "outcomes"), rec);
        before = rec;
    }
    if (line && !bad) bad = print(line, out);
    if (!bad) bad = fprintf(out, "{\"type\":\"end\",\"results\":%zu}\n", from->count) < 0;
    if (bad) snprintf(err, cap, "cannot write the baseline: %s", strerror(errno));
    return bad ? -1 : 0;
}

/* The entry and the place in it of the index-th kernel. */
static const json_t *find_outcome(const json_t *outcomes, size_t index, const json_t **kernel)
{
    size_t i;
    for (i = 0; i < json_array_size(outcomes); i++) {
        const json_t *o = json_array_get(outcomes, i), *kernels = json_object_get(o, "kernels");
        if (index < json_array_size(kernels)) {
            *kernel = json_array_get(kernels, index);
            return o;
        }
        index -= json_array_size(kernels);
    }
    return NULL;
}

int ug_record_baseline(ug_reading *at, const json_t *object, size_t index, ug_rec *rec)
{
    static const char *const flags[] = {"bound", "sound"};
    const json_t *kernel = NULL,
                 *o = find_outcome(json_object_get(object, "outcomes"), index, &kernel);
    json_t *result;
    size_t i;
    int rc;
    if (!o) return 1;
    result = json_pack("{s:O, s:{}, s:{}}", "kernel", kernel, "passes", "metrics");
    if (!result) {
        ug_reading_fail(at, "out of memory");
        return -1;
    }
    for (i = 0; i < sizeof flags / sizeof *flags; i++) {
        json_t *flag = json_object_get(o, flags[i]);
        if (flag) json_object_set(json_object_get(result, "passes"), flags[i], flag);
    }
    for (i = 0; i < UG_REC_METRICS; i++) {
        const char *name = ug_rec_metric_name((ug_rec_metric)i);
        json_t *value = json_object_get(o, name);
        if (value) json_object_set(json_object_get(result, "metrics"), name, value);
    }
    json_object_update_missing(result, (json_t *)o);
    rc = ug_record_case(at, object, rec) ? -1 : ug_record_outcome(at, result, rec);
    rec->inputs = ug_field_text(at, object, "", "inputs");
    json_decref(result);
    return rc || at->failed ? -1 : 0;
}
