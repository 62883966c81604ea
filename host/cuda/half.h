/* SPDX-License-Identifier: Apache-2.0 */
/* __half and __nv_bfloat16 as CUDA's headers have them: they convert from and to float, and add,
 * subtract, multiply and divide with one rounding. binary32 carries more than twice their bits and
 * two, so rounding its result once more gives what the narrow operation would. */
#ifndef ULPGATE_HOST_CUDA_HALF_H
#define ULPGATE_HOST_CUDA_HALF_H

#include "ulpgate/dtype.h"

#define UG_HALF_TYPE(N, FROM, TO)                                                                  \
    struct alignas(2) N {                                                                          \
        uint16_t bits;                                                                             \
        N() = default;                                                                             \
        N(float f) : bits(FROM(f)) {}                                                              \
        N(double f) : N(static_cast<float>(f)) {}                                                  \
        N(int i) : N(static_cast<float>(i)) {}                                                     \
        operator float() const { return TO(bits); }                                                \
        static N of_bits(uint16_t b)                                                               \
        {                                                                                          \
            N h;                                                                                   \
            h.bits = b;                                                                            \
            return h;                                                                              \
        }                                                                                          \
        friend N operator+(N a, N b) { return N(TO(a.bits) + TO(b.bits)); }                        \
        friend N operator-(N a, N b) { return N(TO(a.bits) - TO(b.bits)); }                        \
        friend N operator*(N a, N b) { return N(TO(a.bits) * TO(b.bits)); }                        \
        friend N operator/(N a, N b) { return N(TO(a.bits) / TO(b.bits)); }                        \
        friend N operator-(N a) { return of_bits(a.bits ^ 0x8000u); }                              \
        N &operator+=(N b) { return *this = *this + b; }                                           \
        N &operator-=(N b) { return *this = *this - b; }                                           \
        N &operator*=(N b) { return *this = *this * b; }                                           \
        N &operator/=(N b) { return *this = *this / b; }                                           \
    };                                                                                             \
    static inline N __hadd(N a, N b) { return a + b; }                                             \
    static inline N __hsub(N a, N b) { return a - b; }                                             \
    static inline N __hmul(N a, N b) { return a * b; }                                             \
    static inline N __hdiv(N a, N b) { return a / b; }

UG_HALF_TYPE(__half, ug_float_to_f16, ug_f16_to_float)
UG_HALF_TYPE(__nv_bfloat16, ug_float_to_bf16, ug_bf16_to_float)

static inline float __half2float(__half h) { return ug_f16_to_float(h.bits); }
static inline __half __float2half_rn(float f) { return __half(f); }
static inline __half __float2half(float f) { return __half(f); }
static inline float __bfloat162float(__nv_bfloat16 h) { return ug_bf16_to_float(h.bits); }
static inline __nv_bfloat16 __float2bfloat16_rn(float f) { return __nv_bfloat16(f); }
static inline __nv_bfloat16 __float2bfloat16(float f) { return __nv_bfloat16(f); }

using half = __half;
using nv_half = __half;
using nv_bfloat16 = __nv_bfloat16;

#define UG_HALF_PAIR(P, N)                                                                         \
    struct alignas(4) P {                                                                          \
        N x, y;                                                                                    \
    };                                                                                             \
    static inline P __hadd2(P a, P b) { return {a.x + b.x, a.y + b.y}; }                           \
    static inline P __hsub2(P a, P b) { return {a.x - b.x, a.y - b.y}; }                           \
    static inline P __hmul2(P a, P b) { return {a.x * b.x, a.y * b.y}; }                           \
    static inline float __low2float(P h) { return h.x; }                                           \
    static inline float __high2float(P h) { return h.y; }

UG_HALF_PAIR(__half2, __half)
UG_HALF_PAIR(__nv_bfloat162, __nv_bfloat16)
using half2 = __half2;
using nv_bfloat162 = __nv_bfloat162;

static inline __half2 __halves2half2(__half x, __half y) { return {x, y}; }
static inline __half2 __floats2half2_rn(float x, float y) { return {__half(x), __half(y)}; }
static inline __half2 __float2half2_rn(float f) { return {__half(f), __half(f)}; }
static inline __nv_bfloat162 __halves2bfloat162(__nv_bfloat16 x, __nv_bfloat16 y) { return {x, y}; }
static inline __nv_bfloat162 __floats2bfloat162_rn(float x, float y)
{
    return {__nv_bfloat16(x), __nv_bfloat16(y)};
}

#endif
