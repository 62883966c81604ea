/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers of 113 bits, or as many as a long double has, for tests of what doubles compute. */
#ifndef ULPGATE_TESTS_HOST_WIDE_H
#define ULPGATE_TESTS_HOST_WIDE_H

#include <math.h>

#ifdef __SIZEOF_FLOAT128__
__extension__ typedef __float128 wide;
#else
typedef long double wide;
#endif

static inline wide wide_size(wide v) { return v < 0 ? -v : v; }

/* Newton's step doubles the 64 bits of a long double. */
static inline wide wide_rsqrt(wide v)
{
    wide r = 1 / sqrtl((long double)v);
    for (int i = 0; i < 2; i++) r += r * (1 - v * r * r) / 2;
    return r;
}

#endif
