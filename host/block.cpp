/* SPDX-License-Identifier: Apache-2.0 */
/* One block at a time on one OS thread. A thread that waits hands over to the next one itself, so a
 * wait costs one switch of context and no scheduler. */
#include "host/block.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

extern __thread ug_thread ug_exec_current __attribute__((tls_model("initial-exec")));
__thread ug_thread ug_exec_current;

namespace
{
constexpr size_t page = 4096;
constexpr size_t stack_bytes = 16 * page;
/* A page that cannot be touched lies below every stack. The odd number of pages, and the stack tops
 * shifted within a page, spread the few lines that each fiber uses over all cache sets. */
constexpr size_t stack_stride = stack_bytes + page;
constexpr size_t colour(unsigned index) { return index % 16 * 192; }

/* What the GPU threads' calls use: set by ug_block_runner_here(). */
__thread ug_block_runner *here __attribute__((tls_model("initial-exec")));

unsigned lowest(uint32_t mask) { return (unsigned)__builtin_ctz(mask); }

/* Copies of the usual sizes without a call. */
void copy_value(void *to, const void *from, size_t bytes)
{
    switch (bytes) {
    case 4:
        memcpy(to, from, 4);
        break;
    case 8:
        memcpy(to, from, 8);
        break;
    case 12:
        memcpy(to, from, 12);
        break;
    default:
        memcpy(to, from, bytes);
        break;
    }
}
} // namespace

ug_block_runner &ug_block_runner_here()
{
    static thread_local std::unique_ptr<ug_block_runner> keeper;
    if (!here) {
        keeper = std::make_unique<ug_block_runner>();
        here = keeper.get();
    }
    return *here;
}

ug_block_runner::~ug_block_runner()
{
    for (char *s : stacks_) munmap(s, stack_stride * warp_size);
}

void ug_block_runner::fail(const char *format, ...)
{
    va_list list;
    va_start(list, format);
    vsnprintf(message_, sizeof message_, format, list);
    va_end(list);
    failed_ = true;
}

void ug_block_runner::lane_main(void *arg)
{
    lane *self = static_cast<lane *>(arg);
    ug_block_runner &r = *self->runner;
    for (;;) {
        ug_order_in(&r.start_key_);
        r.launch_.body(r.launch_.arg);
        ug_order_out(&r.end_key_);
        self->own->live &= ~self->lane_bit;
        self->own->alive &= ~self->place_bit;
        r.done_++;
        r.leave();
    }
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
    launch_ = launch;
    if (make_lanes((size_t)launch.block) != 0) return -1;
    if (count_ != (unsigned)launch.block || order_set_ != (int)launch.order) {
        count_ = (unsigned)launch.block;
        warps_.assign((count_ + warp_size - 1) / warp_size, warp());
        for (size_t i = 0; i < warps_.size(); i++) warps_[i].lanes = lanes_[i].get();
        set_order(launch.order);
        order_set_ = (int)launch.order;
    }
    if (!memory_.begin(launch.shared, (size_t)launch.limits.max_shared)) {
        fail("no memory for %zu bytes of dynamic shared memory", launch.shared);
        return -1;
    }
    home_.adopt();
    ug_exec_current = {0, 0, count_, (unsigned)launch.grid, memory_.dynamic()};
    return 0;
}

void ug_block_runner::prepare_block(int64_t block)
{
    memory_.poison();
    ug_exec_current.block = (unsigned)block;
    waiting_ = done_ = turn_ = 0;
    for (unsigned i = 0; i < warps_.size(); i++) {
        warp &w = warps_[i];
        const unsigned n = count_ - i * warp_size;
        w.live = n >= warp_size ? ~0u : (1u << n) - 1;
        w.alive = w.meeting = w.at_barrier = 0;
        if (n >= warp_size)
            w.alive = ~0u;
        else
            for (unsigned l = 0; l < n; l++) w.alive |= 1u << w.place_of[l];
        w.ready = w.alive;
    }
}

int ug_block_runner::run(int64_t block)
{
    prepare_block(block);
    ug_order_out(&start_key_);
    if (lane *first = pick()) {
        current_ = first;
        ug_exec_current.thread = first->index;
        home_.switch_to(first->fiber);
    }
    ug_order_in(&end_key_);
    size_t bytes = 0;
    if (!failed_ && !memory_.intact(&bytes))
        fail("block %lld: a store just beside a shared array of %zu bytes", (long long)block,
             bytes);
    return failed_ ? -1 : 0;
}

inline void ug_block_runner::switch_to(lane &l)
{
    lane &self = *current_;
    if (&l == &self) return;
    current_ = &l;
    ug_exec_current.thread = l.index;
    self.fiber.switch_to(l.fiber);
}

void ug_block_runner::go_home() { current_->fiber.switch_to(home_); }

/* Gives up the block from within a GPU thread: nobody comes back here. */
void ug_block_runner::stop()
{
    failed_ = stale_ = true;
    go_home();
    __builtin_unreachable();
}

/* The current thread waits or has ended: runs whoever is next, in most cases a lane of its warp. */
inline void ug_block_runner::leave()
{
    warp &w = *current_->own;
    w.ready &= ~current_->place_bit;
    lane *next = w.ready ? &w.lanes[w.lane_at[lowest(w.ready)]] : pick();
    if (next)
        switch_to(*next);
    else
        go_home();
}

/* The next thread in order; nullptr when the block has ended or cannot go on. */
ug_block_runner::lane *ug_block_runner::pick()
{
    for (;;) {
        warp &w = warps_[warp_order_[turn_]];
        if (w.ready || (w.meeting && settle(w))) return &w.lanes[w.lane_at[lowest(w.ready)]];
        if (++turn_ < warps_.size()) continue;
        turn_ = 0;
        if (done_ == count_) return nullptr;
        if (!open_barrier()) {
            say_divergent();
            stale_ = true;
            return nullptr;
        }
    }
}

void ug_block_runner::release(warp &w, uint32_t lanes)
{
    if (lanes == w.live) {
        w.ready = w.alive;
        return;
    }
    for (uint32_t rest = lanes; rest; rest &= rest - 1) w.ready |= 1u << w.place_of[lowest(rest)];
}

/* No thread of the warp is ready: lets go every group whose living members all wait with the same
 * mask. */
bool ug_block_runner::settle(warp &w)
{
    bool any = false;
    for (uint32_t rest = w.meeting, group; rest; rest &= ~group) {
        const uint32_t mask = w.mask[lowest(rest)];
        bool same = true;
        group = mask & w.live;
        for (uint32_t g = group; g && same; g &= g - 1) same = w.mask[lowest(g)] == mask;
        if (!same || (group & rest) != group) {
            group = rest & -rest;
            continue;
        }
        exchange(w, group);
        w.meeting &= ~group;
        release(w, group);
        any = true;
    }
    w.generation += any;
    return any;
}

void ug_block_runner::exchange(warp &w, uint32_t group)
{
    for (uint32_t rest = group; rest; rest &= rest - 1) {
        const unsigned l = lowest(rest);
        if (group >> w.source[l] & 1)
            w.got[l] = w.offer[w.source[l]];
        else
            memset(&w.got[l], 0xff, sizeof w.got[l]);
    }
}

bool ug_block_runner::open_barrier()
{
    if (waiting_ == 0 || waiting_ + done_ != count_) return false;
    for (warp &w : warps_) {
        release(w, w.at_barrier);
        w.at_barrier = 0;
    }
    waiting_ = 0;
    generation_++;
    return true;
}

unsigned ug_block_runner::first_waiting(uint32_t warp::*mask) const
{
    for (unsigned i = 0; i < warps_.size(); i++)
        if (warps_[i].*mask) return i * warp_size + lowest(warps_[i].*mask);
    return 0;
}

void ug_block_runner::say_divergent()
{
    unsigned meeting = 0;
    for (const warp &w : warps_) meeting += (unsigned)__builtin_popcount(w.meeting);
    const unsigned b = first_waiting(&warp::at_barrier), m = first_waiting(&warp::meeting);
    char first_b[32] = "", first_m[32] = "";
    if (waiting_) snprintf(first_b, sizeof first_b, " (first: thread %u)", b);
    if (meeting) snprintf(first_m, sizeof first_m, " (first: thread %u)", m);
    fail("block %u: divergent barrier: of %u threads %u wait at __syncthreads%s, %u in a warp "
         "shuffle or __syncwarp%s, %u have ended",
         ug_exec_current.block, count_, waiting_, first_b, meeting, first_m, done_);
}

void ug_block_runner::barrier()
{
    current_->own->at_barrier |= current_->lane_bit;
    waiting_++;
    char *key = &barrier_key_[generation_ & 1];
    ug_order_out(key);
    leave();
    ug_order_in(key);
}

void ug_block_runner::meet(uint32_t mask, unsigned source, void *value, size_t bytes)
{
    lane &l = *current_;
    warp &w = *l.own;
    const unsigned own = l.index % warp_size;
    if (!(mask & l.lane_bit)) {
        fail("block %u, thread %u: the mask 0x%08x of a warp operation does not name the thread",
             ug_exec_current.block, l.index, mask);
        stop();
    }
    w.mask[own] = mask;
    w.source[own] = (uint8_t)(source % warp_size);
    copy_value(&w.offer[own], value, bytes);
    w.meeting |= l.lane_bit;
    char *key = &w.key[w.generation & 1];
    ug_order_out(key);
    leave();
    ug_order_in(key);
    copy_value(value, &w.got[own], bytes);
}

void *ug_block_runner::shared(const void *key, size_t bytes, size_t align)
{
    if (void *p = memory_.find(key, bytes, align)) return p;
    fail("block %u: a shared array of %zu bytes aligned to %zu: %zu bytes are used then, the limit "
         "is %lld",
         ug_exec_current.block, bytes, align, memory_.used(), (long long)launch_.limits.max_shared);
    stop();
}

const ug_thread *ug_exec_thread(void) { return &ug_exec_current; }

void ug_exec_barrier(void) { here->barrier(); }

void ug_exec_meet(uint32_t mask, unsigned source, void *value, size_t bytes)
{
    here->meet(mask, source, value, bytes);
}

void *ug_exec_shared(const void *key, size_t bytes, size_t align)
{
    return here->shared(key, bytes, align);
}
