/* SPDX-License-Identifier: Apache-2.0 */
/* The CPU executor: runs every thread of a launch as a fiber, blocks spread over OS threads.
 *
 * A warp runs until its threads wait, then the next one does; the order of warps and of lanes in
 * them is chosen, so that a missing barrier shows as other bits. Shared memory belongs to the
 * executor: NaN before every block, fenced, counted against the limits. What a GPU would refuse or
 * hang on is an error with a message here.
 */
#ifndef ULPGATE_HOST_EXECUTOR_H
#define ULPGATE_HOST_EXECUTOR_H

#include <stddef.h>
#include <stdint.h>

#include "ulpgate/kernel.h"

constexpr size_t UG_SHUFFLE_BYTES = 16, UG_EXEC_MESSAGE = 256;

typedef struct ug_exec_launch {
    int64_t grid, block;
    uint32_t cluster;        /* blocks a cluster; 1: none. grid and warps are whole clusters */
    size_t shared;           /* bytes of dynamic shared memory */
    ug_profile limits;       /* every field set */
    uint32_t order;          /* 0: threads in order, 1: in reverse, 2 and up: permuted */
    uint32_t threads;        /* OS threads at most, 0: all cores */
    void (*body)(void *arg); /* what one GPU thread does */
    void *arg;
} ug_exec_launch;

/* Returns 0 when every block has run to its end, or -1 with the reason: a limit passed, a barrier
 * that not all threads reach, a store beside shared memory, no memory. Any thread may call. */
int ug_exec_run(const ug_exec_launch *launch, char message[UG_EXEC_MESSAGE]);

/* The coordinates of the GPU thread that runs on this OS thread now. */
struct ug_thread {
    unsigned thread, block, threads, blocks; /* threadIdx.x, blockIdx.x, blockDim.x, gridDim.x */
    unsigned cluster;                        /* blocks in its cluster, which begins at a multiple */
    unsigned char *dynamic;                  /* its block's dynamic shared memory */
};

/* For GPU threads only. */

/* A call, not a variable: instrumented kernels must not see the executor's own memory. */
const ug_thread *ug_exec_thread(void);

/* __syncthreads: returns once every thread of the block that has not ended waits here. */
void ug_exec_barrier(void);

/* Meets the other threads of the warp in `mask` that have not ended, and exchanges up to
 * UG_SHUFFLE_BYTES: *value becomes the value of lane `source`, or all ones (NaN) when that lane did
 * not take part, which a GPU leaves undefined. bytes 0: __syncwarp. */
void ug_exec_meet(uint32_t mask, unsigned source, void *value, size_t bytes);

/* This block's static shared array that `key` stands for; the same for all its threads. */
void *ug_exec_shared(const void *key, size_t bytes, size_t align);

/* The same of another block of the cluster: distributed shared memory. */
void *ug_exec_shared_of(unsigned rank, const void *key, size_t bytes, size_t align);

/* Returns once every thread of the cluster that has not ended waits here. */
void ug_exec_cluster_barrier(void);

#endif
