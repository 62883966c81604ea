/* SPDX-License-Identifier: Apache-2.0 */
/* Evidence for and against kernels, and how fast those are that pass. */
#include "report/advise.h"

#include <fnmatch.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/speed.h"

/* Fewer judged cases than this are no evidence, and none reaches further than four times its kappa
 * or length: a single number stands for half to twice of it. */
enum { LEAST_CASES = 3, REACH = 4 };

/* Behind the fastest by no more than this, the smaller error decides: times of the same kernel move
 * by as much from run to run. */
static const double close_behind = 1.02;

/* Operands of ordinary size and the usual eps: what people have who ask. */
static int is_ordinary(const char *line)
{
    static const char *const plain[] = {" gamma=none", " gamma=negative", " beta=none"};
    static const char *const odd[] = {" gamma=", " beta=", " special=", " eps="};
    size_t i, j;
    for (i = 0; i < sizeof odd / sizeof *odd; i++) {
        const char *at = strstr(line, odd[i]);
        int known = !at;
        for (j = 0; at && j < sizeof plain / sizeof *plain; j++) {
            size_t length = strlen(plain[j]);
            if (!strncmp(at, plain[j], length) && (!at[length] || at[length] == ' ')) known = 1;
        }
        if (!known) return 0;
    }
    return 1;
}

static int in_scope(const ug_rec *rec, const ug_needs *needs)
{
    double kappa = rec->metric[UG_REC_kappa_max];
    if (rec->yardstick || strcmp(rec->dtype, needs->dtype) || !is_ordinary(rec->line)) return 0;
    if (rec->n < needs->n_least || (needs->n_most >= 0 && rec->n > needs->n_most)) return 0;
    if (rec->verdict != UG_REC_PASS && rec->verdict != UG_REC_FAIL) return 1;
    if (!(rec->has & 1u << UG_REC_kappa_max)) return 0;
    return kappa >= needs->kappa_least && kappa <= needs->kappa_most;
}

static int is_selected(const ug_needs *needs, const char *kernel)
{
    size_t i;
    for (i = 0; i < needs->kernel_count; i++) {
        if (!fnmatch(needs->kernels[i], kernel, 0)) return 1;
    }
    return !needs->kernel_count;
}

static int within(const ug_rec *rec, ug_rec_metric m, double limit)
{
    return isnan(limit) || (rec->has & 1u << m && rec->metric[m] <= limit);
}

/* 1 passes, 0 does not, -1 is no evidence. */
static int fits(const ug_rec *rec, const ug_needs *needs)
{
    int limits = !isnan(needs->abs) || !isnan(needs->ulp) || !isnan(needs->cond);
    if (!limits) return rec->sound;
    return within(rec, UG_REC_max_abs, needs->abs) && within(rec, UG_REC_max_ulp, needs->ulp) &&
           within(rec, UG_REC_max_cond, needs->cond);
}

static void raise_to(double *worst, const ug_rec *rec, ug_rec_metric m)
{
    double v = rec->metric[m];
    if (!(rec->has & 1u << m)) return;
    if (isnan(v)) v = INFINITY;
    if (v > *worst) *worst = v;
}

static int is_fault(const ug_rec *rec)
{
    return rec->verdict == UG_REC_CRASH || rec->verdict == UG_REC_HANG ||
           rec->verdict == UG_REC_ERROR || (rec->verdict == UG_REC_FAIL && ug_rec_structural(rec));
}

static void add(ug_choice *c, const ug_rec *rec, const ug_needs *needs)
{
    int fit;
    if (rec->verdict == UG_REC_DECLINED) {
        c->declined++;
        return;
    }
    fit = is_fault(rec) ? 0 : fits(rec, needs);
    c->faults += is_fault(rec);
    if (fit < 0) return;
    c->judged++;
    c->passed += fit;
    if (!fit && (!c->fault || ug_rec_compare(rec, c->fault) < 0)) c->fault = rec;
    raise_to(&c->abs, rec, UG_REC_max_abs);
    raise_to(&c->ulp, rec, UG_REC_max_ulp);
    raise_to(&c->cond, rec, UG_REC_max_cond);
    if (rec->has & 1u << UG_REC_kappa_max) c->reach = fmax(c->reach, rec->metric[UG_REC_kappa_max]);
    if (rec->n > c->reach_n) c->reach_n = rec->n;
}

static ug_choice *choice_of(ug_advice *a, const ug_rec *rec)
{
    ug_choice *grown;
    size_t i;
    for (i = a->count; i-- > 0;) {
        if (a->choice[i].kernel == rec->kernel) return &a->choice[i];
    }
    grown = realloc(a->choice, (a->count + 1) * sizeof *grown);
    if (!grown) return NULL;
    a->choice = grown;
    grown += a->count++;
    memset(grown, 0, sizeof *grown);
    grown->kernel = rec->kernel;
    grown->variance = rec->variance;
    grown->abs = grown->ulp = grown->cond = -1;
    grown->behind = grown->share = NAN;
    return grown;
}

static ug_fit fit_of(const ug_choice *c, const ug_needs *needs)
{
    if (c->passed < c->judged) return UG_FIT_FAILS;
    if (c->judged < LEAST_CASES) return UG_FIT_UNKNOWN;
    if (isfinite(needs->kappa_most) && REACH * c->reach < needs->kappa_most) return UG_FIT_UNKNOWN;
    if (needs->n_most >= 0 && REACH * c->reach_n < needs->n_most) return UG_FIT_UNKNOWN;
    return UG_FIT_PASSES;
}

static const ug_choice *find(const ug_advice *a, const char *kernel)
{
    size_t i;
    for (i = 0; i < a->count; i++) {
        if (a->choice[i].kernel == kernel) return &a->choice[i];
    }
    return NULL;
}

static int is_timed(const ug_advice *a, const ug_speed *s, const ug_needs *needs)
{
    const ug_rec *rec = &s->first->rec;
    const ug_choice *c = find(a, rec->kernel);
    if (isnan(s->us) || !(s->us > 0) || s->first->emulated) return 0;
    if (strcmp(rec->dtype, needs->dtype) || !c || c->fit != UG_FIT_PASSES) return 0;
    return rec->n >= needs->n_least && (needs->n_most < 0 || rec->n <= needs->n_most);
}

/* From sums of logarithms to means, and from the fastest of each case to the fastest of all. */
static void close_times(ug_advice *a)
{
    double least = INFINITY;
    size_t i;
    for (i = 0; i < a->count; i++) {
        ug_choice *c = &a->choice[i];
        if (!c->timed) continue;
        c->behind = exp(c->behind / (double)c->timed);
        c->share = exp(c->share / (double)c->timed);
        least = fmin(least, c->behind);
    }
    for (i = 0; i < a->count; i++) a->choice[i].behind /= least;
}

/* Over cases, how far each kernel that passes is behind the fastest such one of the case. */
static void time_choices(const ug_speeds *speeds, const ug_needs *needs, ug_advice *a)
{
    size_t i, j, end;
    for (i = 0; i < speeds->count; i = end) {
        double fastest = INFINITY;
        for (end = i; end < speeds->count && speeds->item[end].case_at == speeds->item[i].case_at;
             end++) {
            if (is_timed(a, &speeds->item[end], needs)) {
                fastest = fmin(fastest, speeds->item[end].us);
            }
        }
        for (j = i; j < end; j++) {
            const ug_speed *s = &speeds->item[j];
            ug_choice *c = (ug_choice *)find(a, s->first->rec.kernel);
            if (!is_timed(a, s, needs)) continue;
            c->behind = (c->timed ? c->behind : 0) + log(s->us / fastest);
            c->share = (c->timed ? c->share : 0) + log(s->share);
            c->timed++;
        }
    }
    close_times(a);
}

static int by_fit(const void *a, const void *b)
{
    static const int order[] = {0, 2, 1};
    const ug_choice *x = a, *y = b;
    if (x->fit != y->fit) return order[x->fit] - order[y->fit];
    if (isnan(x->behind) != isnan(y->behind)) return isnan(x->behind) ? 1 : -1;
    if (!isnan(x->behind) && x->behind != y->behind) return x->behind < y->behind ? -1 : 1;
    if (x->cond != y->cond) return x->cond < y->cond ? -1 : 1;
    return strcmp(x->kernel, y->kernel);
}

/* Of what is asked for, else cond. */
static double error_of(const ug_choice *c, const ug_needs *needs)
{
    if (!isnan(needs->abs)) return c->abs;
    return isnan(needs->ulp) ? c->cond : c->ulp;
}

static void choose(const ug_needs *needs, ug_advice *a)
{
    size_t i;
    for (i = 0; i < a->count; i++) {
        const ug_choice *c = &a->choice[i];
        if (c->fit != UG_FIT_PASSES) break;
        if (!a->best) {
            a->best = c;
            continue;
        }
        if (isnan(c->behind) != isnan(a->best->behind)) break;
        if (c->behind > a->choice[0].behind * close_behind) break;
        if (error_of(c, needs) < error_of(a->best, needs)) a->best = c;
    }
}

static const char *device_of(const ug_results *results)
{
    size_t i, b, f;
    for (i = 0; i < results->benches; i++) {
        const ug_rec *rec = &results->bench[i].rec;
        const ug_rec_run *run = &results->run[rec->run];
        size_t length = strcspn(rec->kernel, ":");
        for (b = 0; b < run->backends; b++) {
            if (strlen(run->backend[b].backend) != length) continue;
            if (strncmp(run->backend[b].backend, rec->kernel, length)) continue;
            for (f = 0; f < run->backend[b].facts; f++) {
                if (!strcmp(run->backend[b].fact[f].key, "device")) {
                    return run->backend[b].fact[f].value;
                }
            }
        }
    }
    return "";
}

int ug_advise(const ug_results *results, const ug_needs *needs, ug_advice *a)
{
    ug_summary summary;
    ug_speeds speeds;
    size_t i;
    int rc;
    memset(a, 0, sizeof *a);
    a->device = device_of(results);
    for (i = 0; i < results->count; i++) {
        const ug_rec *rec = &results->rec[i];
        ug_choice *c;
        if (!in_scope(rec, needs) || !is_selected(needs, rec->kernel)) continue;
        c = choice_of(a, rec);
        if (!c) return -1;
        add(c, rec, needs);
    }
    for (i = 0; i < a->count; i++) a->choice[i].fit = fit_of(&a->choice[i], needs);
    if (ug_summarize(results, &summary)) return -1;
    rc = ug_speed_sums(results, &summary, &speeds);
    if (!rc) time_choices(&speeds, needs, a);
    ug_speeds_free(&speeds);
    ug_summary_free(&summary);
    if (rc) return -1;
    if (a->count) qsort(a->choice, a->count, sizeof *a->choice, by_fit);
    choose(needs, a);
    return 0;
}

void ug_advice_free(ug_advice *a)
{
    free(a->choice);
    memset(a, 0, sizeof *a);
}
