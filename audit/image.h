/* SPDX-License-Identifier: Apache-2.0 */
/* Fills, reads and checks the buffers of a launch in the arena.
 *
 * Between launches every mapped byte holds the canary; before a launch rows are written over it,
 * afterwards they are taken out and the canary put back, so that one scan of the windows sees every
 * byte that changed outside the rows, whatever the strides.
 */
#ifndef ULPGATE_IMAGE_H
#define ULPGATE_IMAGE_H

#include "audit/layout.h"

/* 16-bit patterns, repeated. Both are NaN as f32, f16 and bf16, so that a kernel that reads what it
 * should not shows it, and neither is a NaN that arithmetic produces. */
#define UG_CANARY16 0x7fd5u
#define UG_POISON16 0xffd3u

static inline uint32_t ug_poison_bits(ug_dtype t)
{
    return t == UG_F32 ? UG_POISON16 << 16 | UG_POISON16 : UG_POISON16;
}

/* Puts the canary into whole windows. */
void ug_image_clear(char *arena, const ug_window *windows, uint32_t count);

/* Arena offset of the first byte pair that is no canary; UINT64_MAX when there is none. */
uint64_t ug_image_scan(const char *arena, const ug_window *windows, uint32_t count);

/* Row r of a matrix whose element (0, 0) lies at base: bits in, poison in, and bits out with the
 * canary put back in their place (bits NULL: only the canary). bits: cols contiguous elements. */
void ug_image_put(char *base, const ug_shape *shape, int64_t row, const void *bits);
void ug_image_poison(char *base, const ug_shape *shape, int64_t row);
void ug_image_take(char *base, const ug_shape *shape, int64_t row, void *bits);

/* 1 when the row still holds these bits. */
int ug_image_same(const char *base, const ug_shape *shape, int64_t row, const void *bits);

#endif
