/* SPDX-License-Identifier: Apache-2.0 */
/* Builds the result record of one (case, kernel) pair. */
#include "audit/record.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *const metric_names[UG_M_COUNT] = {"ulp", "abs", "term", "cond", "bound"};
static const char *const class_names[UG_CLASS_COUNT] = {
    "ok",           "nan_missed", "nan_spurious", "inf_missed",
    "inf_spurious", "sign",       "flushed",      "unwritten"};
const char *const ug_variance_names[UG_VAR_COUNT] = {"unknown", "sum2",     "twopass", "welford",
                                                     "shifted", "pairmean", "exact",   "pairwise"};

static int put(json_t *object, const char *key, json_t *value)
{
    return json_object_set_new(object, key, value);
}

static int put_text(json_t *object, const char *key, const char *text)
{
    return put(object, key, ug_record_string(text));
}

static int put_number(json_t *object, const char *key, double value)
{
    return put(object, key, ug_record_number(value));
}

/* -1 stands for "nothing was measured": the field is absent. */
static int put_measured(json_t *object, const char *key, double value)
{
    return value == -1 ? 0 : put_number(object, key, value);
}

static int put_hash(json_t *object, const char *key, uint64_t hash)
{
    char text[17];
    snprintf(text, sizeof text, "%016" PRIx64, hash);
    return put_text(object, key, text);
}

static int put_case(json_t *record, const ug_case *c)
{
    char text[UG_CASE_TEXT], value[UG_CASE_TEXT];
    const char *key;
    json_t *params = json_object();
    int bad = 0;
    if (ug_case_format(c, text, sizeof text) < 0) snprintf(text, sizeof text, "too long a case");
    bad |= put_text(record, "case", text);
    bad |= put_hash(record, "id", ug_case_hash(c));
    bad |= put_text(record, "suite", c->suite);
    bad |= put_text(record, "family", c->family);
    bad |= put_text(record, "tier", c->tier);
    for (int i = 0; params && ug_case_param(c, i, &key, value); i++)
        bad |= put_text(params, key, value);
    return bad | put(record, "params", params);
}

static int put_kernel(json_t *record, const ug_record_in *in)
{
    const ug_kernel_card *k = in->kernel;
    char name[sizeof k->backend + sizeof k->name];
    json_t *geometry;
    int bad;
    snprintf(name, sizeof name, "%s:%s", k->backend, k->name);
    bad = put_text(record, "kernel", name);
    bad |= put_text(record, "variance",
                    ug_variance_names[(unsigned)k->variance < UG_VAR_COUNT ? k->variance : 0]);
    bad |= put(record, "yardstick", json_boolean(k->yardstick));
    if (in->path) bad |= put_text(record, "path", in->path);
    if (!in->geometry) return bad;
    geometry = json_object();
    bad |= put(geometry, "threads", json_integer(in->geometry->threads));
    bad |= put(geometry, "chain", json_integer(in->geometry->chain));
    bad |= put(geometry, "levels", json_integer(in->geometry->levels));
    return bad | put(record, "geometry", geometry);
}

static int put_verdict(json_t *record, const ug_record_in *in)
{
    const ug_verdict *v = in->judged;
    json_t *reasons = json_array(), *passes;
    int bad = put_text(record, "verdict", in->verdict);
    if (in->reason) bad |= json_array_append_new(reasons, ug_record_string(in->reason));
    for (int i = 0; v && i < v->reason_count; i++)
        bad |= json_array_append_new(reasons, ug_record_string(v->reasons[i]));
    bad |= put(record, "reasons", reasons);
    if (!v) return bad;
    bad |= put_text(record, "gate", v->gate);
    passes = json_object();
    if (v->bound_pass >= 0) bad |= put(passes, "bound", json_boolean(v->bound_pass));
    if (v->sound_pass >= 0) bad |= put(passes, "sound", json_boolean(v->sound_pass));
    return bad | put(record, "passes", passes);
}

static int put_worst(json_t *record, const char *key, const ug_errors *errors)
{
    json_t *all = json_object();
    int bad = 0;
    for (int i = 0; i < UG_M_COUNT; i++) {
        const ug_worst *w = &errors->worst[i];
        json_t *one;
        if (w->value == -1) continue;
        one = json_object();
        bad |= put(one, "row", json_integer(w->row));
        bad |= put(one, "col", json_integer(w->col));
        bad |= put_number(one, "x", w->x);
        bad |= put_number(one, "got", w->got);
        bad |= put_number(one, "want", w->want);
        bad |= put_number(one, "kappa", w->kappa);
        bad |= put_number(one, "value", w->value);
        bad |= put(all, metric_names[i], one);
    }
    return bad | put(record, key, all);
}

static int put_counts(json_t *record, const ug_measure *m)
{
    json_t *hist = json_array(), *classes = json_object(), *rows = json_object();
    const struct {
        const char *key;
        int64_t count;
    } counts[] = {{"regular", m->rows[UG_ROW_REGULAR]},
                  {"nonfinite", m->rows[UG_ROW_NONFINITE]},
                  {"degenerate", m->rows[UG_ROW_DEGENERATE]},
                  {"range", m->rows[UG_ROW_RANGE]},
                  {"blind", m->blind},
                  {"near_ties", m->near_ties},
                  {"range_wrong", m->range_wrong},
                  {"unjudged", m->unjudged},
                  {"all_nan", m->all_nan_rows},
                  {"stats_bad", m->stats_bad}};
    int bad = 0;
    for (int i = 0; i < UG_HIST_BINS; i++)
        bad |= json_array_append_new(hist, json_integer(m->hist[i]));
    for (int i = 0; i < UG_CLASS_COUNT; i++)
        bad |= put(classes, class_names[i], json_integer(m->classes[i]));
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++)
        bad |= put(rows, counts[i].key, json_integer(counts[i].count));
    if (m->compared) bad |= put(rows, "compared", json_integer(m->compared));
    bad |= put(record, "ulp_hist", hist);
    bad |= put(record, "classes", classes);
    return bad | put(record, "rows", rows);
}

static int put_metrics(json_t *record, const ug_measure *m)
{
    json_t *o = json_object();
    double elements = (double)m->elements;
    int bad = 0;
    for (int i = 0; i < UG_M_COUNT; i++) {
        char key[16];
        snprintf(key, sizeof key, "max_%s", metric_names[i]);
        bad |= put_measured(o, key, m->regular.worst[i].value);
    }
    if (m->elements) {
        bad |= put_number(o, "mean_ulp", m->sum_ulp / elements);
        bad |= put_number(o, "cr_share", (double)m->correctly_rounded / elements);
        bad |= put_number(o, "nmse", ug_measure_nmse(&m->regular));
    }
    bad |= put_measured(o, "row_err", m->regular.row_err);
    bad |= put_measured(o, "mean_err", m->mean_err);
    bad |= put_measured(o, "var_err", m->var_err);
    bad |= put_measured(o, "rstd_err", m->rstd_err);
    bad |= put_measured(o, "kappa_max", m->kappa_max);
    bad |= put_measured(o, "vs_openblas_abs", m->vs_abs);
    bad |= put_measured(o, "vs_openblas_ulp", m->vs_ulp);
    return bad | put(record, "metrics", o);
}

json_t *ug_record(const ug_record_in *in)
{
    json_t *record = json_object();
    int bad = put_text(record, "type", "result");
    bad |= put_case(record, in->tested);
    bad |= put_kernel(record, in);
    bad |= put_verdict(record, in);
    if (in->not_exchanged) bad |= put(record, "not_exchanged", ug_record_list(in->not_exchanged));
    if (in->has_digest) {
        bad |= put_hash(record, "inputs", in->inputs);
        bad |= put_hash(record, "digest", in->digest);
    }
    if (in->row_digests) {
        json_t *digests = json_array();
        for (size_t i = 0; i < in->row_digest_count; i++) {
            char text[17];
            snprintf(text, sizeof text, "%016" PRIx64, in->row_digests[i]);
            bad |= json_array_append_new(digests, json_string(text));
        }
        bad |= put(record, "row_digests", digests);
    }
    if (in->measure) {
        bad |= put_worst(record, "worst", &in->measure->regular);
        if (in->measure->rows[UG_ROW_RANGE])
            bad |= put_worst(record, "range_worst", &in->measure->range);
        if (in->measure->bound_rows) bad |= put_number(record, "bound_abs", in->measure->bound_abs);
        bad |= put_counts(record, in->measure);
    }
    if (in->time_us >= 0) bad |= put_number(record, "time_us", in->time_us);
    if (in->measure) bad |= put_metrics(record, in->measure);
    if (!bad) return record;
    json_decref(record);
    return NULL;
}
