/* SPDX-License-Identifier: Apache-2.0 */
/* What follows from a row's exact sums alone: Q, the row's class and its statistics.
 *
 * Shared by all implementations; the sums themselves are made by each in its own way.
 */
#ifndef ULPGATE_REFERENCE_ROW_H
#define ULPGATE_REFERENCE_ROW_H

#include <mpfr.h>

#include "reference/exact_sum.h"
#include "reference/implementations.h"
#include "reference/truth.h"

/* Bits that hold every exact quantity of a row of up to 2^32 elements: |S1| < 2^(277+32) units,
 * hence N S2 and S1^2 < 2^618 units of 2^-298; eps N^2 < 2^(128+298+64). */
enum { UG_ROW_BITS = 704 };

typedef struct ug_row {
    int64_t n;
    float eps;
    ug_exact_sums sums;
    mpz_t spread; /* N S2 - S1^2 = N^2 v, in units of 2^-298 */
    mpz_t q;      /* N S2 - S1^2 + eps N^2, in units of 2^-298: eps is a multiple of 2^-149 */
    mpz_t work;
    mpfr_t exact;         /* UG_ROW_BITS */
    mpfr_t wide, divisor; /* 128 bits */
    mpfr_t result;        /* 53 bits */
} ug_row;

void ug_row_init(ug_row *row);
void ug_row_clear(ug_row *row);

/* From the sums of n elements, eps and the kind of row (NULL: an ordinary one) to the row's length,
 * spread, q and class. */
ug_row_class ug_row_close(ug_row *row, int64_t n, float eps, const ug_row_kind *kind);

/* Statistics of a closed row. NaN everywhere for a row without an exact answer (mean, var and the
 * moments of a degenerate row with n > 0 are still given). */
void ug_row_describe(ug_row *row, ug_row_class cls, ug_row_stats *stats);

#endif
