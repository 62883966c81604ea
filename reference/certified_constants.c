/* SPDX-License-Identifier: Apache-2.0 */
/* A row's constants for the element loops, and its statistics, from exact integers. */
#include <math.h>

#include "reference/certified.h"
#include "reference/double_double.h"
#include "ulpgate/dtype.h"

/* Takes the nearest number of `bits` bits (53 to 56, ties to even) out of z, in units of 2^-149:
 * returned as high + low, z is what is left. */
static ug_dd take_nearest(mpz_ptr z, int bits, mpz_ptr work)
{
    int sign = mpz_sgn(z);
    int64_t size = (int64_t)mpz_sizeinbase(z, 2);
    mp_bitcnt_t shift = size > bits ? (mp_bitcnt_t)(size - bits) : 0;
    double scale = ldexp(sign, (int)shift - 149), high;
    uint64_t k;
    if (sign == 0) return (ug_dd){0, 0};
    mpz_abs(z, z);
    mpz_tdiv_q_2exp(work, z, shift);
    k = mpz_get_ui(work);
    if (shift && mpz_tstbit(z, shift - 1)) /* half a unit or more is cut off */
        k += mpz_scan1(z, 0) < shift - 1 || (k & 1u);
    mpz_set_ui(work, k);
    mpz_mul_2exp(work, work, shift);
    mpz_sub(z, z, work);
    if (sign < 0) mpz_neg(z, z);
    high = (double)k; /* k <= 2^56: what it rounds off is an integer below 16 */
    return (ug_dd){high * scale, (double)((int64_t)k - (int64_t)high) * scale};
}

void ug_certified_prepare(ug_certified *s, ug_dtype out)
{
    static const double share[UG_DTYPE_COUNT] = {0x1p-44, 0x1p-31, 0x1p-28};
    ug_dd root = ug_dd_rsqrt(ug_dd_of_integer(s->row.q, 298));
    s->out = out;
    s->format = ug_format_of(out);
    s->c.n = (double)s->row.n;
    s->c.rh = root.h;
    s->c.rl = root.l;
    mpz_set(s->part, s->row.sums.s1);
    s->c.s1h = take_nearest(s->part, 53, s->work).h;
    s->c.s1m = take_nearest(s->part, 53, s->work).h;
    /* |v| may be above |y| by a relative 2^-43 */
    s->c.ulp_share = share[out] * (1 - 0x1p-20);
    s->c.ulp_least = ldexp(1, s->format->quantum - 20);
    s->stage2_ready = 0;
}

void ug_certified_prepare_stage2(ug_certified *s)
{
    ug_dd nearest;
    if (s->stage2_ready) return;
    mpz_set(s->part, s->row.sums.s1);
    nearest = take_nearest(s->part, 56, s->work);
    s->c.sa = nearest.h;
    s->c.sb = nearest.l;
    s->c.sc = take_nearest(s->part, 53, s->work).h;
    s->c.sd = take_nearest(s->part, 53, s->work).h;
    s->stage2_ready = 1;
}

/* z 2^-unit / n, nearest. Relative error 10 u^2 < 2^-102. */
static double quotient(mpz_srcptr z, long unit, double n, int *sure)
{
    return ug_dd_nearest(ug_dd_quotient(ug_dd_of_integer(z, unit), n), sure);
}

/* (N x - S1) / N or its negative, rounded up; exact quotients are the usual case of doubt. */
static double deviation_up(ug_row *row, float x, int sign, int *sure)
{
    double n = (double)row->n, e;
    ug_dd a, d;
    ug_exact_value(row->work, x);
    mpz_mul_ui(row->work, row->work, (unsigned long)row->n);
    mpz_sub(row->work, row->work, row->sums.s1);
    if (mpz_sgn(row->work) == 0) return 0;
    if (sign < 0) mpz_neg(row->work, row->work);
    a = ug_dd_of_integer(row->work, 149);
    d = ug_dd_quotient(a, n);
    e = 0x1p-95 * fabs(d.h);
    if (d.l > e) return nextafter(d.h, INFINITY);
    if (d.l < -e) return d.h;
    if (a.l != 0 || fma(-d.h, n, a.h) != 0 ||
        mpz_sizeinbase(row->work, 2) - mpz_scan1(row->work, 0) > 53)
        *sure = 0;
    return d.h;
}

void ug_certified_describe(ug_row *row, ug_row_class cls, ug_row_stats *stats)
{
    double n = (double)row->n;
    const ug_exact_sums *sums = &row->sums;
    ug_dd spread, squares, root;
    int sure = 1;
    if (row->n <= 0 || cls == UG_ROW_NONFINITE || cls == UG_ROW_DEGENERATE) {
        ug_row_describe(row, cls, stats);
        return;
    }
    *stats = (ug_row_stats){.cls = cls, .n = row->n, .eps = row->eps};
    stats->mean = quotient(sums->s1, 149, n, &sure);
    stats->abs_mean = quotient(sums->a1, 149, n, &sure);
    stats->mean_sq = quotient(sums->s2, 298, n, &sure);
    stats->x_max = fmax(fabs((double)sums->min), fabs((double)sums->max));
    stats->dev_max =
        fmax(deviation_up(row, sums->max, 1, &sure), deviation_up(row, sums->min, -1, &sure));
    spread = ug_dd_of_integer(row->spread, 298);
    /* 4 + 6 + 6 u^2 */
    stats->var = ug_dd_nearest(ug_dd_quotient(ug_dd_quotient(spread, n), n), &sure);
    /* 16 + 8 u^2 */
    root = ug_dd_rsqrt(ug_dd_of_integer(row->q, 298));
    stats->rstd = ug_dd_nearest(ug_dd_product(root, (ug_dd){n, 0}), &sure);
    if (mpz_sgn(row->spread) == 0) {
        stats->kappa = mpz_sgn(sums->s1) ? INFINITY : 1.0;
    } else {
        /* sqrt(N S2 / spread) = N S2 rsqrt(N S2) rsqrt(spread): below 100 u^2 < 2^-99 */
        squares = ug_dd_product(ug_dd_of_integer(sums->s2, 298), (ug_dd){n, 0});
        root = ug_dd_product(ug_dd_rsqrt(squares), ug_dd_rsqrt(spread));
        stats->kappa = ug_dd_nearest(ug_dd_product(squares, root), &sure);
    }
    if (!sure) ug_row_describe(row, cls, stats);
}
