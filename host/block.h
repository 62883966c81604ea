/* SPDX-License-Identifier: Apache-2.0 */
/* Runs the blocks of a launch on one OS thread: fibers, barriers, shuffles, shared memory. */
#ifndef ULPGATE_HOST_BLOCK_H
#define ULPGATE_HOST_BLOCK_H

#include <memory>
#include <vector>

#include "host/executor.h"
#include "host/fiber.h"
#include "host/shared.h"

class ug_block_runner
{
  public:
    ug_block_runner() = default;
    ug_block_runner(const ug_block_runner &) = delete;
    ~ug_block_runner();

    /* Makes fibers and shared memory ready for the launch: 0, or -1 with message() set. */
    int begin(const ug_exec_launch &launch);
    /* Runs one cluster, or where there are none one block, to its end: 0, or -1 with message() set.
     */
    int run(int64_t cluster);
    const char *message() const { return message_; }

    /* Called by GPU threads of the block that runs. */
    void barrier();
    void cluster_barrier();
    void meet(uint32_t mask, unsigned source, void *value, size_t bytes);
    void *shared(const void *key, size_t bytes, size_t align);
    void *shared(unsigned rank, const void *key, size_t bytes, size_t align);

  private:
    static constexpr unsigned warp_size = 32;

    /* One block of a cluster: its shared memory, and who is at its barrier or has ended. */
    struct part {
        ug_shared_memory memory;
        unsigned rank = 0, waiting = 0, done = 0, generation = 0;
        char key[2] = {};
    };

    struct warp;
    struct lane {
        ug_fiber fiber;
        ug_block_runner *runner = nullptr;
        warp *own = nullptr;
        uint32_t lane_bit = 0, place_bit = 0; /* in its warp's masks */
        unsigned index = 0;
    };

    struct alignas(16) slot {
        unsigned char byte[UG_SHUFFLE_BYTES];
    };

    /* Bit p of `ready` and `alive` is the lane at place p of the order; the other masks count
     * lanes. A living lane is ready, in a meeting, at a barrier, or runs now and is about to be
     * one of these. */
    struct warp {
        uint32_t ready = 0, alive = 0;
        uint32_t live = 0, meeting = 0, at_barrier = 0, at_cluster = 0;
        part *home = nullptr;
        uint8_t lane_at[warp_size] = {}, place_of[warp_size] = {};
        lane *lanes = nullptr;
        /* Of the lanes in a meeting: the mask each waits with, what it offers, whose it wants. */
        uint32_t mask[warp_size] = {};
        uint8_t source[warp_size] = {};
        slot offer[warp_size] = {}, got[warp_size] = {};
        unsigned generation = 0;
        char key[2] = {};
    };

    int make_lanes(size_t count);
    void set_order(uint32_t order);
    void arrange_warps();
    void prepare(int64_t cluster);
    void enter(lane &l);
    void leave();
    void switch_to(lane &l);
    void go_home();
    [[noreturn]] void stop();
    lane *pick();
    bool settle(warp &w);
    void exchange(warp &w, uint32_t group);
    void release(warp &w, uint32_t lanes);
    bool open_barrier();
    void say_divergent();
    unsigned first_waiting(uint32_t warp::*mask) const;
    void fail(const char *format, ...) __attribute__((format(printf, 2, 3)));
    static void lane_main(void *arg);

    ug_exec_launch launch_ = {};
    std::vector<std::unique_ptr<lane[]>> lanes_; /* warp_size each */
    std::vector<warp> warps_;
    std::vector<unsigned> warp_order_;
    std::vector<char *> stacks_; /* mappings, one a warp */
    ug_fiber home_;
    lane *current_ = nullptr;
    unsigned turn_ = 0; /* place in warp_order_ */
    /* Threads: of a block, of a cluster, at the cluster's barrier, ended. */
    unsigned block_ = 0, count_ = 0, meeting_ = 0, done_ = 0;
    unsigned first_block_ = 0, generation_ = 0; /* the latter of the cluster's barrier */
    bool failed_ = false, stale_ = false; /* stale: fibers wait for ever and must be made again */
    int order_set_ = -1;
    char start_key_ = 0, end_key_ = 0, cluster_key_[2] = {};
    std::vector<std::unique_ptr<part>> parts_; /* the blocks of a cluster, one without clusters */
    char message_[UG_EXEC_MESSAGE] = "";
};

/* The runner of the calling OS thread, made when there is none yet; it is kept, with its fibers and
 * stacks, across launches. */
ug_block_runner &ug_block_runner_here();

#endif
