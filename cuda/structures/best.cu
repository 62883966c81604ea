/* SPDX-License-Identifier: Apache-2.0 */
/* best: what was fastest of the others for (N, dtype) where it was measured, see cuda/best.cpp. */
#include "cuda/chosen.cuh"

template <ug_choice (*choose)(const ug_args *, const ug_profile *)>
struct ug_best_by : ug_chosen<choose> {
    /* Without the variance that large means break. */
    template <typename V> static constexpr bool takes = V::kind != UG_VAR_SUM2;
    static constexpr uint32_t supports = UG_PLAN_SUPPORTS & ~(uint32_t)UG_CAN_BLOCK;
    static constexpr const char *summary = "the fastest of warp, register and multi";
    static constexpr const char *odd = choose == ug_choice_best_exact ? "words" : "skew";
    static constexpr const char *paths[] = {"lanes",  "block", "reread", "ring", "cluster",
                                            "phases", odd,     "empty",  nullptr};

    static const char *path(const ug_args *args, const ug_plan &plan)
    {
        const ug_choice choice = choose(args, &plan.limits);
        if (choice.words || choice.skew) return ug_best_by::paths[6];
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

struct ug_best : ug_best_by<ug_choice_best> {
};

/* Doubles take twice the registers. */
struct ug_exact;
template <> struct ug_structure_for<ug_best, ug_exact> {
    using type = ug_best_by<ug_choice_best_exact>;
};

/* Its joins do not fit the few registers of blocks of 512 threads beside a row. */
struct ug_welford;
template <> struct ug_structure_for<ug_best, ug_welford> {
    using type = ug_best_by<ug_choice_best_ringed>;
};

struct ug_pairwise;
template <> struct ug_structure_for<ug_best, ug_pairwise> {
    using type = ug_best_by<ug_choice_best_pairwise>;
};

UG_STRUCTURE(best)
