/* SPDX-License-Identifier: Apache-2.0 */
/* Row scalars in double-double: numbers h + l with |l| <= u |h|, u = 2^-53.
 *
 * A few hundred operations a row at most; each function states the relative error of its result.
 * Nothing here over- or underflows: all quantities of a row lie within 2^+-400.
 */
#ifndef ULPGATE_REFERENCE_DOUBLE_DOUBLE_H
#define ULPGATE_REFERENCE_DOUBLE_DOUBLE_H

#include <gmp.h>
#include <math.h>
#include <stdint.h>

typedef struct ug_dd {
    double h, l;
} ug_dd;

/* s + rest = a + b exactly, for |a| >= |b| or a = 0. */
static inline ug_dd ug_dd_join(double a, double b)
{
    double s = a + b;
    return (ug_dd){s, b - (s - a)};
}

/* z 2^-unit, relative error 2^-104 = 4 u^2. */
ug_dd ug_dd_of_integer(mpz_srcptr z, long unit);

/* a / n for an integer n < 2^53: q1 = RN(h/n) with an exact remainder h - q1 n; adding l rounds by
 * u 2u |h|, the quotient of it by u 3u |q|: 6 u^2, on top of a's own. */
static inline ug_dd ug_dd_quotient(ug_dd a, double n)
{
    double q = a.h / n;
    return ug_dd_join(q, (fma(-q, n, a.h) + a.l) / n);
}

/* a b: terms h l of at most u |ab|, three roundings of at most 3u each and l l: 8 u^2. */
static inline ug_dd ug_dd_product(ug_dd a, ug_dd b)
{
    double p = a.h * b.h;
    return ug_dd_join(p, fma(a.h, b.h, -p) + (a.h * b.l + a.l * b.h));
}

/* 1/sqrt(q), q > 0, relative error 16 u^2 when q errs by 4 u^2. */
ug_dd ug_dd_rsqrt(ug_dd q);

/* The double nearest to a, when a's relative error of 2^-96 leaves no doubt; else *sure becomes 0.
 * h + (l +- E) both round to h exactly if the value does: E = 2^-95 |h| covers the rounding of
 * l +- E. */
static inline double ug_dd_nearest(ug_dd a, int *sure)
{
    double e = 0x1p-95 * fabs(a.h);
    if (a.h + (a.l + e) != a.h || a.h + (a.l - e) != a.h) *sure = 0;
    return a.h;
}

#endif
