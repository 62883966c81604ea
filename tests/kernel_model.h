/* SPDX-License-Identifier: Apache-2.0 */
/* What a kernel must compute, bit for bit, from its declared geometry: plain C, written from the
 * description of the reduction and sharing no code with the kernels. */
#ifndef ULPGATE_TESTS_KERNEL_MODEL_H
#define ULPGATE_TESTS_KERNEL_MODEL_H

#include "ulpgate/kernel.h"

typedef struct model_row {
    float mean, var, rstd;
    int64_t chain, levels; /* longest serial chain; deepest chain of joins of two non-empty sides */
} model_row;

/* One row dealt out in groups of `group` (1 or 4) to `threads` threads, the rest one by one. */
model_row model_stats(const float *x, int64_t n, float eps, ug_variance variance, int64_t threads,
                      int64_t group);

/* Before the rounding into the output type. */
float model_apply(const model_row *m, float x, float gamma, float beta);

/* Worst-case bounds of the declared algorithm against the exact mean and variance, and of one
 * element; u = 2^-24. */
typedef struct model_exact {
    double n, mean, var, abs_mean, x_max, dev_max;
} model_exact;

model_exact model_exact_row(const float *x, int64_t n);
void model_bound(const model_exact *e, const ug_kernel *kernel, const ug_geometry *geometry,
                 double *mean, double *var);
double model_element_bound(const model_exact *e, double bound_mean, double bound_var,
                           double rsqrt_error, double eps, double x, double gamma, double y);

#endif
