/* SPDX-License-Identifier: Apache-2.0 */
/* Combines one partial result a thread into one a block: a shuffle tree in every warp, one shared
 * slot a warp, then the first warp over the slots. Always merges in index order. */
#ifndef ULPGATE_CUDA_REDUCE_CUH
#define ULPGATE_CUDA_REDUCE_CUH

#include "cuda/gpu.cuh"
#include "cuda/plan.h"

/*        lane 0   1   2   3 ...   15  16 ...  31
 * offset 16   +-----------------------+            lane i takes in lane i + 16
 * offset  8   +-----------+                        ... and so on: 5 levels, the sum is in lane 0
 *
 * Lanes past the half fold in values of their own again (a shuffle past the end returns the lane's
 * own value); nobody reads what they get.
 */
template <typename S> __device__ __forceinline__ S ug_warp_join(S v, unsigned first_offset)
{
    UG_UNROLL
    for (unsigned offset = UG_WARP / 2; offset > 0; offset >>= 1)
        if (offset <= first_offset) v = join(v, ug_shuffle_down(v, offset));
    return v;
}

/* Every thread of the block gets the joined value. S is a plain struct of floats or doubles with
 * S::neutral() and join(S, S); joining the neutral element is exact, so idle threads add no
 * rounding. The first warp needs no slot: it keeps its value.
 *
 * Two barriers suffice although slots are used again by the next call: the slots are read before
 * the second barrier only, and `total` is written again only after the next call's first one.
 */
template <typename S> __device__ S ug_block_join(S v)
{
    constexpr unsigned max_warps = UG_BLOCK_MAX / UG_WARP;
    static_assert(max_warps * sizeof(S) <= UG_SHARED_RESERVE, "raise UG_SHARED_RESERVE");
    UG_SHARED(S, slot, max_warps);
    S *const total = slot + max_warps - 1;
    const unsigned lane = threadIdx.x % UG_WARP, warp = threadIdx.x / UG_WARP;
    const unsigned warps = blockDim.x / UG_WARP;

    v = ug_warp_join(v, UG_WARP / 2);
    if (lane == 0 && warp > 0) slot[warp - 1] = v;
    __syncthreads();
    if (warp == 0) {
        unsigned reach = 1;
        while (reach < warps) reach <<= 1;
        if (lane > 0) v = lane < warps ? slot[lane - 1] : S::neutral();
        v = ug_warp_join(v, reach >> 1);
        if (lane == 0) *total = v;
    }
    __syncthreads();
    return *total;
}

/* A plain sum. */
struct ug_sum {
    float s;
    static __device__ ug_sum neutral() { return {0.0f}; }
};

__device__ __forceinline__ ug_sum join(ug_sum a, ug_sum b) { return {__fadd_rn(a.s, b.s)}; }

/* Whether join(a, b) and join(b, a) have the same bits. */
template <typename S> constexpr bool UG_SWAPS = false;
template <> constexpr bool UG_SWAPS<ug_sum> = true;

/* A join as what has to be passed of a side, that made whole again by what the other side knows of
 * itself, and the join of both. */
template <typename S> struct ug_any_sides {
    static __device__ __forceinline__ S half(S v) { return v; }
    static __device__ __forceinline__ S whole(S half, S) { return half; }
    static __device__ __forceinline__ S merge(S a, S b) { return join(a, b); }
};
/* The same for sides that have as many elements each, with the same bits. */
template <typename S> struct ug_even : ug_any_sides<S> {
};

#endif
