/* SPDX-License-Identifier: Apache-2.0 */
/* Clusters and bulk copies on the executor: the blocks of a cluster run together; a bulk copy is
 * made at once by the thread that asks for it, and every wait is a barrier of the cluster. */
#ifndef ULPGATE_HOST_CLUSTER_SHIM_H
#define ULPGATE_HOST_CLUSTER_SHIM_H

#include "host/cuda_shim.h"

static inline unsigned ug_cluster_rank() { return UG_SHIM_THREAD.block % UG_SHIM_THREAD.cluster; }
static inline void ug_cluster_sync() { ug_exec_cluster_barrier(); }

#define UG_SHARED_PUT(to, name, index, value, arrivals)                                            \
    memcpy(static_cast<uint4 *>(ug_exec_shared_of(to, &name##_key, name##_bytes, 16)) + (index),   \
           &(value), 16)

using ug_arrivals = unsigned long long;
static inline void ug_arrivals_open(ug_arrivals *, unsigned = 1) {}
static inline void ug_bulk_load(uint4 *to, const void *from, unsigned bytes, ug_arrivals *)
{
    memcpy(to, from, bytes);
}
static inline void ug_arrivals_expect(ug_arrivals *, unsigned) {}
static inline void ug_arrivals_wait(ug_arrivals *, unsigned) { ug_cluster_sync(); }
static inline void ug_block_gather(unsigned) { __syncthreads(); }
static inline unsigned ug_draw_one(unsigned *counter)
{
    return __atomic_fetch_add(counter, 1u, __ATOMIC_RELAXED);
}

template <typename A>
static inline int64_t ug_cluster_resident(const ug_shape &, unsigned parts, void (*)(A))
{
    return INT32_MAX / parts * parts;
}

template <typename A>
static inline ug_status ug_start_clusters(ug_args *args, const ug_shape &shape, unsigned parts,
                                          void (*kernel)(A), const A &a)
{
    return ug_shim_start(args, shape, parts, kernel, a);
}

#endif
