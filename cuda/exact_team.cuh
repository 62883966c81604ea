/* SPDX-License-Identifier: Apache-2.0 */
/* How the threads of a block join what they have of a row of `exact`. */
#ifndef ULPGATE_CUDA_EXACT_TEAM_CUH
#define ULPGATE_CUDA_EXACT_TEAM_CUH

#include "cuda/exact_quick.cuh"
#include "cuda/team.cuh"

/* H and HH, L and LL. */
struct ug_finer_sums {
    ug_quick_sums high, low;
    static __device__ ug_finer_sums neutral()
    {
        return {ug_quick_sums::neutral(), ug_quick_sums::neutral()};
    }
};

/* The sum over the lanes of a warp that have the same place among four. */
__device__ __forceinline__ double ug_warp_fours(double s)
{
    UG_UNROLL
    for (unsigned bits = 4; bits < UG_WARP; bits *= 2) s = __dadd_rn(s, ug_shuffle_xor(s, bits));
    return s;
}

/* The sum over the warp of v[lane % 4]: at first a lane gives half of what it has and keeps half.
 */
__device__ __forceinline__ double ug_warp_four(const double v[4])
{
    const bool odd = threadIdx.x & 1, upper = threadIdx.x & 2;
    const double a = __dadd_rn(odd ? v[1] : v[0], ug_shuffle_xor(odd ? v[0] : v[1], 1));
    const double b = __dadd_rn(odd ? v[3] : v[2], ug_shuffle_xor(odd ? v[2] : v[3], 1));
    return ug_warp_fours(__dadd_rn(upper ? b : a, ug_shuffle_xor(upper ? a : b, 2)));
}

/* A block that shares a row. */
template <int MEMBERS> struct ug_exact_team {
    static constexpr unsigned warps = MEMBERS / UG_WARP;
    unsigned turn;

    /* As ug_team::join(), but that every thread folds the slots of few warps itself: that takes
     * less time than a tree of shuffles. */
    template <typename S> __device__ __forceinline__ S join(S v)
    {
        constexpr unsigned set = (unsigned)UG_HELD_BLOCK / UG_WARP;
        constexpr unsigned reach = warps <= 2 ? 2 : warps <= 4 ? 4 : warps <= 8 ? 8 : 16;
        static_assert(warps <= set && sizeof(S) <= sizeof(ug_slot), "a slot for each");
        v = ug_warp_join(v, UG_WARP / 2);
        if constexpr (warps == 1) return ug_shuffle_from(v, 0);
        S *slot = reinterpret_cast<S *>(ug_team_slots() + turn++ % 2 * set);
        if (threadIdx.x % UG_WARP == 0) slot[threadIdx.x / UG_WARP] = v;
        __syncthreads();
        if constexpr (warps > 8) { /* more than registers take */
            const unsigned from = threadIdx.x % reach;
            v = ug_warp_join(from < warps ? slot[from] : S::neutral(), reach / 2);
            return ug_shuffle_from(v, 0);
        } else {
            S all[reach];
            UG_UNROLL
            for (unsigned i = 0; i < warps; i++) all[i] = slot[i];
            UG_UNROLL
            for (unsigned offset = reach / 2; offset > 0; offset >>= 1) {
                UG_UNROLL
                for (unsigned i = 0; i < offset; i++)
                    if (i + offset < warps) all[i] = ::join(all[i], all[i + offset]);
            }
            return all[0];
        }
    }

    /* Of four doubles at a time, in fewer steps, in slots that all have done with. */
    __device__ __forceinline__ ug_finer_sums join(ug_finer_sums v)
    {
        constexpr unsigned at_once = UG_WARP / 4;
        const double all[4] = {v.high.sum, v.high.squares, v.low.sum, v.low.squares};
        double s = ug_warp_four(all);
        if constexpr (warps > 1) {
            static_assert(4 * sizeof s * warps <= UG_SHARED_RESERVE, "four for each warp");
            double *slot = reinterpret_cast<double *>(ug_team_slots());
            const unsigned lane = threadIdx.x % UG_WARP, from = lane / 4;
            if (lane < 4) slot[threadIdx.x / UG_WARP * 4 + lane] = s;
            __syncthreads();
            s = from < warps ? slot[lane] : 0.0; /* lane l: sum l % 4 of warp l / 4 */
            UG_UNROLL
            for (unsigned k = at_once; k < warps; k += at_once)
                if (from + k < warps) s = __dadd_rn(s, slot[lane + 4 * k]);
            s = ug_warp_fours(s);
        }
        return {{ug_shuffle_from(s, 0), ug_shuffle_from(s, 1)},
                {ug_shuffle_from(s, 2), ug_shuffle_from(s, 3)}};
    }

    __device__ __forceinline__ bool any(bool mine) const
    {
        if constexpr (MEMBERS == UG_WARP) return ug_warp_any(mine);
        return ug_block_any(mine, reinterpret_cast<unsigned *>(ug_team_slots()));
    }
};

#endif
