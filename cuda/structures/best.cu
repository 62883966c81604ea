/* SPDX-License-Identifier: Apache-2.0 */
/* best: what was fastest of the others for (N, dtype) where it was measured, see cuda/best.cpp. */
#include "cuda/chosen.cuh"

struct ug_best : ug_chosen<ug_choice_best> {
    /* Without the variance that large means break. */
    template <typename V> static constexpr bool takes = V::kind != UG_VAR_SUM2;
    static constexpr uint32_t supports = UG_PLAN_SUPPORTS & ~(uint32_t)UG_CAN_BLOCK;
    static constexpr const char *summary = "the fastest of warp, register and multi";
    static constexpr const char *paths[] = {"lanes",  "block", "reread", "ring", "cluster",
                                            "phases", "words", "empty",  nullptr};

    static const char *path(const ug_args *args, const ug_plan &plan)
    {
        const ug_choice choice = ug_choice_best(args, &plan.limits);
        if (choice.words) return paths[6];
        switch (ug_choice_mode(&choice, &plan.limits)) {
        case UG_MODE_RING:
            return paths[3];
        case UG_MODE_CLUSTER:
            return paths[4];
        case UG_MODE_PHASES:
            return paths[5];
        default:
            return paths[choice.slots == 0 ? 2 : choice.members > 32];
        }
    }
};

UG_STRUCTURE(best)
