/* SPDX-License-Identifier: Apache-2.0 */
/* multi: several blocks a row. Where there are clusters they meet in distributed shared memory, and
 * the next rows are copied ahead while this one is worked on; elsewhere every join is a launch. */
#include "cuda/chosen.cuh"

struct ug_multi : ug_chosen<ug_choice_multi> {
    static constexpr uint32_t supports = UG_PLAN_SUPPORTS;
    static constexpr const char *summary = "blocks of a cluster a row, next rows copied ahead";
    static constexpr const char *paths[] = {"registers",
                                            "registers/grid-stride",
                                            "registers/misaligned",
                                            "registers/misaligned/grid-stride",
                                            "ring",
                                            "ring/grid-stride",
                                            "ring/misaligned",
                                            "ring/misaligned/grid-stride",
                                            "cluster",
                                            "cluster/grid-stride",
                                            "phases",
                                            "phases/grid-stride",
                                            "empty",
                                            nullptr};
};

UG_STRUCTURE(multi)
