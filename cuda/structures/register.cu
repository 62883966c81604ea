/* SPDX-License-Identifier: Apache-2.0 */
/* register: a block a row; the row is read once, 16 bytes at a time wherever it begins, and lies in
 * registers until it has been written. A row that does not fit is read for every sweep. */
#include "cuda/chosen.cuh"

struct ug_register : ug_chosen<ug_choice_register> {
    static constexpr uint32_t supports = UG_PLAN_SUPPORTS;
    static constexpr const char *summary = "a block a row, row in registers";
    static constexpr const char *paths[] = {"registers",
                                            "registers/grid-stride",
                                            "registers/misaligned",
                                            "registers/misaligned/grid-stride",
                                            "reread",
                                            "reread/grid-stride",
                                            "empty",
                                            nullptr};
};

UG_STRUCTURE(register)
