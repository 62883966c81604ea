/* SPDX-License-Identifier: Apache-2.0 */
/* Gathers the structures' kernels into the one table of a plugin. */
#include "cuda/registry.h"

#include <stdio.h>
#include <stdlib.h>

#include "cuda/tuned.h"

#define UG_DECLARE(S) extern const ug_part_list ug_structure_##S;
#define UG_ADDRESS(S) &ug_structure_##S,
#include "ug_structures.h"
UG_STRUCTURES(UG_DECLARE)

static const ug_part_list *const lists[] = {UG_STRUCTURES(UG_ADDRESS)};

/* Appends the kernels of a list; its parts without a name are pairs that a structure does not take.
 */
static void append(const ug_part *part, size_t count, ug_kernel *table, size_t *k)
{
    for (size_t i = 0; i < count; i++) {
        const ug_kernel &kernel = part[i].kernel;
        if (!kernel.name) continue;
        const char *variance = part[i].variance_summary;
        const int length = snprintf(nullptr, 0, "%s; %s", kernel.summary, variance);
        char *summary = static_cast<char *>(malloc((size_t)length + 1));
        table[*k] = kernel;
        if (summary) {
            snprintf(summary, (size_t)length + 1, "%s; %s", kernel.summary, variance);
            table[*k].summary = summary;
        }
        ++*k;
    }
}

size_t ug_registry(const ug_kernel **kernels)
{
    const ug_part *tuned;
    const size_t tuned_count = ug_tuned_parts(&tuned);
    size_t most = tuned_count, count = 0;
    for (const ug_part_list *list : lists) most += list->count;
    ug_kernel *table = static_cast<ug_kernel *>(calloc(most, sizeof *table));
    if (!table) return 0;
    for (const ug_part_list *list : lists) append(list->part, list->count, table, &count);
    append(tuned, tuned_count, table, &count);
    *kernels = table;
    return count;
}
