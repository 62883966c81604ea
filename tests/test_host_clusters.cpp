/* SPDX-License-Identifier: Apache-2.0 */
/* Clusters on the executor: places, distributed shared memory, barriers, limits. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

extern "C" {
#include <cmocka.h>
}
#include <stdio.h>
#include <string.h>

#include "cuda/gpu.cuh"
#include "host/cluster_shim.h"

namespace
{
constexpr unsigned parts = 4, block = 64, clusters = 3;

struct operands {
    unsigned *rank, *block, *sum;
};

ug_exec_launch launch_of(void (*body)(void *), operands *a, uint32_t order)
{
    ug_exec_launch l = {};
    l.grid = clusters * parts;
    l.block = block;
    l.cluster = parts;
    l.limits = {"test", 100, 64, 4096, 32};
    l.order = order;
    l.threads = 1 + order % 2;
    l.body = body;
    l.arg = a;
    return l;
}

/* Every block writes its number into a slot of every other block, and adds up what it got. */
void exchange(void *arg)
{
    const operands &a = *static_cast<operands *>(arg);
    UG_SHARED(uint4, slot, parts);
    const unsigned rank = ug_cluster_rank();
    ug_cluster_sync();
    const uint4 mine = {blockIdx.x + 1, 0, 0, 0};
    if (threadIdx.x < parts) UG_SHARED_PUT(threadIdx.x, slot, rank, mine, nullptr);
    ug_cluster_sync();
    unsigned sum = 0;
    for (unsigned k = 0; k < parts; k++) sum += slot[k].x;
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    a.rank[i] = rank;
    a.block[i] = blockIdx.x;
    a.sum[i] = sum;
}

/* Block barriers are each block's own: one block passes more of them than the others. */
void own_barriers(void *arg)
{
    const operands &a = *static_cast<operands *>(arg);
    UG_SHARED(unsigned, count, 1);
    for (unsigned k = 0; k <= ug_cluster_rank(); k++) {
        if (threadIdx.x == 0) *count = k + 1;
        __syncthreads();
        a.sum[blockIdx.x * blockDim.x + threadIdx.x] = *count;
        __syncthreads();
    }
    ug_cluster_sync();
}

void leaves_one_behind(void *)
{
    if (ug_cluster_rank() != 2) ug_cluster_sync();
    if (ug_cluster_rank() == 2 && threadIdx.x < 32) __syncthreads();
    if (ug_cluster_rank() == 2 && threadIdx.x >= 32) ug_cluster_sync();
}

struct results {
    unsigned rank[clusters * parts * block], of[clusters * parts * block],
        sum[clusters * parts * block];
    operands a = {rank, of, sum};
};

void places_and_exchange(void **)
{
    for (uint32_t order = 0; order < 4; order++) {
        static results r;
        memset(&r.rank, 0xff, sizeof r.rank);
        const ug_exec_launch l = launch_of(exchange, &r.a, order);
        char message[UG_EXEC_MESSAGE] = "";
        assert_int_equal(ug_exec_run(&l, message), 0);
        for (unsigned i = 0; i < clusters * parts * block; i++) {
            const unsigned b = i / block, first = b / parts * parts;
            assert_int_equal(r.of[i], b);
            assert_int_equal(r.rank[i], b % parts);
            assert_int_equal(r.sum[i], 4 * first + 1 + 2 + 3 + 4);
        }
    }
}

void barriers_are_apart(void **)
{
    for (uint32_t order = 0; order < 4; order++) {
        static results r;
        const ug_exec_launch l = launch_of(own_barriers, &r.a, order);
        char message[UG_EXEC_MESSAGE] = "";
        assert_int_equal(ug_exec_run(&l, message), 0);
        for (unsigned i = 0; i < clusters * parts * block; i++)
            assert_int_equal(r.sum[i], i / block % parts + 1);
    }
}

void divergence_is_said(void **)
{
    static results r;
    const ug_exec_launch l = launch_of(leaves_one_behind, &r.a, 0);
    char message[UG_EXEC_MESSAGE] = "";
    assert_int_equal(ug_exec_run(&l, message), -1);
    assert_non_null(strstr(message, "blocks 0 to 3, a cluster: divergent barrier"));
    assert_non_null(strstr(message, "224 wait at the cluster's, 32 at __syncthreads"));
    /* The runner is of use again. */
    const ug_exec_launch right = launch_of(exchange, &r.a, 0);
    assert_int_equal(ug_exec_run(&right, message), 0);
    assert_int_equal(r.sum[0], 10);
}

void impossible_clusters(void **)
{
    static results r;
    char message[UG_EXEC_MESSAGE] = "";
    ug_exec_launch l = launch_of(exchange, &r.a, 0);
    l.grid = 10; /* not whole */
    assert_int_equal(ug_exec_run(&l, message), -1);
    assert_non_null(strstr(message, "clusters of 4 blocks"));
    l = launch_of(exchange, &r.a, 0);
    l.cluster = 17, l.grid = 17;
    assert_int_equal(ug_exec_run(&l, message), -1);
    l = launch_of(exchange, &r.a, 0);
    l.block = 40; /* warps are whole */
    assert_int_equal(ug_exec_run(&l, message), -1);
    l = launch_of(exchange, &r.a, 0);
    l.cluster = 0;
    assert_int_equal(ug_exec_run(&l, message), -1);
}
} // namespace

int main()
{
    const CMUnitTest tests[] = {
        cmocka_unit_test(places_and_exchange),
        cmocka_unit_test(barriers_are_apart),
        cmocka_unit_test(divergence_is_said),
        cmocka_unit_test(impossible_clusters),
    };
    return cmocka_run_group_tests(tests, nullptr, nullptr);
}
