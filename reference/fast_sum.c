/* SPDX-License-Identifier: Apache-2.0 */
/* Chunks of 512 elements are summed in double, exactly (vector_kernels.h), unless their exponents
 * span more than UG_MEDIUM binades; then element by element. Either way the parts go into wide
 * fixed-point numbers of signed digits, 32 bits apart, whose carries wait.
 */
#include "reference/fast_sum.h"

#include <string.h>

#include "ulpgate/dtype.h"

/* A part of s or a is below 2^(128 + 9) and a multiple of 2^-149: its last place is at most
 * 2^(137 - 53), 233 units up, in digits 7 to 9; the sums of 2^32 elements have 309 bits. A part of
 * q is below 2^(256 + 9), 510 units of 2^-298 up, digits 15 to 17; the sum has 586 bits. */
enum { SUM_DIGITS = 11, SQUARE_DIGITS = 20 };
enum { CARRY_EVERY = 1 << 20 };

typedef struct wide {
    int64_t s[SUM_DIGITS], a[SUM_DIGITS], q[SQUARE_DIGITS];
} wide;

/* Adds m 2^position, m < 2^64; three digits change by less than 2^32 each. A chunk makes at most
 * 2^9 additions, so 2^20 chunks stay below 2^62. */
static void add_at(int64_t *digit, uint64_t m, unsigned position, int negative)
{
    unsigned __int128 v = (unsigned __int128)m << (position & 31u);
    int64_t sign = negative ? -1 : 1;
    digit += position >> 5;
    digit[0] += sign * (int64_t)(uint32_t)v;
    digit[1] += sign * (int64_t)(uint32_t)(v >> 32);
    digit[2] += sign * (int64_t)(uint32_t)(v >> 64);
}

/* Adds v, a multiple of 2^-unit. */
static void add_double(int64_t *digit, double v, int unit)
{
    uint64_t bits, m;
    int position;
    if (v == 0) return;
    memcpy(&bits, &v, sizeof bits);
    /* no part is subnormal in double: the exponent field is at least 1023 - 298 */
    m = (bits & 0xfffffffffffffu) | 0x10000000000000u;
    position = (int)(bits >> 52 & 0x7ffu) - 1075 + unit;
    if (position < 0) { /* the bits below one unit are zeros */
        m >>= -position;
        position = 0;
    }
    add_at(digit, m, (unsigned)position, bits >> 63);
}

static void add_elements(wide *w, const float *x, int count)
{
    for (int i = 0; i < count; i++) {
        uint32_t bits = ug_float_bits(x[i]), field = bits >> 23 & 255u;
        uint64_t m = (bits & 0x7fffffu) | (field ? 0x800000u : 0u);
        unsigned e = field ? field - 1 : 0;
        add_at(w->s, m, e, bits >> 31);
        add_at(w->a, m, e, 0);
        add_at(w->q, m * m, 2 * e, 0);
    }
}

static void add_chunk(const ug_vector_ops *ops, wide *w, const float *x, int count,
                      const ug_scan *scan, uint32_t biggest)
{
    int top = (int)(biggest >> 23), low = (int)((scan->tiniest_less_1 + 1u) >> 23);
    ug_partial part = {{0}, {0}, {0}};
    if (biggest == 0) return;
    top = top ? top : 1; /* subnormals have the exponent of the first binade */
    low = low ? low : 1;
    if (top - low > UG_MEDIUM) {
        add_elements(w, x, count);
        return;
    }
    if (top - low > UG_NARROW)
        ops->sum_medium(x, count, top - 150, &part);
    else
        ops->sum_narrow(x, count, top - 150, &part);
    for (int i = 0; i < 2; i++) {
        add_double(w->s, part.s[i], 149);
        add_double(w->a, part.a[i], 149);
    }
    for (int i = 0; i < 3; i++) add_double(w->q, part.q[i], 298);
}

/* Carries from digit to digit, all but the last into [0, 2^32); negative sums keep the sign there.
 */
static void carry(int64_t *digit, int count)
{
    for (int i = 0; i + 1 < count; i++) {
        int64_t low = digit[i] & 0xffffffff;
        digit[i + 1] += (digit[i] - low) / 4294967296;
        digit[i] = low;
    }
}

static void to_integer(mpz_ptr z, int64_t *digit, int count)
{
    uint32_t words[SQUARE_DIGITS];
    int negative;
    carry(digit, count);
    negative = digit[count - 1] < 0;
    if (negative) {
        for (int i = 0; i < count; i++) digit[i] = -digit[i];
        carry(digit, count);
    }
    for (int i = 0; i < count; i++) words[i] = (uint32_t)digit[i];
    mpz_import(z, (size_t)count, -1, sizeof *words, 0, 0, words);
    if (negative) mpz_neg(z, z);
}

static float float_of_key(int32_t key)
{
    return ug_bits_float((uint32_t)(key ^ ((key >> 31) & INT32_MAX)));
}

void ug_fast_sums_of(const ug_vector_ops *ops, ug_exact_sums *sums, const float *x, int64_t n)
{
    wide w = {{0}, {0}, {0}};
    int32_t least = INT32_MAX, largest = INT32_MIN;
    long chunks = 0;
    for (int64_t i = 0; i < n; i += UG_CHUNK) {
        float padded[UG_CHUNK];
        const float *chunk = x + i;
        int count = n - i < UG_CHUNK ? (int)(n - i) : UG_CHUNK, whole;
        ug_scan scan;
        uint32_t up, down;
        ops->scan(chunk, count, &scan);
        least = scan.least < least ? scan.least : least;
        largest = scan.largest > largest ? scan.largest : largest;
        /* the larger of |max| and |min|: a key >= 0 is its own magnitude */
        up = ug_float_bits(float_of_key(scan.largest)) & 0x7fffffffu;
        down = ug_float_bits(float_of_key(scan.least)) & 0x7fffffffu;
        up = up > down ? up : down;
        sums->nonfinite = up >= 0x7f800000u;
        if (sums->nonfinite) return;
        whole = (count + UG_STEP - 1) / UG_STEP * UG_STEP;
        if (whole != count) {
            memset(padded + whole - UG_STEP, 0, UG_STEP * sizeof *padded);
            memcpy(padded, chunk, (size_t)count * sizeof *padded);
            chunk = padded;
        }
        add_chunk(ops, &w, chunk, whole, &scan, up);
        if (++chunks % CARRY_EVERY == 0) {
            carry(w.s, SUM_DIGITS);
            carry(w.a, SUM_DIGITS);
            carry(w.q, SQUARE_DIGITS);
        }
    }
    sums->nonfinite = 0;
    sums->min = n > 0 ? float_of_key(least) : 0;
    sums->max = n > 0 ? float_of_key(largest) : 0;
    to_integer(sums->s1, w.s, SUM_DIGITS);
    to_integer(sums->a1, w.a, SUM_DIGITS);
    to_integer(sums->s2, w.q, SQUARE_DIGITS);
}
