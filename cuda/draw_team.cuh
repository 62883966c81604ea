/* SPDX-License-Identifier: Apache-2.0 */
/* How the blocks of a cluster join what they have of a row that fills all their threads (draw.cuh),
 * and tell each other which row comes next. */
#ifndef ULPGATE_CUDA_DRAW_TEAM_CUH
#define ULPGATE_CUDA_DRAW_TEAM_CUH

#include <type_traits>

#include "cuda/multi.cuh"

constexpr unsigned UG_DRAW_STAGES = 8;    /* at most */
constexpr int64_t UG_DRAW_RESERVE = 2048; /* bytes of shared memory beside the stages */

#if UG_HAVE_CLUSTERS
/* Counters: of results that have come, two sets in turn; of bytes that have come into a stage. */
constexpr unsigned UG_DRAW_FILLED = 2, UG_DRAW_COUNTERS = UG_DRAW_FILLED + UG_DRAW_STAGES;

__device__ __forceinline__ ug_arrivals *ug_draw_counter(unsigned k)
{
    UG_SHARED(ug_arrivals, counters, UG_DRAW_COUNTERS);
    return counters + k;
}

/* Which row a stage has. */
__device__ __forceinline__ unsigned *ug_draw_places()
{
    UG_SHARED(unsigned, places, UG_DRAW_STAGES);
    return places;
}

/* Results of all parts, two sets in turn; puts v, if there is one, into slot `index` of block `to`.
 */
__device__ __forceinline__ const uint4 *ug_draw_parts(unsigned set, unsigned to, unsigned index,
                                                      const uint4 *v)
{
    UG_SHARED(uint4, meeting, 2 * UG_PARTS_MAX);
    const unsigned first = set * UG_PARTS_MAX;
    if (v) UG_SHARED_PUT(to, meeting, first + index, *v, ug_draw_counter(set));
    return meeting + first;
}

/* EVEN: all parts, warps and threads have as many elements. */
template <unsigned MEMBERS, bool EVEN> struct ug_draw_team {
    static constexpr unsigned warps = MEMBERS / UG_WARP;
    template <typename S> using sides = std::conditional_t<EVEN, ug_even<S>, ug_any_sides<S>>;
    unsigned rank, parts;
    unsigned told; /* what part 0 said last; thread 0 of part 0: what to say */

    /* Before everyone meets for the first time. Two copies fill a stage. */
    static __device__ __forceinline__ void open(unsigned stages)
    {
        for (unsigned k = threadIdx.x; k < UG_DRAW_FILLED + stages; k += blockDim.x)
            ug_arrivals_open(ug_draw_counter(k), k < UG_DRAW_FILLED ? 1 : 2);
    }

    /* The tree of ug_warp_join() over so many lanes; every lane gets the result. */
    template <typename S> static __device__ __forceinline__ S fold(S v, unsigned lanes)
    {
        using side = sides<S>;
        UG_UNROLL
        for (unsigned offset = UG_WARP / 2; offset > 0; offset >>= 1)
            if (offset < lanes) {
                const auto half = side::half(v);
                v = side::merge(v, side::whole(UG_SWAPS<S> ? ug_shuffle_xor(half, offset)
                                                           : ug_shuffle_down(half, offset),
                                               v));
            }
        return UG_SWAPS<S> ? v : side::whole(ug_shuffle_from(side::half(v), 0), v);
    }

    /* The first warp joins what the others left, and puts it into every block's slots, together
     * with what part 0 has to say. The slots of the warps are free again when a warp gets here the
     * next time, as it has got the result to which they went; those of the parts see
     * ug_cluster_team. */
    template <typename S> __device__ __forceinline__ S join(S v, unsigned turn)
    {
        static_assert(sizeof(S) + sizeof told <= sizeof(uint4), "room for both");
        const unsigned set = turn % 2, around = turn / 2, lane = threadIdx.x % UG_WARP;
        S *left = reinterpret_cast<S *>(ug_team_slots());
        if (threadIdx.x == 0)
            ug_arrivals_expect(ug_draw_counter(set), parts * (unsigned)sizeof(uint4));
        v = fold(v, UG_WARP);
        if (lane == 0) left[threadIdx.x / UG_WARP] = v;
        ug_block_gather(MEMBERS);
        if (threadIdx.x < UG_WARP) {
            v = fold(left[lane % warps], warps);
            uint4 word = {0, 0, 0, ug_shuffle_from(told, 0)};
            memcpy(&word, &v, sizeof v);
            if (lane < parts) ug_draw_parts(set, lane, rank, &word);
        }
        ug_arrivals_wait(ug_draw_counter(set), around);
        const uint4 *all = ug_draw_parts(set, 0, 0, nullptr);
        told = all[0].w;
        memcpy(&v, all + lane % parts, sizeof v);
        return fold(v, parts);
    }
};
#endif

#endif
