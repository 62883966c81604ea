/* SPDX-License-Identifier: Apache-2.0 */
/* Gathers the structures' kernels into the one table of a plugin. */
#include "cuda/registry.h"

#include <stdio.h>
#include <stdlib.h>

#define UG_DECLARE(S) extern const ug_part_list ug_structure_##S;
#define UG_ADDRESS(S) &ug_structure_##S,
#include "ug_structures.h"
UG_STRUCTURES(UG_DECLARE)

static const ug_part_list *const lists[] = {UG_STRUCTURES(UG_ADDRESS)};

size_t ug_registry(const ug_kernel **kernels)
{
    size_t count = 0, k = 0;
    for (const ug_part_list *list : lists)
        for (size_t i = 0; i < list->count; i++) count += list->part[i].kernel.name != nullptr;
    ug_kernel *table = static_cast<ug_kernel *>(calloc(count, sizeof *table));
    if (!table) return 0;
    for (const ug_part_list *list : lists)
        for (size_t i = 0; i < list->count; i++) {
            const ug_part &part = list->part[i];
            if (!part.kernel.name) continue;
            const int length =
                snprintf(nullptr, 0, "%s; %s", part.kernel.summary, part.variance_summary);
            char *summary = static_cast<char *>(malloc((size_t)length + 1));
            table[k++] = part.kernel;
            if (!summary) continue;
            snprintf(summary, (size_t)length + 1, "%s; %s", part.kernel.summary,
                     part.variance_summary);
            table[k - 1].summary = summary;
        }
    *kernels = table;
    return count;
}
