/* SPDX-License-Identifier: Apache-2.0 */
/* The exact answer for one row, whatever computes it.
 *
 *   y_i = gamma_i A_i / sqrt(Q) + beta_i,  A_i = N x_i - S1,  Q = N S2 - S1^2 + eps N^2,  S1 = sum
 * x, S2 = sum x^2
 *
 * S1, S2, A and Q are exact dyadic numbers: mean and variance are never rounded. y_i is given as
 * head + tail (true to 2^-20 ulp of the output type or better) and as the bits of its correct
 * rounding (nearest even) into the output type, rounded once. An implementation is one file with
 * one ug_reference in it.
 */
#ifndef ULPGATE_TRUTH_H
#define ULPGATE_TRUTH_H

#include <stddef.h>
#include <stdint.h>

#include "ulpgate/kernel.h"

typedef enum ug_row_class {
    UG_ROW_REGULAR = 0,
    UG_ROW_NONFINITE = 1,  /* a NaN or Inf in x: no finite y expected */
    UG_ROW_DEGENERATE = 2, /* n 0, or eps 0 and variance 0: 0/0 */
    UG_ROW_RANGE =
        3, /* float sums of x or x^2 can overflow, or all squares underflow, the answer is finite */
    UG_ROW_CLASS_COUNT = 4
} ug_row_class;

/* Doubles nearest to the exact values; NaN where the class has none. */
typedef struct ug_row_stats {
    ug_row_class cls;
    int64_t n;
    float eps;
    double mean, var; /* population variance */
    double rstd;      /* 1 / sqrt(var + eps) */
    double kappa; /* sqrt(1 + mean^2 / var); Inf for var 0 and mean not 0; 1 for an all-zero row */
    double abs_mean;       /* M1 = mean of |x| */
    double mean_sq;        /* M2 = mean of x^2 */
    double x_max, dev_max; /* max |x_i|, max |x_i - mean|, rounded up */
} ug_row_stats;

/* One row: values widened to float; gamma and beta NULL when absent. All arrays have n elements. */
typedef struct ug_row_in {
    const float *x, *gamma, *beta;
    int64_t n;
    float eps;
    ug_dtype out;
} ug_row_in;

/* Caller's arrays of n elements, each may be NULL. For rows without an exact answer head is NaN,
 * want a NaN. A non-finite gamma_i or beta_i makes element i alone NaN or Inf by IEEE rules on the
 * exact xhat. */
typedef struct ug_row_out {
    double *head, *tail;
    uint32_t *want; /* bits in the output type, in the low 16 bits for f16 and bf16 */
} ug_row_out;

typedef struct ug_reference {
    const char *name;
    void *(*create)(void); /* per thread; NULL when out of memory */
    void (*destroy)(void *state);
    int (*row)(void *state, const ug_row_in *in, const ug_row_out *out,
               ug_row_stats *stats); /* 0, -1: no memory */
    /* A row that is `in`, repeats times over: the statistics are those of all of it, the answer is
     * that of the first time. in->n * repeats < 2^32. */
    int (*repeated)(void *state, const ug_row_in *in, int64_t repeats, const ug_row_out *out,
                    ug_row_stats *stats);
} ug_reference;

/* "mpfr": correctly rounded through MPFR on exact sums, precision raised until the rounding is
 * decided. */
const ug_reference *
ug_reference_find(const char *name); /* NULL name: the default one; NULL when unknown */

#endif
