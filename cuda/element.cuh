/* SPDX-License-Identifier: Apache-2.0 */
/* Elements in memory: exact widening to float, one rounding (nearest even) on the way out, one at a
 * time or four at a time. */
#ifndef ULPGATE_CUDA_ELEMENT_CUH
#define ULPGATE_CUDA_ELEMENT_CUH

#include "cuda/gpu.cuh"

__device__ __forceinline__ float ug_widen(float v) { return v; }
__device__ __forceinline__ float ug_widen(__half v) { return __half2float(v); }
__device__ __forceinline__ float ug_widen(__nv_bfloat16 v) { return __bfloat162float(v); }

__device__ __forceinline__ void ug_round(float v, float *out) { *out = v; }
__device__ __forceinline__ void ug_round(float v, __half *out) { *out = __float2half_rn(v); }
__device__ __forceinline__ void ug_round(float v, __nv_bfloat16 *out)
{
    *out = __float2bfloat16_rn(v);
}

/* A word of one float, or of two elements of 16 bits. */
__device__ __forceinline__ void ug_word_open(uint32_t v, float x[], float *)
{
    memcpy(x, &v, sizeof v);
}
template <typename T> __device__ __forceinline__ void ug_word_open(uint32_t v, float x[], T *)
{
    T e[2];
    memcpy(e, &v, sizeof v);
    x[0] = ug_widen(e[0]);
    x[1] = ug_widen(e[1]);
}

/* One 16-bit element in the low half of a word. */
template <typename T> __device__ __forceinline__ uint32_t ug_half_load(const T *p)
{
    return *reinterpret_cast<const uint16_t *>(p);
}
template <typename T> __device__ __forceinline__ void ug_half_store(T *p, uint32_t v)
{
    *reinterpret_cast<uint16_t *>(p) = (uint16_t)v;
}

/* The memory word that holds four elements: 16 bytes of float, 8 bytes of the 16-bit types. */
template <typename T> struct ug_word4 {
    using type = uint2;
};
template <> struct ug_word4<float> {
    using type = float4;
};

/* Four consecutive elements. `whole` says that p is aligned to all four; the same four elements
 * come in the same order either way. */
template <typename T> __device__ __forceinline__ void ug_load4(const T *p, bool whole, float v[4])
{
    T e[4];
    if (whole) {
        const typename ug_word4<T>::type word =
            *reinterpret_cast<const typename ug_word4<T>::type *>(p);
        memcpy(e, &word, sizeof e);
    } else {
        p = ug_unaligned(p);
        for (int k = 0; k < 4; k++) e[k] = p[k];
    }
    for (int k = 0; k < 4; k++) v[k] = ug_widen(e[k]);
}

template <typename T> __device__ __forceinline__ void ug_store4(T *p, bool whole, const float v[4])
{
    T e[4];
    for (int k = 0; k < 4; k++) ug_round(v[k], &e[k]);
    if (whole) {
        typename ug_word4<T>::type word;
        memcpy(&word, e, sizeof e);
        *reinterpret_cast<typename ug_word4<T>::type *>(p) = word;
    } else {
        p = ug_unaligned(p);
        for (int k = 0; k < 4; k++) p[k] = e[k];
    }
}

#endif
