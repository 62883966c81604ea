/* SPDX-License-Identifier: Apache-2.0 */
/* Exact sums by digits of 32 bits with delayed carries. */
#include "reference/exact_sum.h"

#include <string.h>

#include "ulpgate/dtype.h"

/* |x| = m 2^(e - 149) with m < 2^24 and e <= 253: m 2^(e mod 32) has less than 56 bits and takes
 * two digits from e/32 <= 7 on. x^2 = m^2 2^(2e - 298): 48 bits moved by at most 30, three digits
 * from 2e/32 <= 15 on. (Integers have e = 149 and m < 2^32: 53 bits, and 64 moved by 10.) A digit
 * grows by less than 2^32 an element, so 2^31 elements stay below 2^63. */
enum { SUM_DIGITS = 9, SQUARE_DIGITS = 18 };
static const int64_t block = (int64_t)1 << 31;

typedef struct digits {
    uint64_t positive[SUM_DIGITS], negative[SUM_DIGITS], square[SQUARE_DIGITS];
} digits;

void ug_exact_sums_init(ug_exact_sums *sums)
{
    mpz_inits(sums->s1, sums->a1, sums->s2, (mpz_ptr)0);
    sums->min = sums->max = 0;
    sums->nonfinite = 0;
}

void ug_exact_sums_clear(ug_exact_sums *sums)
{
    mpz_clears(sums->s1, sums->a1, sums->s2, (mpz_ptr)0);
}

static uint32_t significand(uint32_t bits)
{
    return bits & 0x7f800000u ? (bits & 0x7fffffu) | 0x800000u : bits & 0x7fffffu;
}

static uint32_t shift_of(uint32_t bits)
{
    uint32_t field = bits >> 23 & 255u;
    return field ? field - 1 : 0;
}

void ug_exact_value(mpz_ptr z, float x)
{
    uint32_t bits = ug_float_bits(x);
    mpz_set_ui(z, significand(bits));
    mpz_mul_2exp(z, z, shift_of(bits));
    if (bits >> 31) mpz_neg(z, z);
}

/* Adds m 2^(e - 149), m < 2^32, and its square. */
static void add_digits(digits *d, uint64_t m, uint32_t e, int negative)
{
    uint64_t *sum = negative ? d->negative : d->positive;
    unsigned __int128 square = (unsigned __int128)(m * m) << (2 * e & 31u);
    uint64_t value = m << (e & 31u);
    sum[e >> 5] += value & 0xffffffffu;
    sum[(e >> 5) + 1] += value >> 32;
    sum = d->square + (e >> 4);
    sum[0] += (uint32_t)square;
    sum[1] += (uint32_t)(square >> 32);
    sum[2] += (uint32_t)(square >> 64);
}

static void join(mpz_ptr z, const uint64_t *digit, int count)
{
    mpz_set_ui(z, 0);
    for (int i = count - 1; i >= 0; i--) {
        mpz_mul_2exp(z, z, 32);
        mpz_add_ui(z, z, digit[i]);
    }
}

static void take_block(ug_exact_sums *sums, digits *d, mpz_ptr z)
{
    join(z, d->positive, SUM_DIGITS);
    mpz_add(sums->s1, sums->s1, z);
    mpz_add(sums->a1, sums->a1, z);
    join(z, d->negative, SUM_DIGITS);
    mpz_sub(sums->s1, sums->s1, z);
    mpz_add(sums->a1, sums->a1, z);
    join(z, d->square, SQUARE_DIGITS);
    mpz_add(sums->s2, sums->s2, z);
    memset(d, 0, sizeof *d);
}

static void clear_sums(ug_exact_sums *sums)
{
    mpz_set_ui(sums->s1, 0);
    mpz_set_ui(sums->a1, 0);
    mpz_set_ui(sums->s2, 0);
    sums->nonfinite = 0;
    sums->min = sums->max = 0;
}

static void extend(ug_exact_sums *sums, float v, int first)
{
    if (first || v < sums->min) sums->min = v;
    if (first || v > sums->max) sums->max = v;
}

void ug_exact_sums_of(ug_exact_sums *sums, const float *x, int64_t n)
{
    digits d = {{0}, {0}, {0}};
    mpz_t z;
    clear_sums(sums);
    mpz_init(z);
    for (int64_t i = 0; i < n && !sums->nonfinite; i++) {
        uint32_t bits = ug_float_bits(x[i]);
        if ((bits & 0x7f800000u) == 0x7f800000u) {
            sums->nonfinite = 1;
        } else {
            add_digits(&d, significand(bits), shift_of(bits), bits >> 31);
            extend(sums, x[i], i == 0);
        }
        if ((i + 1) % block == 0) take_block(sums, &d, z);
    }
    if (!sums->nonfinite) take_block(sums, &d, z);
    mpz_clear(z);
}

void ug_exact_sums_of_integers(ug_exact_sums *sums, const int32_t *k, int64_t n)
{
    digits d = {{0}, {0}, {0}};
    mpz_t z;
    clear_sums(sums);
    mpz_init(z);
    for (int64_t i = 0; i < n; i++) {
        int64_t v = k[i];
        add_digits(&d, (uint64_t)(v < 0 ? -v : v), 149, v < 0);
        extend(sums, (float)v, i == 0);
        if ((i + 1) % block == 0) take_block(sums, &d, z);
    }
    take_block(sums, &d, z);
    mpz_clear(z);
}
