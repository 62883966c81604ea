/* SPDX-License-Identifier: Apache-2.0 */
/* Rows with a known exact answer, and float kernels written down step by step, for the tests of
 * metrics and gates. */
#ifndef ULPGATE_TESTS_MEASURE_FIXTURE_H
#define ULPGATE_TESTS_MEASURE_FIXTURE_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "audit/measure.h"
#include "ulpgate/dtype.h"

enum { MOST = 4096, POISON = 0x7fe1dead };

#define assert_near(value, want, tolerance) assert_true(fabs((value) - (want)) <= (tolerance))

/* One row, its truth and an output. y holds bits of the output type, 32 a slot or 16. */
typedef struct row {
    float x[MOST], gamma[MOST], beta[MOST];
    double head[MOST], tail[MOST];
    uint32_t want[MOST];
    union {
        uint32_t bits[MOST];
        uint16_t half[2 * MOST];
    } y;
    float mean, rstd;
    ug_row_in in;
    ug_row_out truth;
    ug_row_stats stats;
} row;

/* An empty row of n elements without gamma and beta, with mean 0, rstd 1, mean |x| 1: values of the
 * test's own choice go into head, tail and want. */
static inline void row_init(row *r, ug_dtype t, int64_t n)
{
    memset(r, 0, sizeof *r);
    r->in = (ug_row_in){r->x, NULL, NULL, n, 0, t};
    r->truth = (ug_row_out){r->head, r->tail, r->want};
    r->stats = (ug_row_stats){.n = n,
                              .var = 1,
                              .rstd = 1,
                              .kappa = 1,
                              .abs_mean = 1,
                              .mean_sq = 1,
                              .x_max = 1,
                              .dev_max = 1};
}

static inline uint32_t bits_of(ug_dtype t, float v)
{
    return t == UG_F32 ? ug_float_bits(v) : t == UG_F16 ? ug_float_to_f16(v) : ug_float_to_bf16(v);
}

static inline void set_bits(row *r, int64_t i, uint32_t bits)
{
    if (r->in.out == UG_F32)
        r->y.bits[i] = bits;
    else
        r->y.half[i] = (uint16_t)bits;
}

static inline void measure(ug_measure *m, const row *r, int64_t place)
{
    ug_measure_row(m, place, &r->in, &r->stats, &r->truth, &r->y, (uint32_t)POISON, NULL, NULL,
                   NULL);
}

static inline ug_bound_model model_of(ug_variance v, int64_t threads, int64_t chain, int64_t levels)
{
    return (ug_bound_model){v, {threads, chain, levels}, 2};
}

#endif
