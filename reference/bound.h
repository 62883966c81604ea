/* SPDX-License-Identifier: Apache-2.0 */
/* Worst-case error bounds for a declared variance algorithm and reduction geometry, rigorous
 * (rounded upwards).
 *
 * Derivations stand beside the code and in docs/metrics.md. u = 2^-24 throughout.
 */
#ifndef ULPGATE_BOUND_H
#define ULPGATE_BOUND_H

#include "reference/truth.h"

typedef struct ug_bound_model {
    ug_variance variance;
    ug_geometry geometry;
    double rsqrt_error; /* units of u */
} ug_bound_model;

typedef struct ug_row_bound {
    int applies; /* 0: no bound for this algorithm or this row (class not regular, overflow...) */
    const char *why;  /* then: the reason, a static string */
    double mean, var; /* |m^ - m| <= mean, |v^ - v| <= var */
    double rstd_rel;  /* relative error of rstd */
    double xhat_rel;  /* and with it of xhat, from x - m on */
    double scale;     /* rstd */
    double exact_mean;
    double centre; /* absolute error of the computed x - m */
    int steps;     /* and its roundings */
    int once;      /* y is rounded once, from the exact answer */
} ug_row_bound;

void ug_bound_row(const ug_bound_model *model, const ug_row_stats *stats, ug_row_bound *bound);

/* B_i: bound on |float result - y_i| before the rounding into a narrower output type. x, gamma,
 * beta: the element's operands (gamma 1, beta 0 when absent); y: its exact value. */
double ug_bound_element(const ug_row_bound *bound, double x, double gamma, double beta, double y);

/* Denominator of the condition-aware error of an element:
 * u (|gamma| rstd (|x| + mean|x|) + |beta|) + 2^-149 (|gamma| (rstd + 1) + 1). */
double ug_cond_scale(const ug_row_stats *stats, double x, double gamma, double beta);

/* Of the mean: u mean|x| + 2^-149. */
double ug_cond_mean(const ug_row_stats *stats);

/* What the gate `sound` allows the condition-aware error: 8 + c/4, c elements a thread. */
double ug_sound_limit(double chain);

#endif
