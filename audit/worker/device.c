/* SPDX-License-Identifier: Apache-2.0 */
/* The device image has the arena's own offsets, guards and padding included: what the judge checks
 * on the host is what the kernel saw and left behind. */
#include "audit/worker/device.h"

#include <stdio.h>

int ug_device_reserve(ug_device *device, uint64_t span, char *err, size_t cap)
{
    uint64_t want = (span + 0xfffff) & ~0xfffffull; /* whole MiB, so that few launches allocate */
    if (span <= device->bytes) return 0;
    ug_device_release(device);
    device->base = device->space->alloc(want, err, cap);
    if (!device->base) return -1;
    device->bytes = want;
    return 0;
}

void ug_device_release(ug_device *device)
{
    if (device->base) device->space->free(device->base);
    device->base = NULL;
    device->bytes = 0;
}

int ug_device_push(const ug_device *device, const ug_arena *arena, const ug_window *windows,
                   uint32_t count, char *err, size_t cap)
{
    for (uint32_t i = 0; i < count; i++)
        if (device->space->to_device(device->base + windows[i].at, arena->base + windows[i].at,
                                     windows[i].bytes, err, cap))
            return -1;
    return 0;
}

int ug_device_pull(const ug_device *device, const ug_arena *arena, const ug_window *windows,
                   uint32_t count, char *err, size_t cap)
{
    for (uint32_t i = 0; i < count; i++)
        if (device->space->to_host(arena->base + windows[i].at, device->base + windows[i].at,
                                   windows[i].bytes, err, cap))
            return -1;
    return 0;
}
