/* SPDX-License-Identifier: Apache-2.0 */
/* Bounds on mean and variance for the algorithms a kernel can declare.
 *
 * T threads add up to c elements each, L pairwise levels join the results; h = c - 1 + L is the
 * number of additions an element passes through. M1 = mean |x|, M2 = mean x^2, X = max |x|,
 * D = max |x - m|. Division by N counts as d roundings: 2 cover one division as well as a product
 * with the rounded reciprocal, and a third is needed where N itself is rounded (N > 2^24).
 *
 * Underflow. Sums and differences of floats that come out subnormal are exact; a product or a
 * quotient adds an absolute error of at most 2^-150 =: w. Such errors pass through later roundings,
 * which at most double them (gamma_k <= 1), so 2 w = 2^-149 counts for each. The counts stand
 * with the formulas.
 */
#include "reference/bound_variance.h"

#include <math.h>

#define W2 0x1p-149

double ug_gamma(double k) { return k * UG_U / (1 - k * UG_U); }

double ug_bound_division(int64_t n) { return n > ((int64_t)1 << 24) ? 3 : 2; }

/* Sum, then division: every term meets h additions and d roundings. Underflow: the division, or
 * the reciprocal (never subnormal) and the product. */
static double mean_bound(const ug_geometry *g, const ug_row_stats *s)
{
    double h = (double)(g->chain - 1 + g->levels);
    return ug_gamma(h + ug_bound_division(s->n)) * s->abs_mean + W2;
}

/* q^ = mean of x^2 with one rounding for the product, h additions, d for the division; the
 * difference q^ - m^^2 with m^2 rounded (without FMA):
 *   |q^ - M2| <= gamma_{h+1+d} M2,   |fl(m^^2) - m^2| <= (1+u)(2 |m| dm + dm^2) + u m^2
 *   |v^ - v| <= (1+u) (both) + u v.
 * With FMA the term u m^2 is not needed; it is kept, as the kernel does not say which form it has.
 * The clamp max(v^, 0) moves v^ no further from v >= 0. Underflow: N products and a division by N
 * (2 w + 2 w), the square of the mean (2 w): 6 w <= 4 W2. */
static ug_moments_bound sum2(const ug_geometry *g, const ug_row_stats *s)
{
    double h = (double)(g->chain - 1 + g->levels), m = fabs(s->mean);
    double dm = mean_bound(g, s);
    double q = ug_gamma(h + 1 + ug_bound_division(s->n)) * s->mean_sq;
    double m2 = (1 + UG_U) * (2 * m * dm + dm * dm) + UG_U * m * m;
    return (ug_moments_bound){dm, (1 + UG_U) * (q + m2) + UG_U * s->var + 4 * W2, dm, 1, 0};
}

/* sum (x - m^)^2 / N = v + (m^ - m)^2 exactly; each term has the rounding of its difference twice,
 * of the product, h additions and d for the division:
 *   |v^ - v| <= gamma_{h+3+d} (v + dm^2) + dm^2.
 * Underflow: N products and a division by N: 4 w <= 4 W2. */
static ug_moments_bound twopass(const ug_geometry *g, const ug_row_stats *s)
{
    double h = (double)(g->chain - 1 + g->levels), dm = mean_bound(g, s);
    double var = ug_gamma(h + 3 + ug_bound_division(s->n)) * (s->var + dm * dm) + dm * dm + 4 * W2;
    return (ug_moments_bound){dm, var, dm, 1, 0};
}

/* Running mean and M2 in each thread, then merges delta, nB/n (Chan).
 *
 * Mean. With e_k the error after k elements, the exact step from a wrong mean scales its error by
 * (k-1)/k; the roundings of difference and quotient (or product with a rounded 1/k: three of them)
 * add 3u |x - m_{k-1}| / k <= 6 u D / k, the last addition u |m_k| <= u X. The first step is exact.
 * Multiplied by k and summed: e_k <= u [X (k+1)/2 + 6 D] to first order, and e = 0 for c = 1. A
 * merge adds u X + 3 u |m_B - m_A| nB/n <= u (X + 6 D): e_l = e_0 + l u (X + 6 D). Second order:
 * the terms above hold with X + e for X and D + e for D, and (1+u)^2 for the products of roundings;
 * so e <= first order + e u [(c+1)/2 + 3 + 7 L] (1+u)^2, which the factor
 * 1/(1 - (2 c + 12 L + 12) u) covers. (Counts beyond 2^24 are rounded floats: nB/n has up to two
 * roundings more then, which makes 6 D into 10 D and 7 L into 11 L; weights have up to four more.)
 * Underflow: w in each quotient and each product, at most (c + 2 L) W2 together.
 *
 * Variance. Element k adds (x - m^_{k-1})(x - m^_k); with s_k^2 = (x - m_{k-1})(x - m_k) this is
 * s_k^2 + D_k, |D_k| <= s_k e_k (sqrt(k/(k-1)) + sqrt((k-1)/k)) + e_k^2 with e_1 = 0: a factor
 * sqrt 2 for k = 2 and at most 2.05 after. A merge adds (d + e_B - e_A)^2 w, w = nA nB/n, where
 * |e_B - e_A| <= 2 e_l and the w of one level sum to N/4 at most. The s_k^2 and the d^2 w add up to
 * N v exactly, so by Cauchy-Schwarz over all of them the perturbation is at most N P with
 *   S = (2/c) sum_{k=2..c} e_k^2 + sum_{l<L} e_l^2,    P = 2 sqrt(v S) + S;
 * the factor 2 before 1/c more than covers 2.05^2/4, and (1/c) sum holds for shorter chains too,
 * because e_k grows with k. Roundings: a term has at most 7 of its own (difference twice, square,
 * two factors, product) before c - 1 + 2 L additions and d for the division: c + 2 L + 6 + d.
 *   |v^ - v| <= gamma_{c+2L+6+d} (v + P) + P.
 * Underflow: N products of elements, and in each merge of a level delta^2 (w times nA nB/n <= n/4)
 * and the product: (2 + L) N 2 w, over N; the division 2 w: (4 + L) W2. */
static ug_moments_bound welford(const ug_geometry *g, const ug_row_stats *s)
{
    double c = (double)g->chain, levels = (double)g->levels;
    double wide = s->n > ((int64_t)1 << 24) ? 4 : 0, d = (6 + wide) * s->dev_max;
    double grow = 1 / (1 - (2 * c + 12 * levels + 12) * UG_U), tiny = (c + 2 * levels) * W2;
    double a = s->x_max / 2, b = a + d, step = s->x_max + d;
    double e0 = c > 1 ? UG_U * grow * (a * (c + 1) + d) + tiny : 0;
    /* sum_{k=2..c} (a k + b)^2 = a^2 (sum k^2) + 2 a b (sum k) + b^2 (c - 1) */
    double k1 = (c - 1) * (c + 2) / 2, k2 = (c - 1) * (2 * c * c + 5 * c + 6) / 6;
    double serial = UG_U * grow * sqrt(2 / c * (a * a * k2 + 2 * a * b * k1 + b * b * (c - 1)));
    double sum, p, e = e0;
    if (c > 1) serial += sqrt(2.0) * tiny; /* Minkowski: sqrt(2/c sum (e + t)^2) <= ... + sqrt2 t */
    sum = serial * serial;
    for (int64_t l = 0; l < g->levels; l++) {
        e = e0 + UG_U * grow * (double)l * step + tiny;
        sum += e * e;
    }
    e = levels > 0 ? e0 + UG_U * grow * levels * step + tiny : e0;
    p = 2 * sqrt(s->var * sum) + sum;
    sum = ug_gamma(c + 2 * levels + 6 + wide + ug_bound_division(s->n)) * (s->var + p) + p +
          (4 + levels) * W2;
    return (ug_moments_bound){e, sum, e, 1, 0};
}

double ug_bound_roundings(const ug_bound_model *model, const ug_geometry *g, int64_t n)
{
    double c = (double)g->chain, levels = (double)g->levels;
    /* the growth factor of their merges has the larger count there */
    if (model->variance == UG_VAR_WELFORD || model->variance == UG_VAR_SHIFTED ||
        model->variance == UG_VAR_PAIRWISE)
        return 2 * c + 12 * levels + 12 + ug_bound_division(n);
    return c + levels + 2 + ug_bound_division(n);
}

int ug_bound_moments(const ug_bound_model *model, const ug_geometry *g, const ug_row_stats *stats,
                     ug_moments_bound *bound)
{
    switch (model->variance) {
    case UG_VAR_SUM2:
        *bound = sum2(g, stats);
        return 1;
    case UG_VAR_TWOPASS:
        *bound = twopass(g, stats);
        return 1;
    case UG_VAR_WELFORD:
        *bound = welford(g, stats);
        return 1;
    default:
        return ug_bound_centred(model, g, stats, bound);
    }
}
