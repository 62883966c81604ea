/* SPDX-License-Identifier: Apache-2.0 */
/* Bounds on the errors of mean and variance, one function an algorithm.
 *
 * Rounding upwards: every number here is built from non-negative doubles by +, *, / and sqrt, with
 * no subtraction that cancels (1 - k u is exact: k u <= 1/2 is a multiple of 2^-24). Each operation
 * errs by a factor within 1 +- 2^-53, so an expression of fewer than 2^11 of them comes out at
 * least (1 - 2^-53)^2048 > 1 - 2^-41 times its exact value, and UG_UP times that is not below it.
 * This needs no rounding mode, and neither contraction nor wider intermediate results, which only
 * make single errors smaller, can break it.
 */
#ifndef ULPGATE_REFERENCE_BOUND_VARIANCE_H
#define ULPGATE_REFERENCE_BOUND_VARIANCE_H

#include "reference/bound.h"

#define UG_U    0x1p-24
#define UG_UP   (1 + 0x1p-40)
#define UG_DOWN (1 - 0x1p-40)

typedef struct ug_moments_bound {
    double mean, var; /* |m^ - m|, |v^ - v|, not yet times UG_UP */
    double centre;    /* absolute error of x - m as computed */
    int steps;        /* its roundings: 1, or 2 where the mean is subtracted in two parts */
    int once;         /* y is the exact answer rounded once, and so are mean and rstd */
} ug_moments_bound;

/* gamma_k = k u / (1 - k u) bounds |(1+d_1)...(1+d_k) - 1| for |d_i| <= u; k u <= 1/2. */
double ug_gamma(double k);

/* Roundings that a division by n counts as. */
double ug_bound_division(int64_t n);

/* The largest count of roundings that the formulas below use: it must have k u <= 1/2. */
double ug_bound_roundings(const ug_bound_model *model, const ug_geometry *g, int64_t n);

/* 0: no bound is known for this algorithm. */
int ug_bound_moments(const ug_bound_model *model, const ug_geometry *g, const ug_row_stats *stats,
                     ug_moments_bound *bound);

/* The same for UG_VAR_SHIFTED, UG_VAR_PAIRMEAN, UG_VAR_EXACT and UG_VAR_PAIRWISE alone. */
int ug_bound_centred(const ug_bound_model *model, const ug_geometry *g, const ug_row_stats *stats,
                     ug_moments_bound *bound);

#endif
