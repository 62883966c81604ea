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
 * (f16) below its normal numbers. If RN_float(y) = f is no midpoint, then RN(y) = RN(f): midpoints
 * are floats, and rounding to float is monotone, so y and f lie on the same side of each. */
INLINE vi round_bits(vi bits, const ug_dtype out, vi *unsure)
{
    vi a = bits & 0x7fffffff, sign = bits >> 16 & 0x8000, r;
    if (out == UG_F32) return bits;
    if (out == UG_BF16) {
        *unsure |= (bits & 0xffff) == 0x8000;
        return sign | (a + 0x7fff + (a >> 16 & 1)) >> 16;
    }
    *unsure |= ((a & 0x1fff) == 0x1000) | ((a < 0x38800000) & (a != 0));
    r = (a - (112 << 23) + 0xfff + (a >> 13 & 1)) >> 13;
    a = a < 0x47800000;
    return sign | (r & a & (r > 0)) | (0x7c00 & ~a); /* r < 0 for a = 0 */
}

/* Compares the roundings of y - e and y + e to float; elements whose value is not good to 2^-20
 * ulp, and those that are no numbers, get an infinite e, which tells them apart as well. */
INLINE void settle(const ug_row_constants *c, vd v, vd e, uint32_t *want, int32_t *flag,
                   const ug_dtype out)
{
    vl good = (e <= magnitude(v) * c->ulp_share) | (e <= c->ulp_least);
    vl inf = (vl)all(INFINITY) & ~good, below = (vl)(v - e) & good, above = (vl)(v + e) & good;
    vf low = __builtin_convertvector((vd)(below | inf | (INT64_MIN & ~good)), vf);
    vf high = __builtin_convertvector((vd)(above | inf), vf);
    vi unsure = (vi)low != (vi)high, bits = round_bits((vi)high, out, &unsure);
    memcpy(want, &bits, sizeof bits);
    memcpy(flag, &unsure, sizeof unsure);
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
        memcpy(head + i, &v, sizeof v);
        settle(c, v, e, want + i, flag + i, out);
    }
}

INLINE double two_sum(double a, double b, double *rest)
{
    double s = a + b, t = s - a;
    *rest = (a - (s - t)) + (b - t); /* s + rest = a + b exactly */
    return s;
}

/* p + rest = a b exactly: by fma, or by Veltkamp's splitting into 26 bits and Dekker's product. */
INLINE double two_product(double a, double b, double *rest)
{
    double p = a * b;
#if defined __FMA__ || defined __ARM_FEATURE_FMA
    *rest = fma(a, b, -p);
#else
    double ca = a * 0x8000001p0, cb = b * 0x8000001p0, ah, al, bh, bl;
    ah = ca - (ca - a);
    bh = cb - (cb - b);
    al = a - ah;
    bl = b - bh;
    *rest = al * bl - (((p - ah * bh) - al * bh) - ah * bl);
#endif
    return p;
}

/* One element in double-double; returns the error bound. sa + sb is S1 rounded to 56 bits, and N x
 * has at most 24 + 32 bits, so the lemma holds for every N <= 2^32: rho = S1 - sa - sb has
 * |rho| <= |A|; |D| <= 2 |A| for D = N x - sa - sb; rho = sc + sd within u^2 |rho|. */
INLINE double stage2_element(const ug_row_constants *c, double x, double gamma, double beta,
                             double *high, double *low)
{
    double pl, e, w, dt, l, al, ql, tl, kl, zl, sl;
    double ph = two_product(x, c->n, &pl);
    /* D = d + e + w. If ph and sa are within a factor 2 of each other, e = 0, and pl - sb is exact
     * (both are multiples of the smaller one's 56-bit unit, at most 8 of them). If not,
     * |D| >= 0.49 max(|ph|, |sa|), and w errs by u |w| <= u 2u max <= 4.1 u^2 |D|. */
    double d = two_sum(ph, -c->sa, &e);
    double dh, h, ah, qh, th, kh, zh, sh;
    w = pl - c->sb;
    dh = two_sum(d, w, &dt);
    dt += e; /* inexact for e != 0 only: |dt + e| <= 2.1u |D|, rounded by 2.1 u^2 |D| */
    /* A = D - rho */
    h = two_sum(dh, -c->sc, &l);
    l = (l + dt) - c->sd; /* |l| <= 1.1u |A|, |dt| <= 4.2u |A|, |sd| <= u |A|: 11.7 u^2 |A| */
    ah = two_sum(h, l, &al);
    /* A: 2 (4.1 + 2.1) + 11.7 + 1 < 26 u^2 */
    qh = two_product(ah, c->rh, &ql);
    ql += ah * c->rl + al * c->rh; /* terms <= u |T| each; roundings and al rl: 8 u^2 |T| */
    th = two_sum(qh, ql, &tl);
    kh = two_product(th, gamma, &kl);
    kl += tl * gamma; /* 3.1 u^2 |Z| */
    zh = two_sum(kh, kl, &zl);
    /* Z: 26 for A, 16 for 1/sqrt(Q), 12 here: 54 u^2, products of errors far less; 64 below */
    sh = two_sum(zh, beta, &sl);
    sl += zl; /* |sl| <= u |sh|, |zl| <= u |zh|: rounded by u^2 (|zh| + |sh|) */
    *high = two_sum(sh, sl, low);
    return 66 * 0x1p-106 * fabs(zh) + 2 * 0x1p-106 * fabs(*high);
}

/* y = high + low within error; as settle tests |high| alone, low counts as an error there:
 * |low| <= u |high|, and high -+ e rounds by u |high|. */
INLINE void stage2(const ug_row_constants *c, const ug_operands *in, int count, ug_stage2 *out,
                   const ug_dtype type)
{
    for (int i = 0; i < count; i++)
        out->error[i] =
            stage2_element(c, in->x[i], in->gamma[i], in->beta[i], &out->high[i], &out->low[i]);
    for (int i = 0; i < count; i += LANES) {
        vd v, e;
        memcpy(&v, out->high + i, sizeof v);
        memcpy(&e, out->error + i, sizeof e);
        settle(c, v, e * 2 + magnitude(v) * 0x3p-53, out->want + i, out->flag + i, type);
    }
}

#define STAGES(type, suffix)                                                                       \
    static void stage1_##suffix(const ug_row_constants *c, const float *x, const float *gamma,     \
                                const float *beta, int count, double *head, uint32_t *want,        \
                                int32_t *flag)                                                     \
    {                                                                                              \
        stage1(c, x, gamma, beta, count, head, want, flag, type);                                  \
    }                                                                                              \
    static void stage2_##suffix(const ug_row_constants *c, const ug_operands *in, int count,       \
                                ug_stage2 *out)                                                    \
    {                                                                                              \
        stage2(c, in, count, out, type);                                                           \
    }
STAGES(UG_F32, f32)
STAGES(UG_F16, f16)
STAGES(UG_BF16, bf16)

const ug_vector_ops OPS = {NAME,
                           scan,
                           sum_narrow,
                           sum_medium,
                           {[UG_F32] = stage1_f32, [UG_F16] = stage1_f16, [UG_BF16] = stage1_bf16},
                           {[UG_F32] = stage2_f32, [UG_F16] = stage2_f16, [UG_BF16] = stage2_bf16}};
