/* SPDX-License-Identifier: Apache-2.0 */
/* The plugin `cuda`: its memory space, the device's limits and what there is to say about it.
 * Works, with no device to offer, where there is no driver. */
#include <cuda_runtime.h>
#include <stdarg.h>
#include <stdio.h>

#include "cuda/choice.h"
#include "cuda/plan.h"
#include "cuda/registry.h"
#include "cuda/tiles.h"
#include "cuda/timing.h"

static int failed(char *err, size_t cap, const char *what, cudaError_t e)
{
    if (e == cudaSuccess) return 0;
    snprintf(err, cap, "%s: %s (%s)", what, cudaGetErrorString(e), cudaGetErrorName(e));
    cudaGetLastError(); /* reported once, not again by the next launch */
    return -1;
}

static int device_count(void)
{
    int count = 0;
    if (cudaGetDeviceCount(&count) != cudaSuccess) {
        cudaGetLastError();
        return 0;
    }
    return count;
}

static void *space_alloc(size_t bytes, char *err, size_t cap)
{
    void *p = nullptr;
    return failed(err, cap, "cudaMalloc", cudaMalloc(&p, bytes ? bytes : 1)) ? nullptr : p;
}

static void space_free(void *p) { cudaFree(p); }

static int to_device(void *dst, const void *src, size_t bytes, char *err, size_t cap)
{
    return failed(err, cap, "cudaMemcpy to the device",
                  cudaMemcpy(dst, src, bytes, cudaMemcpyHostToDevice));
}

static int to_host(void *dst, const void *src, size_t bytes, char *err, size_t cap)
{
    return failed(err, cap, "cudaMemcpy to the host",
                  cudaMemcpy(dst, src, bytes, cudaMemcpyDeviceToHost));
}

static int synchronize(char *err, size_t cap)
{
    if (failed(err, cap, "cudaDeviceSynchronize", cudaDeviceSynchronize())) return -1;
    return failed(err, cap, "sticky error", cudaGetLastError());
}

static int attribute(cudaDeviceAttr which, int device, int64_t *value, char *err, size_t cap)
{
    int v = 0;
    if (failed(err, cap, "cudaDeviceGetAttribute", cudaDeviceGetAttribute(&v, which, device)))
        return -1;
    *value = v;
    return 0;
}

static int64_t at_most(int64_t wanted, int64_t own)
{
    return wanted > 0 && wanted < own ? wanted : own;
}

int ug_backend_limits(const ug_profile *wanted, ug_profile *limits, char *err, size_t cap)
{
    static const cudaDeviceAttr which[] = {cudaDevAttrMaxGridDimX, cudaDevAttrMaxThreadsPerBlock,
                                           cudaDevAttrMaxSharedMemoryPerBlockOptin,
                                           cudaDevAttrWarpSize};
    /* Asked once a device: a launch pays for no query. */
    static int asked = -1;
    static int64_t own[4];
    int device = 0;
    if (failed(err, cap, "cudaGetDevice", cudaGetDevice(&device))) return -1;
    for (int i = 0; i < 4 && device != asked; i++)
        if (attribute(which[i], device, &own[i], err, cap) != 0) return -1;
    asked = device;
    *limits = {"device", own[0], own[1], own[2], own[3]};
    if (!wanted) return 0;
    /* A profile narrows a device, it cannot widen it. */
    if (wanted->name) limits->name = wanted->name;
    limits->max_grid = at_most(wanted->max_grid, own[0]);
    limits->max_block = at_most(wanted->max_block, own[1]);
    limits->max_shared = at_most(wanted->max_shared, own[2]);
    if (wanted->warp > 0) limits->warp = wanted->warp;
    return 0;
}

bool ug_backend_clusters(void)
{
    static int asked = -1, major = 0;
    int device = 0;
    if (cudaGetDevice(&device) != cudaSuccess) {
        cudaGetLastError();
        return false;
    }
    if (device != asked &&
        cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device) != cudaSuccess) {
        cudaGetLastError();
        return false;
    }
    asked = device;
    return major >= 9;
}

enum { FACTS = 24 };
static struct {
    const char *key;
    char value[160];
} facts[FACTS];
static int fact_count;

__attribute__((format(printf, 2, 3))) static void fact(const char *key, const char *format, ...)
{
    va_list list;
    if (fact_count == FACTS) return;
    facts[fact_count].key = key;
    va_start(list, format);
    vsnprintf(facts[fact_count++].value, sizeof facts[0].value, format, list);
    va_end(list);
}

static void fact_version(const char *key, cudaError_t e, int v)
{
    if (e == cudaSuccess) fact(key, "%d.%d", v / 1000, v % 1000 / 10);
}

static void device_facts(void)
{
    cudaDeviceProp p;
    ug_profile limits;
    char err[160];
    int device = 0;
    if (cudaGetDevice(&device) != cudaSuccess ||
        cudaGetDeviceProperties(&p, device) != cudaSuccess ||
        ug_backend_limits(nullptr, &limits, err, sizeof err) != 0) {
        cudaGetLastError();
        return;
    }
    fact("device", "%s", p.name);
    fact("capability", "%d.%d", p.major, p.minor);
    fact("multiprocessors", "%d", p.multiProcessorCount);
    fact("memory_bytes", "%zu", p.totalGlobalMem);
    fact("l2_bytes", "%d", p.l2CacheSize);
    fact("ecc", "%s", p.ECCEnabled ? "on" : "off");
    fact("max_grid", "%lld", (long long)limits.max_grid);
    fact("max_block", "%lld", (long long)limits.max_block);
    fact("max_shared", "%lld", (long long)limits.max_shared);
    fact("warp", "%lld", (long long)limits.warp);
}

static void gather_facts(void)
{
    int driver = 0, runtime = 0;
    const int count = device_count();
    fact("devices", "%d", count);
    if (count > 0) device_facts();
    cudaError_t e = cudaDriverGetVersion(&driver);
    if (driver == 0)
        fact("driver", "none");
    else
        fact_version("driver", e, driver);
    e = cudaRuntimeGetVersion(&runtime);
    fact_version("runtime", e, runtime);
    fact("compiler", "nvcc %d.%d.%d", __CUDACC_VER_MAJOR__, __CUDACC_VER_MINOR__,
         __CUDACC_VER_BUILD__);
    fact("flags", "%s", UG_BUILD_FLAGS);
    fact("architectures", "%s", UG_BUILD_ARCHS);
    cudaGetLastError();
}

static int describe(int index, const char **key, const char **value)
{
    if (fact_count == 0) gather_facts();
    if (index < 0 || index >= fact_count) return 0;
    *key = facts[index].key;
    *value = facts[index].value;
    return 1;
}

extern "C" __attribute__((visibility("default"))) const ug_plugin *ulpgate_plugin(void)
{
    static const ug_space space = {sizeof(ug_space), "cuda",        device_count, space_alloc,
                                   space_free,       to_device,     to_host,      synchronize,
                                   &ug_cuda_timing,  &ug_cuda_tiles};
    static ug_plugin plugin = {UG_ABI_VERSION, sizeof(ug_plugin), "cuda", 0, describe, &space, 0,
                               nullptr};
    if (plugin.count == 0) plugin.count = ug_registry(&plugin.kernels);
    return &plugin;
}
