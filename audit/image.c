/* SPDX-License-Identifier: Apache-2.0 */
/* Patterns and rows in the arena. */
#include "audit/image.h"

#include <string.h>

enum { BLOCK = 512 }; /* words compared before the first look at the outcome */

static uint64_t words_of(uint32_t half) { return half * 0x0001000100010001ull; }

static void fill(char *p, size_t bytes, uint32_t half)
{
    /* Element sizes are even and so are all offsets: the pattern has the same phase everywhere. */
    uint64_t word = words_of(half);
    size_t i = 0;
    for (; i + 8 <= bytes; i += 8) memcpy(p + i, &word, 8);
    for (; i < bytes; i += 2) memcpy(p + i, &word, 2);
}

void ug_image_clear(char *arena, const ug_window *windows, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) fill(arena + windows[i].at, windows[i].bytes, UG_CANARY16);
}

/* Byte offset in p (whole pages) of the first pair that is no canary, `bytes` when all are. */
static uint64_t scan(const char *p, uint64_t bytes)
{
    const uint64_t *w = (const uint64_t *)p;
    uint64_t want = words_of(UG_CANARY16);
    for (uint64_t i = 0; i < bytes / 8; i += BLOCK) {
        uint64_t differs = 0;
        for (uint64_t j = 0; j < BLOCK; j++) differs |= w[i + j] ^ want;
        if (!differs) continue;
        for (uint64_t at = i * 8;; at += 2) {
            uint16_t half;
            memcpy(&half, p + at, 2);
            if (half != UG_CANARY16) return at;
        }
    }
    return bytes;
}

uint64_t ug_image_scan(const char *arena, const ug_window *windows, uint32_t count)
{
    _Static_assert(BLOCK * 8 == UG_PAGE, "windows are whole blocks");
    for (uint32_t i = 0; i < count; i++) {
        uint64_t at = scan(arena + windows[i].at, windows[i].bytes);
        if (at < windows[i].bytes) return windows[i].at + at;
    }
    return UINT64_MAX;
}

static char *place(char *base, const ug_shape *s, int64_t row, int64_t col)
{
    return base + (row * s->stride + col * s->col) * (int64_t)s->size;
}

void ug_image_put(char *base, const ug_shape *s, int64_t row, const void *bits)
{
    const char *from = bits;
    if (s->col == 1) {
        memcpy(place(base, s, row, 0), bits, (size_t)s->cols * s->size);
        return;
    }
    for (int64_t i = 0; i < s->cols; i++)
        memcpy(place(base, s, row, i), from + (size_t)i * s->size, s->size);
}

static void pattern(char *base, const ug_shape *s, int64_t row, uint32_t half)
{
    if (s->col == 1) {
        fill(place(base, s, row, 0), (size_t)s->cols * s->size, half);
        return;
    }
    for (int64_t i = 0; i < s->cols; i++) fill(place(base, s, row, i), s->size, half);
}

void ug_image_poison(char *base, const ug_shape *s, int64_t row)
{
    pattern(base, s, row, UG_POISON16);
}

void ug_image_take(char *base, const ug_shape *s, int64_t row, void *bits)
{
    char *to = bits;
    if (bits && s->col == 1) memcpy(bits, place(base, s, row, 0), (size_t)s->cols * s->size);
    for (int64_t i = 0; bits && s->col != 1 && i < s->cols; i++)
        memcpy(to + (size_t)i * s->size, place(base, s, row, i), s->size);
    pattern(base, s, row, UG_CANARY16);
}

int ug_image_same(const char *base, const ug_shape *s, int64_t row, const void *bits)
{
    const char *want = bits;
    if (s->col == 1)
        return !memcmp(place((char *)base, s, row, 0), bits, (size_t)s->cols * s->size);
    for (int64_t i = 0; i < s->cols; i++)
        if (memcmp(place((char *)base, s, row, i), want + (size_t)i * s->size, s->size)) return 0;
    return 1;
}
