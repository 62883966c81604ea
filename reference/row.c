/* SPDX-License-Identifier: Apache-2.0 */
/* Classes and statistics of a row from its exact sums.
 *
 * Criterion of UG_ROW_RANGE, with the exact sums:
 *
 *   (high)  S2 >= 2^126      or      (low)  v + eps < 2^-122.
 *
 * Why a row that is not (high) overflows in no kernel for which bound.c gives a bound: there every
 * count k of roundings has k u <= 1/2, so roundings multiply by at most (1+u)^k <= e^(1/2) < 1.65:
 *   - sum |x| <= sqrt(N S2) < 2^63 sqrt(N) <= 2^79 for N <= 2^32, in any order of summation;
 *   - partial sums of x^2 stay below 1.65 S2 < 2^127;
 *   - two-pass adds up N v + N (m^-m)^2 <= S2 + 0.65^2 N M1^2 <= 1.43 S2, times 1.65: 2^127.3;
 *   - Welford: |x - m_k| <= 2 max|x| < 2^65; M2 <= N v <= S2; a merge forms delta^2, and as
 *     delta^2 nA nB / n <= N v with nA nB / n >= 1/2, delta^2 <= 2 S2 < 2^127. (Rounding errors
 *     of the means are far below the factor that is left.)
 * Why a row that is not (low) is sound: underflow adds at most (8 + L) 2^-149 to the error of a
 * variance (bound_variance.c has the count and puts it into the bound, so that the bound holds with
 * or without this criterion). For L <= 10 that is 2.3 u (v + eps) or less, and moves rstd by about
 * u. Below the limit a right float kernel may see variance 0 where the answer is ordinary.
 */
#include "reference/row.h"

#include <math.h>

#include "ulpgate/dtype.h"

void ug_row_init(ug_row *row)
{
    ug_exact_sums_init(&row->sums);
    mpz_inits(row->spread, row->q, row->work, (mpz_ptr)0);
    mpfr_init2(row->exact, UG_ROW_BITS);
    mpfr_inits2(128, row->wide, row->divisor, (mpfr_ptr)0);
    mpfr_init2(row->result, 53);
}

void ug_row_clear(ug_row *row)
{
    ug_exact_sums_clear(&row->sums);
    mpz_clears(row->spread, row->q, row->work, (mpz_ptr)0);
    mpfr_clears(row->exact, row->wide, row->divisor, row->result, (mpfr_ptr)0);
}

ug_row_class ug_row_close(ug_row *row, int64_t count, float eps, const ug_row_kind *kind)
{
    unsigned long n, repeats = kind && kind->repeats > 0 ? (unsigned long)kind->repeats : 1;
    row->n = count * (int64_t)repeats;
    row->eps = eps;
    n = (unsigned long)row->n;
    if (row->n <= 0) return UG_ROW_DEGENERATE;
    if (row->sums.nonfinite) return UG_ROW_NONFINITE;
    if (repeats > 1) {
        mpz_mul_ui(row->sums.s1, row->sums.s1, repeats);
        mpz_mul_ui(row->sums.a1, row->sums.a1, repeats);
        mpz_mul_ui(row->sums.s2, row->sums.s2, repeats);
    }
    if (kind && kind->uncentered) mpz_set_ui(row->sums.s1, 0);
    mpz_mul_ui(row->spread, row->sums.s2, n);
    mpz_submul(row->spread, row->sums.s1, row->sums.s1);
    mpz_set(row->q, row->spread);
    if (!(row->eps >= 0) || isinf(row->eps)) return UG_ROW_DEGENERATE;
    if (row->eps > 0) {
        ug_exact_value(row->work, row->eps);
        mpz_mul_2exp(row->work, row->work, 149);
        mpz_mul_ui(row->work, row->work, n);
        mpz_mul_ui(row->work, row->work, n);
        mpz_add(row->q, row->q, row->work);
    }
    if (mpz_sgn(row->q) == 0) return UG_ROW_DEGENERATE;
    if (mpz_sizeinbase(row->sums.s2, 2) > 298 + 126) return UG_ROW_RANGE;
    mpz_set_ui(row->work, n);
    mpz_mul_ui(row->work, row->work, n);
    mpz_mul_2exp(row->work, row->work, 298 - 122);
    return mpz_cmp(row->q, row->work) < 0 ? UG_ROW_RANGE : UG_ROW_REGULAR;
}

/* z 2^-unit / divisor as the nearest double, or the next one up. */
static double quotient(ug_row *row, mpz_srcptr z, long unit, mpfr_rnd_t direction)
{
    mpfr_set_z_2exp(row->exact, z, -unit, MPFR_RNDN); /* exact */
    mpfr_div(row->result, row->exact, row->divisor, direction);
    return mpfr_get_d(row->result, direction);
}

/* max |x_i - mean|, rounded up: one of the two extremes attains it. */
static double largest_deviation(ug_row *row)
{
    double above, below;
    ug_exact_value(row->work, row->sums.max);
    mpz_mul_ui(row->work, row->work, (unsigned long)row->n);
    mpz_sub(row->work, row->work, row->sums.s1);
    above = quotient(row, row->work, 149, MPFR_RNDU);
    ug_exact_value(row->work, row->sums.min);
    mpz_mul_ui(row->work, row->work, (unsigned long)row->n);
    mpz_sub(row->work, row->sums.s1, row->work);
    below = quotient(row, row->work, 149, MPFR_RNDU);
    return fmax(above, below);
}

/* sqrt(N S2 / (N S2 - S1^2)) */
static double condition(ug_row *row)
{
    if (mpz_sgn(row->spread) == 0) return mpz_sgn(row->sums.s1) ? INFINITY : 1.0;
    mpz_mul_ui(row->work, row->sums.s2, (unsigned long)row->n);
    mpfr_set_z(row->exact, row->work, MPFR_RNDN); /* exact */
    mpfr_set_z(row->wide, row->spread, MPFR_RNDN);
    mpfr_div(row->wide, row->exact, row->wide, MPFR_RNDN);
    mpfr_sqrt(row->wide, row->wide, MPFR_RNDN);
    return mpfr_get_d(row->wide, MPFR_RNDN);
}

/* N / sqrt(Q) */
static double reciprocal_deviation(ug_row *row)
{
    if (mpz_sgn(row->q) <= 0) return NAN;
    mpfr_set_z_2exp(row->exact, row->q, -298, MPFR_RNDN); /* exact */
    mpfr_rec_sqrt(row->wide, row->exact, MPFR_RNDN);
    mpfr_mul_ui(row->wide, row->wide, (unsigned long)row->n, MPFR_RNDN);
    return mpfr_get_d(row->wide, MPFR_RNDN);
}

void ug_row_describe(ug_row *row, ug_row_class cls, ug_row_stats *stats)
{
    const ug_exact_sums *sums = &row->sums;
    *stats = (ug_row_stats){.cls = cls, .n = row->n, .eps = row->eps};
    stats->mean = stats->var = stats->rstd = stats->kappa = NAN;
    stats->abs_mean = stats->mean_sq = stats->x_max = stats->dev_max = NAN;
    if (row->n <= 0 || cls == UG_ROW_NONFINITE) return;
    mpfr_set_ui(row->divisor, (unsigned long)row->n, MPFR_RNDN);
    stats->mean = quotient(row, sums->s1, 149, MPFR_RNDN);
    stats->abs_mean = quotient(row, sums->a1, 149, MPFR_RNDN);
    stats->mean_sq = quotient(row, sums->s2, 298, MPFR_RNDN);
    stats->x_max = fmax(fabs((double)sums->min), fabs((double)sums->max));
    stats->dev_max = largest_deviation(row);
    mpfr_sqr(row->divisor, row->divisor, MPFR_RNDN); /* exact: N^2 < 2^128 */
    stats->var = quotient(row, row->spread, 298, MPFR_RNDN);
    stats->kappa = condition(row);
    if (cls != UG_ROW_DEGENERATE) stats->rstd = reciprocal_deviation(row);
}
