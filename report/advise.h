/* SPDX-License-Identifier: Apache-2.0 */
/* Which kernel, hence which variance and structure, for given needs: from results and times alone.
 * The rules stand in docs/reports.md. */
#ifndef ULPGATE_REPORT_ADVISE_H
#define ULPGATE_REPORT_ADVISE_H

#include "report/report.h"

/* Limits that must hold; NaN: none. Without any, the gate sound is what has to pass. */
typedef struct ug_needs {
    double abs, ulp, cond;
    const char *dtype;              /* "f32" */
    int64_t n_least, n_most;        /* 0 and -1: any */
    double kappa_least, kappa_most; /* 0 and infinity: any */
    const char *const *kernels;     /* globs; none: all */
    size_t kernel_count;
} ug_needs;

typedef enum ug_fit { UG_FIT_PASSES, UG_FIT_FAILS, UG_FIT_UNKNOWN } ug_fit;

typedef struct ug_choice {
    const char *kernel, *variance;
    ug_fit fit;
    int64_t judged, passed, declined, faults; /* cases within the needs */
    double abs, ulp, cond;                    /* worst of them, -1: none */
    double reach;                             /* largest kappa among them */
    int64_t reach_n;                          /* longest row among them */
    const ug_rec *fault;                      /* a case that does not pass, the worst; or NULL */
    double behind; /* times the fastest that passes, by geometric mean over timed cases; NaN */
    double share;  /* of a copy's speed, likewise */
    int64_t timed;
} ug_choice;

typedef struct ug_advice {
    ug_choice *choice; /* those that pass by speed, then the unknown, then those that fail */
    size_t count;
    const ug_choice *best; /* NULL: none passes */
    const char *device;    /* that the times are of, "" without times */
} ug_advice;

/* Returns 0, or -1 when out of memory; free in both cases. */
int ug_advise(const ug_results *results, const ug_needs *needs, ug_advice *advice);
void ug_advice_free(ug_advice *advice);

/* What a tensor is like: kappa of its regular rows whose variance is above eps. */
typedef struct ug_tensor_rec {
    const char *file, *tensor, *dtype;
    int64_t rows, n;
    int64_t regular, near_constant, nonfinite, out_of_range; /* near_constant: variance <= eps */
    double kappa_least, kappa_median, kappa_99, kappa_most;  /* NaN: no such row */
    double x_most, std_least, std_most, eps;
} ug_tensor_rec;

typedef enum ug_advise_format { UG_ADVISE_TEXT, UG_ADVISE_MD, UG_ADVISE_JSON } ug_advise_format;

/* tensor: or NULL. Returns 0, or -1 when out of memory. */
int ug_advice_print(const ug_results *results, const ug_needs *needs, const ug_advice *advice,
                    const ug_tensor_rec *tensor, ug_advise_format format,
                    const ug_report_options *options, FILE *out);

/* The sentences, index from 0; 0 past the last. Of the recommendation, and of what is not known. */
void ug_advice_reason(const ug_needs *needs, const ug_advice *advice, char *text, size_t cap);
int ug_advice_unknown(const ug_needs *needs, const ug_advice *advice, const ug_tensor_rec *tensor,
                      size_t index, char *text, size_t cap);
void ug_advice_needs(const ug_needs *needs, char *text, size_t cap);

#endif
