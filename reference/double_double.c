/* SPDX-License-Identifier: Apache-2.0 */
/* Integers and reciprocal roots in double-double. */
#include "reference/double_double.h"

ug_dd ug_dd_of_integer(mpz_srcptr z, long unit)
{
    size_t limbs = mpz_size(z);
    uint64_t limb[3] = {0}, high, low;
    double scale;
    int shift;
    ug_dd v;
    if (limbs == 0) return (ug_dd){0, 0};
    for (size_t i = 0; i < 3 && i < limbs; i++)
        limb[i] = mpz_getlimbn(z, (mp_size_t)(limbs - 1 - i));
    shift = __builtin_clzll(limb[0]);
    high = limb[0] << shift | (shift ? limb[1] >> (64 - shift) : 0);
    low = limb[1] << shift | (shift ? limb[2] >> (64 - shift) : 0);
    /* The leading 117 bits: 53 in v.h exactly, 64 more in v.l, which rounds by u^2 at most; what
     * is cut off is below 2^-116. */
    v = ug_dd_join((double)(high >> 11) * 0x1p64, (double)((high & 2047u) << 53 | low >> 11));
    scale = ldexp(mpz_sgn(z) < 0 ? -1 : 1, (int)(64 * (long)limbs - 117 - shift - unit));
    return (ug_dd){v.h * scale, v.l * scale};
}

/* One Newton step from r = fl(1/fl(sqrt(h))): r errs by 2u, so |e| <= 5u for e = 1 - q r^2.
 *   r^2 = p + pe, h p = a + ae exactly; 1 - a is exact, as a is within 5u of 1;
 *   e = (1 - a) - ((ae + h pe) + l p): roundings u^2 + 2u^2 + u^2 + 3u^2 + 5u^2, l pe <= u^2
 * so e errs by 13 u^2. 1/sqrt(q) = r (1 + e/2 + 3/8 e^2 + O(e^3)): half of it is 6.5 u^2, the sum
 * and the product with r round by 2.5 u^2 each, q's own 4 u^2 count half: 13.5 u^2. */
ug_dd ug_dd_rsqrt(ug_dd q)
{
    double r = 1 / sqrt(q.h), p = r * r, pe = fma(r, r, -p);
    double a = q.h * p, ae = fma(q.h, p, -a);
    double e = (1 - a) - ((ae + q.h * pe) + q.l * p);
    return ug_dd_join(r, r * (0.5 * e + 0.375 * e * e));
}
