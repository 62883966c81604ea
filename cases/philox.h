/* SPDX-License-Identifier: Apache-2.0 */
/* Philox4x32-10, the counter-based generator of Salmon, Moraes, Dror and Shaw, "Parallel random
 * numbers: as easy as 1, 2, 3" (SC 2011).
 *
 * A pure function of counter and key in 32-bit integer arithmetic: any value alone, the same bits
 * everywhere.
 */
#ifndef ULPGATE_CASES_PHILOX_H
#define ULPGATE_CASES_PHILOX_H

#include <stdint.h>

typedef struct ug_philox {
    uint32_t v[4];
} ug_philox;

static inline ug_philox ug_philox4x32(ug_philox counter, uint32_t key0, uint32_t key1)
{
    uint32_t a = counter.v[0], b = counter.v[1], c = counter.v[2], d = counter.v[3];
    for (int round = 0; round < 10; round++) {
        uint64_t p = (uint64_t)0xD2511F53u * a, q = (uint64_t)0xCD9E8D57u * c;
        a = (uint32_t)(q >> 32) ^ b ^ key0;
        c = (uint32_t)(p >> 32) ^ d ^ key1;
        b = (uint32_t)q;
        d = (uint32_t)p;
        key0 += 0x9E3779B9u; /* golden ratio */
        key1 += 0xBB67AE85u; /* sqrt(3) - 1 */
    }
    return (ug_philox){{a, b, c, d}};
}

#endif
