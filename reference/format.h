/* SPDX-License-Identifier: Apache-2.0 */
/* The output types as sets of numbers: k 2^q with |k| < 2^precision and q >= quantum.
 *
 * The bit pattern of a non-negative value is ((q - quantum) << (precision - 1)) + k, with k of full
 * precision unless q is the smallest one. A carry out of k moves into the exponent by itself, and
 * everything from `infinity` on is the infinity.
 */
#ifndef ULPGATE_REFERENCE_FORMAT_H
#define ULPGATE_REFERENCE_FORMAT_H

#include <gmp.h>
#include <mpfr.h>
#include <stdint.h>

#include "ulpgate/kernel.h"

typedef struct ug_format {
    int precision; /* bits of the significand, the leading one included */
    int quantum;   /* exponent of the smallest subnormal */
    uint32_t infinity, nan, sign;
} ug_format;

const ug_format *ug_format_of(ug_dtype t);

/* Bits of y rounded once to nearest, ties to even; overflow to infinity; a zero gives +0. */
uint32_t ug_format_round(const ug_format *f, mpfr_srcptr y, mpfr_ptr scratch);

/* The same for a double, in integer arithmetic. */
uint32_t ug_format_of_double(const ug_format *f, double y);

/* Exponent of the spacing at |y| < 2^exponent, |y| >= 2^(exponent - 1). */
static inline long ug_format_ulp(const ug_format *f, long exponent)
{
    return exponent - f->precision > f->quantum ? exponent - f->precision : f->quantum;
}

/* The value of a bit pattern in units of 2^-149, exactly; the infinity counts as the power of two
 * that would follow the largest number. */
void ug_format_value(const ug_format *f, uint32_t bits, mpz_ptr value);

#endif
