/* SPDX-License-Identifier: Apache-2.0 */
/* A structure that is a choice: everything about it follows from one function. */
#ifndef ULPGATE_CUDA_CHOSEN_CUH
#define ULPGATE_CUDA_CHOSEN_CUH

#include "cuda/choice.h"
#include "cuda/structure.cuh"

/* Where the row lies between its sweeps, whether it is misaligned, whether the grid ends first. */
inline const char *ug_chosen_path(const ug_args *args, const ug_plan &plan, const ug_choice &choice)
{
    static constexpr const char *names[][2] = {
        {"registers", "registers/grid-stride"},
        {"registers/misaligned", "registers/misaligned/grid-stride"},
        {"reread", "reread/grid-stride"},
        {"ring", "ring/grid-stride"},
        {"ring/misaligned", "ring/misaligned/grid-stride"},
        {"cluster", "cluster/grid-stride"},
        {"phases", "phases/grid-stride"}};
    const bool misaligned = ug_choice_misaligned(args);
    int kind = 0;
    switch (ug_choice_mode(&choice, &plan.limits)) {
    case UG_MODE_RING:
        kind = misaligned ? 4 : 3;
        break;
    case UG_MODE_CLUSTER:
        kind = 5;
        break;
    case UG_MODE_PHASES:
        kind = 6;
        break;
    default:
        kind = choice.slots == 0 ? 2 : misaligned;
        break;
    }
    return names[kind][ug_choice_strides(args, &choice, &plan.limits)];
}

template <ug_choice (*choose)(const ug_args *, const ug_profile *)> struct ug_chosen {
    /* The variance of one join, that of two, and any of no kind; best, which is made of the same
     * kernels, takes more. */
    template <typename V>
    static constexpr bool takes =
        V::kind == UG_VAR_UNKNOWN || V::kind == UG_VAR_SHIFTED || V::kind == UG_VAR_EXACT;

    static const char *path(const ug_args *args, const ug_plan &plan)
    {
        return ug_chosen_path(args, plan, choose(args, &plan.limits));
    }

    static void geometry(const ug_args *args, ug_geometry *geometry)
    {
        ug_profile limits;
        ug_choice_limits(args, &limits);
        const ug_choice choice = choose(args, &limits);
        ug_choice_geometry(&choice, args->x.cols, args->x.dtype, geometry);
    }

    static size_t workspace_size(const ug_args *args)
    {
        ug_profile limits;
        ug_choice_limits(args, &limits);
        const ug_choice choice = choose(args, &limits);
        return ug_choice_workspace(args, &choice);
    }

    template <typename T, typename V>
    static ug_status start(ug_args *args, const ug_plan &plan, const ug_rows &rows)
    {
        return ug_choice_start<T, V>(args, plan, rows, choose(args, &plan.limits));
    }
};

#endif
