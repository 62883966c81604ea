/* SPDX-License-Identifier: Apache-2.0 */
/* Vector types: the shim has float4 and uint2; the others, and how they are made. */
#ifndef ULPGATE_HOST_CUDA_VECTORS_H
#define ULPGATE_HOST_CUDA_VECTORS_H

#define UG_VECTOR_2(T, N, A)                                                                       \
    struct alignas(A) N {                                                                          \
        T x, y;                                                                                    \
    };                                                                                             \
    static inline N make_##N(T x, T y) { return {x, y}; }
#define UG_VECTOR_4(T, N, A)                                                                       \
    struct alignas(A) N {                                                                          \
        T x, y, z, w;                                                                              \
    };                                                                                             \
    static inline N make_##N(T x, T y, T z, T w) { return {x, y, z, w}; }

UG_VECTOR_2(float, float2, 8)
UG_VECTOR_2(double, double2, 16)
UG_VECTOR_2(int, int2, 8)
UG_VECTOR_2(short, short2, 4)
UG_VECTOR_2(unsigned short, ushort2, 4)
UG_VECTOR_4(int, int4, 16)
UG_VECTOR_4(short, short4, 8)
UG_VECTOR_4(unsigned short, ushort4, 8)
UG_VECTOR_4(char, char4, 4)
UG_VECTOR_4(unsigned char, uchar4, 4)

struct float3 {
    float x, y, z;
};
static inline float3 make_float3(float x, float y, float z) { return {x, y, z}; }
static inline float4 make_float4(float x, float y, float z, float w) { return {x, y, z, w}; }
static inline uint2 make_uint2(unsigned x, unsigned y) { return {x, y}; }
static inline uint4 make_uint4(unsigned x, unsigned y, unsigned z, unsigned w)
{
    return {x, y, z, w};
}

static inline float2 __half22float2(__half2 h) { return {h.x, h.y}; }
static inline __half2 __float22half2_rn(float2 f) { return {__half(f.x), __half(f.y)}; }
static inline float2 __bfloat1622float2(__nv_bfloat162 h) { return {h.x, h.y}; }
static inline __nv_bfloat162 __float22bfloat162_rn(float2 f)
{
    return {__nv_bfloat16(f.x), __nv_bfloat16(f.y)};
}

#endif
