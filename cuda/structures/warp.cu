/* SPDX-License-Identifier: Apache-2.0 */
/* warp: 8, 16 or 32 lanes a row, so that a warp has one to four rows and more in flight; no
 * barrier, and rows in registers as in register. A row that does not fit is read for every sweep.
 */
#include "cuda/chosen.cuh"

struct ug_warp : ug_chosen<ug_choice_warp> {
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
};

UG_STRUCTURE(warp)
