/* SPDX-License-Identifier: Apache-2.0 */
/* Multiply-xorshift over 64-bit words: an odd multiplier loses nothing, the shift brings the high
 * bits, which depend on all, down to where the next multiplication spreads them. */
#include "audit/digest.h"

static uint64_t mix(uint64_t h, uint64_t word)
{
    h = (h ^ word) * 0x9e3779b97f4a7c15ull; /* 2^64 / golden ratio */
    return h ^ h >> 32;
}

uint64_t ug_digest_row(const void *y, ug_dtype t, int64_t n, const float *mean, const float *rstd)
{
    return ug_digest_repeated(y, t, n, n, 1, mean, rstd);
}

/* Elements are taken in pairs; `odd` is what waits for its second. */
typedef struct pairs {
    uint64_t h, odd;
    int waits;
} pairs;

static void add(pairs *p, const void *y, ug_dtype t, int64_t first, int64_t count)
{
    int64_t i = first, end = first + count;
    if (p->waits && i < end) {
        p->h = mix(p->h, p->odd | (uint64_t)ug_plain_bits(y, t, i++) << 32);
        p->waits = 0;
    }
    for (; i + 1 < end; i += 2)
        p->h = mix(p->h, ug_plain_bits(y, t, i) | (uint64_t)ug_plain_bits(y, t, i + 1) << 32);
    if (i == end) return;
    p->odd = ug_plain_bits(y, t, i);
    p->waits = 1;
}

uint64_t ug_digest_repeated(const void *y, ug_dtype t, int64_t n, int64_t width, int parts,
                            const float *mean, const float *rstd)
{
    pairs p = {.h = mix(0, (uint64_t)n)};
    for (int64_t at = 0; at < n; at += width) {
        int64_t part = at + width == n ? parts - 1 : at == 0 || parts < 3 ? 0 : 1;
        add(&p, y, t, part * width, width);
    }
    if (p.waits) p.h = mix(p.h, p.odd);
    if (mean) p.h = mix(p.h, (uint64_t)ug_plain_bits(mean, UG_F32, 0) | 1ull << 32);
    if (rstd) p.h = mix(p.h, (uint64_t)ug_plain_bits(rstd, UG_F32, 0) | 2ull << 32);
    return mix(p.h, 0);
}

uint64_t ug_digest_join(uint64_t digest, uint64_t row) { return mix(digest, row); }

int ug_same_bits(const void *a, const void *b, ug_dtype t, int64_t n)
{
    if (!memcmp(a, b, (size_t)n * ug_dtype_size(t))) return 1;
    for (int64_t i = 0; i < n; i++)
        if (ug_plain_bits(a, t, i) != ug_plain_bits(b, t, i)) return 0;
    return 1;
}
