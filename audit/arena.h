/* SPDX-License-Identifier: Apache-2.0 */
/* A process's view of the arena: windows mapped at their places, nothing between them. */
#ifndef ULPGATE_ARENA_H
#define ULPGATE_ARENA_H

#include "audit/wire.h"

typedef struct ug_arena {
    int fd;
    char *base; /* arena offset 0; page aligned; NULL when nothing is mapped */
    uint64_t span;
} ug_arena;

/* Maps the windows of a layout over whatever was mapped. protect: windows that a kernel may not
 * write become read-only. Returns 0, or -1 with err. */
int ug_arena_map(ug_arena *arena, const ug_layout *layout, const ug_window *windows, int protect,
                 char *err, size_t cap);

void ug_arena_unmap(ug_arena *arena);

#endif
