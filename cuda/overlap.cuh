/* SPDX-License-Identifier: Apache-2.0 */
/* Launches that begin while the one before them on the stream ends. Part of gpu.cuh, which is what
 * others include. */
#ifndef ULPGATE_CUDA_OVERLAP_CUH
#define ULPGATE_CUDA_OVERLAP_CUH

#include "cuda/gpu.cuh"

/* The argument of a kernel that may begin while the kernel before it on the stream still runs, so
 * that the time a launch takes is hidden. What it works on is had only by waiting until all that
 * was before is done and in memory: memory cannot be touched too soon. Every thread must call
 * wait(), after meanwhile() at most, since whatever comes after this launch takes its end for the
 * end of all before it. */
template <typename A> class ug_overlapped
{
    A held;
    /* Blocks that may be there while the launch before ends and do more than wait, and blocks that
     * begin one on each multiprocessor. */
    unsigned early, abreast;

  public:
    explicit ug_overlapped(const A &a, ug_room room = {0, 0})
        : held(a), early((unsigned)(room.multiprocessors * room.each)),
          abreast((unsigned)room.multiprocessors)
    {
    }

    /* f(a) in early blocks, before wait(). It may ask for what is going to be read, as the cache of
     * the device has what was written last, and touch no memory. MANY: see ug_early(). */
    template <bool MANY, typename F> __device__ __forceinline__ void meanwhile(F f) const
    {
        if (MANY) ug_let_next_begin();
        if (blockIdx.x < early) f(held);
    }
    __device__ __forceinline__ const A &wait() const
    {
        ug_wait_for_all_before();
        return held;
    }
    /* Early blocks go on one after the other, within two microseconds: those that all begin to read
     * at once all have their rows at once and leave the memory alone while they compute. */
    __device__ __forceinline__ void spread() const
    {
        if (blockIdx.x < early && blockIdx.x >= abreast)
            ug_pause(blockIdx.x / abreast * abreast * 2000u / early);
    }
    __device__ __forceinline__ bool first_on_its_own() const { return blockIdx.x < abreast; }
    __device__ __forceinline__ long long ahead() const { return early; }
};

/* Blocks of the kernel that the device can hold at once. */
inline int64_t ug_resident(const void *kernel, int64_t block, size_t shared)
{
    const ug_room room = ug_room_for(kernel, block, shared);
    return room.multiprocessors * room.each;
}

/* For ug_overlapped: as many early blocks as there is room for. MANY: of launches of however many
 * blocks, otherwise only where they fill half of the device at most: then no row waits for another,
 * and asking early hides what the first one takes to come; blocks that follow others leave the
 * memory enough to do (docs/audits/h200/tune-full.md). */
template <bool MANY, typename A> inline ug_room ug_early(const ug_shape &shape, void (*kernel)(A))
{
    const ug_room room =
        ug_room_for(reinterpret_cast<const void *>(kernel), shape.block, shape.shared);
    if (!MANY && 2 * shape.grid > room.multiprocessors * room.each)
        return {room.multiprocessors, 0};
    return room;
}

#endif
