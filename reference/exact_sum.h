/* SPDX-License-Identifier: Apache-2.0 */
/* Exact sums of binary32 numbers: integers, whatever the exponents are.
 *
 * The sums are kept as one wide fixed-point number each, in digits of 32 bits whose carries wait
 * (a long accumulator in Kulisch's sense), so that adding an element costs a few word additions.
 */
#ifndef ULPGATE_REFERENCE_EXACT_SUM_H
#define ULPGATE_REFERENCE_EXACT_SUM_H

#include <gmp.h>
#include <stdint.h>

typedef struct ug_exact_sums {
    mpz_t s1, a1; /* sum x, sum |x|, in units of 2^-149 */
    mpz_t s2;     /* sum x^2, in units of 2^-298 */
    float min, max;
    int nonfinite; /* a NaN or an infinity was met: nothing else is set */
} ug_exact_sums;

void ug_exact_sums_init(ug_exact_sums *sums);
void ug_exact_sums_clear(ug_exact_sums *sums);

/* Replaces *sums by those of x[0..n). */
void ug_exact_sums_of(ug_exact_sums *sums, const float *x, int64_t n);

/* The same for integers of less than 32 bits; min and max are rounded to float. */
void ug_exact_sums_of_integers(ug_exact_sums *sums, const int32_t *k, int64_t n);

/* x in units of 2^-149. */
void ug_exact_value(mpz_ptr z, float x);

#endif
