/* SPDX-License-Identifier: Apache-2.0 */
/* The reference "certified": double arithmetic with proven error bounds, integers where it ends.
 *
 * Per element, the first stage that proves its rounding gives it: 1 double, 2 double-double, 3
 * exact comparison of integers. docs/reference.md has the whole argument.
 */
#ifndef ULPGATE_REFERENCE_CERTIFIED_H
#define ULPGATE_REFERENCE_CERTIFIED_H

#include <mpfr.h>

#include "reference/format.h"
#include "reference/row.h"
#include "reference/truth.h"
#include "reference/vector_ops.h"

/* Elements by the stage that they needed. */
typedef struct ug_certified_counts {
    int64_t elements, stage2, stage3; /* stage2: all that left stage 1 */
    int64_t precise;                  /* head and tail came from MPFR: deep cancellation */
} ug_certified_counts;

typedef struct ug_certified {
    const ug_vector_ops *ops;
    ug_dtype out;
    const ug_format *format; /* of out */
    ug_row row;              /* the closed row that the constants belong to */
    ug_row_constants c;
    int stage2_ready;     /* the constants sa..sd have been made */
    int64_t stage1_limit; /* rows of this length and more start at stage 2 */
    ug_certified_counts counts;
    mpz_t p, b, work, part;
    mpfr_t wide, t;
    double head[UG_CHUNK];
    uint32_t want[UG_CHUNK];
    int32_t flag[UG_CHUNK], place[UG_CHUNK];
    ug_operands in; /* of a partial chunk, then of the elements that stage 1 left */
    ug_stage2 y;
    float ones[UG_CHUNK], zeros[UG_CHUNK];
} ug_certified;

/* With the given build of the inner loops; NULL: out of memory. */
ug_certified *ug_certified_create(const ug_vector_ops *ops);
void ug_certified_destroy(ug_certified *state);

/* Constants of s->row, which is closed and regular or out of range, for an output type. */
void ug_certified_prepare(ug_certified *s, ug_dtype out);

/* The constants of stage 2, made when the first element needs them. */
void ug_certified_prepare_stage2(ug_certified *s);

/* The exact answer for count elements of the prepared row; gamma, beta and the outputs may be
 * NULL. The elements are any of the row's, in any order. */
void ug_certified_elements(ug_certified *s, const float *x, const float *gamma, const float *beta,
                           int64_t count, const ug_row_out *out);

/* Stage 3: the bits of y, which rounds to one from low to high, decided in integers. *zero is set
 * when y is exactly 0. */
uint32_t ug_certified_decide(ug_certified *s, float x, float gamma, float beta, uint32_t low,
                             uint32_t high, int *zero);

/* Sign of N x - S1. */
int ug_certified_sign(ug_certified *s, float x);

/* y to 2^-366, by MPFR, as head + tail. */
void ug_certified_precise(ug_certified *s, float x, float gamma, float beta, double *head,
                          double *tail);

/* Statistics of a closed row by double-double, the same bits as ug_row_describe. */
void ug_certified_describe(ug_row *row, ug_row_class cls, ug_row_stats *stats);

#endif
