/* SPDX-License-Identifier: Apache-2.0 */
/* A launch: limits first, then its blocks, spread over OS threads when there is enough to do. */
#include "host/executor.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <system_error>
#include <thread>

#include "host/block.h"

namespace
{
/* Waking another OS thread costs as much as some hundred GPU threads. */
constexpr int64_t worth_waking = 8192;

/* A launch in progress, shared by the OS threads that work on it. */
struct work {
    const ug_exec_launch *launch;
    std::atomic<int64_t> next{0};
    std::atomic<bool> stopped{false};
    std::mutex lock;
    int64_t failed_block = -1; /* the lowest that failed */
    char message[UG_EXEC_MESSAGE] = "";

    void failed(int64_t block, const char *text)
    {
        std::lock_guard<std::mutex> hold(lock);
        stopped = true;
        if (failed_block >= 0 && failed_block <= block) return;
        failed_block = block;
        snprintf(message, sizeof message, "%s", text);
    }
};

/* Blocks run last to first in odd orders: what must not depend on their order shows there. */
void take_blocks(work &w)
{
    const ug_exec_launch &launch = *w.launch;
    ug_block_runner &runner = ug_block_runner_here();
    if (runner.begin(launch) != 0) {
        w.failed(0, runner.message());
        return;
    }
    const int64_t clusters = launch.grid / launch.cluster;
    for (int64_t i; !w.stopped && (i = w.next++) < clusters;) {
        const int64_t cluster = launch.order & 1 ? clusters - 1 - i : i;
        if (runner.run(cluster) != 0) w.failed(cluster, runner.message());
    }
}

/* OS threads that wait for work. Never taken down: they end with the process. */
class crew
{
  public:
    /* Has `count` - 1 helpers work beside the caller; returns when all are through. */
    void run(work &w, unsigned count)
    {
        std::unique_lock<std::mutex> busy(one_launch_, std::try_to_lock);
        unsigned helpers = 0;
        if (busy.owns_lock()) helpers = summon(w, count - 1);
        take_blocks(w);
        if (helpers) {
            std::unique_lock<std::mutex> hold(lock_);
            done_.wait(hold, [this] { return wanted_ == 0 && working_ == 0; });
        }
    }

  private:
    unsigned summon(work &w, unsigned wanted)
    {
        std::lock_guard<std::mutex> hold(lock_);
        try {
            for (; hired_ < wanted; hired_++) std::thread([this] { serve(); }).detach();
        } catch (const std::system_error &) {
            /* fewer threads than asked for: slower, not wrong */
        }
        work_ = &w;
        wanted_ = wanted < hired_ ? wanted : hired_;
        call_.notify_all();
        return wanted_;
    }

    [[noreturn]] void serve()
    {
        std::unique_lock<std::mutex> hold(lock_);
        for (;;) {
            call_.wait(hold, [this] { return wanted_ > 0; });
            wanted_--;
            working_++;
            work *w = work_;
            hold.unlock();
            take_blocks(*w);
            hold.lock();
            if (--working_ == 0 && wanted_ == 0) done_.notify_all();
        }
    }

    std::mutex one_launch_, lock_;
    std::condition_variable call_, done_;
    work *work_ = nullptr;
    unsigned hired_ = 0, wanted_ = 0, working_ = 0;
};

crew &the_crew()
{
    static crew *c = new crew;
    return *c;
}

__attribute__((format(printf, 2, 3))) int refuse(char *message, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    vsnprintf(message, UG_EXEC_MESSAGE, format, list);
    va_end(list);
    return -1;
}

/* What a device answers with "invalid configuration" or "invalid argument". */
int check(const ug_exec_launch &l, char *message)
{
    const ug_profile &p = l.limits;
    const char *name = p.name ? p.name : "";
    if (p.warp != 32)
        return refuse(message, "profile %s: warps of %lld threads, expected 32", name,
                      (long long)p.warp);
    if (l.grid < 1 || l.grid > p.max_grid || l.grid > INT32_MAX)
        return refuse(message, "profile %s: a grid of %lld blocks, the limit is %lld", name,
                      (long long)l.grid, (long long)p.max_grid);
    if (l.block < 1 || l.block > p.max_block || l.block > (1 << 16))
        return refuse(message, "profile %s: a block of %lld threads, the limit is %lld", name,
                      (long long)l.block, (long long)p.max_block);
    if (l.cluster < 1 || l.cluster > 16 || l.grid % l.cluster || (l.cluster > 1 && l.block % 32))
        return refuse(message,
                      "profile %s: clusters of %u blocks of %lld threads in a grid of %lld: up to "
                      "16 whole blocks of whole warps are possible",
                      name, l.cluster, (long long)l.block, (long long)l.grid);
    if (p.max_shared < 0 || l.shared > (size_t)p.max_shared)
        return refuse(message, "profile %s: %zu bytes of shared memory, the limit is %lld", name,
                      l.shared, (long long)p.max_shared);
    return 0;
}
} // namespace

int ug_exec_run(const ug_exec_launch *launch, char message[UG_EXEC_MESSAGE])
{
    if (check(*launch, message) != 0) return -1;
    unsigned count = launch->threads ? launch->threads : std::thread::hardware_concurrency();
    if (count > launch->grid / launch->cluster) count = (unsigned)(launch->grid / launch->cluster);
    work w;
    w.launch = launch;
    if (count > 1 && launch->grid * launch->block >= worth_waking)
        the_crew().run(w, count);
    else
        take_blocks(w);
    if (w.failed_block < 0) return 0;
    memcpy(message, w.message, UG_EXEC_MESSAGE);
    return -1;
}
