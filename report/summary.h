/* SPDX-License-Identifier: Apache-2.0 */
/* Results summed up: by kernel, failures by weight, by variance algorithm and kappa. */
#ifndef ULPGATE_REPORT_SUMMARY_H
#define ULPGATE_REPORT_SUMMARY_H

#include "report/report.h"

typedef enum ug_sum_worst {
    UG_SUM_COND = 0,
    UG_SUM_ABS,
    UG_SUM_ULP,
    UG_SUM_VS_ABS,
    UG_SUM_VS_ULP,
    UG_SUM_WORST
} ug_sum_worst;

typedef struct ug_kernel_sum {
    const char *kernel, *variance;
    int yardstick;
    int64_t cases, verdict[UG_REC_VERDICTS];
    int64_t bound_judged, bound_pass, sound_judged, sound_pass;
    double worst[UG_SUM_WORST]; /* -1: no case has the metric; NaN outranks every number */
    int64_t range, range_wrong, blind, near_ties;
    int64_t hist[UG_REC_HIST];
    const ug_rec *worst_case; /* the one ug_rec_compare puts first; never a declined one */
} ug_kernel_sum;

typedef struct ug_summary {
    ug_kernel_sum *kernel; /* in order of first appearance */
    size_t kernels;
    const ug_rec **failure; /* counted results neither PASS nor DECLINED, worst first */
    size_t failures;
    int64_t verdict[UG_REC_VERDICTS]; /* of counted results */
    int64_t shown, shown_bad;         /* results of yardsticks, and those not PASS or DECLINED */
} ug_summary;

/* Returns 0, or -1 when out of memory. */
int ug_summarize(const ug_results *results, ug_summary *summary);
void ug_summary_free(ug_summary *summary);

/* At most `limit` failures for a list, worst first: the worst of each kernel before a second one of
 * any. Returns how many were put into picked[limit]. */
size_t ug_pick_failures(const ug_summary *summary, size_t limit, const ug_rec **picked);

/* c of the gate `sound`: ceil(n / threads), n/32 where the geometry is not known. */
double ug_rec_chain(const ug_rec *rec);

/* What the gate `sound` allowed max_cond: 8 + c/4. */
double ug_rec_sound_limit(const ug_rec *rec);

/* How far a judged result is past its gate: 1 is the limit, more is worse. NaN counts as Inf. */
double ug_rec_excess(const ug_rec *rec);

/* Whether a reason tells of something else than inaccuracy (guard, repeat, order, ...). */
int ug_rec_structural(const ug_rec *rec);

/* Below 0 when a is worse than b: crashes, hangs, errors, structural faults, then by excess. */
int ug_rec_compare(const ug_rec *a, const ug_rec *b);

/* Kappa by decades: below 10, below 100, ... */
enum { UG_DECADES = 7 };

typedef struct ug_variance_sum {
    const char *variance;
    int64_t judged, sound;
    double sound_to;         /* the largest kappa of a sound case below breaks_at, 0: none */
    double breaks_at;        /* the smallest kappa of a case that was not sound, Inf: none */
    const ug_rec *breaking;  /* that case */
    double cond[UG_DECADES]; /* worst cond of the decade, -1: no case */
} ug_variance_sum;

typedef struct ug_variances {
    ug_variance_sum item[8];
    size_t count;
} ug_variances;

/* Over counted kernels, results with structural faults left out; over yardsticks when there is
 * nothing else. */
void ug_sum_variances(const ug_results *results, ug_variances *variances);

/* The sentence to act on, from the sums. */
void ug_variance_advice(const ug_variances *variances, char *text, size_t cap);

#endif
