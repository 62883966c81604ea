/* SPDX-License-Identifier: Apache-2.0 */
/* The inner loops of the certified reference, one build of them an instruction set.
 *
 * All builds compute the same bits: sums are exact in any order, and the element loops hold the
 * same operations in the same order, none contracted.
 */
#ifndef ULPGATE_REFERENCE_VECTOR_OPS_H
#define ULPGATE_REFERENCE_VECTOR_OPS_H

#include <stdint.h>

#include "ulpgate/kernel.h"

/* Elements a call works on at most; counts are multiples of UG_STEP. */
enum { UG_CHUNK = 512, UG_STEP = 8 };

/* Signed integers ordered like the floats whose bits they come from, and the smallest |x| > 0. */
typedef struct ug_scan {
    int32_t least, largest;  /* key(bits) = bits for x >= 0, bits with 31 low bits flipped below */
    uint32_t tiniest_less_1; /* smallest bits of |x| among x != 0, less one; 2^32 - 1 for none */
} ug_scan;

/* Exact partial sums of a chunk: s of x, a of |x|, q of x^2, each an unevaluated sum. */
typedef struct ug_partial {
    double s[2], a[2], q[3];
} ug_partial;

/* Constants of a row for the element loops (certified.c says how they are rounded). */
typedef struct ug_row_constants {
    double n;
    double s1h, s1m;       /* S1 rounded to double, and the rest rounded to double */
    double rh, rl;         /* 1/sqrt(Q) */
    double sa, sb, sc, sd; /* S1 rounded to 56 bits = sa + sb, the rest = sc + sd */
    double ulp_share;      /* 2^-20 ulp is at least ulp_share |v| ... */
    double ulp_least;      /* ... and at least this */
} ug_row_constants;

/* Elements gathered for stage 2. */
typedef struct ug_operands {
    float x[UG_CHUNK], gamma[UG_CHUNK], beta[UG_CHUNK];
} ug_operands;

typedef struct ug_stage2 {
    double high[UG_CHUNK], low[UG_CHUNK]; /* low is the rounding error of high */
    double error[UG_CHUNK];               /* |high + low - y| <= error */
    uint32_t want[UG_CHUNK];
    int32_t flag[UG_CHUNK]; /* nonzero: the rounding or 2^-20 ulp are not proven */
} ug_stage2;

typedef struct ug_vector_ops {
    const char *name;
    void (*scan)(const float *x, int count, ug_scan *scan);
    /* range: exponent of the largest minus that of the smallest element, at most UG_NARROW or
     * UG_MEDIUM; top: exponent e of the largest, |x| < 2^(24 + e) */
    void (*sum_narrow)(const float *x, int count, int top, ug_partial *sum);
    void (*sum_medium)(const float *x, int count, int top, ug_partial *sum);
    /* Writes y rounded to double, its rounding into the output type, and nonzero flags where the
     * latter is not proven or the former not good to 2^-20 ulp. */
    void (*stage1[UG_DTYPE_COUNT])(const ug_row_constants *c, const float *x, const float *gamma,
                                   const float *beta, int count, double *head, uint32_t *want,
                                   int32_t *flag);
    void (*stage2[UG_DTYPE_COUNT])(const ug_row_constants *c, const ug_operands *in, int count,
                                   ug_stage2 *out);
} ug_vector_ops;

/* A chunk of UG_CHUNK = 2^9 elements whose exponents span r: x is a multiple of 2^e_min and below
 * 2^(24 + e_max), so chunk sums of x have 24 + 9 + r <= 53 bits for r <= 20 (vector_kernels.h has
 * the squares, which allow 20 and 43 too). */
enum { UG_NARROW = 20, UG_MEDIUM = 43 };

/* Builds that this processor can run, the best one last; NULL past the end. */
const ug_vector_ops *ug_vector_ops_at(int index);
const ug_vector_ops *ug_vector_ops_best(void);

#endif
