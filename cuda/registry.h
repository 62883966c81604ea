/* SPDX-License-Identifier: Apache-2.0 */
/* The kernels that a backend built from the sources in cuda/structures/ exports. */
#ifndef ULPGATE_CUDA_REGISTRY_H
#define ULPGATE_CUDA_REGISTRY_H

#include "ulpgate/kernel.h"

/* One kernel; its summary still speaks of the structure alone. */
struct ug_part {
    ug_kernel kernel;
    const char *variance_summary;
};

struct ug_part_list {
    const ug_part *part;
    size_t count;
};

/* All kernels, in the order of the structures' and variances' names; the table lives until the
 * process ends. Returns how many, 0 when out of memory. */
size_t ug_registry(const ug_kernel **kernels);

#endif
