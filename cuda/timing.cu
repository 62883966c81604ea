/* SPDX-License-Identifier: Apache-2.0 */
/* Timing on a CUDA device: graphs, their replay between two events, and copies as a yardstick. */
#include "cuda/timing.h"

#include <cuda_runtime.h>
#include <stdio.h>

static int failed(char *err, size_t cap, const char *what, cudaError_t e)
{
    if (e == cudaSuccess) return 0;
    snprintf(err, cap, "%s: %s (%s)", what, cudaGetErrorString(e), cudaGetErrorName(e));
    cudaGetLastError();
    return -1;
}

static size_t cache_bytes(void)
{
    int device = 0, bytes = 0;
    if (cudaGetDevice(&device) == cudaSuccess &&
        cudaDeviceGetAttribute(&bytes, cudaDevAttrL2CacheSize, device) == cudaSuccess && bytes > 0)
        return (size_t)bytes;
    cudaGetLastError();
    return 0;
}

static void *stream_make(char *err, size_t cap)
{
    cudaStream_t stream = nullptr;
    const cudaError_t e = cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    return failed(err, cap, "cudaStreamCreate", e) ? nullptr : stream;
}

static void stream_free(void *stream) { cudaStreamDestroy(static_cast<cudaStream_t>(stream)); }

/* Relaxed: a kernel may set an attribute or ask for its occupancy while it is recorded. */
static int capture(void *stream, char *err, size_t cap)
{
    return failed(
        err, cap, "cudaStreamBeginCapture",
        cudaStreamBeginCapture(static_cast<cudaStream_t>(stream), cudaStreamCaptureModeRelaxed));
}

static void *captured(void *stream, char *err, size_t cap)
{
    cudaGraph_t graph = nullptr;
    cudaGraphExec_t ready = nullptr;
    cudaError_t e = cudaStreamEndCapture(static_cast<cudaStream_t>(stream), &graph);
    if (failed(err, cap, "cudaStreamEndCapture", e)) return nullptr;
    e = cudaGraphInstantiate(&ready, graph, 0);
    cudaGraphDestroy(graph);
    return failed(err, cap, "cudaGraphInstantiate", e) ? nullptr : ready;
}

static void graph_free(void *graph) { cudaGraphExecDestroy(static_cast<cudaGraphExec_t>(graph)); }

/* Keeps the device busy for some 50 us, so that both events and the graph are in its queue before
 * the first event is reached: the host's time to submit them is in no measurement. */
__global__ void ug_hold(long long cycles)
{
    const long long start = clock64();
    while (clock64() - start < cycles) continue;
}

static cudaError_t timed(cudaGraphExec_t graph, cudaStream_t stream, cudaEvent_t first,
                         cudaEvent_t last, float *ms)
{
    ug_hold<<<1, 1, 0, stream>>>(100000);
    cudaError_t e = cudaGetLastError();
    if (e == cudaSuccess) e = cudaEventRecord(first, stream);
    if (e == cudaSuccess) e = cudaGraphLaunch(graph, stream);
    if (e == cudaSuccess) e = cudaEventRecord(last, stream);
    if (e == cudaSuccess) e = cudaStreamSynchronize(stream);
    if (e == cudaSuccess) e = cudaEventElapsedTime(ms, first, last);
    return e;
}

static int replay(void *graph, void *stream, double *us, char *err, size_t cap)
{
    static cudaEvent_t first, last;
    float ms = 0;
    if (!first && failed(err, cap, "cudaEventCreate", cudaEventCreate(&first))) return -1;
    if (!last && failed(err, cap, "cudaEventCreate", cudaEventCreate(&last))) return -1;
    if (failed(err, cap, "replay of a graph",
               timed(static_cast<cudaGraphExec_t>(graph), static_cast<cudaStream_t>(stream), first,
                     last, &ms)))
        return -1;
    *us = 1e3 * (double)ms;
    return 0;
}

enum { COPY_THREADS = 256, COPY_FLIGHT = 4 };

/* Each thread keeps COPY_FLIGHT vectors of 16 bytes in flight; a block copies one contiguous piece.
 * Streaming loads and stores: nothing of it is used again. */
__global__ void __launch_bounds__(COPY_THREADS)
    ug_copy16(uint4 *dst, const uint4 *src, size_t count)
{
    const size_t first = (size_t)blockIdx.x * (COPY_THREADS * COPY_FLIGHT) + threadIdx.x;
    uint4 v[COPY_FLIGHT];
#pragma unroll
    for (int k = 0; k < COPY_FLIGHT; k++)
        if (first + k * COPY_THREADS < count) v[k] = __ldcs(src + first + k * COPY_THREADS);
#pragma unroll
    for (int k = 0; k < COPY_FLIGHT; k++)
        if (first + k * COPY_THREADS < count) __stcs(dst + first + k * COPY_THREADS, v[k]);
}

static const char *copy_name(int way)
{
    static const char *const names[] = {"memcpy", "copy16"};
    return way >= 0 && way < 2 ? names[way] : nullptr;
}

/* The vector kernel leaves what does not fill 16 bytes, and what is not aligned to them, to
 * cudaMemcpyAsync. */
static int copy(int way, void *dst, const void *src, size_t bytes, void *stream, char *err,
                size_t cap)
{
    const cudaStream_t on = static_cast<cudaStream_t>(stream);
    const bool aligned = ((uintptr_t)dst | (uintptr_t)src) % 16 == 0;
    const size_t count = way == 1 && aligned ? bytes / 16 : 0, done = 16 * count;
    constexpr size_t piece = COPY_THREADS * COPY_FLIGHT;
    if (count > 0) {
        ug_copy16<<<(unsigned)((count + piece - 1) / piece), COPY_THREADS, 0, on>>>(
            static_cast<uint4 *>(dst), static_cast<const uint4 *>(src), count);
        if (failed(err, cap, "copy kernel", cudaGetLastError())) return -1;
    }
    if (done == bytes) return 0;
    return failed(err, cap, "cudaMemcpyAsync",
                  cudaMemcpyAsync(static_cast<char *>(dst) + done,
                                  static_cast<const char *>(src) + done, bytes - done,
                                  cudaMemcpyDeviceToDevice, on));
}

extern const ug_timing ug_cuda_timing = {sizeof(ug_timing), cache_bytes, stream_make, stream_free,
                                         capture,           captured,    graph_free,  replay,
                                         copy_name,         copy};
