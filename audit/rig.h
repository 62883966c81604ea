/* SPDX-License-Identifier: Apache-2.0 */
/* One judge's arena: buffers of the case at hand, all canary between launches. */
#ifndef ULPGATE_RIG_H
#define ULPGATE_RIG_H

#include "audit/arena.h"
#include "audit/client.h"
#include "audit/layout.h"

typedef struct ug_rig {
    ug_arena arena;
    ug_layout_in in; /* what the layout was made from */
    ug_layout layout;
    ug_window *windows;
    uint64_t generation; /* of the layout; counts from 1 */
    uint64_t touched;    /* bytes that the arena's pages may take */
    int dirty;           /* bytes outside the rows are no longer known to be canary */
} ug_rig;

/* Returns 0, or -1 with err. */
int ug_rig_open(ug_rig *rig, char *err, size_t cap);
void ug_rig_close(ug_rig *rig);

/* Lays buffers out and fills them with canary; keeps what is there when it is the same layout.
 * Returns 0, or -1 with err. */
int ug_rig_lay(ug_rig *rig, const ug_layout_in *in, char *err, size_t cap);

/* Start of a buffer's data in the judge's view. */
static inline char *ug_rig_at(const ug_rig *rig, ug_buffer b)
{
    return rig->arena.base + rig->layout.region[b].base;
}

/* Tells the worker of this layout. */
void ug_rig_show(const ug_rig *rig, ug_wire *wire);

/* Bytes of memory that this machine has. More is refused before it is touched: a judge that asks
 * for it is not told no but killed later. */
uint64_t ug_memory_most(void);

#endif
