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

/* `extern __shared__ T x[]` and static shared arrays cannot share one spelling across compilers,
 * hence two macros: an array of `count` T, and the dynamic shared memory of the launch as T. */
#define UG_SHARED(T, name, count) __shared__ T name[count]
#define UG_DYNAMIC_SHARED(T, name)                                                                 \
    extern __shared__ __align__(16) unsigned char ug_dynamic_shared[];                             \
    T *name = reinterpret_cast<T *>(ug_dynamic_shared)

/* __shfl_down_sync of a struct of 32-bit members over the whole warp. */
template <typename S> __device__ __forceinline__ S ug_shuffle_down(S v, unsigned delta)
{
    static_assert(sizeof(S) % 4 == 0, "32-bit members only");
    uint32_t word[sizeof(S) / 4];
    memcpy(word, &v, sizeof v);
#pragma unroll
    for (unsigned i = 0; i < sizeof(S) / 4; i++)
        word[i] = __shfl_down_sync(UG_ALL_LANES, word[i], delta);
    memcpy(&v, word, sizeof v);
    return v;
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
