/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels for rows in registers: one team a row, several rows in flight. */
#ifndef ULPGATE_CUDA_HOLD_CUH
#define ULPGATE_CUDA_HOLD_CUH

#include "cuda/finish.cuh"
#include "cuda/team.cuh"

struct ug_hold {
    ug_rows rows;
    unsigned members, teams; /* threads a row, rows a block */
    unsigned shift;          /* of a thread's index, to that of its team */
    unsigned reach;          /* see ug_team */
};

/* A block has blockDim / members teams, each of which takes ROWS rows at a time: neighbouring teams
 * neighbouring rows. Teams past the last row go along with it, as their warp needs them, and write
 * nothing. */
template <typename T, typename V, int SLOTS, int ROWS>
__global__ void __launch_bounds__(UG_THREADS_MOST<V, SLOTS * ROWS, false>,
                                  ug_blocks_least<T, V, SLOTS * ROWS, false>())
    ug_hold_rows(ug_overlapped<ug_hold> later)
{
    const ug_hold &h = later.wait();
    const ug_rows &a = h.rows;
    const unsigned member = h.members <= UG_WARP ? threadIdx.x & (h.members - 1) : threadIdx.x;
    const unsigned teams = h.teams, own = threadIdx.x >> h.shift;
    ug_team team = {member, h.members, 0, h.reach};
    const ug_part_of<T> part = ug_part<T>(a.n, 0, 1, member, h.members);
    const long long tile_rows = (long long)teams * ROWS;
    for (long long first = blockIdx.x * tile_rows; first < a.rows; first += gridDim.x * tile_rows) {
        ug_held_row<T, ug_team, SLOTS> row[ROWS];
        UG_UNROLL
        for (int k = 0; k < ROWS; k++) {
            const long long r = first + k * teams + own, s = r < a.rows ? r : a.rows - 1;
            const T *x = static_cast<const T *>(a.x) + s * a.x_stride;
            row[k].begin(&part, &team, x, a);
            row[k].load(x);
        }
        UG_UNROLL
        for (int k = 0; k < ROWS; k++) {
            const long long r = first + k * teams + own, s = r < a.rows ? r : a.rows - 1;
            ug_finish_row<V>(a, row[k], s, static_cast<T *>(a.y) + s * a.y_stride, r < a.rows,
                             member == 0);
        }
    }
}

template <typename T, typename V, int SLOTS, int ROWS>
ug_status ug_hold_start(ug_args *args, const ug_plan &plan, const ug_rows &rows,
                        const ug_choice &choice)
{
    if (choice.block > UG_THREADS_MOST<V, SLOTS * ROWS, false>)
        return ug_block_too_large(args, choice, UG_THREADS_MOST<V, SLOTS * ROWS, false>);
    unsigned shift = 31; /* one team a block */
    if (choice.members <= (int)UG_WARP)
        for (shift = 0; 1 << shift < choice.members;) shift++;
    const ug_hold h = {rows, (unsigned)choice.members, (unsigned)(choice.block / choice.members),
                       shift, ug_choice_reach(&choice)};
    const int64_t tile = (int64_t)choice.block / choice.members * ROWS;
    const int64_t tiles = (rows.rows + tile - 1) / tile;
    int64_t most = plan.limits.max_grid;
    if (choice.resident) {
        const int64_t fit = ug_resident(
            reinterpret_cast<const void *>(ug_hold_rows<T, V, SLOTS, ROWS>), choice.block, 0);
        most = fit < most ? fit : most;
    }
    const ug_shape shape = {tiles < most ? tiles : most, choice.block, 0, plan.limits};
    return ug_start(args, shape, ug_hold_rows<T, V, SLOTS, ROWS>, ug_overlapped<ug_hold>(h));
}

#endif
