/* SPDX-License-Identifier: Apache-2.0 */
/* Who may fill a device's memory: one judge of this user on this machine at a time. */
#ifndef ULPGATE_DEVICE_LOCK_H
#define ULPGATE_DEVICE_LOCK_H

#include <stdint.h>

/* Bytes from which on a judge asks: seven judges' smaller buffers fit beside a large one's. */
#define UG_DEVICE_LARGE ((uint64_t)1 << 30)

typedef struct ug_device_hold {
    int held;
    int file; /* -1: there is none, and only the judges of this process wait */
} ug_device_hold;

/* Waits for the device; nothing to do when it is held already. Returns 0, or -1 when the run was
 * stopped meanwhile. */
int ug_device_lock(ug_device_hold *hold);
void ug_device_unlock(ug_device_hold *hold);

#endif
