/* SPDX-License-Identifier: Apache-2.0 */
/* What a kernel must compute, bit for bit, from its declared geometry: plain C, written from the
 * description of the reduction and sharing no code with the kernels. */
#ifndef ULPGATE_TESTS_KERNEL_MODEL_H
#define ULPGATE_TESTS_KERNEL_MODEL_H

#include <float.h>

#include "ulpgate/kernel.h"

#if LDBL_MANT_DIG >= 113
typedef long double model_wide;
#else
typedef __float128 model_wide;
#endif

typedef struct model_row {
    ug_variance variance;
    float mean, var, rstd;
    float first, second;   /* what is subtracted in turn; second 0 where the mean is one float */
    model_wide sum, scale; /* exact: of x, and R with y = gamma (N x - sum) R + beta */
    int64_t n;
    int64_t chain, levels; /* longest serial chain; deepest chain of joins of two non-empty sides */
} model_row;

/* Who has which element: a row is cut into `parts` of equally many groups (the last may have
 * fewer), each part is dealt out in groups of `group` elements to threads / parts threads; the rest
 * of the row goes to the last part one by one. parts 0: a row of words of `group` elements, of
 * which 32 at a time go to one warp after the other, a stretch of them to each; parts -1: the same
 * of groups that are whole, and the rest of the row to the first threads. */
typedef struct model_deal {
    int64_t threads, group, parts;
} model_deal;

model_row model_stats(const float *x, int64_t n, float eps, ug_variance variance,
                      const model_deal *deal);

/* A float whose rounding into `type` is the output. */
float model_apply(const model_row *m, ug_dtype type, float x, float gamma, float beta);

/* Worst-case bounds of the declared algorithm against the exact mean and variance, and of one
 * element; u = 2^-24. */
typedef struct model_exact {
    double n, mean, var, abs_mean, x_max, dev_max;
} model_exact;

/* Of the reported mean, of the variance, of x - mean as computed. */
typedef struct model_limits {
    double mean, var, centre;
    int roundings; /* before the last */
} model_limits;

model_exact model_exact_row(const float *x, int64_t n);
model_limits model_bound(const model_exact *e, const ug_kernel *kernel,
                         const ug_geometry *geometry);
double model_element_bound(const model_exact *e, const model_limits *limits,
                           const ug_kernel *kernel, double eps, double x, double gamma, double y);

#endif
