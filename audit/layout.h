/* SPDX-License-Identifier: Apache-2.0 */
/* Where the buffers of a case lie in the arena.
 *
 * Each buffer: [inaccessible page | lead guard | base at the case's offset from a 256-byte
 * boundary | rows with padding | trailing guard up to the page end | inaccessible page]. The
 * trailing guard is the shortest that the base's place allows (below 256 bytes), so that an overrun
 * soon meets the inaccessible page. Of large strides only rows and the 64 KiB around them are
 * mapped.
 */
#ifndef ULPGATE_LAYOUT_H
#define ULPGATE_LAYOUT_H

#include "audit/wire.h"

enum { UG_GRID = 256, UG_AROUND = 65536 };

/* Elements of a matrix in a buffer: (r, c) at element r * stride + c * col. */
typedef struct ug_shape {
    int64_t rows, cols, stride, col;
    size_t size;    /* bytes an element */
    int64_t offset; /* elements from a 256-byte boundary */
} ug_shape;

typedef struct ug_layout_in {
    ug_shape shape[UG_BUF_COUNT];
    int present[UG_BUF_COUNT];
    int in_place; /* y is x */
    int solid;    /* no inaccessible pages: the pages between buffers are guards too (devices) */
    int whole;    /* one window a buffer, however far its rows lie apart */
} ug_layout_in;

/* Bytes from the first to the last element of a shape, both included; 0 for an empty one. Returns
 * -1 when that overflows, when a stride is negative, or when two elements share a place (a row
 * stride of 0 is allowed: all rows are one). */
int ug_shape_extent(const ug_shape *shape, uint64_t *bytes, char *err, size_t cap);

/* Fills layout and windows[UG_WINDOWS_MAX]. Returns 0, or -1 with err. */
int ug_layout_make(const ug_layout_in *in, ug_layout *layout, ug_window *windows, char *err,
                   size_t cap);

/* "y, row 3 + 12 bytes" and the like: says in words where an arena offset lies. */
void ug_layout_where(const ug_layout *layout, const ug_shape shape[UG_BUF_COUNT], uint64_t at,
                     char *text, size_t cap);

extern const char *const ug_buffer_names[UG_BUF_COUNT];

#endif
