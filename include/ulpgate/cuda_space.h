/* SPDX-License-Identifier: Apache-2.0 */
/* The memory space of a CUDA plugin, for C++ or CUDA sources that link the CUDA runtime.
 *
 * `plugin.space = ug_cuda_space();` is all that a plugin needs: the judge then places inputs and
 * outputs in device memory, and skips the plugin (77) where there is no device. Launches go to
 * args->stream; the judge waits for the device after every launch, and reports what that says.
 */
#ifndef ULPGATE_CUDA_SPACE_H
#define ULPGATE_CUDA_SPACE_H

#include <cuda_runtime.h>
#include <stdio.h>

#include "ulpgate/kernel.h"

/* 0, or -1 with the error's text in err; the error is cleared, so that the next launch does not
 * report it again. */
static inline int ug_cuda_space_failed(const char *what, cudaError_t e, char *err, size_t cap)
{
    if (e == cudaSuccess) return 0;
    snprintf(err, cap, "%s: %s (%s)", what, cudaGetErrorString(e), cudaGetErrorName(e));
    cudaGetLastError();
    return -1;
}

static inline int ug_cuda_space_count(void)
{
    int count = 0;
    if (cudaGetDeviceCount(&count) == cudaSuccess) return count;
    cudaGetLastError();
    return 0;
}

static inline void *ug_cuda_space_alloc(size_t bytes, char *err, size_t cap)
{
    void *p = NULL;
    const cudaError_t e = cudaMalloc(&p, bytes ? bytes : 1);
    return ug_cuda_space_failed("cudaMalloc", e, err, cap) ? NULL : p;
}

static inline void ug_cuda_space_free(void *p) { cudaFree(p); }

static inline int ug_cuda_space_to_device(void *dst, const void *src, size_t bytes, char *err,
                                          size_t cap)
{
    const cudaError_t e = cudaMemcpy(dst, src, bytes, cudaMemcpyHostToDevice);
    return ug_cuda_space_failed("cudaMemcpy to the device", e, err, cap);
}

static inline int ug_cuda_space_to_host(void *dst, const void *src, size_t bytes, char *err,
                                        size_t cap)
{
    const cudaError_t e = cudaMemcpy(dst, src, bytes, cudaMemcpyDeviceToHost);
    return ug_cuda_space_failed("cudaMemcpy to the host", e, err, cap);
}

static inline int ug_cuda_space_synchronize(char *err, size_t cap)
{
    if (ug_cuda_space_failed("cudaDeviceSynchronize", cudaDeviceSynchronize(), err, cap)) return -1;
    return ug_cuda_space_failed("sticky error", cudaGetLastError(), err, cap);
}

/* Lives until the process ends. */
static inline const ug_space *ug_cuda_space(void)
{
    static const ug_space space = {sizeof(ug_space),
                                   "cuda",
                                   ug_cuda_space_count,
                                   ug_cuda_space_alloc,
                                   ug_cuda_space_free,
                                   ug_cuda_space_to_device,
                                   ug_cuda_space_to_host,
                                   ug_cuda_space_synchronize,
                                   NULL};
    return &space;
}

#endif
