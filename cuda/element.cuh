/* SPDX-License-Identifier: Apache-2.0 */
/* Elements in memory: exact widening to float, one rounding (nearest even) on the way out, one at a
 * time or four at a time. */
#ifndef ULPGATE_CUDA_ELEMENT_CUH
#define ULPGATE_CUDA_ELEMENT_CUH

#include <type_traits>

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

/* Element i of a word of one float, or of two elements of 16 bits. */
__device__ __forceinline__ float ug_word_part(uint32_t w, int, float *)
{
    return __uint_as_float(w);
}
template <typename T> __device__ __forceinline__ float ug_word_part(uint32_t w, int i, T *)
{
#ifdef __CUDACC__
    if (std::is_same_v<T, __nv_bfloat16>) return __uint_as_float(i ? w & 0xffff0000u : w << 16);
#endif
    const uint16_t bits = (uint16_t)(i ? w >> 16 : w);
    T e;
    memcpy(&e, &bits, sizeof e);
    return ug_widen(e);
}

/* The word of its elements, a alone for float. */
__device__ __forceinline__ uint32_t ug_word_pack(float a, float, float *)
{
    return __float_as_uint(a);
}
template <typename T> __device__ __forceinline__ uint32_t ug_word_pack(float a, float b, T *type)
{
    return ug_round_two(a, b, type);
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
