/* SPDX-License-Identifier: Apache-2.0 */
/* The reference "mpfr": exact sums, the division-free form, and MPFR for the one root.
 *
 * With P = gamma A exact and R the rounded 1/sqrt(Q) at p bits,
 *   t = RN(P R):    |t - P/sqrt(Q)| <= 2^(1-p) (1 + 2^-p) |P/sqrt(Q)|     (two roundings)
 *   y = RN(t + b):  one more, 2^-p |y|
 * so the exact value lies within E = 2^(max(exponent(t), exponent(y)) + 2 - p) of y, exponents in
 * MPFR's sense (|t| < 2^exponent): 2.01 2^-p |t| + 1.01 2^-p |y| < 4 2^-p 2^max. Rounding is
 * decided once y - E and y + E round to the same bits; head and tail are good once
 * E <= 2^-20 ulp. The second precision always meets the latter: |t| <= |gamma| sqrt(N) < 2^144, so
 * E < 2^(144 + 2 - 384) < 2^-169 = 2^-20 2^-149. What is then still undecided is an exact tie, an
 * exact zero or within 2^-237 of one: integers decide it, as no precision need ever suffice.
 */
#include <math.h>
#include <stdlib.h>

#include "reference/answer.h"
#include "reference/implementations.h"
#include "reference/row.h"
#include "ulpgate/dtype.h"

/* S1 and N x have at most 278 + 32 bits, A one more, P = gamma A another 24. */
enum { LEVELS = 2, EXACT_BITS = 384 };
static const mpfr_prec_t precisions[LEVELS] = {128, 384};

typedef struct state {
    ug_row row;
    mpfr_t s1;           /* exact, EXACT_BITS */
    mpfr_t x, g, b;      /* 24 bits */
    mpfr_t a, p;         /* exact, EXACT_BITS */
    mpfr_t root[LEVELS]; /* 1/sqrt(Q) */
    int roots;           /* how many of them belong to the row at hand */
    mpfr_t t, y, e, low, high, scratch;
    mpz_t zp, zb, zwork;
} state;

static void *create(void)
{
    state *s = malloc(sizeof *s);
    if (!s) return NULL;
    ug_row_init(&s->row);
    mpfr_inits2(EXACT_BITS, s->s1, s->a, s->p, (mpfr_ptr)0);
    mpfr_inits2(24, s->x, s->g, s->b, (mpfr_ptr)0);
    for (int k = 0; k < LEVELS; k++) mpfr_init2(s->root[k], precisions[k]);
    mpfr_inits2(precisions[0], s->t, s->y, s->low, s->high, s->scratch, (mpfr_ptr)0);
    mpfr_init2(s->e, 2);
    mpz_inits(s->zp, s->zb, s->zwork, (mpz_ptr)0);
    return s;
}

static void destroy(void *opaque)
{
    state *s = opaque;
    if (!s) return;
    ug_row_clear(&s->row);
    mpfr_clears(s->s1, s->a, s->p, s->x, s->g, s->b, (mpfr_ptr)0);
    for (int k = 0; k < LEVELS; k++) mpfr_clear(s->root[k]);
    mpfr_clears(s->t, s->y, s->low, s->high, s->scratch, s->e, (mpfr_ptr)0);
    mpz_clears(s->zp, s->zb, s->zwork, (mpz_ptr)0);
    free(s);
}

/* sign(y - (low + high)/2) for the neighbours low < high of the output type, decided in integers.
 *
 * In units: P = zp 2^-298, Q = q 2^-298, B = (low + high)/2 - beta = zb 2^-150. The sign of
 * P/sqrt(Q) - B is that of P when P and B differ in sign, and else that of P^2 - B^2 Q turned by
 * the sign of P, where P^2 : B^2 Q = 4 zp^2 : zb^2 q. */
static int side(state *s, const ug_format *f, uint32_t low, uint32_t high)
{
    int sp, sb, c;
    ug_format_value(f, low, s->zb);
    ug_format_value(f, high, s->zwork);
    mpz_add(s->zb, s->zb, s->zwork);
    ug_exact_value(s->zwork, mpfr_get_flt(s->b, MPFR_RNDN));
    mpz_submul_ui(s->zb, s->zwork, 2);
    mpfr_mul_2si(s->a, s->p, 298, MPFR_RNDN); /* exact, and an integer */
    mpfr_get_z(s->zp, s->a, MPFR_RNDN);
    sp = mpz_sgn(s->zp);
    sb = mpz_sgn(s->zb);
    if (sp != sb) return sp > sb ? 1 : -1;
    if (sp == 0) return 0;
    mpz_mul(s->zp, s->zp, s->zp);
    mpz_mul_2exp(s->zp, s->zp, 2);
    mpz_mul(s->zb, s->zb, s->zb);
    mpz_mul(s->zb, s->zb, s->row.q);
    c = mpz_cmp(s->zp, s->zb);
    c = (c > 0) - (c < 0);
    return sp > 0 ? c : -c;
}

/* y, its error E and the bits of both ends at one precision; 1 when the work is done. */
static int approximate(state *s, const ug_format *f, int level, uint32_t bits[2])
{
    mpfr_prec_t p = precisions[level];
    long exponent, e;
    if (s->roots <= level) {
        mpfr_set_z_2exp(s->row.exact, s->row.q, -298, MPFR_RNDN); /* exact */
        mpfr_rec_sqrt(s->root[level], s->row.exact, MPFR_RNDN);
        s->roots = level + 1;
    }
    mpfr_set_prec(s->t, p);
    mpfr_set_prec(s->y, p);
    mpfr_mul(s->t, s->p, s->root[level], MPFR_RNDN);
    mpfr_add(s->y, s->t, s->b, MPFR_RNDN);
    if (mpfr_zero_p(s->t)) { /* y = beta, exactly */
        bits[0] = bits[1] = ug_format_round(f, s->y, s->scratch);
        return 1;
    }
    exponent = mpfr_get_exp(s->t);
    if (!mpfr_zero_p(s->y) && mpfr_get_exp(s->y) > exponent) exponent = mpfr_get_exp(s->y);
    e = exponent + 2 - (long)p;
    mpfr_set_ui_2exp(s->e, 1, e, MPFR_RNDN);
    mpfr_set_prec(s->low, p);
    mpfr_set_prec(s->high, p);
    mpfr_sub(s->low, s->y, s->e, MPFR_RNDD);
    mpfr_add(s->high, s->y, s->e, MPFR_RNDU);
    bits[0] = ug_format_round(f, s->low, s->scratch);
    bits[1] = ug_format_round(f, s->high, s->scratch);
    if (mpfr_zero_p(s->y)) return 0;
    return bits[0] == bits[1] && e <= ug_format_ulp(f, mpfr_get_exp(s->y)) - 20;
}

static void element(state *s, const ug_format *f, double *head, double *tail, uint32_t *want)
{
    uint32_t bits[2];
    int sign, done = 0;
    for (int level = 0; level < LEVELS && !done; level++) done = approximate(s, f, level, bits);
    if (bits[0] != bits[1]) {
        sign = side(s, f, bits[0], bits[1]);
        if (sign == 0 && ((bits[0] | bits[1]) & ~f->sign) == 0) {
            mpfr_set_zero(s->y, 1); /* between -0 and +0: y is 0 */
            *want = 0;
        } else {
            *want = sign < 0 || (sign == 0 && !(bits[0] & 1u)) ? bits[0] : bits[1];
        }
    } else {
        *want = bits[0];
    }
    *head = mpfr_get_d(s->y, MPFR_RNDN) + 0.0; /* no -0 */
    mpfr_sub_d(s->y, s->y, *head, MPFR_RNDN);
    *tail = mpfr_get_d(s->y, MPFR_RNDN);
}

static void elements(state *s, const ug_row_in *in, const ug_row_out *out)
{
    const ug_format *f = ug_format_of(in->out);
    mpfr_set_z_2exp(s->s1, s->row.sums.s1, -149, MPFR_RNDN);
    s->roots = 0;
    for (int64_t i = 0; i < in->n; i++) {
        float g = in->gamma ? in->gamma[i] : 1.0f, b = in->beta ? in->beta[i] : 0.0f;
        double head, tail;
        uint32_t want;
        mpfr_set_flt(s->x, in->x[i], MPFR_RNDN);
        mpfr_mul_ui(s->a, s->x, (unsigned long)s->row.n, MPFR_RNDN);
        mpfr_sub(s->a, s->a, s->s1, MPFR_RNDN); /* exact */
        if (isfinite(g) && isfinite(b)) {
            mpfr_set_flt(s->g, g, MPFR_RNDN);
            mpfr_set_flt(s->b, b, MPFR_RNDN);
            mpfr_mul(s->p, s->a, s->g, MPFR_RNDN); /* exact */
            element(s, f, &head, &tail, &want);
        } else {
            ug_answer_special(f, mpfr_sgn(s->a), g, b, &head, &want);
            tail = 0;
        }
        if (out->head) out->head[i] = head;
        if (out->tail) out->tail[i] = tail;
        if (out->want) out->want[i] = want;
    }
}

int ug_mpfr_row(void *opaque, const ug_row_in *in, const ug_row_kind *kind, const ug_row_out *out,
                ug_row_stats *stats)
{
    state *s = opaque;
    ug_row_class cls;
    ug_exact_sums_of(&s->row.sums, in->x, in->n);
    cls = ug_row_close(&s->row, in->n, in->eps, kind);
    if (stats) ug_row_describe(&s->row, cls, stats);
    if (cls != UG_ROW_NONFINITE && cls != UG_ROW_DEGENERATE) {
        elements(s, in, out);
        return 0;
    }
    ug_answer_none(in, out);
    return 0;
}

static int row(void *state, const ug_row_in *in, const ug_row_out *out, ug_row_stats *stats)
{
    return ug_mpfr_row(state, in, NULL, out, stats);
}

static int repeated(void *state, const ug_row_in *in, int64_t repeats, const ug_row_out *out,
                    ug_row_stats *stats)
{
    const ug_row_kind kind = {.repeats = repeats};
    return ug_mpfr_row(state, in, &kind, out, stats);
}

const ug_reference ug_reference_mpfr = {"mpfr", create, destroy, row, repeated};
