/* SPDX-License-Identifier: Apache-2.0 */
/* One block at a time on one OS thread. A thread that waits hands over to the next one itself, so a
 * wait costs one switch of context and no scheduler. */
#include "host/block.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

extern __thread ug_thread ug_exec_current __attribute__((tls_model("initial-exec")));
__thread ug_thread ug_exec_current;

namespace
{
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
        self->own->home->done++;
        r.done_++;
        r.leave();
    }
}

/* Blocks of a cluster run together, each with its own place, barrier and shared memory. */
inline void ug_block_runner::enter(lane &l)
{
    current_ = &l;
    ug_exec_current.thread = l.index;
    if (launch_.cluster == 1) return;
    const unsigned k = l.own->home->rank;
    ug_exec_current.thread = l.index - k * block_;
    ug_exec_current.block = first_block_ + k;
    ug_exec_current.dynamic = l.own->home->memory.dynamic();
}

int ug_block_runner::run(int64_t cluster)
{
    prepare(cluster);
    ug_order_out(&start_key_);
    if (lane *first = pick()) {
        enter(*first);
        home_.switch_to(first->fiber);
    }
    ug_order_in(&end_key_);
    size_t bytes = 0;
    for (const auto &p : parts_)
        if (!failed_ && !p->memory.intact(&bytes))
            fail("block %u: a store just beside a shared array of %zu bytes",
                 first_block_ + p->rank, bytes);
    return failed_ ? -1 : 0;
}

inline void ug_block_runner::switch_to(lane &l)
{
    lane &self = *current_;
    if (&l == &self) return;
    enter(l);
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

/* Nobody can run: lets those go whose block, or whose whole cluster, waits. */
bool ug_block_runner::open_barrier()
{
    bool any = false;
    for (const auto &p : parts_) {
        if (p->waiting == 0 || p->waiting + p->done != block_) continue;
        for (warp &w : warps_)
            if (w.home == p.get()) {
                release(w, w.at_barrier);
                w.at_barrier = 0;
            }
        p->waiting = 0;
        p->generation++;
        any = true;
    }
    if (any || meeting_ == 0 || meeting_ + done_ != count_) return any;
    for (warp &w : warps_) {
        release(w, w.at_cluster);
        w.at_cluster = 0;
    }
    meeting_ = 0;
    generation_++;
    return true;
}

void ug_block_runner::barrier()
{
    part &home = *current_->own->home;
    current_->own->at_barrier |= current_->lane_bit;
    home.waiting++;
    char *key = &home.key[home.generation & 1];
    ug_order_out(key);
    leave();
    ug_order_in(key);
}

void ug_block_runner::cluster_barrier()
{
    current_->own->at_cluster |= current_->lane_bit;
    meeting_++;
    char *key = &cluster_key_[generation_ & 1];
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
             ug_exec_current.block, ug_exec_current.thread, mask);
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

void *ug_block_runner::shared(unsigned rank, const void *key, size_t bytes, size_t align)
{
    ug_shared_memory &memory = parts_[rank]->memory;
    if (void *p = memory.find(key, bytes, align)) return p;
    fail("block %u: a shared array of %zu bytes aligned to %zu: %zu bytes are used then, the limit "
         "is %lld",
         ug_exec_current.block, bytes, align, memory.used(), (long long)launch_.limits.max_shared);
    stop();
}

void *ug_block_runner::shared(const void *key, size_t bytes, size_t align)
{
    return shared(current_->own->home->rank, key, bytes, align);
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

void ug_exec_cluster_barrier(void) { here->cluster_barrier(); }

void *ug_exec_shared_of(unsigned rank, const void *key, size_t bytes, size_t align)
{
    return here->shared(rank, key, bytes, align);
}
