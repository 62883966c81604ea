/* SPDX-License-Identifier: Apache-2.0 */
/* ug_tiles on host memory, element by element: what a device's functions are held against. */
#ifndef TEST_PLUGIN_TILES_H
#define TEST_PLUGIN_TILES_H

#include <stdio.h>

#include "ulpgate/dtype.h"

static uint32_t tiles_bits(const void *data, ug_dtype t, int64_t at)
{
    uint32_t wide;
    uint16_t half;
    if (t == UG_F32) {
        memcpy(&wide, (const char *)data + 4 * at, 4);
        return wide;
    }
    memcpy(&half, (const char *)data + 2 * at, 2);
    return half;
}

static int tiles_nan(ug_dtype t, uint32_t bits)
{
    if (t == UG_F32) return (bits & 0x7fffffffu) > 0x7f800000u;
    return (bits & 0x7fffu) > (t == UG_F16 ? 0x7c00u : 0x7f80u);
}

static int64_t tiles_place(const ug_view *v, int64_t r, int64_t c)
{
    return r * v->row_stride + c * v->col_stride;
}

static uint32_t tiles_wanted(const ug_view *v, const ug_tile *t, int64_t r, int64_t c)
{
    return tiles_bits(t->data, v->dtype, (r + t->shift) % t->rows * t->stride + c % t->cols);
}

static int tiles_pattern(const ug_view *to, uint32_t half, char *err, size_t cap)
{
    const uint32_t bits = half | half << 16;
    const size_t size = ug_dtype_size(to->dtype);
    (void)err;
    (void)cap;
    for (int64_t r = 0; r < to->rows; r++)
        for (int64_t c = 0; c < to->cols; c++)
            memcpy((char *)to->data + (size_t)tiles_place(to, r, c) * size, &bits, size);
    return 0;
}

static int tiles_put(const ug_view *to, const ug_tile *tile, char *err, size_t cap)
{
    const size_t size = ug_dtype_size(to->dtype);
    (void)err;
    (void)cap;
    for (int64_t r = 0; r < to->rows; r++)
        for (int64_t c = 0; c < to->cols; c++) {
            const uint32_t bits = tiles_wanted(to, tile, r, c);
            memcpy((char *)to->data + (size_t)tiles_place(to, r, c) * size, &bits, size);
        }
    return 0;
}

static int tiles_compare(const ug_view *of, const ug_tile *tile, uint32_t mark, ug_difference *d,
                         char *err, size_t cap)
{
    (void)err;
    (void)cap;
    *d = (ug_difference){0, -1, -1, 0, -1, -1};
    for (int64_t r = 0; r < of->rows; r++)
        for (int64_t c = 0; c < of->cols; c++) {
            const uint32_t got = tiles_bits(of->data, of->dtype, tiles_place(of, r, c));
            const uint32_t want = tiles_wanted(of, tile, r, c);
            if (got == mark) {
                if (d->marked++) continue;
                d->marked_row = r;
                d->marked_col = c;
            } else if (got != want && !(tiles_nan(of->dtype, got) && tiles_nan(of->dtype, want))) {
                if (d->count++) continue;
                d->row = r;
                d->col = c;
            }
        }
    return 0;
}

static int tiles_scan(const void *p, size_t bytes, uint32_t half, size_t *at, char *err, size_t cap)
{
    (void)err;
    (void)cap;
    *at = SIZE_MAX;
    for (size_t i = 0; i < bytes && *at == SIZE_MAX; i += 2) {
        uint16_t got;
        memcpy(&got, (const char *)p + i, 2);
        if (got != half) *at = i;
    }
    return 0;
}

#endif
