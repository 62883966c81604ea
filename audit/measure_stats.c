/* SPDX-License-Identifier: Apache-2.0 */
/* The mean and rstd that a kernel hands out, against the exact ones. */
#include "audit/measure_row.h"

/* 0/0 counts as 0, NaN as infinite. */
static double ratio(double error, double scale)
{
    if (error == 0) return 0;
    return error / scale >= 0 ? error / scale : INFINITY;
}

static void largest(double *worst, double value)
{
    if (!(value <= *worst)) *worst = isnan(value) ? INFINITY : value;
}

/* Largest relative error of rstd that `sound` lets pass: what the element of largest deviation D,
 * were it alone in error, may show, L u (|x| + M1) rstd of its own |x - m| rstd. Without a
 * deviation no output depends on rstd, and no value of it is wrong. */
static double sound_rstd(const ug_row_stats *stats, double limit)
{
    if (stats->dev_max == 0) return INFINITY;
    return limit * UG_U * (stats->x_max + stats->abs_mean) / stats->dev_max;
}

void ug_measure_stats(ug_measure *m, int64_t row, const ug_row_stats *stats,
                      const ug_row_bound *bound, int sound, const float *mean, const float *rstd)
{
    double limit = m->sound_limit, least = 0x1p-149; /* one rounding of a subnormal mean */
    int bad = 0, unsound = 0;
    if (mean) {
        double error = fabs(*mean - stats->mean);
        largest(&m->mean_err, ratio(error, UG_U * stats->abs_mean));
        if (bound) bad |= !(error <= bound->mean + least);
        if (sound) unsound |= !(error <= limit * ug_cond_mean(stats));
        bad |= !isfinite(*mean);
        unsound |= !isfinite(*mean);
    }
    if (rstd) {
        double r = *rstd, error = fabs(r - stats->rstd) / stats->rstd;
        double implied = 1 / (r * r) - 1 / (stats->rstd * stats->rstd);
        largest(&m->rstd_err, ratio(error, UG_U));
        /* Where eps outweighs the variance, rstd says nothing of it. */
        if (stats->var > 0 && stats->var >= stats->eps)
            largest(&m->var_err, ratio(fabs(implied), UG_U * stats->var));
        if (bound) bad |= !(error <= bound->rstd_rel);
        if (sound) unsound |= !(error <= sound_rstd(stats, limit));
        bad |= !isfinite(r);
        unsound |= !isfinite(r);
    }
    m->stats_bad += bad;
    m->stats_unsound += unsound;
    if ((bad || unsound) && m->stats_row < 0) m->stats_row = row;
}
