/* SPDX-License-Identifier: Apache-2.0 */
/* What a kernel source sees, whether nvcc compiles it for a device or a C++ compiler for the
 * executor: shared memory, shuffles of whole structs, launches. Everything else is plain CUDA. */
#ifndef ULPGATE_CUDA_GPU_CUH
#define ULPGATE_CUDA_GPU_CUH

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "ulpgate/kernel.h"

/* One launch: blocks, threads a block, bytes of dynamic shared memory. `limits` are those that the
 * caller planned within. */
struct ug_shape {
    int64_t grid, block;
    size_t shared;
    ug_profile limits;
};

/* Multiprocessors of the device, and blocks of a kernel that each of them can hold at once. */
struct ug_room {
    int64_t multiprocessors, each;
};

constexpr unsigned UG_WARP = 32, UG_ALL_LANES = 0xffffffffu;

/* Kernels that may begin while the one before them on the stream ends: see below. */
template <typename A> class ug_overlapped;
template <typename A> constexpr bool UG_OVERLAPS = false;
template <typename A> constexpr bool UG_OVERLAPS<ug_overlapped<A>> = true;

#ifdef __CUDACC__
#include <cuda_bf16.h>
#include <cuda_fp16.h>

/* Before a loop whose index names registers. */
#define UG_UNROLL _Pragma("unroll")
/* Before a loop whose body is to stand in the code once. */
#define UG_ROLLED _Pragma("unroll 1")

/* After an array that has values wherever they are used, which only people can see. */
#define UG_UNSET

/* A function that is called: what it does not get done in registers is its own affair. */
#define UG_APART __noinline__

/* `extern __shared__ T x[]` and static shared arrays cannot share one spelling across compilers,
 * hence two macros: an array of `count` T, and the dynamic shared memory of the launch as T. */
#define UG_SHARED(T, name, count) __shared__ T name[count]
#define UG_DYNAMIC_SHARED(T, name)                                                                 \
    extern __shared__ __align__(16) unsigned char ug_dynamic_shared[];                             \
    T *name = reinterpret_cast<T *>(ug_dynamic_shared)

template <typename S, typename F> __device__ __forceinline__ S ug_shuffle_words(S v, F shuffle)
{
    static_assert(sizeof(S) % 4 == 0, "32-bit members only");
    uint32_t word[sizeof(S) / 4];
    memcpy(word, &v, sizeof v);
#pragma unroll
    for (unsigned i = 0; i < sizeof(S) / 4; i++) word[i] = shuffle(word[i]);
    memcpy(&v, word, sizeof v);
    return v;
}

/* __shfl_down_sync of a struct of 32-bit members over the whole warp. */
template <typename S> __device__ __forceinline__ S ug_shuffle_down(S v, unsigned delta)
{
    return ug_shuffle_words(
        v, [=](uint32_t word) { return __shfl_down_sync(UG_ALL_LANES, word, delta); });
}

/* The same from any lane. */
template <typename S> __device__ __forceinline__ S ug_shuffle_from(S v, unsigned lane)
{
    return ug_shuffle_words(
        v, [=](uint32_t word) { return __shfl_sync(UG_ALL_LANES, word, (int)lane); });
}

/* The same from the lane whose number differs in these bits. */
template <typename S> __device__ __forceinline__ S ug_shuffle_xor(S v, unsigned bits)
{
    return ug_shuffle_words(
        v, [=](uint32_t word) { return __shfl_xor_sync(UG_ALL_LANES, word, (int)bits); });
}

/* Whether any thread of a block, of a warp, says so; all of them ask. The executor wants a place in
 * shared memory for that. */
__device__ __forceinline__ bool ug_block_any(bool mine, unsigned *)
{
    return __syncthreads_or(mine) != 0;
}
__device__ __forceinline__ bool ug_warp_any(bool mine) { return __any_sync(UG_ALL_LANES, mine); }
/* Which lanes of a warp say so: lane k in bit k. */
__device__ __forceinline__ unsigned ug_warp_which(bool mine)
{
    return __ballot_sync(UG_ALL_LANES, mine);
}

/* The same pointer; only the executor's compiler needs it, see there. */
template <typename T> __device__ __forceinline__ T *ug_unaligned(T *p) { return p; }

/* What no thread of the launch writes, through the cache for such. Not __ldg(): the compiler takes
 * that for harmless, and has moved it out of the loop over rows and before the question whether p
 * is there at all. */
template <typename T> __device__ __forceinline__ T ug_load_constant(const T *p)
{
    T v;
    if constexpr (sizeof(T) == 2) {
        uint16_t w;
        asm volatile("ld.global.nc.u16 %0, [%1];" : "=h"(w) : "l"(__cvta_generic_to_global(p)));
        memcpy(&v, &w, sizeof v);
    } else if constexpr (sizeof(T) == 4) {
        uint32_t w;
        asm volatile("ld.global.nc.u32 %0, [%1];" : "=r"(w) : "l"(__cvta_generic_to_global(p)));
        memcpy(&v, &w, sizeof v);
    } else if constexpr (sizeof(T) == 8) {
        uint2 w;
        asm volatile("ld.global.nc.v2.u32 {%0, %1}, [%2];"
                     : "=r"(w.x), "=r"(w.y)
                     : "l"(__cvta_generic_to_global(p)));
        memcpy(&v, &w, sizeof v);
    } else {
        static_assert(sizeof(T) == 16, "words of 2, 4, 8 or 16 bytes");
        uint4 w;
        asm volatile("ld.global.nc.v4.u32 {%0, %1, %2, %3}, [%4];"
                     : "=r"(w.x), "=r"(w.y), "=r"(w.z), "=r"(w.w)
                     : "l"(__cvta_generic_to_global(p)));
        memcpy(&v, &w, sizeof v);
    }
    return v;
}

/* Last to leave the device's cache. For elements that are read once: with these the memory delivers
 * 4% more than with any other way to read them (docs/audits/h200/tune-full.md). */
__device__ __forceinline__ unsigned long long ug_keep_policy()
{
    unsigned long long policy;
    asm("createpolicy.fractional.L2::evict_last.b64 %0, 1.0;" : "=l"(policy));
    return policy;
}

/* 16 bytes of x. */
__device__ __forceinline__ uint4 ug_load_stream(const uint4 *p)
{
    uint4 v;
    asm volatile("ld.global.L2::cache_hint.v4.u32 {%0, %1, %2, %3}, [%4], %5;"
                 : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
                 : "l"(__cvta_generic_to_global(p)), "l"(ug_keep_policy()));
    return v;
}

/* The same, past the cache of the multiprocessor, for what no thread of the launch writes. */
__device__ __forceinline__ uint4 ug_load_past(const uint4 *p)
{
    uint4 v;
    asm volatile("ld.global.nc.L1::no_allocate.L2::cache_hint.v4.u32 {%0, %1, %2, %3}, [%4], %5;"
                 : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
                 : "l"(__cvta_generic_to_global(p)), "l"(ug_keep_policy()));
    return v;
}

/* A word of y, which will not be used again soon. */
template <typename T> __device__ __forceinline__ void ug_store_stream(T *p, T v) { __stcs(p, v); }

/* What this multiprocessor reads again soon. */
template <typename T> __device__ __forceinline__ T ug_load_cached(const T *p) { return __ldca(p); }

/* Into the cache of the multiprocessor. */
__device__ __forceinline__ void ug_prefetch(const void *p)
{
    asm volatile("prefetch.global.L1 [%0];" ::"l"(__cvta_generic_to_global(p)));
}

/* Into the cache of the device: from a multiple of 16 on, a multiple of 16 bytes. */
__device__ __forceinline__ void ug_prefetch_far(const void *p, unsigned bytes)
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    asm volatile("cp.async.bulk.prefetch.L2.global [%0], %1;" ::"l"(__cvta_generic_to_global(p)),
                 "r"(bytes));
#endif
}

/* The same, last to leave it, as ug_load_stream() has what it reads. */
__device__ __forceinline__ void ug_prefetch_kept(const void *p, unsigned bytes)
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    asm volatile("cp.async.bulk.prefetch.L2.global.L2::cache_hint [%0], %1, %2;" ::"l"(
                     __cvta_generic_to_global(p)),
                 "r"(bytes), "l"(ug_keep_policy()));
#endif
}

/* The compiler does not know any more where x came from. */
__device__ __forceinline__ void ug_unknown(float &x) { asm("" : "+f"(x)); }

/* What was read from memory is read again: registers are dearer than shared memory. */
__device__ __forceinline__ void ug_forget() { asm volatile("" ::: "memory"); }

/* 16 bytes of shared memory, read anew every time and in this order. */
__device__ __forceinline__ uint4 ug_load_shared(const uint4 *p)
{
    uint4 w;
    asm volatile("ld.volatile.shared.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(w.x), "=r"(w.y), "=r"(w.z), "=r"(w.w)
                 : "r"((unsigned)__cvta_generic_to_shared(p))
                 : "memory");
    return w;
}

/* 0, of which the compiler does not know that it is the same every time: what is made with it is
 * made anew, as there are no registers to keep it. */
__device__ __forceinline__ unsigned ug_some_zero()
{
    unsigned zero;
    asm volatile("mov.u32 %0, 0;" : "=r"(zero));
    return zero;
}

/* Two floats rounded into one word, the first in its low half. */
__device__ __forceinline__ uint32_t ug_round_two(float a, float b, __half *)
{
    const __half2 two = __floats2half2_rn(a, b);
    uint32_t word;
    memcpy(&word, &two, sizeof word);
    return word;
}
__device__ __forceinline__ uint32_t ug_round_two(float a, float b, __nv_bfloat16 *)
{
    const __nv_bfloat162 two = __floats2bfloat162_rn(a, b);
    uint32_t word;
    memcpy(&word, &two, sizeof word);
    return word;
}

/* From capability 9.0 on, and only code that was compiled for it, see ug_overlaps(): the next
 * launch may begin, and this one goes on once all before it is done and in memory. */
__device__ __forceinline__ void ug_let_next_begin()
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    cudaTriggerProgrammaticLaunchCompletion();
#endif
}
__device__ __forceinline__ void ug_wait_for_all_before()
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    ug_let_next_begin();
    cudaGridDependencySynchronize();
#endif
}

/* About that many nanoseconds. */
__device__ __forceinline__ void ug_pause(unsigned ns)
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    __nanosleep(ns);
#endif
}

/* What the device says of a kernel, asked once for each kernel and shape. */
struct ug_known {
    const void *kernel;
    int64_t block;
    size_t shared;
    int device;
    ug_room room;
};

inline ug_room ug_room_for(const void *kernel, int64_t block, size_t shared)
{
    static thread_local ug_known table[256];
    static thread_local int used;
    int device = 0, multiprocessors = 0, each = 0;
    cudaGetDevice(&device);
    for (int i = 0; i < used; i++)
        if (table[i].kernel == kernel && table[i].block == block && table[i].shared == shared &&
            table[i].device == device)
            return table[i].room;
    cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device);
    if (cudaOccupancyMaxActiveBlocksPerMultiprocessor(&each, kernel, (int)block, shared) !=
        cudaSuccess)
        cudaGetLastError();
    const ug_room room = {multiprocessors, each > 0 ? each : 1};
    if (used < 256) table[used++] = {kernel, block, shared, device, room};
    return room;
}

inline ug_status ug_cuda_failed(ug_args *args, const char *what, cudaError_t e)
{
    snprintf(args->message, sizeof args->message, "%s: %s (%s)", what, cudaGetErrorString(e),
             cudaGetErrorName(e));
    return UG_FAILED;
}

/* Whether the code that runs on this device waits in ug_wait_for_all_before(). All kernels are
 * compiled for the same architectures, so one answers for all. */
inline bool ug_overlaps(const void *kernel)
{
    static thread_local int asked = -1;
    static thread_local bool yes;
    int device = 0;
    cudaGetDevice(&device);
    if (asked == device) return yes;
    cudaFuncAttributes attributes;
    if (cudaFuncGetAttributes(&attributes, kernel) != cudaSuccess) {
        cudaGetLastError();
        return false;
    }
    yes = attributes.ptxVersion >= 90;
    asked = device;
    return yes;
}

/* Starts kernel(a) on args->stream and reads the launch error. More than 48 KiB of dynamic shared
 * memory must be asked for by an attribute first, or the launch fails. */
template <typename A>
ug_status ug_start(ug_args *args, const ug_shape &shape, void (*kernel)(A), const A &a)
{
    constexpr size_t without_asking = 48 * 1024;
    const void *const entry = reinterpret_cast<const void *>(kernel);
    if (shape.shared > without_asking) {
        cudaError_t e = cudaFuncSetAttribute(entry, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                             (int)shape.shared);
        if (e != cudaSuccess) return ug_cuda_failed(args, "cudaFuncSetAttribute", e);
    }
    cudaLaunchConfig_t config = {};
    cudaLaunchAttribute overlap = {};
    overlap.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    overlap.val.programmaticStreamSerializationAllowed = 1;
    config.gridDim = dim3((unsigned)shape.grid);
    config.blockDim = dim3((unsigned)shape.block);
    config.dynamicSmemBytes = shape.shared;
    config.stream = static_cast<cudaStream_t>(args->stream);
    config.attrs = &overlap;
    config.numAttrs = UG_OVERLAPS<A> && ug_overlaps(entry) ? 1 : 0;
    cudaError_t e = cudaLaunchKernelEx(&config, kernel, a);
    if (e == cudaSuccess) e = cudaGetLastError();
    return e == cudaSuccess ? UG_OK : ug_cuda_failed(args, "kernel launch", e);
}
#else
#include "host/cuda_shim.h"
#endif

#include "cuda/overlap.cuh"

#endif
