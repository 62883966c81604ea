/* SPDX-License-Identifier: Apache-2.0 */
/* The arena of one judge, laid out anew only where a case differs from the one before. */
#include "audit/rig.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "audit/image.h"

/* Pages kept from case to case: faulting them in again costs more than filling them. */
static const uint64_t keep_bytes = 64u << 20;

int ug_rig_open(ug_rig *rig, char *err, size_t cap)
{
    *rig = (ug_rig){.arena = {.fd = memfd_create("ulpgate-arena", MFD_CLOEXEC)}};
    rig->windows = malloc(UG_WINDOWS_MAX * sizeof *rig->windows);
    if (rig->arena.fd >= 0 && rig->windows) return 0;
    snprintf(err, cap, "cannot make shared memory: %s", strerror(errno));
    ug_rig_close(rig);
    return -1;
}

void ug_rig_close(ug_rig *rig)
{
    ug_arena_unmap(&rig->arena);
    if (rig->arena.fd >= 0) close(rig->arena.fd);
    rig->arena.fd = -1;
    free(rig->windows);
    rig->windows = NULL;
}

uint64_t ug_memory_most(void)
{
    long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);
    return pages > 0 && size > 0 ? (uint64_t)pages * (uint64_t)size : UINT64_MAX;
}

static int resize(ug_rig *rig, char *err, size_t cap)
{
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < rig->layout.window_count; i++) bytes += rig->windows[i].bytes;
    if (bytes > ug_memory_most()) { /* all of them are written: no judge would survive it */
        snprintf(err, cap, "buffers of %llu bytes, this machine has %llu bytes of memory",
                 (unsigned long long)bytes, (unsigned long long)ug_memory_most());
        return -1;
    }
    rig->touched += bytes;
    if (rig->touched > keep_bytes) { /* lets go of all pages of earlier cases */
        if (ftruncate(rig->arena.fd, 0)) goto failed;
        rig->touched = bytes;
    }
    if (!ftruncate(rig->arena.fd, (off_t)rig->layout.span)) return 0;
failed:
    snprintf(err, cap, "cannot size shared memory to %llu bytes: %s",
             (unsigned long long)rig->layout.span, strerror(errno));
    return -1;
}

int ug_rig_lay(ug_rig *rig, const ug_layout_in *in, char *err, size_t cap)
{
    if (rig->generation && rig->arena.base && !memcmp(&rig->in, in, sizeof *in)) {
        if (rig->dirty) ug_image_clear(rig->arena.base, rig->windows, rig->layout.window_count);
        rig->dirty = 0;
        return 0;
    }
    ug_arena_unmap(&rig->arena);
    rig->generation++;
    if (ug_layout_make(in, &rig->layout, rig->windows, err, cap) || resize(rig, err, cap) ||
        ug_arena_map(&rig->arena, &rig->layout, rig->windows, 0, err, cap)) {
        ug_arena_unmap(&rig->arena);
        return -1;
    }
    memcpy(&rig->in, in, sizeof *in);
    ug_image_clear(rig->arena.base, rig->windows, rig->layout.window_count);
    rig->dirty = 0;
    return 0;
}

void ug_rig_show(const ug_rig *rig, ug_wire *wire)
{
    if (wire->generation == rig->generation) return;
    wire->generation = rig->generation;
    wire->layout = rig->layout;
    memcpy(wire->windows, rig->windows, rig->layout.window_count * sizeof *rig->windows);
}
