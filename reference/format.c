/* SPDX-License-Identifier: Apache-2.0 */
/* Rounds an MPFR number into an output type, and reads a bit pattern back as an integer. */
#include "reference/format.h"

#include <string.h>

static const ug_format formats[UG_DTYPE_COUNT] = {
    [UG_F32] = {24, -149, 0x7f800000u, 0x7fc00000u, 0x80000000u},
    [UG_F16] = {11, -24, 0x7c00u, 0x7e00u, 0x8000u},
    [UG_BF16] = {8, -133, 0x7f80u, 0x7fc0u, 0x8000u},
};

const ug_format *ug_format_of(ug_dtype t) { return &formats[t]; }

uint32_t ug_format_round(const ug_format *f, mpfr_srcptr y, mpfr_ptr scratch)
{
    uint32_t sign = mpfr_signbit(y) ? f->sign : 0;
    uint64_t bits;
    long q, e;
    if (mpfr_nan_p(y)) return f->nan;
    if (mpfr_inf_p(y)) return sign | f->infinity;
    if (mpfr_zero_p(y)) return 0;
    e = mpfr_get_exp(y);
    q = ug_format_ulp(f, e);
    if (q - f->quantum > 0x1ff) return sign | f->infinity;
    mpfr_set_prec(scratch, mpfr_get_prec(y));
    mpfr_mul_2si(scratch, y, -q, MPFR_RNDN); /* exact: |scratch| < 2^precision */
    mpfr_abs(scratch, scratch, MPFR_RNDN);
    /* mpfr_get_ui with MPFR_RNDN is the one rounding, ties to even. */
    bits = ((uint64_t)(q - f->quantum) << (f->precision - 1)) + mpfr_get_ui(scratch, MPFR_RNDN);
    return sign | (bits >= f->infinity ? f->infinity : (uint32_t)bits);
}

uint32_t ug_format_of_double(const ug_format *f, double y)
{
    uint64_t bits, m, rest, half, value;
    uint32_t sign;
    int exponent, q, shift;
    memcpy(&bits, &y, sizeof bits);
    sign = bits >> 63 ? f->sign : 0;
    exponent = (int)(bits >> 52 & 0x7ffu);
    m = bits & 0xfffffffffffffu;
    if (exponent == 0x7ff) return m ? f->nan : sign | f->infinity;
    if (exponent == 0) return m ? sign : 0; /* subnormal doubles: far below half a quantum */
    m |= 0x10000000000000u;
    exponent -= 1075; /* |y| = m 2^exponent, 2^52 <= m < 2^53 */
    q = (int)ug_format_ulp(f, exponent + 53);
    shift = q - exponent; /* at least 53 - 24 */
    if (shift > 63) return sign;
    if (q - f->quantum > 0x1ff) return sign | f->infinity;
    half = (uint64_t)1 << (shift - 1);
    rest = m & (2 * half - 1);
    m = m >> (shift - 1) >> 1;
    m += rest > half || (rest == half && (m & 1u));
    value = ((uint64_t)(q - f->quantum) << (f->precision - 1)) + m;
    return sign | (value >= f->infinity ? f->infinity : (uint32_t)value);
}

void ug_format_value(const ug_format *f, uint32_t bits, mpz_ptr value)
{
    uint32_t a = bits & ~f->sign, top = 1u << (f->precision - 1);
    uint32_t field = a >> (f->precision - 1);
    /* field 0: subnormal, k = a; otherwise k has the hidden bit and q = quantum + field - 1. */
    mpz_set_ui(value, field ? (a & (top - 1)) | top : a);
    mpz_mul_2exp(value, value, (mp_bitcnt_t)(f->quantum + 149) + (field ? field - 1 : 0));
    if (bits & f->sign) mpz_neg(value, value);
}
