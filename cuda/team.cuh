/* SPDX-License-Identifier: Apache-2.0 */
/* Threads that share a row: a group of 8, 16 or 32 lanes, or a whole block. */
#ifndef ULPGATE_CUDA_TEAM_CUH
#define ULPGATE_CUDA_TEAM_CUH

#include "cuda/choice.h"
#include "cuda/reduce.cuh"

struct alignas(16) ug_slot {
    unsigned char byte[16];
};

/* Whether anyone in a team says so. */
struct ug_flag {
    unsigned set;
    static __device__ ug_flag neutral() { return {0u}; }
};

__device__ __forceinline__ ug_flag join(ug_flag a, ug_flag b) { return {a.set | b.set}; }

/* One array for joins of every type. */
__device__ __forceinline__ ug_slot *ug_team_slots()
{
    constexpr unsigned count = UG_BLOCK_MAX / UG_WARP;
    static_assert(count * sizeof(ug_slot) <= UG_SHARED_RESERVE, "raise UG_SHARED_RESERVE");
    UG_SHARED(ug_slot, slots, count);
    return slots;
}

struct ug_team {
    static constexpr bool far = true;     /* gamma and beta lie in global memory */
    static constexpr bool sparse = false; /* most slots may be empty */
    unsigned member, members, turn;
    unsigned reach; /* smallest power of two that is not below the block's warps */

    /* Every member gets the joined value; the tree is that of ug_block_join(), so are the bits.
     *
     * One barrier suffices up to 16 warps: the slots come in two sets used in turn, so that what is
     * written after a barrier was last read before the one before it. Every warp folds the slots
     * itself. */
    template <typename S> __device__ __forceinline__ S join(S v)
    {
        if (members <= UG_WARP) {
            v = ug_warp_join(v, members / 2);
            return ug_shuffle_from(v, threadIdx.x % UG_WARP & ~(members - 1));
        }
        return block_join(v);
    }

    template <typename S> __device__ __forceinline__ S block_join(S v)
    {
        constexpr unsigned set = (unsigned)UG_HELD_BLOCK / UG_WARP;
        static_assert(sizeof(S) <= sizeof(ug_slot), "states of 16 bytes at most");
        const unsigned lane = threadIdx.x % UG_WARP, warps = members / UG_WARP;
        S *slot = reinterpret_cast<S *>(ug_team_slots() + (warps > set ? 0 : turn++ % 2 * set));
        v = ug_warp_join(v, UG_WARP / 2);
        if (lane == 0) slot[threadIdx.x / UG_WARP] = v;
        __syncthreads();
        const unsigned from = lane & (reach - 1); /* the other lanes go along */
        v = from < warps ? slot[from] : S::neutral();
        if (warps > set) __syncthreads();
        v = ug_warp_join(v, reach / 2);
        return ug_shuffle_from(v, 0);
    }

    /* The same answer for every thread of a warp at least, also where it has several teams. */
    __device__ __forceinline__ bool any(bool mine)
    {
        return members > UG_WARP ? ug_block_any(mine, reinterpret_cast<unsigned *>(ug_team_slots()))
                                 : ug_warp_any(mine);
    }
};

#endif
