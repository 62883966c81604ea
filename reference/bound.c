/* SPDX-License-Identifier: Apache-2.0 */
/* From errors of mean and variance to errors of rstd and of an output element.
 *
 *   r^ = 1/sqrt(fl(v^ + eps)) (1 + d), |d| <= rho:  with |v^ - v| <= B,
 *   eta = max( sqrt((v+eps) / ((max(v-B,0) + eps)(1-u))) (1+rho) - 1,
 *              1 - sqrt((v+eps) / ((v+B+eps)(1+u))) (1-rho) )
 * bounds |r^ - r| / r. The clamp of a variance at 0 is inside [max(v-B,0), v+B].
 *   y^ = fl(fl(fl(x - m^) r^) gamma) + beta): three roundings before the last,
 *   t = (1+eta)(1+gamma_3) - 1
 *   |y^ - y| <= |gamma| r [ |x-m| t + dm (1+t) ] (1+u) + u |y| + (3 + |gamma|) 2^-149
 * (t covers the relative error of everything that multiplies x - m^; x - m^ is off by dm; the last
 * addition rounds y and its error by u each; with fma one rounding less. A mean that is subtracted
 * in two parts has one rounding more, gamma_4, and its own absolute error in place of dm.) The last
 * term is underflow: the difference is exact then, (x - m^) r^ adds 2^-150, times gamma; its
 * product with gamma 2^-150; roundings after it at most double both.
 */
#include "reference/bound.h"

#include <math.h>

#include "reference/bound_variance.h"

static ug_geometry resolved(const ug_geometry *g, int64_t n)
{
    if (g->threads > 0 && g->chain > 0 && g->levels >= 0) return *g;
    return (ug_geometry){1, n, 0};
}

/* Differences of nearly equal numbers near 1: an absolute 2^-48 covers their few roundings. */
static double rstd_bound(const ug_row_stats *s, double var_error, double rho)
{
    double eps = (double)s->eps, ve = s->var + eps;
    double least = s->var * UG_DOWN - var_error, up, down;
    least = ((least > 0 ? least : 0) + eps) * UG_DOWN;
    if (!(least > 0)) return INFINITY;
    up = sqrt(ve / (least * (1 - UG_U))) * (1 + rho) - 1;
    down = 1 - sqrt(ve / ((ve + var_error) * (1 + UG_U))) * (1 - rho);
    return fmax(up * UG_UP, down) + 0x1p-38 * (1 + up);
}

static void refuse(ug_row_bound *bound, const char *why)
{
    *bound = (ug_row_bound){.applies = 0, .why = why};
    bound->mean = bound->var = bound->rstd_rel = bound->scale = bound->centre = INFINITY;
}

void ug_bound_row(const ug_bound_model *model, const ug_row_stats *stats, ug_row_bound *bound)
{
    ug_geometry g = resolved(&model->geometry, stats->n);
    double rho = model->rsqrt_error * UG_U, roundings;
    ug_moments_bound moments;
    if (stats->cls != UG_ROW_REGULAR) {
        refuse(bound, "the row is not regular");
        return;
    }
    if ((double)g.threads * (double)g.chain < (double)stats->n) {
        refuse(bound, "the declared geometry does not cover the row");
        return;
    }
    if (!(rho >= 0 && rho <= 0.5)) {
        refuse(bound, "the declared error of rsqrt is not in [0, 2^23] u");
        return;
    }
    if (!(ug_bound_roundings(model, &g, stats->n) * UG_U <= 0.5)) {
        refuse(bound, "the chain is so long that rounding errors can reach the sum itself");
        return;
    }
    if (!ug_bound_moments(model, &g, stats, &moments)) {
        refuse(bound, "no bound is known for this algorithm");
        return;
    }
    bound->applies = 1;
    bound->why = "";
    bound->mean = moments.mean * UG_UP;
    bound->var = moments.var * UG_UP;
    bound->centre = moments.centre * UG_UP;
    bound->steps = moments.steps;
    bound->once = moments.once;
    bound->rstd_rel = moments.once ? UG_U * (1 + 0x1p-15) : rstd_bound(stats, bound->var, rho);
    bound->scale = stats->rstd;
    bound->exact_mean = stats->mean;
    /* (1 + eta)(1 + gamma_k) - 1 without cancelling */
    roundings = ug_gamma(2 + bound->steps);
    bound->xhat_rel = bound->rstd_rel + roundings * (1 + bound->rstd_rel);
    if (!(bound->rstd_rel < INFINITY))
        refuse(bound, "eps is 0 and rounding errors can bring the variance down to 0");
}

double ug_bound_element(const ug_row_bound *bound, double x, double gamma, double beta, double y)
{
    double t = bound->xhat_rel, a, g = fabs(gamma);
    (void)beta;
    if (!bound->applies) return INFINITY;
    if (bound->once) return UG_U * (1 + 0x1p-15) * fabs(y) + 0x1p-149;
    /* exact_mean is the mean within 2^-53 of it */
    a = fabs(x - bound->exact_mean) + 0x1p-52 * fabs(bound->exact_mean);
    return (g * bound->scale * (a * t + bound->centre * (1 + t)) * (1 + UG_U) + UG_U * fabs(y) +
            (2 + bound->steps + g) * 0x1p-149) *
           UG_UP;
}

/* Underflow in units of w = 2^-150, what a product or quotient that comes out subnormal adds to its
 * error (sums are exact there). The mean: a division, w; by Welford a quotient a step, k e_k <=
 * (k-1) e_{k-1} + k w, hence e_c <= (c+1)/2 w, and w a merge. It meets an element as gamma r dm.
 * The product (x - m^) r^ adds w, times gamma, and the product with gamma w. Together w [ |gamma|
 * (r ((c+1)/2 + L) + 1) + 1 ], which 8 + c/4 times 2 w [ |gamma| (r + 1) + 1 ] covers for L <= 15
 * levels. What underflow does to the variance, row.c keeps out of regular rows. */
double ug_cond_scale(const ug_row_stats *stats, double x, double gamma, double beta)
{
    double r = stats->rstd, g = fabs(gamma);
    return UG_U * (g * r * (fabs(x) + stats->abs_mean) + fabs(beta)) + 0x1p-149 * (g * (r + 1) + 1);
}

/* No worst case, which for a chain of c roundings is c units of the mean already: what right
 * kernels lose on data of many kinds (docs/metrics.md), with c/4 for chains whose roundings all go
 * one way. A sum of c equal terms is such a chain: its last binade holds at most half of the terms
 * when it ends at 2p, error (c/2) u p = (c/4) u S. Welford's running mean over a ramp is one too,
 * and loses up to (c/2) u M1: with much of a row to one thread it fails there, as `sound` is meant
 * to say. */
double ug_sound_limit(double chain) { return 8 + chain / 4; }

double ug_cond_mean(const ug_row_stats *stats) { return UG_U * stats->abs_mean + 0x1p-149; }
