/* SPDX-License-Identifier: Apache-2.0 */
/* Sums by kernel and the list of failures. */
#include "report/summary.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static ug_kernel_sum *kernel_of(ug_summary *s, const ug_rec *rec)
{
    static const double none[UG_SUM_WORST] = {-1, -1, -1, -1, -1};
    ug_kernel_sum *grown;
    size_t k;
    /* Names are kept once, so that equal names are equal pointers. */
    for (k = s->kernels; k-- > 0;) {
        if (s->kernel[k].kernel == rec->kernel) return &s->kernel[k];
    }
    grown = realloc(s->kernel, (s->kernels + 1) * sizeof *grown);
    if (!grown) return NULL;
    s->kernel = grown;
    grown += s->kernels++;
    memset(grown, 0, sizeof *grown);
    grown->kernel = rec->kernel;
    grown->variance = rec->variance;
    grown->yardstick = rec->yardstick;
    memcpy(grown->worst, none, sizeof none);
    return grown;
}

static void raise_to(double *worst, const ug_rec *rec, ug_rec_metric m)
{
    double v = rec->metric[m];
    if (!(rec->has & 1u << m) || isnan(*worst)) return;
    if (!(v <= *worst)) *worst = v;
}

static int is_bad(const ug_rec *rec)
{
    return rec->verdict != UG_REC_PASS && rec->verdict != UG_REC_DECLINED;
}

static int64_t at_least_0(int64_t v) { return v > 0 ? v : 0; }

static void add(ug_kernel_sum *k, const ug_rec *rec)
{
    int bin;
    k->cases++;
    k->verdict[rec->verdict]++;
    k->bound_judged += rec->bound >= 0;
    k->bound_pass += rec->bound > 0;
    k->sound_judged += rec->sound >= 0;
    k->sound_pass += rec->sound > 0;
    raise_to(&k->worst[UG_SUM_COND], rec, UG_REC_max_cond);
    raise_to(&k->worst[UG_SUM_ABS], rec, UG_REC_max_abs);
    raise_to(&k->worst[UG_SUM_ULP], rec, UG_REC_max_ulp);
    raise_to(&k->worst[UG_SUM_VS_ABS], rec, UG_REC_vs_openblas_abs);
    raise_to(&k->worst[UG_SUM_VS_ULP], rec, UG_REC_vs_openblas_ulp);
    k->range += at_least_0(rec->row_count[UG_REC_ROWS_range]);
    k->range_wrong += at_least_0(rec->row_count[UG_REC_ROWS_range_wrong]);
    k->blind += at_least_0(rec->row_count[UG_REC_ROWS_blind]);
    k->near_ties += at_least_0(rec->row_count[UG_REC_ROWS_near_ties]);
    for (bin = 0; bin < UG_REC_HIST; bin++) k->hist[bin] += rec->hist[bin];
    if (rec->verdict == UG_REC_DECLINED) return;
    if (!k->worst_case || ug_rec_compare(rec, k->worst_case) < 0) k->worst_case = rec;
}

/* Equal weights keep the order of the run: the records of one run lie in one array. */
static int by_weight(const void *a, const void *b)
{
    const ug_rec *x = *(const ug_rec *const *)a, *y = *(const ug_rec *const *)b;
    int order = ug_rec_compare(x, y);
    return order ? order : (x > y) - (x < y);
}

int ug_summarize(const ug_results *results, ug_summary *s)
{
    size_t i;
    memset(s, 0, sizeof *s);
    s->failure = malloc((results->count + 1) * sizeof *s->failure);
    if (!s->failure) return -1;
    for (i = 0; i < results->count; i++) {
        const ug_rec *rec = &results->rec[i];
        ug_kernel_sum *k = kernel_of(s, rec);
        if (!k) {
            ug_summary_free(s);
            return -1;
        }
        add(k, rec);
        if (rec->yardstick) {
            s->shown++;
            s->shown_bad += is_bad(rec);
            continue;
        }
        s->verdict[rec->verdict]++;
        if (is_bad(rec)) s->failure[s->failures++] = rec;
    }
    qsort(s->failure, s->failures, sizeof *s->failure, by_weight);
    return 0;
}

static int has_kernel(const ug_rec *const *picked, size_t count, const char *kernel)
{
    while (count-- > 0) {
        if (picked[count]->kernel == kernel) return 1;
    }
    return 0;
}

static int is_picked(const ug_rec *const *picked, size_t count, const ug_rec *rec)
{
    while (count-- > 0) {
        if (picked[count] == rec) return 1;
    }
    return 0;
}

size_t ug_pick_failures(const ug_summary *s, size_t limit, const ug_rec **picked)
{
    size_t i, count = 0;
    for (i = 0; i < s->failures && count < limit; i++) {
        if (!has_kernel(picked, count, s->failure[i]->kernel)) picked[count++] = s->failure[i];
    }
    for (i = 0; i < s->failures && count < limit; i++) {
        if (!is_picked(picked, count, s->failure[i])) picked[count++] = s->failure[i];
    }
    qsort(picked, count, sizeof *picked, by_weight);
    return count;
}

void ug_summary_free(ug_summary *s)
{
    free(s->kernel);
    free(s->failure);
    memset(s, 0, sizeof *s);
}
