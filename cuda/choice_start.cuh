/* SPDX-License-Identifier: Apache-2.0 */
/* From a choice to the kernel that does it. Included by one generated file a variance, so that they
 * are compiled side by side. */
#ifndef ULPGATE_CUDA_CHOICE_START_CUH
#define ULPGATE_CUDA_CHOICE_START_CUH

#include "cuda/draw.cuh"
#include "cuda/exact_rows.cuh"
#include "cuda/full.cuh"
#include "cuda/hold.cuh"
#include "cuda/multi.cuh"
#include "cuda/skew_rows.cuh"
#include "cuda/words.cuh"

template <typename T, typename V>
ug_status ug_choice_start(ug_args *args, const ug_plan &plan, const ug_rows &rows,
                          const ug_choice &choice)
{
    if constexpr (!ug_form<V, true>::doubts && V::kind != UG_VAR_SUM2) {
        if (choice.skew) return ug_skew_start<T, V>(args, plan, rows, choice);
    }
    if (choice.words) return ug_words_start<T, V>(args, plan, rows, choice);
    if constexpr (V::kind == UG_VAR_EXACT) {
        const ug_status status = ug_exact_start<T, V>(args, plan, rows, choice);
        if (status != UG_DECLINED) return status;
    }
    switch (ug_choice_mode(&choice, &plan.limits)) {
    case UG_MODE_RING:
        if constexpr (V::joins > 0 && !ug_form<V, true>::doubts) {
            const ug_status status = ug_draw_start<T, V>(args, plan, rows, choice);
            if (status != UG_DECLINED) return status;
        }
        if (choice.slots <= 4) return ug_cluster_start<T, V, 4>(args, plan, rows, choice);
        return ug_cluster_start<T, V, UG_SLOTS_MAX>(args, plan, rows, choice);
    case UG_MODE_CLUSTER:
        return ug_cluster_start<T, V, 0>(args, plan, rows, choice);
    case UG_MODE_PHASES:
        return ug_phases_start<T, V>(args, plan, rows, choice);
    default:
        break;
    }
    if constexpr (!ug_form<V, true>::doubts) {
        const ug_status status =
            choice.slots ? ug_full_start<T, V>(args, plan, rows, choice) : UG_DECLINED;
        if (status != UG_DECLINED) return status;
    }
    /* Where a row does not fill its threads, so many of them have too few registers to hold it. */
    switch (choice.block > UG_HELD_BLOCK / 2 ? 0 : choice.slots) {
    case 0:
        return ug_hold_start<T, V, 0, 1>(args, plan, rows, choice);
    case 1:
        return ug_hold_start<T, V, 1, 2>(args, plan, rows, choice);
    case 2:
        return ug_hold_start<T, V, 2, 2>(args, plan, rows, choice);
    case 6:
        return ug_hold_start<T, V, 6, 1>(args, plan, rows, choice);
    case 8:
        return ug_hold_start<T, V, UG_SLOTS_MAX, 1>(args, plan, rows, choice);
    default:
        break;
    }
#ifdef __CUDACC__ /* rows in flight are nothing to the executor */
    if (choice.rows == 1) return ug_hold_start<T, V, 4, 1>(args, plan, rows, choice);
#endif
    return ug_hold_start<T, V, 4, 2>(args, plan, rows, choice);
}

#define UG_CHOICE_TYPE(T, V)                                                                       \
    template ug_status ug_choice_start<T, V>(ug_args *, const ug_plan &, const ug_rows &,          \
                                             const ug_choice &);
#define UG_CHOICE_VARIANCE(V)                                                                      \
    UG_CHOICE_TYPE(float, V) UG_CHOICE_TYPE(__half, V) UG_CHOICE_TYPE(__nv_bfloat16, V)

#endif
