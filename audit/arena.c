/* SPDX-License-Identifier: Apache-2.0 */
/* Maps the windows of the arena; used by the judge and by the worker. */
#include "audit/arena.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

/* Inaccessible addresses before and behind the arena: what strays that far from a small case must
 * not hit whatever else the process has mapped there. */
enum { MARGIN = 1 << 24 };

void ug_arena_unmap(ug_arena *arena)
{
    if (arena->base) munmap(arena->base - MARGIN, arena->span + 2 * MARGIN);
    arena->base = NULL;
    arena->span = 0;
}

int ug_arena_map(ug_arena *arena, const ug_layout *layout, const ug_window *windows, int protect,
                 char *err, size_t cap)
{
    /* The reservation costs addresses only: a stray access hits PROT_NONE and is a fault. */
    ug_arena_unmap(arena);
    char *base = mmap(NULL, layout->span + 2 * MARGIN, PROT_NONE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (base == MAP_FAILED) {
        snprintf(err, cap, "cannot reserve %llu bytes of addresses: %s",
                 (unsigned long long)layout->span, strerror(errno));
        return -1;
    }
    arena->base = base + MARGIN;
    arena->span = layout->span;
    for (uint32_t i = 0; i < layout->window_count; i++) {
        const ug_window *w = &windows[i];
        int prot = PROT_READ | (protect && !w->writable ? 0 : PROT_WRITE);
        if (w->at > layout->span || w->bytes > layout->span - w->at) {
            snprintf(err, cap, "window %u lies outside the arena", i);
            return -1;
        }
        if (mmap(arena->base + w->at, w->bytes, prot, MAP_SHARED | MAP_FIXED, arena->fd,
                 (off_t)w->at) == MAP_FAILED) {
            snprintf(err, cap, "cannot map %llu bytes of the arena: %s",
                     (unsigned long long)w->bytes, strerror(errno));
            return -1;
        }
    }
    return 0;
}
