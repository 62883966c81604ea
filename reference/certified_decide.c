/* SPDX-License-Identifier: Apache-2.0 */
/* Stage 3: exact comparison of y with numbers of the output type, in integers.
 *
 * y < v  <=>  P/sqrt(Q) < v - beta. Both sides are compared by sign, then by square: there is no
 * precision that could be too small, and a tie is seen as one. Sizes: P < 2^(24 + 310 + ...),
 * (v - beta)^2 Q below 2^1400 for rows of 2^32 elements.
 */
#include "reference/certified.h"
#include "ulpgate/dtype.h"

/* s->p becomes gamma (N x - S1), in units of 2^-298. */
static void set_product(ug_certified *s, float x, float gamma)
{
    ug_exact_value(s->p, x);
    mpz_mul_ui(s->p, s->p, (unsigned long)s->row.n);
    mpz_sub(s->p, s->p, s->row.sums.s1);
    ug_exact_value(s->work, gamma);
    mpz_mul(s->p, s->p, s->work);
}

int ug_certified_sign(ug_certified *s, float x)
{
    set_product(s, x, 1);
    return mpz_sgn(s->p);
}

/* Sign of y - s->work, s->work in units of 2^-150 (it is used up). */
static int compare(ug_certified *s, float beta)
{
    int sp = mpz_sgn(s->p), sb, c;
    ug_exact_value(s->b, beta);
    mpz_submul_ui(s->work, s->b, 2);
    sb = mpz_sgn(s->work);
    if (sp != sb) return sp > sb ? 1 : -1;
    if (sp == 0) return 0;
    /* (p 2^-298)^2 / (q 2^-298) : (w 2^-150)^2  =  4 p^2 : w^2 q */
    mpz_mul(s->part, s->p, s->p);
    mpz_mul_2exp(s->part, s->part, 2);
    mpz_mul(s->work, s->work, s->work);
    mpz_mul(s->work, s->work, s->row.q);
    c = mpz_cmp(s->part, s->work);
    c = (c > 0) - (c < 0);
    return sp > 0 ? c : -c;
}

/* Numbers of the output type in their order; both zeros are 0. */
static int64_t order_of(const ug_format *f, uint32_t bits)
{
    int64_t a = bits & ~f->sign;
    return bits & f->sign ? -a : a;
}

static uint32_t bits_of(const ug_format *f, int64_t order)
{
    return order < 0 ? (uint32_t)-order | f->sign : (uint32_t)order;
}

/* s->work becomes the sum of two numbers of the output type: twice their midpoint. */
static void set_twice(ug_certified *s, int64_t low, int64_t high)
{
    ug_format_value(s->format, bits_of(s->format, low), s->work);
    ug_format_value(s->format, bits_of(s->format, high), s->b);
    mpz_add(s->work, s->work, s->b);
}

uint32_t ug_certified_decide(ug_certified *s, float x, float gamma, float beta, uint32_t low_bits,
                             uint32_t high_bits, int *zero)
{
    const ug_format *f = s->format;
    int64_t low = order_of(f, low_bits), high = order_of(f, high_bits);
    int c;
    *zero = 0;
    set_product(s, x, gamma);
    /* Invariant: RN(y) is one of low..high. */
    while (high - low > 1) {
        int64_t middle = low + (high - low) / 2;
        set_twice(s, middle, middle);
        if (compare(s, beta) >= 0)
            low = middle;
        else
            high = middle;
    }
    if (low < high) {
        set_twice(s, low, high);
        c = compare(s, beta);
        if (c > 0 || (c == 0 && (low & 1))) low = high;
    }
    if (low != 0) return bits_of(f, low);
    mpz_set_ui(s->work, 0);
    c = compare(s, beta);
    *zero = c == 0;
    return c < 0 ? f->sign : 0; /* what underflows keeps its sign, an exact zero is +0 */
}

/* 512 bits: |gamma xhat| < 2^144, two roundings of the root and the product, one of the sum:
 * below 2^(144 + 2 - 512). */
void ug_certified_precise(ug_certified *s, float x, float gamma, float beta, double *head,
                          double *tail)
{
    set_product(s, x, gamma);
    mpfr_set_z_2exp(s->row.exact, s->row.q, -298, MPFR_RNDN); /* exact */
    mpfr_rec_sqrt(s->t, s->row.exact, MPFR_RNDN);
    mpfr_set_z_2exp(s->row.exact, s->p, -298, MPFR_RNDN); /* exact */
    mpfr_mul(s->t, s->t, s->row.exact, MPFR_RNDN);
    mpfr_set_flt(s->wide, beta, MPFR_RNDN);
    mpfr_add(s->wide, s->wide, s->t, MPFR_RNDN);
    *head = mpfr_get_d(s->wide, MPFR_RNDN);
    mpfr_sub_d(s->wide, s->wide, *head, MPFR_RNDN);
    *tail = mpfr_get_d(s->wide, MPFR_RNDN);
}
