/* SPDX-License-Identifier: Apache-2.0 */
/* The arena's copy in the memory of a plugin's device. */
#ifndef ULPGATE_WORKER_DEVICE_H
#define ULPGATE_WORKER_DEVICE_H

#include "audit/arena.h"

typedef struct ug_device {
    const ug_space *space;
    char *base; /* arena offset 0 on the device */
    uint64_t bytes;
} ug_device;

/* Makes room for `span` bytes. Returns 0, or -1 with err. */
int ug_device_reserve(ug_device *device, uint64_t span, char *err, size_t cap);

void ug_device_release(ug_device *device);

/* Copies all windows to the device, or back from it. Returns 0, or -1 with err. */
int ug_device_push(const ug_device *device, const ug_arena *arena, const ug_window *windows,
                   uint32_t count, char *err, size_t cap);
int ug_device_pull(const ug_device *device, const ug_arena *arena, const ug_window *windows,
                   uint32_t count, char *err, size_t cap);

#endif
