/* SPDX-License-Identifier: Apache-2.0 */
/* The plugin `mutant`: one kernel a mutant file, each compiled from changed copies of the kernel
 * sources in a namespace of its own. */
#include "cuda/plan.h"
#include "cuda/registry.h"
#include "mutants.h"

int ug_mutant_limits(const ug_profile *wanted, ug_profile *limits, char *err, size_t cap);

int ug_mutant_limits(const ug_profile *wanted, ug_profile *limits, char *err, size_t cap)
{
    return ug_backend_limits(wanted, limits, err, cap);
}

#define UG_MUTANT_DECLARE(word, kernel, what)                                                      \
    namespace ug_mutant_##word                                                                     \
    {                                                                                              \
    extern const ug_part_list &ug_list;                                                            \
    }
UG_MUTANTS(UG_MUTANT_DECLARE)

struct entry {
    const ug_part_list *list;
    const char *kernel, *what;
};

#define UG_MUTANT_ENTRY(word, kernel, what) {&ug_mutant_##word::ug_list, kernel, what},

extern "C" __attribute__((visibility("default"))) const ug_plugin *ulpgate_plugin(void)
{
    static const entry entries[] = {UG_MUTANTS(UG_MUTANT_ENTRY)};
    constexpr size_t count = sizeof entries / sizeof *entries;
    static ug_kernel kernels[count];
    static ug_plugin plugin = {UG_ABI_VERSION, sizeof(ug_plugin), "mutant", UG_PLUGIN_NO_TIMES,
                               nullptr,        nullptr,           count,    kernels};
    for (size_t i = 0; i < count; i++) {
        kernels[i] = entries[i].list->part[0].kernel;
        kernels[i].name = entries[i].kernel;
        kernels[i].summary = entries[i].what;
    }
    return &plugin;
}
