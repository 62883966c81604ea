/* SPDX-License-Identifier: Apache-2.0 */
/* CUDA for a C++ compiler: what the kernel sources use of it, on top of the executor.
 *
 * Arithmetic is IEEE binary32, one operation a rounding (built with -ffp-contract=off), so that it
 * equals the device's .rn instructions bit for bit, NaN payloads aside.
 */
#ifndef ULPGATE_HOST_CUDA_SHIM_H
#define ULPGATE_HOST_CUDA_SHIM_H

#include <math.h>
#include <string.h>

#include "host/executor.h"
#include "ulpgate/dtype.h"

#define __global__
#define __device__
#define __host__
#define __forceinline__ inline __attribute__((always_inline))
#define __launch_bounds__(...)
#define UG_UNROLL
#define UG_ROLLED
#define UG_APART
#define UG_UNSET = {}

struct alignas(16) float4 {
    float x, y, z, w;
};
struct alignas(8) uint2 {
    unsigned x, y;
};
struct alignas(16) uint4 {
    unsigned x, y, z, w;
};
struct ug_index {
    unsigned x, y, z;
};

#if defined(UG_SHIM_BY_CALL) || defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define UG_SHIM_THREAD (*ug_exec_thread())
#else
/* Fibers stay on their OS thread, so its storage may be read directly. */
extern __thread ug_thread ug_exec_current __attribute__((tls_model("initial-exec")));
#define UG_SHIM_THREAD ug_exec_current
#endif
#define threadIdx (ug_index{UG_SHIM_THREAD.thread, 0, 0})
#define blockIdx  (ug_index{UG_SHIM_THREAD.block, 0, 0})
#define blockDim  (ug_index{UG_SHIM_THREAD.threads, 1, 1})
#define gridDim   (ug_index{UG_SHIM_THREAD.blocks, 1, 1})

#define UG_SHARED(T, name, count)                                                                  \
    static const char name##_key = 0;                                                              \
    [[maybe_unused]] constexpr size_t name##_bytes = sizeof(T) * (count);                          \
    T *const name = static_cast<T *>(ug_exec_shared(&name##_key, sizeof(T) * (count), alignof(T)))
#define UG_DYNAMIC_SHARED(T, name) T *const name = reinterpret_cast<T *>(UG_SHIM_THREAD.dynamic)

static inline void __syncthreads() { ug_exec_barrier(); }
static inline void __syncwarp(unsigned mask = 0xffffffffu) { ug_exec_meet(mask, 0, nullptr, 0); }

static inline unsigned ug_shim_lane() { return threadIdx.x % 32; }

/* Values larger than a slot travel in pieces. */
template <typename S> static inline S ug_shim_shuffle(unsigned mask, S v, unsigned source)
{
    unsigned char *p = reinterpret_cast<unsigned char *>(&v);
    for (size_t at = 0; at < sizeof v; at += UG_SHUFFLE_BYTES) {
        const size_t rest = sizeof v - at;
        ug_exec_meet(mask, source, p + at, rest < UG_SHUFFLE_BYTES ? rest : UG_SHUFFLE_BYTES);
    }
    return v;
}

template <typename S> static inline S ug_shuffle_down(S v, unsigned delta)
{
    const unsigned lane = ug_shim_lane();
    return ug_shim_shuffle(0xffffffffu, v, lane + delta < 32 ? lane + delta : lane);
}

template <typename S> static inline S ug_shuffle_from(S v, unsigned lane)
{
    return ug_shim_shuffle(0xffffffffu, v, lane);
}

template <typename S> static inline S ug_shuffle_xor(S v, unsigned bits)
{
    return ug_shim_shuffle(0xffffffffu, v, ug_shim_lane() ^ bits);
}

/* Past the end of a segment of `width` lanes a shuffle returns the lane's own value. */
template <typename S>
static inline S __shfl_down_sync(unsigned mask, S v, unsigned delta, unsigned width = 32)
{
    const unsigned lane = ug_shim_lane();
    return ug_shim_shuffle(mask, v, lane % width + delta < width ? lane + delta : lane);
}

template <typename S>
static inline S __shfl_up_sync(unsigned mask, S v, unsigned delta, unsigned width = 32)
{
    const unsigned lane = ug_shim_lane();
    return ug_shim_shuffle(mask, v, lane % width >= delta ? lane - delta : lane);
}

template <typename S>
static inline S __shfl_xor_sync(unsigned mask, S v, unsigned bits, unsigned width = 32)
{
    const unsigned lane = ug_shim_lane(), end = lane / width * width + width;
    return ug_shim_shuffle(mask, v, (lane ^ bits) < end ? lane ^ bits : lane);
}

template <typename S>
static inline S __shfl_sync(unsigned mask, S v, unsigned source, unsigned width = 32)
{
    return ug_shim_shuffle(mask, v, ug_shim_lane() / width * width + source % width);
}

static inline float __fmaf_rn(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
static inline float __fadd_rn(float a, float b) { return a + b; }
static inline float __fsub_rn(float a, float b) { return a - b; }
static inline float __fmul_rn(float a, float b) { return a * b; }
static inline float __fdiv_rn(float a, float b) { return a / b; }
static inline float __fsqrt_rn(float a) { return __builtin_sqrtf(a); }
static inline double __fma_rn(double a, double b, double c) { return __builtin_fma(a, b, c); }
static inline double __dadd_rn(double a, double b) { return a + b; }
static inline double __dsub_rn(double a, double b) { return a - b; }
static inline double __dmul_rn(double a, double b) { return a * b; }
static inline double __ddiv_rn(double a, double b) { return a / b; }
static inline double __dsqrt_rn(double a) { return __builtin_sqrt(a); }
static inline float __double2float_rn(double a) { return static_cast<float>(a); }

static inline unsigned __float_as_uint(float f) { return ug_float_bits(f); }
static inline float __uint_as_float(unsigned u) { return ug_bits_float(u); }
static inline long long __double_as_longlong(double d)
{
    long long bits;
    memcpy(&bits, &d, sizeof bits);
    return bits;
}
static inline double __longlong_as_double(long long bits)
{
    double d;
    memcpy(&d, &bits, sizeof d);
    return d;
}

/* Towards 0: the nearest float, or where that lies further out the one before it. */
static inline float __double2float_rz(double a)
{
    const float f = static_cast<float>(a);
    if (!(fabs(static_cast<double>(f)) > fabs(a))) return f;
    return ug_bits_float(ug_float_bits(f) - 1);
}

/* RN(1/sqrt(x)). Two double roundings leave a relative error below 2^-52; no binary32 argument has
 * a reciprocal root that close to the middle of two floats: all 2^24 mantissas of [1, 4) were
 * compared with integer arithmetic, none differs. */
static inline float __frsqrt_rn(float x)
{
    if (!(x > 0)) return x == 0 ? copysignf(INFINITY, x) : NAN;
    return static_cast<float>(1.0 / __builtin_sqrt(static_cast<double>(x)));
}

/* max.f32 ignores a NaN operand and orders +0 above -0, which C leaves open. */
static inline float ug_shim_fmaxf(float a, float b)
{
    if (isnan(a)) return b;
    if (isnan(b)) return a;
    if (a == b) return signbit(a) ? b : a;
    return a > b ? a : b;
}
#define fmaxf ug_shim_fmaxf

#ifdef ULPGATE_HOST_CUDA /* sources of users expect types that compute */
#include "host/cuda/half.h"
#else
struct __half {
    uint16_t bits;
};
struct __nv_bfloat16 {
    uint16_t bits;
};
static inline float __half2float(__half h) { return ug_f16_to_float(h.bits); }
static inline __half __float2half_rn(float f) { return {ug_float_to_f16(f)}; }
static inline float __bfloat162float(__nv_bfloat16 h) { return ug_bf16_to_float(h.bits); }
static inline __nv_bfloat16 __float2bfloat16_rn(float f) { return {ug_float_to_bf16(f)}; }
#endif

static inline uint32_t ug_round_two(float a, float b, __half *)
{
    return ug_float_to_f16(a) | (uint32_t)ug_float_to_f16(b) << 16;
}
static inline uint32_t ug_round_two(float a, float b, __nv_bfloat16 *)
{
    return ug_float_to_bf16(a) | (uint32_t)ug_float_to_bf16(b) << 16;
}

static inline bool ug_block_any(bool mine, unsigned *said)
{
    __syncthreads(); /* what was there has been read */
    if (threadIdx.x == 0) *said = 0;
    __syncthreads();
    if (mine) __atomic_store_n(said, 1u, __ATOMIC_RELAXED); /* by any number of them */
    __syncthreads();
    const bool any = *said != 0;
    __syncthreads();
    return any;
}

static inline bool ug_warp_any(bool mine)
{
    unsigned said = mine;
    for (unsigned bit = 16; bit; bit /= 2) said |= __shfl_xor_sync(0xffffffffu, said, bit);
    return said != 0;
}

static inline unsigned ug_warp_which(bool mine)
{
    unsigned said = mine ? 1u << threadIdx.x % 32 : 0;
    for (unsigned bit = 16; bit; bit /= 2) said |= __shfl_xor_sync(0xffffffffu, said, bit);
    return said;
}

/* The same pointer, which the compiler does not know. Where one branch takes 16 bytes at once and
 * the other the same bytes one by one, GCC 12 makes one load of both at -O3, and has it aligned. */
template <typename T> static inline T *ug_unaligned(T *p)
{
    __asm__("" : "+r"(p));
    return p;
}

template <typename T> static inline T ug_load_constant(const T *p) { return *p; }
static inline uint4 ug_load_stream(const uint4 *p) { return *p; }
static inline uint4 ug_load_past(const uint4 *p) { return *p; }
template <typename T> static inline T ug_load_cached(const T *p) { return *p; }
template <typename T> static inline void ug_store_stream(T *p, T v) { *p = v; }
static inline void ug_forget() {}
static inline uint4 ug_load_shared(const uint4 *p) { return *p; }
static inline unsigned ug_some_zero() { return 0; }
static inline void ug_unknown(float &) {}
static inline void ug_prefetch(const void *) {}
static inline void ug_prefetch_far(const void *, unsigned) {}
static inline void ug_prefetch_kept(const void *, unsigned) {}
static inline void ug_pause(unsigned) {}

static inline int __ffs(unsigned v) { return __builtin_ffs(static_cast<int>(v)); }

static inline unsigned __funnelshift_r(unsigned low, unsigned high, unsigned bits)
{
    return static_cast<unsigned>((static_cast<uint64_t>(high) << 32 | low) >> (bits & 31));
}

static inline unsigned __funnelshift_l(unsigned low, unsigned high, unsigned bits)
{
    return static_cast<unsigned>((static_cast<uint64_t>(high) << 32 | low) << (bits & 31) >> 32);
}

/* Launches follow each other. */
static inline void ug_let_next_begin() {}
static inline void ug_wait_for_all_before() {}

/* No device, no limit but the profile's. */
static inline ug_room ug_room_for(const void *, int64_t, size_t) { return {1, INT32_MAX}; }

/* Runs kernel(a) as a launch of args, in clusters of `parts` blocks, and reads what came of it. */
template <typename A>
static inline ug_status ug_shim_start(ug_args *args, const ug_shape &shape, unsigned parts,
                                      void (*kernel)(A), const A &a)
{
    struct call {
        void (*kernel)(A);
        const A *a;
    } c = {kernel, &a};
    const ug_exec_launch launch = {shape.grid,
                                   shape.block,
                                   parts,
                                   shape.shared,
                                   shape.limits,
                                   args->variation,
                                   args->threads,
                                   [](void *p) {
                                       const call *own = static_cast<const call *>(p);
                                       own->kernel(*own->a);
                                   },
                                   &c};
    return ug_exec_run(&launch, args->message) == 0 ? UG_OK : UG_FAILED;
}

template <typename A>
static inline ug_status ug_start(ug_args *args, const ug_shape &shape, void (*kernel)(A),
                                 const A &a)
{
    return ug_shim_start(args, shape, 1, kernel, a);
}

#endif
