/* SPDX-License-Identifier: Apache-2.0 */
/* Gamma and beta brought to a multiprocessor before they are wanted.
 *
 * The first blocks of a launch have their rows at the same time, and then all multiprocessors ask
 * the same lines of the device's cache for gamma and beta, of which theirs have none yet: that took
 * three to four times as long as later in the launch (docs/audits/h200/tune-exact.md). One block on
 * each asks for them while its row comes.
 */
#ifndef ULPGATE_CUDA_WARM_CUH
#define ULPGATE_CUDA_WARM_CUH

#include "cuda/gpu.cuh"

/* Asks for `bytes` bytes from p on, by all threads of a block: 4 bytes of every 32, which is what
 * the cache takes at a time. Each thread has `TIMES` of these at most. What was read is returned
 * for ug_warmed(). Nothing in this launch may write there. */
template <int TIMES> __device__ __forceinline__ uint32_t ug_warm(const void *p, unsigned bytes)
{
    uint32_t word[TIMES], all = 0;
    UG_UNROLL
    for (int i = 0; i < TIMES; i++) {
        const unsigned at = i * blockDim.x + threadIdx.x;
        word[i] = 0;
        if (at < bytes / 32) word[i] = ug_load_constant(static_cast<const uint32_t *>(p) + at * 8);
    }
    UG_UNROLL
    for (int i = 0; i < TIMES; i++) all |= word[i];
    return all;
}

/* Uses what was read, or a compiler would not have it read. Before capability 9.0 blocks cannot
 * pause, and nothing is. */
__device__ __forceinline__ void ug_warmed(uint32_t read)
{
    if (read == 0x5eed1e55u) ug_pause(1);
}

#endif
