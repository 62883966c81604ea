/* SPDX-License-Identifier: Apache-2.0 */
/* Before and after a block runs: fibers and their stacks, the order of warps and lanes, and what to
 * say when no thread can go on. */
#include <stdio.h>
#include <sys/mman.h>

#include "host/block.h"

extern __thread ug_thread ug_exec_current __attribute__((tls_model("initial-exec")));

namespace
{
constexpr size_t page = 4096;
constexpr size_t stack_bytes = 16 * page;
/* A page that cannot be touched lies below every stack. The odd number of pages, and the stack tops
 * shifted within a page, spread the few lines that each fiber uses over all cache sets. */
constexpr size_t stack_stride = stack_bytes + page;
constexpr size_t colour(unsigned index) { return index % 16 * 192; }

unsigned lowest(uint32_t mask) { return (unsigned)__builtin_ctz(mask); }
} // namespace

ug_block_runner::~ug_block_runner()
{
    for (char *s : stacks_) munmap(s, stack_stride * warp_size);
}

int ug_block_runner::make_lanes(size_t count)
{
    const size_t before = lanes_.size();
    while (stacks_.size() * warp_size < count) {
        void *s = mmap(nullptr, stack_stride * warp_size, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
        if (s == MAP_FAILED) {
            fail("no memory for the stacks of %zu threads", count);
            return -1;
        }
        stacks_.push_back(static_cast<char *>(s));
        for (unsigned i = 0; i < warp_size; i++)
            if (mprotect(static_cast<char *>(s) + i * stack_stride, page, PROT_NONE) != 0) {
                fail("the stacks of %zu threads cannot be fenced", count);
                return -1;
            }
    }
    while (lanes_.size() < stacks_.size()) lanes_.push_back(std::make_unique<lane[]>(warp_size));
    for (size_t i = stale_ ? 0 : before * warp_size; i < lanes_.size() * warp_size; i++) {
        lane &l = lanes_[i / warp_size][i % warp_size];
        char *low = stacks_[i / warp_size] + i % warp_size * stack_stride + page;
        l.runner = this;
        l.lane_bit = 1u << i % warp_size;
        l.index = (unsigned)i;
        l.fiber.make(low, stack_bytes - colour(l.index), lane_main, &l);
    }
    stale_ = false;
    return 0;
}

/* Warps in order, and lanes within each; a permutation from a linear congruence for order >= 2. */
void ug_block_runner::set_order(uint32_t order)
{
    uint32_t seed = order * 2654435761u;
    auto below = [&seed](unsigned n) {
        seed = seed * 1664525u + 1013904223u;
        return (unsigned)((uint64_t)seed * n >> 32);
    };
    auto arrange = [&](auto &list, unsigned n) {
        for (unsigned i = 0; i < n; i++)
            list[i] = static_cast<std::decay_t<decltype(list[0])>>(order == 1 ? n - 1 - i : i);
        for (unsigned i = n; order >= 2 && i > 1; i--) std::swap(list[i - 1], list[below(i)]);
    };
    warp_order_.resize(warps_.size());
    arrange(warp_order_, (unsigned)warps_.size());
    for (warp &w : warps_) {
        arrange(w.lane_at, warp_size);
        for (unsigned p = 0; p < warp_size; p++) {
            w.place_of[w.lane_at[p]] = (uint8_t)p;
            w.lanes[w.lane_at[p]].own = &w;
            w.lanes[w.lane_at[p]].place_bit = 1u << p;
        }
    }
}

int ug_block_runner::begin(const ug_exec_launch &launch)
{
    failed_ = false;
    const bool same = launch_.block == launch.block && launch_.cluster == launch.cluster &&
                      order_set_ == (int)launch.order;
    launch_ = launch;
    block_ = (unsigned)launch.block;
    count_ = block_ * launch.cluster;
    if (make_lanes(count_) != 0) return -1;
    while (parts_.size() < launch.cluster) parts_.push_back(std::make_unique<part>());
    parts_.resize(launch.cluster);
    if (!same) arrange_warps();
    for (const auto &p : parts_)
        if (!p->memory.begin(launch.shared, (size_t)launch.limits.max_shared)) {
            fail("no memory for %zu bytes of dynamic shared memory", launch.shared);
            return -1;
        }
    home_.adopt();
    ug_exec_current = {
        0, 0, block_, (unsigned)launch.grid, launch.cluster, parts_[0]->memory.dynamic()};
    return 0;
}

void ug_block_runner::arrange_warps()
{
    warps_.assign((count_ + warp_size - 1) / warp_size, warp());
    for (size_t i = 0; i < warps_.size(); i++) {
        const unsigned rank = (unsigned)(i * warp_size / block_);
        warps_[i].lanes = lanes_[i].get();
        warps_[i].home = parts_[rank].get();
        parts_[rank]->rank = rank;
    }
    set_order(launch_.order);
    order_set_ = (int)launch_.order;
}

void ug_block_runner::prepare(int64_t cluster)
{
    first_block_ = (unsigned)cluster * launch_.cluster;
    ug_exec_current.block = first_block_;
    meeting_ = done_ = turn_ = 0;
    for (const auto &p : parts_) {
        p->memory.poison();
        p->waiting = p->done = 0;
    }
    for (unsigned i = 0; i < warps_.size(); i++) {
        warp &w = warps_[i];
        const unsigned n = count_ - i * warp_size;
        w.live = n >= warp_size ? ~0u : (1u << n) - 1;
        w.alive = w.meeting = w.at_barrier = w.at_cluster = 0;
        if (n >= warp_size)
            w.alive = ~0u;
        else
            for (unsigned l = 0; l < n; l++) w.alive |= 1u << w.place_of[l];
        w.ready = w.alive;
    }
}

unsigned ug_block_runner::first_waiting(uint32_t warp::*mask) const
{
    for (unsigned i = 0; i < warps_.size(); i++)
        if (warps_[i].*mask) return i * warp_size + lowest(warps_[i].*mask);
    return 0;
}

void ug_block_runner::say_divergent()
{
    unsigned meeting = 0, waiting = 0;
    for (const warp &w : warps_) meeting += (unsigned)__builtin_popcount(w.meeting);
    for (const auto &p : parts_) waiting += p->waiting;
    const unsigned b = first_waiting(&warp::at_barrier), m = first_waiting(&warp::meeting);
    char first_b[32] = "", first_m[32] = "";
    if (waiting) snprintf(first_b, sizeof first_b, " (first: thread %u)", b);
    if (meeting) snprintf(first_m, sizeof first_m, " (first: thread %u)", m);
    if (launch_.cluster > 1) {
        fail(
            "blocks %u to %u, a cluster: divergent barrier: of %u threads %u wait at the "
            "cluster's, %u at __syncthreads, %u in a warp shuffle or __syncwarp, %u have ended",
            first_block_, first_block_ + launch_.cluster - 1, count_, meeting_, waiting, meeting,
            done_);
        return;
    }
    fail("block %u: divergent barrier: of %u threads %u wait at __syncthreads%s, %u in a warp "
         "shuffle or __syncwarp%s, %u have ended",
         ug_exec_current.block, count_, waiting, first_b, meeting, first_m, done_);
}
