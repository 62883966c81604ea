/* SPDX-License-Identifier: Apache-2.0 */
/* Where the warps of a block and the blocks of a cluster leave what they have of several rows at a
 * time (pipe.cuh), and the counters that say that it is there. */
#ifndef ULPGATE_CUDA_PIPE_TEAM_CUH
#define ULPGATE_CUDA_PIPE_TEAM_CUH

#include "cuda/multi.cuh"

/* Rows whose results of one join may be there at a time, more than 4: a block sends those of row i
 * once its warps have ended round i - 1, and so have written row i - 1 - J. For that they needed
 * ours of its last join, which we sent once our warps had ended round i - 3, and so had read all
 * that they need of row i - 4. */
constexpr unsigned UG_PIPE_SETS = 8;
constexpr unsigned UG_PIPE_STAGES = 8; /* at most */
constexpr unsigned UG_PIPE_WARPS = (unsigned)UG_HELD_BLOCK / UG_WARP;
constexpr unsigned UG_PIPE_SLOTS = UG_JOINS_MAX * UG_PIPE_SETS;
constexpr unsigned UG_PIPE_MORE = 2 * UG_WARP; /* threads beside the row's members */
constexpr int64_t UG_PIPE_RESERVE = 9216;      /* bytes of shared memory beside the stages */

/* What the last join comes to. */
struct alignas(16) ug_final {
    unsigned char byte[16];
};

#if UG_HAVE_CLUSTERS
/* Results of the block's warps, for every join and set. */
__device__ __forceinline__ ug_slot *ug_pipe_slots(unsigned set)
{
    UG_SHARED(ug_slot, slots, UG_PIPE_SLOTS * UG_PIPE_WARPS);
    return slots + set * UG_PIPE_WARPS;
}

/* Counters: of parts whose results have come, and of warps that have left theirs, for every join
 * and set; of finals; of bytes that have come into a stage, and of warps that have done with it. */
constexpr unsigned UG_PIPE_LEFT = UG_PIPE_SLOTS, UG_PIPE_FINAL = 2 * UG_PIPE_SLOTS;
constexpr unsigned UG_PIPE_FILLED = UG_PIPE_FINAL + UG_PIPE_SETS;
constexpr unsigned UG_PIPE_DONE = UG_PIPE_FILLED + UG_PIPE_STAGES;
constexpr unsigned UG_PIPE_COUNTERS = UG_PIPE_DONE + UG_PIPE_STAGES;

__device__ __forceinline__ ug_arrivals *ug_pipe_counter(unsigned k)
{
    UG_SHARED(ug_arrivals, counters, UG_PIPE_COUNTERS);
    return counters + k;
}

__device__ __forceinline__ ug_final *ug_pipe_final(unsigned i)
{
    UG_SHARED(ug_final, finals, UG_PIPE_SETS);
    return finals + i % UG_PIPE_SETS;
}

/* Results of all parts; puts v, if there is one, into slot `index` of block `to`. */
__device__ __forceinline__ const uint4 *ug_pipe_parts(unsigned set, unsigned to, unsigned index,
                                                      const uint4 *v)
{
    UG_SHARED(uint4, meeting, UG_PIPE_SLOTS * UG_PARTS_MAX);
    const unsigned first = set * UG_PARTS_MAX;
    if (v) UG_SHARED_PUT(to, meeting, first + index, *v, ug_pipe_counter(set));
    return meeting + first;
}

/* All parts, warps and threads have as many elements: joins are even. */
template <unsigned MEMBERS> struct ug_pipe_team {
    static constexpr unsigned warps = MEMBERS / UG_WARP;
    unsigned rank, parts;

    static __device__ __forceinline__ unsigned set(unsigned join, unsigned i)
    {
        return join * UG_PIPE_SETS + i % UG_PIPE_SETS;
    }
    static __device__ __forceinline__ ug_arrivals *left(unsigned join, unsigned i)
    {
        return ug_pipe_counter(UG_PIPE_LEFT + set(join, i));
    }
    static __device__ __forceinline__ ug_arrivals *ready(unsigned i)
    {
        return ug_pipe_counter(UG_PIPE_FINAL + i % UG_PIPE_SETS);
    }

    /* Before everyone meets for the first time. */
    static __device__ __forceinline__ void open()
    {
        for (unsigned k = threadIdx.x; k < UG_PIPE_COUNTERS; k += blockDim.x) {
            const bool of_warps = (k >= UG_PIPE_LEFT && k < UG_PIPE_FINAL) || k >= UG_PIPE_DONE;
            const bool of_copies = k >= UG_PIPE_FILLED && k < UG_PIPE_DONE;
            ug_arrivals_open(ug_pipe_counter(k), of_warps ? warps : of_copies ? 2 : 1);
        }
    }

    /* One of the block's warps says so. */
    static __device__ __forceinline__ void arrive(ug_arrivals *a)
    {
        __syncwarp();
        if (threadIdx.x % UG_WARP == 0) ug_arrive(a);
    }

    /* The tree of ug_warp_join(), for every lane. */
    template <typename S> static __device__ __forceinline__ S fold(S v, unsigned lanes)
    {
        UG_UNROLL
        for (unsigned offset = UG_WARP / 2; offset > 0; offset >>= 1)
            if (offset < lanes) {
                const auto half = ug_shuffle_down(ug_even<S>::half(v), offset);
                v = ug_even<S>::merge(v, ug_even<S>::whole(half, v));
            }
        return v;
    }

    template <typename S>
    static __device__ __forceinline__ void leave(unsigned join, unsigned i, S v)
    {
        static_assert(sizeof(S) <= sizeof(ug_slot), "states of 16 bytes at most");
        S *slot = reinterpret_cast<S *>(ug_pipe_slots(set(join, i)) + threadIdx.x / UG_WARP);
        v = fold(v, UG_WARP);
        if (threadIdx.x % UG_WARP == 0) *slot = v;
        arrive(left(join, i));
    }

    /* By the warp that joins. */
    template <typename S> __device__ __forceinline__ void send(unsigned join, unsigned i) const
    {
        const unsigned lane = threadIdx.x % UG_WARP, own = set(join, i);
        if (lane == 0) ug_arrivals_expect(ug_pipe_counter(own), parts * (unsigned)sizeof(uint4));
        ug_arrivals_wait(left(join, i), i / UG_PIPE_SETS);
        S v;
        memcpy(&v, ug_pipe_slots(own) + lane % warps, sizeof v);
        v = ug_shuffle_from(fold(v, warps), 0);
        uint4 word = {0, 0, 0, 0};
        memcpy(&word, &v, sizeof v);
        if (lane < parts) ug_pipe_parts(own, lane, rank, &word);
    }

    __device__ __forceinline__ void wait(unsigned join, unsigned i) const
    {
        ug_arrivals_wait(ug_pipe_counter(set(join, i)), i / UG_PIPE_SETS);
    }
    template <typename S> __device__ __forceinline__ S result(unsigned join, unsigned i) const
    {
        S v;
        memcpy(&v, ug_pipe_parts(set(join, i), 0, 0, nullptr) + threadIdx.x % parts, sizeof v);
        return ug_shuffle_from(fold(v, parts), 0);
    }
};
#endif

#endif
