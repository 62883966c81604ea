/* SPDX-License-Identifier: Apache-2.0 */
/* Fibers that hand over to each other directly: the one place that knows Boost.Context and the
 * sanitizers' fiber hooks.
 *
 * Included by code that is compiled WITHOUT instrumentation, or the sanitizers would report its own
 * bookkeeping; UG_FIBER_ASAN and UG_FIBER_TSAN say which hooks to call by hand. A fiber is never
 * unwound: its stack is the caller's, and kernels own nothing, so a fiber that waits for ever is
 * simply made again on the same stack.
 */
#ifndef ULPGATE_HOST_FIBER_H
#define ULPGATE_HOST_FIBER_H

#include <stddef.h>

#include <boost/context/fiber.hpp>
#include <new>
#include <utility>

#ifdef UG_FIBER_TSAN
extern "C" {
void *__tsan_create_fiber(unsigned flags);
void __tsan_destroy_fiber(void *fiber);
void *__tsan_get_current_fiber(void);
void __tsan_switch_to_fiber(void *fiber, unsigned flags);
void __tsan_acquire(void *key);
void __tsan_release(void *key);
}
#endif
#ifdef UG_FIBER_ASAN
extern "C" {
void __sanitizer_start_switch_fiber(void **fake_stack, const void *bottom, size_t size);
void __sanitizer_finish_switch_fiber(void *fake_stack, const void **bottom, size_t *size);
void __asan_unpoison_memory_region(const volatile void *bottom, size_t size);
}
#endif

/* What was done before ug_order_out(key) is visible after ug_order_in(key): tells TSan what a
 * barrier orders. Keys must alternate by generation, or races across one barrier go unseen. */
inline void ug_order_out([[maybe_unused]] void *key)
{
#ifdef UG_FIBER_TSAN
    __tsan_release(key);
#endif
}

inline void ug_order_in([[maybe_unused]] void *key)
{
#ifdef UG_FIBER_TSAN
    __tsan_acquire(key);
#endif
}

class ug_fiber
{
  public:
    ug_fiber() = default;
    ug_fiber(const ug_fiber &) = delete;
    ug_fiber &operator=(const ug_fiber &) = delete;

    /* The context of the calling OS thread itself; others switch back to it. */
    void adopt()
    {
#ifdef UG_FIBER_TSAN
        tsan_ = __tsan_get_current_fiber();
#endif
    }

    /* A new fiber on stack [bottom, bottom + size), whatever was there before. entry never returns.
     */
    void make(char *bottom, size_t size, void (*entry)(void *), void *arg)
    {
        bottom_ = bottom;
        size_ = size;
#ifdef UG_FIBER_ASAN
        __asan_unpoison_memory_region(bottom, size); /* frames of a fiber that never returned */
#endif
        new (&store_)
            context(std::allocator_arg, stack{bottom, size}, [this, entry, arg](context &&from) {
                arrived(std::move(from), nullptr);
                entry(arg);
                return context();
            });
#ifdef UG_FIBER_TSAN
        if (tsan_) __tsan_destroy_fiber(tsan_);
        tsan_ = __tsan_create_fiber(0);
#endif
    }

    /* Leaves `this`, which runs now, for `to`; returns when somebody switches to `this`. */
    void switch_to(ug_fiber &to)
    {
        to.from_ = this;
#ifdef UG_FIBER_ASAN
        __sanitizer_start_switch_fiber(&fake_, to.bottom_, to.size_);
#endif
#ifdef UG_FIBER_TSAN
        __tsan_switch_to_fiber(to.tsan_, 1); /* 1: the switch itself orders nothing */
#endif
        context back = std::move(to.handle()).resume();
#ifdef UG_FIBER_ASAN
        arrived(std::move(back), fake_);
#else
        arrived(std::move(back), nullptr);
#endif
    }

  private:
    using context = boost::context::fiber;

    struct stack {
        char *bottom;
        size_t size;
        boost::context::stack_context allocate()
        {
            boost::context::stack_context s;
            s.size = size;
            s.sp = bottom + size;
            return s;
        }
        void deallocate(boost::context::stack_context &) {}
    };

    /* Storage whose context is never destroyed: a destructor would unwind the fiber. */
    context &handle() { return *std::launder(reinterpret_cast<context *>(&store_)); }

    void arrived(context &&from, [[maybe_unused]] void *fake)
    {
#ifdef UG_FIBER_ASAN
        const void *bottom = nullptr;
        size_t size = 0;
        __sanitizer_finish_switch_fiber(fake, &bottom, &size);
        from_->bottom_ = static_cast<const char *>(bottom);
        from_->size_ = size;
#endif
        new (&from_->store_) context(std::move(from));
    }

    alignas(context) unsigned char store_[sizeof(context)] = {};
    ug_fiber *from_ = nullptr; /* who switched to us last */
    const char *bottom_ = nullptr;
    size_t size_ = 0;
#ifdef UG_FIBER_TSAN
    void *tsan_ = nullptr;
#endif
#ifdef UG_FIBER_ASAN
    void *fake_ = nullptr;
#endif
};

#endif
