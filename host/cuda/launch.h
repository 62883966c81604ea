/* SPDX-License-Identifier: Apache-2.0 */
/* Around each launch of a rewritten plugin's kernel. */
#ifndef ULPGATE_HOST_CUDA_LAUNCH_H
#define ULPGATE_HOST_CUDA_LAUNCH_H

#include "ulpgate/kernel.h"

/* Launches of this thread now run under the limits and in the order of args. */
void ug_host_begin(ug_args *args);
/* What the kernel's own launch() said, or UG_FAILED where the executor knows better. */
ug_status ug_host_end(ug_args *args, ug_status status);

#endif
