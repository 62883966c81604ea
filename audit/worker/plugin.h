/* SPDX-License-Identifier: Apache-2.0 */
/* One loaded plugin: its table, checked, and the cards that describe it. */
#ifndef ULPGATE_WORKER_PLUGIN_H
#define ULPGATE_WORKER_PLUGIN_H

#include "audit/wire.h"

/* Loads the shared object at path, checks its table and fills wire->card and wire->kernels. Returns
 * NULL with wire->message when it cannot be used. */
const ug_plugin *ug_plugin_load(const char *path, ug_wire *wire);

/* Kernel i; tables of later versions have longer entries. */
static inline const ug_kernel *ug_plugin_kernel(const ug_plugin *plugin, size_t i)
{
    return (const ug_kernel *)((const char *)plugin->kernels + i * plugin->kernels[0].size);
}

/* What a memory space offers to cases larger than the host, or NULL. */
static inline const ug_tiles *ug_plugin_tiles(const ug_plugin *plugin)
{
    const ug_space *s = plugin->space;
    return s && s->size >= offsetof(ug_space, tiles) + sizeof s->tiles ? s->tiles : NULL;
}

#endif
