/* SPDX-License-Identifier: Apache-2.0 */
/* warp: 8, 16 or 32 lanes a row, so that a warp has one to four rows and more in flight; no
 * barrier, and rows in registers as in register. A row that does not fit is read for every sweep.
 */
#include "cuda/chosen.cuh"

struct ug_warp : ug_chosen<ug_choice_warp> {
    template <typename V>
    static constexpr bool takes =
        V::kind == UG_VAR_UNKNOWN || V::kind == UG_VAR_SHIFTED || V::kind == UG_VAR_EXACT;
    static constexpr uint32_t supports = UG_PLAN_SUPPORTS & ~(uint32_t)UG_CAN_BLOCK;
    static constexpr const char *summary = "lanes of a warp a row, rows in registers";
    static constexpr const char *paths[] = {"registers",
                                            "registers/grid-stride",
                                            "registers/misaligned",
                                            "registers/misaligned/grid-stride",
                                            "reread",
                                            "reread/grid-stride",
                                            "empty",
                                            nullptr};

    static const char *path(const ug_args *args, const ug_plan &plan)
    {
        return ug_chosen_path(args, plan, ug_choice_warp(args, &plan.limits));
    }
};

UG_STRUCTURE(warp)
