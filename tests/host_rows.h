/* SPDX-License-Identifier: Apache-2.0 */
/* What tests start kernels with that are not had through a plugin. */
#ifndef HOST_ROWS_H
#define HOST_ROWS_H

#include "cuda/layernorm.cuh"

static ug_plan plain_plan(void)
{
    ug_plan plan = {};
    plan.limits = {"plain", 1000, 1024, 49152, 32};
    return plan;
}

/* Contiguous rows of whole vectors, on multiples of 16 bytes as gamma and beta are, in one type;
 * mean and rstd are not wanted. */
template <typename T>
static ug_rows plain_rows(const T *x, T *y, const T *gamma, const T *beta, long long rows,
                          long long n, float eps)
{
    ug_rows a = {};
    a.x = x;
    a.y = y;
    a.gamma = gamma;
    a.beta = beta;
    a.rows = rows;
    a.n = a.x_stride = a.y_stride = n;
    a.eps = eps;
    a.wide = sizeof(T) == sizeof(float);
    a.whole = a.aligned = a.straight = true;
    a.inverse = 1.0 / (double)n;
    return a;
}

#endif
