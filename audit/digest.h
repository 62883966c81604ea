/* SPDX-License-Identifier: Apache-2.0 */
/* A 64-bit hash of output rows that is the same on every machine and for every NaN. */
#ifndef ULPGATE_DIGEST_H
#define ULPGATE_DIGEST_H

#include "ulpgate/dtype.h"

/* Bits of element i with every NaN made the same. */
static inline uint32_t ug_plain_bits(const void *bits, ug_dtype t, int64_t i)
{
    uint32_t u = 0;
    if (t == UG_F32) {
        memcpy(&u, (const char *)bits + 4 * i, 4);
        return (u & 0x7fffffffu) > 0x7f800000u ? 0x7fc00000u : u;
    }
    memcpy(&u, (const char *)bits + 2 * i, 2); /* little-endian hosts, as everywhere here */
    if (t == UG_F16) return (u & 0x7fffu) > 0x7c00u ? 0x7e00u : u;
    return (u & 0x7fffu) > 0x7f80u ? 0x7fc0u : u;
}

/* Hash of one row: n contiguous elements of y, and its mean and rstd where not NULL. */
uint64_t ug_digest_row(const void *y, ug_dtype t, int64_t n, const float *mean, const float *rstd);

/* Hash of a row of n elements that are `width` elements (n a multiple of them) again and again. Of
 * the n / width times the first, the middle ones and the last are given, `parts` times width
 * elements: 1: all are the same; 2: the last is other bits than those before; 3: so is the first.
 */
uint64_t ug_digest_repeated(const void *y, ug_dtype t, int64_t n, int64_t width, int parts,
                            const float *mean, const float *rstd);

/* Joins row hashes in order; start with 0. */
uint64_t ug_digest_join(uint64_t digest, uint64_t row);

/* 1 when n elements are equal, NaN and NaN taken as equal. */
int ug_same_bits(const void *a, const void *b, ug_dtype t, int64_t n);

#endif
