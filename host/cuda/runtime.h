/* SPDX-License-Identifier: Apache-2.0 */
/* The part of CUDA that ulpgate's CPU executor offers to sources that ulpgate-rewrite has written.
 *
 * Arithmetic is IEEE, one operation a rounding: numbers are those of a device build with
 * -fmad=false. Approximate functions (rsqrtf, __expf, __fdividef...) return the correctly rounded
 * value or the C library's; a device's may be off by what its documentation says. Device memory is
 * host memory, a stream is complete when a launch returns. What is missing here does not compile.
 */
#ifndef ULPGATE_HOST_CUDA_RUNTIME_H
#define ULPGATE_HOST_CUDA_RUNTIME_H

#define ULPGATE_HOST_CUDA 1

#include <assert.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <type_traits>

#include "cuda/gpu.cuh"

/* In rewritten sources these are functions, and fmaxf is C's. */
#undef threadIdx
#undef blockIdx
#undef blockDim
#undef gridDim
#undef fmaxf

#define __constant__
#define __noinline__ __attribute__((noinline))
#define __align__(n) alignas(n)
#define __grid_constant__
#define __builtin_assume(x)
#ifndef __restrict__
#define __restrict__ __restrict
#endif

#include "host/cuda/api.h"
#include "host/cuda/device.h"
#include "host/cuda/vectors.h"

namespace ug_host
{
uint3 threadIdx();
uint3 blockIdx();
dim3 blockDim();
dim3 gridDim();

template <typename T> inline T *dynamic_shared()
{
    return reinterpret_cast<T *>(ug_exec_thread()->dynamic);
}

/* The place of the declaration that `key` stands for, in the shared memory of this block. */
template <typename T> inline T &static_shared(const void *key, size_t align)
{
    const size_t own = alignof(T);
    return *static_cast<T *>(ug_exec_shared(key, sizeof(T), align > own ? align : own));
}

struct shape {
    dim3 grid, block;
    size_t shared;
};

/* Runs body(arg) once a GPU thread, under the limits of the launch that is being judged. A failure
 * is kept for cudaGetLastError(). */
void launch(const shape &s, void (*body)(void *), void *arg);

/* kernel(f)(grid, block, shared, stream)(arguments): arguments are evaluated and copied once. */
template <typename F> struct configured {
    const F &f;
    shape s;

    template <typename... A> void operator()(A... a) const
    {
        auto body = [&] { f(a...); };
        launch(
            s, [](void *p) { (*static_cast<decltype(body) *>(p))(); }, &body);
    }
};

template <typename F> struct named {
    F f;

    configured<F> operator()(dim3 grid, dim3 block, size_t shared = 0,
                             cudaStream_t stream = nullptr) const
    {
        (void)stream;
        return {f, {grid, block, shared}};
    }
};

template <typename F> inline named<F> kernel(F f) { return {f}; }
} // namespace ug_host

#endif
