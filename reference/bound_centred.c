/* SPDX-License-Identifier: Apache-2.0 */
/* Bounds for variances whose threads take two passes of their own, that subtract the mean in two
 * steps, or never round it. Notation and the treatment of underflow as in bound_variance.c;
 * h = c - 1 + L.
 *
 * Two steps. fl(fl(x - a) - b) with a + b = m + e, |e| <= dc: the first rounding is relative to
 * x - a, and |x - a| <= |x - m| + |b| + dc. So the difference is (x - m)(1 + theta_2) with an
 * absolute error of at most
 *   centre = (dc + u (|b| + dc)) (1 + u).
 */
#include "reference/bound_variance.h"

#include <math.h>

#define W2 0x1p-149

static double centre(double dc, double second) { return (dc + UG_U * (second + dc)) * (1 + UG_U); }

/* Two passes a thread over values z of variance v, |z| <= X and |z - mean z| <= D, then Chan's
 * merges: mean and variance that come out, against the true ones of z.
 *
 * A thread's mean: gamma_{c-1+d} X =: e_0. Its M2 is that about the true mean plus n e_0^2, terms
 * with c + 3 roundings (difference twice, square, c additions). Merges as for Welford: e_l = e_0 +
 * l u (X + 6 D), and with S = sum_{l<L} e_l^2 they move M2 by at most N (2 sqrt(v) sqrt(S) + S); a
 * term meets 2 L additions and d for the division after at most 7 roundings of its own. Hence
 *   P = 2 sqrt(v S) + S + e_0^2,  |v^ - v| <= gamma_{c+2L+6+d} (v + P) + P,
 * with Welford's counts for rounded element counts (N > 2^24), for second order and for underflow.
 * The mean is off by e_L. */
static ug_moments_bound own_passes(const ug_geometry *g, int64_t n, double v, double x, double d)
{
    double c = (double)g->chain, levels = (double)g->levels;
    double wide = n > ((int64_t)1 << 24) ? 4 : 0;
    double grow = 1 / (1 - (2 * c + 12 * levels + 12) * UG_U), tiny = (c + 2 * levels) * W2;
    double e0 = ug_gamma(c - 1 + ug_bound_division(n)) * x + tiny;
    double step = UG_U * grow * (x + (6 + wide) * d), sum = 0, e, p;
    for (int64_t l = 0; l < g->levels; l++) {
        e = e0 * grow + (double)l * step;
        sum += e * e;
    }
    e = e0 * grow + levels * step;
    p = 2 * sqrt(v * sum) + sum + e0 * e0;
    return (ug_moments_bound){
        .mean = e,
        .var = ug_gamma(c + 2 * levels + 6 + wide + ug_bound_division(n)) * (v + p) + p +
               (4 + levels) * W2,
        .centre = e,
        .steps = 1,
    };
}

/* The elements themselves: X = max |x| and D = max |x - m|. The float that is reported is the mean
 * that is subtracted. */
static ug_moments_bound pairwise(const ug_geometry *g, const ug_row_stats *s)
{
    return own_passes(g, s->n, s->var, s->x_max, s->dev_max);
}

/* K is an element, so |m - K| <= D and |x - K| <= 2 D =: X; mean |x - K| <= sqrt(v) + D =: A.
 *
 * What is worked on is z_i = fl(x_i - K) = (x_i - K)(1 + d_i), |d_i| <= u: its mean is off m - K by
 * at most u A, its standard deviation off sqrt(v) by at most p = u sqrt(v + D^2) (triangle
 * inequality in the 2-norm), so its variance by 2 sqrt(v) p + p^2 =: shift. |z_i| <= X (1 + u) and
 * |z_i - mean z| <= D (1 + 4 u).
 *
 * The variance of z is at most v_z = v + shift, and what comes out for it is off that of x by shift
 * more. The mean in use, K + m', is off by dc = e_L + u A; the float that is reported adds
 * u (|m| + dc). */
static ug_moments_bound shifted(const ug_geometry *g, const ug_row_stats *s)
{
    double sd = sqrt(s->var), dev = s->dev_max, p = UG_U * sqrt(s->var + dev * dev);
    double shift = 2 * sd * p + p * p, dc;
    ug_moments_bound z =
        own_passes(g, s->n, s->var + shift, 2 * dev * (1 + UG_U), dev * (1 + 4 * UG_U));
    dc = z.mean + UG_U * (sd + dev);
    return (ug_moments_bound){
        .mean = dc + UG_U * (fabs(s->mean) + dc),
        .var = z.var + shift,
        .centre = centre(dc, dev + dc),
        .steps = 2,
    };
}

/* The sum keeps every error of its additions: of all of them together at most u h (1 + gamma_h) sum
 * |x|, and each meets at most c - 1 + 2 L additions among the errors:
 *   ds = gamma_{c-1+2L} u h (1 + gamma_h) M1.
 * The mean is divided in double (2 roundings of 2^-53) and split in two floats, |lo| <= u |m^|, the
 * second rounded: 2^-47 |m^| covers all of it. dc = ds + 2^-47 (|m| + ds) + W2.
 * Squares: with d^ = (x - m)(1 + theta_2) + e, |e| <= centre, in the 2-norm sqrt(mean d^2) <= (1 +
 * gamma_2) sqrt(v) + centre, and not less than (1 - gamma_2) sqrt(v) - centre, so
 *   P = gamma_2 (2 + gamma_2) v + 2 (1 + gamma_2) sqrt(v) centre + centre^2,
 *   |v^ - v| <= gamma_{h+1+d} (v + P) + P.
 * Underflow: N products and the division: 4 w <= 4 W2. */
static ug_moments_bound pairmean(const ug_geometry *g, const ug_row_stats *s)
{
    double c = (double)g->chain, levels = (double)g->levels, h = c - 1 + levels;
    double ds = ug_gamma(c - 1 + 2 * levels) * UG_U * h * (1 + ug_gamma(h)) * s->abs_mean;
    double dc = ds + 0x1p-47 * (fabs(s->mean) + ds) + W2, lo = UG_U * (fabs(s->mean) + dc) + W2;
    double off = centre(dc, lo), sd = sqrt(s->var), g2 = ug_gamma(2);
    double p = g2 * (2 + g2) * s->var + 2 * (1 + g2) * sd * off + off * off;
    return (ug_moments_bound){
        .mean = dc + lo * (1 + UG_U),
        .var = ug_gamma(h + 1 + ug_bound_division(s->n)) * (s->var + p) + p + 4 * W2,
        .centre = off,
        .steps = 2,
    };
}

/* Rounded once: the gate `exact` in the form of a bound. An output may be off by half a spacing and
 * 2^-16 of one (near ties), which is at most u (1 + 2^-15) |y| and a quarter of the subnormal
 * spacing more than half of that; mean and rstd are rounded from doubles. */
static ug_moments_bound exact(const ug_row_stats *s)
{
    return (ug_moments_bound){
        .mean = UG_U * (1 + 0x1p-15) * fabs(s->mean) + W2, .var = 0, .centre = 0, .once = 1};
}

int ug_bound_centred(const ug_bound_model *model, const ug_geometry *g, const ug_row_stats *stats,
                     ug_moments_bound *bound)
{
    switch (model->variance) {
    case UG_VAR_SHIFTED:
        *bound = shifted(g, stats);
        return 1;
    case UG_VAR_PAIRMEAN:
        *bound = pairmean(g, stats);
        return 1;
    case UG_VAR_EXACT:
        *bound = exact(stats);
        return 1;
    case UG_VAR_PAIRWISE:
        *bound = pairwise(g, stats);
        return 1;
    default:
        return 0;
    }
}
