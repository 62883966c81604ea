/* SPDX-License-Identifier: Apache-2.0 */
/* What every launch settles before it starts: may it run, with which grid and block, on which path.
 *
 * Everything here is a function of shapes, strides, addresses and the profile, never of the data;
 * the block is a function of cols and the profile alone, so that a row's bits are the row's own.
 */
#ifndef ULPGATE_CUDA_PLAN_H
#define ULPGATE_CUDA_PLAN_H

#include "ulpgate/kernel.h"

/* Threads a block at most, when the caller asks for it and when the plan chooses; elements a thread
 * before another thread is worth it; bytes of shared memory left to the reduction's slots. */
constexpr int64_t UG_BLOCK_MAX = 1024, UG_BLOCK_CHOSEN_MAX = 256, UG_ELEMENTS_A_THREAD = 4,
                  UG_SHARED_RESERVE = 512;

/* Properties that a kernel built on this plan supports. */
constexpr uint32_t UG_PLAN_SUPPORTS = UG_CAN_ROW_STRIDE | UG_CAN_MISALIGNED | UG_CAN_IN_PLACE |
                                      UG_CAN_NO_GAMMA | UG_CAN_NO_BETA | UG_CAN_STATS |
                                      UG_CAN_WIDE_PARAMS | UG_CAN_BLOCK;

struct ug_plan {
    ug_profile limits; /* every field set */
    int64_t grid, block;
    int grid_stride; /* more rows than blocks: a block takes several */
    int staged;      /* a row of floats fits into shared memory */
    int aligned;     /* every row of x and y, gamma and beta allow loads of four elements */
    int nothing;     /* no row, or neither an element nor a statistic to write */
};

/* The limits that hold for a launch: those of the profile where it sets them, else those of the
 * device; every field of *limits is set. Returns 0, or -1 with a message when there is no device.
 * Each backend defines it. */
int ug_backend_limits(const ug_profile *wanted, ug_profile *limits, char *err, size_t cap);

/* Threads a block for rows of n elements; `wanted`, where it is not 0, instead of the plan's
 * choice. */
int64_t ug_plan_block(int64_t n, const ug_profile *limits, int64_t wanted);

/* Whether every row of a view begins on a multiple of 16 bytes. */
bool ug_plan_straight(const ug_view *v);

/* Fills *plan, or answers UG_DECLINED or UG_FAILED with the reason in args->message. */
ug_status ug_plan_make(ug_args *args, ug_plan *plan);

/* Geometry of a row of n elements dealt out one by one (group 1), or in groups of `group` with the
 * rest one by one: element or group i belongs to thread i mod block. */
void ug_plan_geometry(const ug_args *args, int64_t group, ug_geometry *geometry);

/* UG_FAILED with the reason, unless workspace and workspace_bytes suffice. */
ug_status ug_plan_workspace(ug_args *args, size_t bytes);

#endif
