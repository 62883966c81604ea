/* SPDX-License-Identifier: Apache-2.0 */
/* Bodies of the inner loops, included once for each instruction set with LANES and OPS defined.
 *
 * u = 2^-53 in this file. Error bounds stand beside the operations they are for.
 */
#include <math.h>
#include <string.h>

#include "reference/vector_ops.h"
#include "ulpgate/dtype.h"

typedef double vd __attribute__((vector_size(8 * LANES)));
typedef float vf __attribute__((vector_size(4 * LANES)));
typedef int64_t vl __attribute__((vector_size(8 * LANES)));
typedef int32_t vi __attribute__((vector_size(4 * LANES)));
typedef uint32_t vu __attribute__((vector_size(4 * LANES)));

#define INLINE static inline __attribute__((always_inline))

INLINE vd load(const float *p)
{
    vf v;
    memcpy(&v, p, sizeof v);
    return __builtin_convertvector(v, vd);
}

INLINE vd all(double v) { return v - (vd){0}; }

INLINE vd magnitude(vd v) { return (vd)((vl)v & INT64_MAX); }

INLINE double total(vd v)
{
    double s = 0;
    for (int j = 0; j < LANES; j++) s += v[j];
    return s;
}

static void scan(const float *x, int count, ug_scan *out)
{
    int32_t least = INT32_MAX, largest = INT32_MIN;
    uint32_t tiniest = UINT32_MAX;
    for (int i = 0; i < count; i++) {
        int32_t bits, key;
        uint32_t a;
        memcpy(&bits, x + i, 4);
        key = bits ^ ((bits >> 31) & INT32_MAX);
        a = ((uint32_t)bits & INT32_MAX) - 1u; /* zero wraps around and does not count */
        least = key < least ? key : least;
        largest = key > largest ? key : largest;
        tiniest = a < tiniest ? a : tiniest;
    }
    *out = (ug_scan){least, largest, tiniest};
}

/* Exact sums. Let x = m 2^e, e in [f, t], r = t - f, and 2^9 elements.
 *
 * Split. With C = 1.5 2^(p+52), fl(C + v) - C is v rounded to a multiple of 2^p and exact, and
 * v minus it is exact too, provided that |v| <= 2^(p+51) and that the rest, at most 2^(p-1) and a
 * multiple of v's last place 2^g, has p - 1 - g <= 53. A sum of 2^9 numbers below 2^w that are
 * multiples of 2^g is exact in any order when w + 9 - g <= 53.
 *
 * Squares lie below 2^(2t+48) and are multiples of 2^(2f). p1 = 2t + 4:  2t + 48 + 9 - p1 = 53, the
 * upper parts add up exactly. Lower parts are at most 2^(2t+3): exact sums for
 * 2t + 3 + 9 - 2f <= 53, r <= 20. One split more, p2 = 2t + 3 + 9 - 53 = 2t - 41: the rest is at
 * most 2^(2t-42), exact sums for 2t - 42 + 9 - 2f <= 53, r <= 43. Elements lie below 2^(t+24): sums
 * are exact for t + 24 + 9 - f <= 53, r <= 20. Split at p = t + 24 + 9 - 53 = t - 20, the rest at
 * most 2^(t-21): t - 21 + 9 - f <= 53, r <= 65. */
static void sum_narrow(const float *x, int count, int top, ug_partial *out)
{
    vd c = all(ldexp(1.5, 2 * top + 4 + 52));
    vd s = {0}, a = {0}, q1 = {0}, q2 = {0};
    for (int i = 0; i < count; i += LANES) {
        vd v = load(x + i), q = v * v /* exact: 48 bits */, upper = (q + c) - c;
        s += v;
        a += magnitude(v);
        q1 += upper;
        q2 += q - upper;
    }
    *out = (ug_partial){{total(s), 0}, {total(a), 0}, {total(q1), total(q2), 0}};
}

static void sum_medium(const float *x, int count, int top, ug_partial *out)
{
    vd c1 = all(ldexp(1.5, 2 * top + 4 + 52)), c2 = all(ldexp(1.5, 2 * top - 41 + 52));
    vd cs = all(ldexp(1.5, top - 20 + 52));
    vd s1 = {0}, s2 = {0}, a1 = {0}, a2 = {0}, q1 = {0}, q2 = {0}, q3 = {0};
    for (int i = 0; i < count; i += LANES) {
        vd v = load(x + i), w = magnitude(v), q = v * v, upper = (v + cs) - cs, part;
        s1 += upper;
        s2 += v - upper;
        upper = (w + cs) - cs;
        a1 += upper;
        a2 += w - upper;
        upper = (q + c1) - c1;
        q1 += upper;
        q -= upper;
        part = (q + c2) - c2;
        q2 += part;
        q3 += q - part;
    }
    *out = (ug_partial){
        {total(s1), total(s2)}, {total(a1), total(a2)}, {total(q1), total(q2), total(q3)}};
}

/* Rounds floats to the output type; *unsure is set where a float is a midpoint of that type, or
 * (f16) below its normal numbers. Midpoints are floats, and rounding to float is monotone: so if
 * two floats f <= g that enclose RN_float(y) are no midpoints and round alike, y does too. */
INLINE vu round_bits(vu bits, const ug_dtype out, vi *unsure)
{
    vu a = bits & 0x7fffffffu, sign = bits >> 16 & 0x8000u, r;
    if (out == UG_F32) return bits;
    if (out == UG_BF16) {
        *unsure |= (vi)((bits & 0xffffu) == 0x8000u);
        return (bits + 0x7fffu + (bits >> 16 & 1u)) >> 16;
    }
    *unsure |= (vi)((a & 0x1fffu) == 0x1000u) | ((vi)(a < 0x38800000u) & (vi)(a != 0));
    r = (a - (112u << 23) + 0xfffu + (a >> 13 & 1u)) >> 13;
    r = (r & (vu)(a < 0x47800000u)) | (0x7c00u & (vu)(a >= 0x47800000u));
    return (r & (vu)(a != 0)) | sign;
}

/* y = gamma A / sqrt(Q) + beta in double. Nothing underflows: |A| >= 2^-149 or A = 0,
 * 1/sqrt(Q) > 2^-162, |gamma| >= 2^-149 or 0; nothing overflows: |gamma xhat| < 2^144.
 *
 * Lemma. p = N x has 24 + 29 bits and is a double, s1h is a double nearest to S1. So either
 * p = s1h, or |p - S1| >= |s1h - S1|; in both cases |S1 - s1h| <= |A|, and |p - s1h| <= 2 |A|. */
INLINE void stage1(const ug_row_constants *c, const float *x, const float *gamma, const float *beta,
                   int count, double *head, uint32_t *want, int32_t *flag, const ug_dtype out)
{
    const double u = 0x1p-53;
    for (int i = 0; i < count; i += LANES) {
        vd p = load(x + i) * c->n;          /* exact */
        vd d = p - c->s1h;                  /* error u |p - s1h| <= 2u |A| */
        vd a = d - c->s1m;                  /* s1m: u |S1 - s1h| <= u |A|; rounding: u |A| */
        vd z = a * c->rh * load(gamma + i); /* rh: 1.001u; two products: 2u; sum: 7.01u */
        vd v = (z + load(beta + i)) + 0.0;  /* u |v|; + 0.0 turns -0 into +0 */
        vd e = magnitude(z) * (8 * u) + magnitude(v) * (3 * u); /* covers v -+ e as well: u |v| */
        vf low = __builtin_convertvector(v - e, vf), high = __builtin_convertvector(v + e, vf);
        vl bad = ~((e <= magnitude(v) * c->ulp_share) | (e <= c->ulp_least));
        vi unsure = __builtin_convertvector(bad, vi);
        vu lo = round_bits((vu)low, out, &unsure), hi = round_bits((vu)high, out, &unsure);
        unsure |= (vi)(lo != hi);
        memcpy(head + i, &v, sizeof v);
        memcpy(want + i, &hi, sizeof hi);
        memcpy(flag + i, &unsure, sizeof unsure);
    }
}

#define STAGE1(name, type)                                                                         \
    static void name(const ug_row_constants *c, const float *x, const float *gamma,                \
                     const float *beta, int count, double *head, uint32_t *want, int32_t *flag)    \
    {                                                                                              \
        stage1(c, x, gamma, beta, count, head, want, flag, type);                                  \
    }
STAGE1(stage1_f32, UG_F32)
STAGE1(stage1_f16, UG_F16)
STAGE1(stage1_bf16, UG_BF16)

INLINE double two_sum(double a, double b, double *rest)
{
    double s = a + b, t = s - a;
    *rest = (a - (s - t)) + (b - t); /* s + rest = a + b exactly */
    return s;
}

INLINE double two_product(double a, double b, double *rest)
{
    double p = a * b;
    *rest = fma(a, b, -p); /* p + rest = a b exactly */
    return p;
}

/* The same in double-double. sa + sb is S1 rounded to 56 bits, and N x has at most 24 + 32 bits, so
 * the lemma holds for every N <= 2^32: rho = S1 - sa - sb has |rho| <= |A|; |D| <= 2 |A| for
 * D = N x - sa - sb; rho = sc + sd within u^2 |rho|. */
static void stage2(const ug_row_constants *c, float x, float gamma, float beta, ug_stage2 *out)
{
    double pl, e, w, dt, l, al, ql, tl, kl, zl, sl, yl;
    double ph = two_product(x, c->n, &pl);
    /* D = d + e + w. If ph and sa are within a factor 2 of each other, e = 0, and pl - sb is exact
     * (both multiples of the smaller one's 56-bit unit, at most 8 of them). If not,
     * |D| >= max(|ph|, |sa|) / 2 - ..., and w errs by u |w| <= u 2u max <= 4.1 u^2 |D|. */
    double d = two_sum(ph, -c->sa, &e);
    double dh, h, ah, qh, th, kh, zh, sh, yh;
    w = pl - c->sb;
    dh = two_sum(d, w, &dt);
    dt += e; /* |dt + e| <= 3u |D|: u |dt| + ... rounding <= 3.1 u^2 |D| */
    /* A = D - rho */
    h = two_sum(dh, -c->sc, &l);
    l = (l + dt) - c->sd; /* |l| <= 10u |A|, two roundings: 20 u^2 |A| */
    ah = two_sum(h, l, &al);
    /* A: 2 (4.1 + 3.1) + 20 + 1 < 36 u^2 */
    qh = two_product(ah, c->rh, &ql);
    ql += ah * c->rl + al * c->rh; /* terms <= 2u |T| each: roundings and al rl: 8 u^2 |T| */
    th = two_sum(qh, ql, &tl);
    kh = two_product(th, gamma, &kl);
    kl += tl * gamma; /* 4 u^2 |Z| */
    zh = two_sum(kh, kl, &zl);
    /* Z: 36 for A, 16 for 1/sqrt(Q), 12 here: 64 u^2 = 2^-100, with 2^-101 to spare for products
     * of errors in the factor 1.5 below */
    sh = two_sum(zh, beta, &sl);
    sl += zl; /* |sl + zl| <= u |sh| + u |zh|, rounding u of it: u^2 (|zh| + |sh|) */
    yh = two_sum(sh, sl, &yl);
    *out = (ug_stage2){yh, yl, 96 * 0x1p-106 * fabs(zh) + 8 * 0x1p-106 * fabs(yh)};
}

const ug_vector_ops OPS = {NAME,
                           scan,
                           sum_narrow,
                           sum_medium,
                           {[UG_F32] = stage1_f32, [UG_F16] = stage1_f16, [UG_BF16] = stage1_bf16},
                           stage2};
