/* SPDX-License-Identifier: Apache-2.0 */
/* Clusters of blocks and bulk copies into shared memory, as a device of capability 9.0 has them.
 * The executor's side is host/cluster_shim.h. */
#ifndef ULPGATE_CUDA_CLUSTER_CUH
#define ULPGATE_CUDA_CLUSTER_CUH

#include "cuda/gpu.cuh"

#ifdef __CUDACC__
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
#define UG_HAVE_CLUSTERS 1
#else
#define UG_HAVE_CLUSTERS 0
#endif

#if UG_HAVE_CLUSTERS
__device__ __forceinline__ unsigned ug_cluster_rank() { return __clusterRelativeBlockRank(); }

/* Everybody's stores to shared memory, their own and others', before it are seen after it. */
__device__ __forceinline__ void ug_cluster_sync()
{
    __cluster_barrier_arrive();
    __cluster_barrier_wait();
}

/* Counts bytes that have come, after `count` threads have said how many; used for one turn after
 * the other. */
using ug_arrivals = unsigned long long;

__device__ __forceinline__ unsigned ug_shared_address(const void *p)
{
    return (unsigned)__cvta_generic_to_shared(p);
}

__device__ __forceinline__ void ug_arrivals_open(ug_arrivals *a, unsigned count = 1)
{
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(ug_shared_address(a)), "r"(count)
                 : "memory");
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

/* One thread says how many bytes the others will put. */
__device__ __forceinline__ void ug_arrivals_expect(ug_arrivals *a, unsigned bytes)
{
    asm volatile(
        "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(ug_shared_address(a)),
        "r"(bytes)
        : "memory");
}

/* 16 bytes into the shared memory of block `to` of the cluster, at the place that is `slot` here;
 * its arrivals at the place of `a` count them. Unlike a barrier of the cluster this waits for no
 * store to global memory. */
__device__ __forceinline__ void ug_cluster_put(unsigned to, const void *slot, uint4 v,
                                               const ug_arrivals *a)
{
    asm volatile("{ .reg .b32 there, count;\n"
                 "mapa.shared::cluster.u32 there, %0, %2;\n"
                 "mapa.shared::cluster.u32 count, %1, %2;\n"
                 "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v4.b32 [there], "
                 "{%3, %4, %5, %6}, [count]; }" ::"r"(ug_shared_address(slot)),
                 "r"(ug_shared_address(a)), "r"(to), "r"(v.x), "r"(v.y), "r"(v.z), "r"(v.w)
                 : "memory");
}
#define UG_SHARED_PUT(to, name, index, value, arrivals)                                            \
    ug_cluster_put(to, name + (index), value, arrivals)

/* One thread asks for `bytes` bytes from global memory, both addresses and the size multiples of
 * 16; 0 bytes arrive at once. The block has read what was there before, and passed a barrier. */
__device__ __forceinline__ void ug_bulk_load(uint4 *to, const void *from, unsigned bytes,
                                             ug_arrivals *a)
{
    ug_arrivals_expect(a, bytes);
    if (bytes)
        asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes"
                     ".L2::cache_hint [%0], [%1], %2, [%3], %4;" ::"r"(ug_shared_address(to)),
                     "l"(from), "r"(bytes), "r"(ug_shared_address(a)), "l"(ug_keep_policy())
                     : "memory");
}

/* What the threads of a block stored before it is seen by its first warp, which waits for them. */
__device__ __forceinline__ void ug_block_gather(unsigned threads)
{
    if (threadIdx.x < UG_WARP)
        asm volatile("bar.sync 1, %0;" ::"r"(threads) : "memory");
    else
        asm volatile("bar.arrive 1, %0;" ::"r"(threads) : "memory");
}

/* One more, for a counter in global memory; returns what it was. */
__device__ __forceinline__ unsigned ug_draw_one(unsigned *counter)
{
    return atomicAdd(counter, 1u);
}

/* Waits for all that was asked for, or put, for the turn'th time with this counter. */
__device__ __forceinline__ void ug_arrivals_wait(ug_arrivals *a, unsigned turn)
{
    unsigned done = 0;
    while (!done)
        asm volatile("{ .reg .pred p;\n"
                     "mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\n"
                     "selp.u32 %0, 1, 0, p; }"
                     : "=r"(done)
                     : "r"(ug_shared_address(a)), "r"(turn & 1u)
                     : "memory");
}
#endif

/* Clusters of `parts` blocks; *most gets how many the device can hold at once, 0 where it cannot.
 */
template <typename A>
cudaError_t ug_cluster_config(const ug_shape &shape, unsigned parts, void (*kernel)(A),
                              cudaLaunchConfig_t *config, cudaLaunchAttribute *attribute)
{
    *config = {};
    config->gridDim = dim3((unsigned)shape.grid);
    config->blockDim = dim3((unsigned)shape.block);
    config->dynamicSmemBytes = shape.shared;
    attribute->id = cudaLaunchAttributeClusterDimension;
    attribute->val.clusterDim = {parts, 1, 1};
    config->attrs = attribute;
    config->numAttrs = 1;
    const void *function = reinterpret_cast<const void *>(kernel);
    cudaError_t e = cudaFuncSetAttribute(function, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                         (int)shape.shared);
    if (e == cudaSuccess && parts > 8)
        e = cudaFuncSetAttribute(function, cudaFuncAttributeNonPortableClusterSizeAllowed, 1);
    return e;
}

/* Blocks in clusters that the device can hold at once; 0: none. Asked once for each shape. */
template <typename A>
int64_t ug_cluster_resident(const ug_shape &shape, unsigned parts, void (*kernel)(A))
{
    struct known {
        void (*kernel)(A);
        int64_t block, count;
        size_t shared;
        unsigned parts;
    };
    static known table[256];
    static int used;
    for (int i = 0; i < used; i++)
        if (table[i].kernel == kernel && table[i].block == shape.block &&
            table[i].shared == shape.shared && table[i].parts == parts)
            return table[i].count;
    cudaLaunchConfig_t config;
    cudaLaunchAttribute attribute;
    ug_shape one = shape;
    one.grid = parts;
    int clusters = 0;
    if (ug_cluster_config(one, parts, kernel, &config, &attribute) != cudaSuccess ||
        cudaOccupancyMaxActiveClusters(&clusters, reinterpret_cast<const void *>(kernel),
                                       &config) != cudaSuccess) {
        cudaGetLastError();
        clusters = 0;
    }
    const int64_t count = (int64_t)clusters * parts;
    if (used < 256) table[used++] = {kernel, shape.block, count, shape.shared, parts};
    return count;
}

template <typename A>
ug_status ug_start_clusters(ug_args *args, const ug_shape &shape, unsigned parts, void (*kernel)(A),
                            const A &a)
{
    cudaLaunchConfig_t config;
    cudaLaunchAttribute attribute[2] = {};
    cudaError_t e = ug_cluster_config(shape, parts, kernel, &config, attribute);
    if (e != cudaSuccess) return ug_cuda_failed(args, "cudaFuncSetAttribute", e);
    attribute[1].id = cudaLaunchAttributeProgrammaticStreamSerialization;
    attribute[1].val.programmaticStreamSerializationAllowed = 1;
    if (UG_OVERLAPS<A> && ug_overlaps(reinterpret_cast<const void *>(kernel))) config.numAttrs = 2;
    config.stream = static_cast<cudaStream_t>(args->stream);
    e = cudaLaunchKernelEx(&config, kernel, a);
    if (e == cudaSuccess) e = cudaGetLastError();
    return e == cudaSuccess ? UG_OK : ug_cuda_failed(args, "cluster launch", e);
}

#else
#define UG_HAVE_CLUSTERS 1
#include "host/cluster_shim.h"
#endif

#endif
