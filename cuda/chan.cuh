/* SPDX-License-Identifier: Apache-2.0 */
/* Partial mean and M2 = sum (x - mean)^2 of some elements, and how two of them become one (Chan).
 */
#ifndef ULPGATE_CUDA_CHAN_CUH
#define ULPGATE_CUDA_CHAN_CUH

#include "cuda/reduce.cuh"

struct ug_chan {
    float n, mean, m2;
    static __device__ ug_chan neutral() { return {0.0f, 0.0f, 0.0f}; }
};

/* b / (a + b): one half where they are equal, which a division would find as well. */
__device__ __forceinline__ float ug_share(float a, float b, float sum)
{
    if (a == b) return 0.5f;
    return __fdiv_rn(b, sum);
}

/* a before b in index order. An empty side leaves the other as it is, without a rounding: threads
 * at work come first, so only b can be empty. */
__device__ __forceinline__ ug_chan join(ug_chan a, ug_chan b)
{
    if (b.n == 0.0f) return a;
    const float n = __fadd_rn(a.n, b.n), share = ug_share(a.n, b.n, n);
    const float d = __fsub_rn(b.mean, a.mean);
    return {n, __fmaf_rn(d, share, a.mean),
            __fmaf_rn(__fmul_rn(d, d), __fmul_rn(a.n, share), __fadd_rn(a.m2, b.m2))};
}

/* Equal counts need neither be passed nor divided. */
struct ug_chan_half {
    float mean, m2;
};
template <> struct ug_even<ug_chan> {
    static __device__ __forceinline__ ug_chan_half half(ug_chan v) { return {v.mean, v.m2}; }
    static __device__ __forceinline__ ug_chan whole(ug_chan_half half, ug_chan other)
    {
        return {other.n, half.mean, half.m2};
    }
    static __device__ __forceinline__ ug_chan merge(ug_chan a, ug_chan b)
    {
        const float d = __fsub_rn(b.mean, a.mean);
        return {__fadd_rn(a.n, a.n), __fmaf_rn(d, 0.5f, a.mean),
                __fmaf_rn(__fmul_rn(d, d), __fmul_rn(a.n, 0.5f), __fadd_rn(a.m2, b.m2))};
    }
};

#endif
