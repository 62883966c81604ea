/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels that misbehave, one way each; apart from that they are right. */
#include "tests/plugins/layernorm.h"

#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <pthread.h>
#include <stdexcept>
#include <sys/socket.h>
#include <unistd.h>

static float *x(ug_args *a, int64_t r, int64_t i)
{
    return static_cast<float *>(a->x.data) + r * a->x.row_stride + i * a->x.col_stride;
}

static float *y(ug_args *a, int64_t r, int64_t i)
{
    return static_cast<float *>(a->y.data) + r * a->y.row_stride + i * a->y.col_stride;
}

static void flip(float *p)
{
    uint32_t bits = ug_float_bits(*p) ^ 1u;
    *p = ug_bits_float(bits);
}

static ug_status throws(ug_args *) { throw std::runtime_error("the kernel says no"); }
static ug_status throws_int(ug_args *) { throw 7; }
static ug_status aborts(ug_args *) { abort(); }
static ug_status wild(ug_args *a) { return *y(a, 0, INT64_C(1) << 31) = 1, UG_OK; }
static ug_status exits(ug_args *) { exit(0); }
static ug_status fails(ug_args *a)
{
    snprintf(a->message, sizeof a->message, "no such kernel image");
    return UG_FAILED;
}
static ug_status nonsense(ug_args *a) { return layernorm(a), static_cast<ug_status>(42); }
static ug_status silent(ug_args *) { return UG_OK; }

static ug_status loops(ug_args *)
{
    static volatile int forever = 1;
    while (forever) {}
    return UG_OK;
}

static ug_status loops_at_8(ug_args *a) { return a->x.cols == 8 ? loops(a) : layernorm(a); }

static int deeper(volatile char *p)
{
    volatile char frame[4096];
    frame[0] = *p;
    return *p ? 0 : deeper(frame) + frame[0];
}

static ug_status overflows_stack(ug_args *)
{
    char c = 0;
    return deeper(&c) ? UG_OK : UG_FAILED;
}

static ug_status closes(ug_args *a)
{
    for (int fd = 3; fd < 64; fd++) close(fd);
    return layernorm(a);
}

static ug_status chatters(ug_args *a)
{
    send(3, "hello, judge", 12, 0);
    return layernorm(a);
}

static ug_status forks(ug_args *a)
{
    if (fork() == 0)
        for (;;) pause();
    layernorm(a);
    _exit(3);
}

static void *throw_in_thread(void *) { throw 1; }
static ug_status thread_throws(ug_args *a)
{
    pthread_t t;
    pthread_create(&t, nullptr, throw_in_thread, nullptr);
    pthread_join(t, nullptr);
    return layernorm(a);
}

static ug_status signals_judge(ug_args *a)
{
    kill(getppid(), SIGTERM);
    return layernorm(a);
}

static ug_status write_at(ug_args *a, float *p) { return layernorm(a), *p = 1, UG_OK; }
static ug_status in_front(ug_args *a) { return write_at(a, y(a, 0, -1)); }
static ug_status far_in_front(ug_args *a) { return write_at(a, y(a, 0, -16384)); }
static ug_status behind(ug_args *a) { return write_at(a, y(a, a->y.rows - 1, a->y.cols)); }
static ug_status between(ug_args *a) { return write_at(a, y(a, 0, a->y.cols)); }
static ug_status behind_mean(ug_args *a) { return write_at(a, a->mean + a->x.rows); }
static ug_status writes_gamma(ug_args *a)
{
    return write_at(a, const_cast<float *>(static_cast<const float *>(a->gamma)));
}
static ug_status writes_x(ug_args *a) { return write_at(a, x(a, 0, 0)); }

/* Takes the element behind the row for one of it. */
static ug_status reads_padding(ug_args *a)
{
    layernorm(a);
    for (int64_t r = 0; r < a->x.rows; r++) *y(a, r, 0) += 0 * *x(a, r, a->x.cols);
    return UG_OK;
}

static ug_status leaves_tail(ug_args *a)
{
    ug_args shorter = *a;
    shorter.x.rows = shorter.y.rows = a->x.rows - 1;
    return layernorm(&shorter);
}

static ug_status forgets_stats(ug_args *a)
{
    ug_args without = *a;
    without.mean = without.rstd = nullptr;
    return layernorm(&without);
}

static ug_status batch(ug_args *a)
{
    layernorm(a);
    if (a->x.rows > 5) flip(y(a, 0, 0));
    return UG_OK;
}

static ug_status place(ug_args *a) { return layernorm(a), flip(y(a, 0, 0)), UG_OK; }

static ug_status lanes(ug_args *a)
{
    layernorm(a);
    if (a->variation) flip(y(a, 0, 0));
    return UG_OK;
}

static ug_status unsteady(ug_args *a)
{
    static int count;
    layernorm(a);
    if (count++ % 2) flip(y(a, a->y.rows - 1, 0));
    return UG_OK;
}

/* A NaN anywhere in the batch changes the other rows. */
static ug_status leaks(ug_args *a)
{
    bool found = false;
    layernorm(a);
    for (int64_t r = 0; r < a->x.rows; r++) found |= *x(a, r, 0) != *x(a, r, 0);
    for (int64_t r = 0; found && r < a->x.rows; r++) flip(y(a, r, 1));
    return UG_OK;
}

static ug_status declines(ug_args *a)
{
    if (a->x.row_stride == a->x.cols) return layernorm(a);
    snprintf(a->message, sizeof a->message, "no row strides today");
    return UG_DECLINED;
}

static ug_status declines_late(ug_args *a) { return layernorm(a), UG_DECLINED; }
static ug_status other_path(ug_args *a) { return layernorm(a), a->path = "seri", UG_OK; }
/* Other bits in every row where rows lie apart. */
static ug_status strides(ug_args *a)
{
    layernorm(a);
    for (int64_t r = 0; r < a->y.rows && a->y.row_stride != a->y.cols; r++) flip(y(a, r, 0));
    return UG_OK;
}

static ug_status floors_eps(ug_args *a)
{
    if (a->eps < 0.01f) a->eps = 0.01f;
    return layernorm(a);
}

static ug_status wrong(ug_args *a) { return layernorm(a), *y(a, 0, 0) += 1, UG_OK; }
static size_t greedy(const ug_args *) { return SIZE_MAX; }
static size_t throws_size(const ug_args *) { throw std::runtime_error("no size"); }

static const char *const paths[] = {"serial", nullptr};
enum { COUNT = 42 };
static ug_kernel kernels[COUNT];
static size_t count;

static ug_kernel *add(const char *name, ug_status (*launch)(ug_args *), uint32_t supports)
{
    ug_kernel *k = &kernels[count++];
    k->size = sizeof *k;
    k->name = name;
    k->variance = UG_VAR_UNKNOWN;
    k->repeatable = 1;
    k->ops = 1u << UG_OP_LAYERNORM;
    k->dtypes = 1u << UG_F32;
    k->supports = supports;
    k->paths = paths;
    k->launch = launch;
    return k;
}

extern "C" const ug_plugin *ulpgate_plugin(void)
{
    static ug_plugin plugin;
    static const struct {
        const char *name;
        ug_status (*launch)(ug_args *);
    } all[] = {{"throws", throws},
               {"throws_int", throws_int},
               {"aborts", aborts},
               {"wild", wild},
               {"exits", exits},
               {"fails", fails},
               {"nonsense", nonsense},
               {"silent", silent},
               {"loops", loops},
               {"stack", overflows_stack},
               {"closes", closes},
               {"chatters", chatters},
               {"forks", forks},
               {"thread_throws", thread_throws},
               {"signals", signals_judge},
               {"in_front", in_front},
               {"far_in_front", far_in_front},
               {"behind", behind},
               {"between", between},
               {"behind_mean", behind_mean},
               {"writes_gamma", writes_gamma},
               {"writes_x", writes_x},
               {"reads_padding", reads_padding},
               {"leaves_tail", leaves_tail},
               {"forgets_stats", forgets_stats},
               {"batch", batch},
               {"place", place},
               {"lanes", lanes},
               {"unsteady", unsteady},
               {"leaks", leaks},
               {"declines", declines},
               {"declines_late", declines_late},
               {"other_path", other_path},
               {"strides", strides},
               {"floors_eps", floors_eps},
               {"wrong", wrong},
               {"loops_at_8", loops_at_8},
               {"right", layernorm}};
    count = 0;
    for (const auto &k : all) add(k.name, k.launch, EVERYTHING);
    add("undeclared", layernorm, 0);
    add("undeclared_dtype", layernorm, EVERYTHING)->dtypes = 1u << UG_F16;
    add("greedy", layernorm, EVERYTHING)->workspace_size = greedy;
    add("throws_size", layernorm, EVERYTHING)->workspace_size = throws_size;
    plugin.abi = UG_ABI_VERSION;
    plugin.size = sizeof plugin;
    plugin.backend = "wrong";
    plugin.count = count;
    plugin.kernels = kernels;
    return &plugin;
}
