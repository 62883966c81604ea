/* SPDX-License-Identifier: Apache-2.0 */
/* Launches of rewritten sources: three dimensions on the executor's one, limits, and errors. Never
 * instrumented: what it keeps a thread is not the kernel's. */
#include "host/cuda/launch.h"

#include <stdarg.h>

#include "host/cuda/runtime.h"

namespace
{
constexpr size_t without_asking = 48 * 1024;

/* Of the launch that is being judged on this thread. */
struct state {
    ug_args *args = nullptr;
    size_t allowed = without_asking;
    cudaError_t error = cudaSuccess;
    char message[UG_EXEC_MESSAGE] = "";
};
thread_local state now;

struct call {
    const ug_host::shape *shape;
    void (*body)(void *);
    void *arg;
};
/* Of the launch whose blocks this OS thread runs. */
thread_local const ug_host::shape *running;

/* Those of current devices. A case's profile is for kernels that plan by it: the launcher of a user
 * asks the device, if anyone. */
constexpr ug_profile limits = {"device", INT32_MAX, 1024, 227 * 1024, 32};

__attribute__((format(printf, 1, 2))) void fail(const char *format, ...)
{
    va_list list;
    if (now.error != cudaSuccess) return; /* the first one tells the cause */
    now.error = cudaErrorLaunchFailure;
    va_start(list, format);
    vsnprintf(now.message, sizeof now.message, format, list);
    va_end(list);
}

/* What the executor's own check cannot see: it knows one dimension. */
bool fits(const ug_host::shape &s)
{
    const uint64_t block = (uint64_t)s.block.x * s.block.y * s.block.z;
    const uint64_t grid = (uint64_t)s.grid.x * s.grid.y * s.grid.z;
    if (block < 1 || block > 1024 || s.block.z > 64)
        fail("a block of %u x %u x %u threads, the limit is 1024 in all and 64 along z", s.block.x,
             s.block.y, s.block.z);
    else if (grid < 1 || s.grid.y > 65535 || s.grid.z > 65535 || grid > INT32_MAX)
        fail("a grid of %u x %u x %u blocks, the limit is 2^31 - 1 in all and 65535 along y and z",
             s.grid.x, s.grid.y, s.grid.z);
    else if (s.shared > now.allowed)
        fail("%zu bytes of dynamic shared memory: more than %zu need "
             "cudaFuncSetAttribute(MaxDynamicSharedMemorySize)",
             s.shared, now.allowed);
    else
        return true;
    return false;
}

void enter(void *p)
{
    const call *c = static_cast<const call *>(p);
    running = c->shape;
    c->body(c->arg);
}

uint3 split(unsigned i, const dim3 &d)
{
    if (d.y == 1 && d.z == 1) return {i, 0, 0};
    return {i % d.x, i / d.x % d.y, i / d.x / d.y};
}
} // namespace

uint3 ug_host::threadIdx() { return split(ug_exec_thread()->thread, running->block); }
uint3 ug_host::blockIdx() { return split(ug_exec_thread()->block, running->grid); }
dim3 ug_host::blockDim() { return running->block; }
dim3 ug_host::gridDim() { return running->grid; }

void ug_host::launch(const shape &s, void (*body)(void *), void *arg)
{
    char message[UG_EXEC_MESSAGE] = "";
    call c = {&s, body, arg};
    if (!fits(s)) return;
    const ug_exec_launch l = {(int64_t)s.grid.x * s.grid.y * s.grid.z,
                              (int64_t)s.block.x * s.block.y * s.block.z,
                              1,
                              s.shared,
                              limits,
                              now.args ? now.args->variation : 0,
                              now.args ? now.args->threads : 0,
                              enter,
                              &c};
    if (ug_exec_run(&l, message) != 0) fail("%s", message);
}

cudaError_t ug_host::allow_shared(int bytes)
{
    if (bytes < 0 || bytes > limits.max_shared) return cudaErrorInvalidValue;
    if ((size_t)bytes > now.allowed) now.allowed = (size_t)bytes;
    return cudaSuccess;
}

void ug_host_begin(ug_args *args)
{
    now = state();
    now.args = args;
}

ug_status ug_host_end(ug_args *args, ug_status status)
{
    /* A device would tell at the next synchronisation, whether the launcher looked or not. */
    if (now.message[0] && status != UG_DECLINED) {
        snprintf(args->message, sizeof args->message, "%s", now.message);
        status = UG_FAILED;
    }
    now.args = nullptr;
    return status;
}

cudaError_t cudaPeekAtLastError() { return now.error; }

cudaError_t cudaGetLastError()
{
    const cudaError_t e = now.error;
    now.error = cudaSuccess;
    return e;
}

const char *cudaGetErrorString(cudaError_t e)
{
    if (e == cudaSuccess) return "no error";
    if (e == cudaErrorLaunchFailure && now.message[0]) return now.message;
    return e == cudaErrorMemoryAllocation ? "out of memory" : "invalid argument";
}

const char *cudaGetErrorName(cudaError_t e)
{
    switch (e) {
    case cudaSuccess:
        return "cudaSuccess";
    case cudaErrorMemoryAllocation:
        return "cudaErrorMemoryAllocation";
    case cudaErrorInvalidConfiguration:
        return "cudaErrorInvalidConfiguration";
    case cudaErrorLaunchFailure:
        return "cudaErrorLaunchFailure";
    default:
        return "cudaErrorInvalidValue";
    }
}

cudaError_t cudaGetDeviceProperties(cudaDeviceProp *p, int device)
{
    if (device != 0) return cudaErrorInvalidValue;
    *p = {};
    snprintf(p->name, sizeof p->name, "CPU executor");
    p->sharedMemPerBlock = without_asking;
    p->sharedMemPerBlockOptin = p->sharedMemPerMultiprocessor = (size_t)limits.max_shared;
    p->maxThreadsPerBlock = (int)limits.max_block;
    p->maxThreadsPerMultiProcessor = 2048;
    p->multiProcessorCount = 1;
    p->warpSize = 32;
    p->major = 9;
    p->maxGridSize[0] = (int)limits.max_grid;
    p->maxGridSize[1] = p->maxGridSize[2] = 65535;
    p->maxThreadsDim[0] = p->maxThreadsDim[1] = 1024;
    p->maxThreadsDim[2] = 64;
    return cudaSuccess;
}

cudaError_t cudaDeviceGetAttribute(int *value, cudaDeviceAttr which, int device)
{
    cudaDeviceProp p;
    const cudaError_t e = cudaGetDeviceProperties(&p, device);
    if (e != cudaSuccess) return e;
    const int values[] = {p.maxThreadsPerBlock,
                          p.maxGridSize[0],
                          (int)p.sharedMemPerBlock,
                          (int)p.sharedMemPerBlockOptin,
                          p.warpSize,
                          p.multiProcessorCount,
                          p.major,
                          p.minor};
    if ((size_t)which >= sizeof values / sizeof *values) return cudaErrorInvalidValue;
    *value = values[which];
    return cudaSuccess;
}
