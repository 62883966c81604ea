/* SPDX-License-Identifier: Apache-2.0 */
/* The runtime API on host memory: memory, streams, errors, attributes. */
#ifndef ULPGATE_HOST_CUDA_API_H
#define ULPGATE_HOST_CUDA_API_H

#include <stdlib.h>
#include <string.h>

struct uint3 {
    unsigned x, y, z;
};

struct dim3 {
    unsigned x, y, z;
    constexpr dim3(unsigned x_ = 1, unsigned y_ = 1, unsigned z_ = 1) : x(x_), y(y_), z(z_) {}
    constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
    constexpr operator uint3() const { return {x, y, z}; }
};

constexpr int warpSize = 32;

enum cudaError {
    cudaSuccess = 0,
    cudaErrorInvalidValue = 1,
    cudaErrorMemoryAllocation = 2,
    cudaErrorInvalidConfiguration = 9,
    cudaErrorLaunchFailure = 719
};
using cudaError_t = cudaError;
using cudaStream_t = struct CUstream_st *;
enum cudaMemcpyKind {
    cudaMemcpyHostToHost,
    cudaMemcpyHostToDevice,
    cudaMemcpyDeviceToHost,
    cudaMemcpyDeviceToDevice,
    cudaMemcpyDefault
};
enum cudaFuncAttribute {
    cudaFuncAttributeMaxDynamicSharedMemorySize,
    cudaFuncAttributePreferredSharedMemoryCarveout
};
enum cudaDeviceAttr {
    cudaDevAttrMaxThreadsPerBlock,
    cudaDevAttrMaxGridDimX,
    cudaDevAttrMaxSharedMemoryPerBlock,
    cudaDevAttrMaxSharedMemoryPerBlockOptin,
    cudaDevAttrWarpSize,
    cudaDevAttrMultiProcessorCount,
    cudaDevAttrComputeCapabilityMajor,
    cudaDevAttrComputeCapabilityMinor
};
struct cudaDeviceProp {
    char name[256];
    size_t totalGlobalMem, sharedMemPerBlock, sharedMemPerBlockOptin, sharedMemPerMultiprocessor;
    int maxThreadsPerBlock, maxThreadsPerMultiProcessor, multiProcessorCount, warpSize;
    int major, minor, l2CacheSize, maxGridSize[3], maxThreadsDim[3];
};

/* Of the failed launch, and text for it; reading clears. */
cudaError_t cudaGetLastError();
cudaError_t cudaPeekAtLastError();
const char *cudaGetErrorString(cudaError_t e);
const char *cudaGetErrorName(cudaError_t e);
cudaError_t cudaDeviceGetAttribute(int *value, cudaDeviceAttr which, int device);
cudaError_t cudaGetDeviceProperties(cudaDeviceProp *p, int device);

namespace ug_host
{
/* Dynamic shared memory beyond 48 KiB has to be asked for first, as on a device. */
cudaError_t allow_shared(int bytes);
} // namespace ug_host

template <typename F>
static inline cudaError_t cudaFuncSetAttribute(F *, cudaFuncAttribute which, int value)
{
    return which == cudaFuncAttributeMaxDynamicSharedMemorySize ? ug_host::allow_shared(value)
                                                                : cudaSuccess;
}

static inline cudaError_t cudaMalloc(void **p, size_t bytes)
{
    *p = aligned_alloc(256, (bytes + 255) / 256 * 256 + 256);
    return *p ? cudaSuccess : cudaErrorMemoryAllocation;
}
template <typename T> static inline cudaError_t cudaMalloc(T **p, size_t bytes)
{
    void *q = nullptr;
    const cudaError_t e = cudaMalloc(&q, bytes);
    *p = static_cast<T *>(q);
    return e;
}
static inline cudaError_t cudaFree(void *p) { return free(p), cudaSuccess; }
static inline cudaError_t cudaMemcpy(void *to, const void *from, size_t bytes, cudaMemcpyKind)
{
    return memcpy(to, from, bytes), cudaSuccess;
}
static inline cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes,
                                          cudaMemcpyKind kind, cudaStream_t = nullptr)
{
    return cudaMemcpy(to, from, bytes, kind);
}
static inline cudaError_t cudaMemset(void *p, int value, size_t bytes)
{
    return memset(p, value, bytes), cudaSuccess;
}
static inline cudaError_t cudaMemsetAsync(void *p, int value, size_t bytes, cudaStream_t = nullptr)
{
    return cudaMemset(p, value, bytes);
}
template <typename T>
static inline cudaError_t cudaMemcpyToSymbol(T &to, const void *from, size_t bytes,
                                             size_t offset = 0,
                                             cudaMemcpyKind = cudaMemcpyHostToDevice)
{
    return memcpy(reinterpret_cast<char *>(&to) + offset, from, bytes), cudaSuccess;
}
static inline cudaError_t cudaDeviceSynchronize() { return cudaPeekAtLastError(); }
static inline cudaError_t cudaStreamSynchronize(cudaStream_t) { return cudaPeekAtLastError(); }
static inline cudaError_t cudaStreamCreate(cudaStream_t *s) { return *s = nullptr, cudaSuccess; }
static inline cudaError_t cudaStreamDestroy(cudaStream_t) { return cudaSuccess; }
static inline cudaError_t cudaGetDevice(int *device) { return *device = 0, cudaSuccess; }
static inline cudaError_t cudaSetDevice(int device)
{
    return device == 0 ? cudaSuccess : cudaErrorInvalidValue;
}
static inline cudaError_t cudaGetDeviceCount(int *count) { return *count = 1, cudaSuccess; }
/* One block at a time says nothing about a device; it makes grids of at least one wave. */
template <typename F>
static inline cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, F *, int,
                                                                        size_t)
{
    return *blocks = 1, cudaSuccess;
}

#endif
