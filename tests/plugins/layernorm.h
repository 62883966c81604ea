/* SPDX-License-Identifier: Apache-2.0 */
/* A right LayerNorm for plugins of the tests: serial two-pass in double, rounded once. */
#ifndef TEST_PLUGIN_LAYERNORM_H
#define TEST_PLUGIN_LAYERNORM_H

#include <math.h>
#include <stdio.h>

#include "ulpgate/dtype.h"

#define EVERYTHING                                                                                 \
    (UG_CAN_ROW_STRIDE | UG_CAN_COL_STRIDE | UG_CAN_MISALIGNED | UG_CAN_IN_PLACE |                 \
     UG_CAN_NO_GAMMA | UG_CAN_NO_BETA | UG_CAN_STATS | UG_CAN_WIDE_PARAMS)

/* Rows [first, last) of a launch. */
static void layernorm_rows(const ug_args *a, int64_t first, int64_t last)
{
    for (int64_t r = first; r < last; r++) {
        double sum = 0, squares = 0, mean, rstd;
        for (int64_t i = 0; i < a->x.cols; i++)
            sum +=
                (double)ug_load(a->x.data, a->x.dtype, r * a->x.row_stride + i * a->x.col_stride);
        mean = sum / (double)a->x.cols;
        for (int64_t i = 0; i < a->x.cols; i++) {
            double d =
                (double)ug_load(a->x.data, a->x.dtype, r * a->x.row_stride + i * a->x.col_stride) -
                mean;
            squares += d * d;
        }
        rstd = 1 / sqrt(squares / (double)a->x.cols + (double)a->eps);
        for (int64_t i = 0; i < a->x.cols; i++) {
            double g = a->gamma ? (double)ug_load(a->gamma, a->param_dtype, i) : 1;
            double b = a->beta ? (double)ug_load(a->beta, a->param_dtype, i) : 0;
            double x =
                (double)ug_load(a->x.data, a->x.dtype, r * a->x.row_stride + i * a->x.col_stride);
            ug_store(a->y.data, a->y.dtype, r * a->y.row_stride + i * a->y.col_stride,
                     (float)(g * ((x - mean) * rstd) + b));
        }
        if (a->mean) a->mean[r] = (float)mean;
        if (a->rstd) a->rstd[r] = (float)rstd;
    }
}

static inline ug_status layernorm(ug_args *a)
{
    layernorm_rows(a, 0, a->x.rows);
    a->path = "serial";
    return UG_OK;
}

#endif
