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

constexpr unsigned UG_WARP = 32, UG_ALL_LANES = 0xffffffffu;

#ifdef __CUDACC__
#include <cuda_bf16.h>
#include <cuda_fp16.h>

/* Before a loop whose index names registers. */
#define UG_UNROLL _Pragma("unroll")
/* Before a loop whose body is to stand in the code once. */
#define UG_ROLLED _Pragma("unroll 1")

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

/* What no thread of the launch writes. */
template <typename T> __device__ __forceinline__ T ug_load_constant(const T *p) { return __ldg(p); }

/* 16 bytes that will not be used again soon. */
__device__ __forceinline__ uint4 ug_load_stream(const uint4 *p) { return __ldcs(p); }
__device__ __forceinline__ void ug_store_stream(uint4 *p, uint4 v) { __stcs(p, v); }

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

/* Blocks of the kernel that the device can hold at once; asked once for each kernel and shape. */
inline int64_t ug_resident(const void *kernel, int64_t block, size_t shared)
{
    struct known {
        const void *kernel;
        int64_t block, count;
        size_t shared;
        int device;
    };
    static known table[256];
    static int used;
    int device = 0, multiprocessors = 0, each = 0;
    cudaGetDevice(&device);
    for (int i = 0; i < used; i++)
        if (table[i].kernel == kernel && table[i].block == block && table[i].shared == shared &&
            table[i].device == device)
            return table[i].count;
    cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device);
    if (cudaOccupancyMaxActiveBlocksPerMultiprocessor(&each, kernel, (int)block, shared) !=
        cudaSuccess)
        cudaGetLastError();
    const int64_t count = (int64_t)multiprocessors * (each > 0 ? each : 1);
    if (used < 256) table[used++] = {kernel, block, count, shared, device};
    return count;
}

inline ug_status ug_cuda_failed(ug_args *args, const char *what, cudaError_t e)
{
    snprintf(args->message, sizeof args->message, "%s: %s (%s)", what, cudaGetErrorString(e),
             cudaGetErrorName(e));
    return UG_FAILED;
}

/* Starts kernel(a) on args->stream and reads the launch error. More than 48 KiB of dynamic shared
 * memory must be asked for by an attribute first, or the launch fails. */
template <typename A>
ug_status ug_start(ug_args *args, const ug_shape &shape, void (*kernel)(A), const A &a)
{
    constexpr size_t without_asking = 48 * 1024;
    if (shape.shared > without_asking) {
        cudaError_t e =
            cudaFuncSetAttribute(reinterpret_cast<const void *>(kernel),
                                 cudaFuncAttributeMaxDynamicSharedMemorySize, (int)shape.shared);
        if (e != cudaSuccess) return ug_cuda_failed(args, "cudaFuncSetAttribute", e);
    }
    kernel<<<(unsigned)shape.grid, (unsigned)shape.block, shape.shared,
             static_cast<cudaStream_t>(args->stream)>>>(a);
    cudaError_t e = cudaGetLastError();
    return e == cudaSuccess ? UG_OK : ug_cuda_failed(args, "kernel launch", e);
}
#else
#include "host/cuda_shim.h"
#endif

#endif
