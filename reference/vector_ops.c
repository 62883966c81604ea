/* SPDX-License-Identifier: Apache-2.0 */
/* Chooses among the builds of the inner loops by what the processor can do. */
#include "reference/vector_ops.h"

#include <stddef.h>

extern const ug_vector_ops ug_vector_ops_baseline;
#ifdef UG_VECTOR_X86
extern const ug_vector_ops ug_vector_ops_avx2, ug_vector_ops_avx512;
#endif

const ug_vector_ops *ug_vector_ops_at(int index)
{
    const ug_vector_ops *usable[3] = {&ug_vector_ops_baseline};
    int count = 1;
#ifdef UG_VECTOR_X86
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
        usable[count++] = &ug_vector_ops_avx2;
        if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
            __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512bw"))
            usable[count++] = &ug_vector_ops_avx512;
    }
#endif
    return index >= 0 && index < count ? usable[index] : NULL;
}

const ug_vector_ops *ug_vector_ops_best(void)
{
    int last = 0;
    while (ug_vector_ops_at(last + 1)) last++;
    return ug_vector_ops_at(last);
}
