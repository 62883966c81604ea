/* SPDX-License-Identifier: Apache-2.0 */
/* A memory space made of host memory that no kernel address of the judge reaches, and kernels that
 * treat it well or badly. $UG_TEST_DEVICES: how many devices there are (default 1).
 * $UG_TEST_LOST: a file; while it is there, the device is gone.
 * $UG_TEST_SHARED: a file; then there is room for one large buffer in all processes together. */
#include "tests/plugins/layernorm.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <unistd.h>

static int sticky; /* a device error that nobody has asked about yet */
static size_t allowed = (size_t)1 << 30;
static char the_stream;

static int lost(void)
{
    const char *file = getenv("UG_TEST_LOST");
    return file && !access(file, F_OK);
}

static int device_count(void)
{
    if (lost()) return 0;
    const char *given = getenv("UG_TEST_DEVICES");
    return given ? atoi(given) : 1;
}

/* The one large buffer: pages come as they are touched. */
static struct {
    void *base;
    size_t bytes;
    int file;
} large;

static void *large_alloc(const char *shared, size_t bytes, char *err, size_t cap)
{
    void *p = MAP_FAILED;
    large.file = open(shared, O_RDWR);
    if (large.file >= 0 && !flock(large.file, LOCK_EX | LOCK_NB))
        p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
                 -1, 0);
    if (p == MAP_FAILED) {
        snprintf(err, cap, "out of memory: another process has a large buffer");
        close(large.file);
        return NULL;
    }
    large.base = p;
    large.bytes = bytes;
    return p;
}

static void device_free(void *memory)
{
    if (!memory || memory != large.base) {
        free(memory);
        return;
    }
    munmap(large.base, large.bytes);
    close(large.file);
    large.base = NULL;
}

static void *device_alloc(size_t bytes, char *err, size_t cap)
{
    const char *shared = getenv("UG_TEST_SHARED");
    if (lost()) return snprintf(err, cap, "unknown error"), NULL;
    if (shared && bytes > allowed) return large_alloc(shared, bytes, err, cap);
    void *p = bytes <= allowed ? aligned_alloc(256, (bytes + 255) / 256 * 256) : NULL;
    if (!p) snprintf(err, cap, "the device has no room for %zu bytes", bytes);
    if (p) memset(p, 0x5a, bytes);
    return p;
}

static int copy(void *to, const void *from, size_t bytes, char *err, size_t cap)
{
    if (lost()) return snprintf(err, cap, "unknown error"), 1;
    memcpy(to, from, bytes);
    return 0;
}

static int synchronize(char *err, size_t cap)
{
    if (!sticky) return 0;
    snprintf(err, cap, "an illegal memory access was encountered");
    return 1;
}

static ug_status faults(ug_args *a)
{
    sticky = 1; /* shows at the next synchronisation, in this process for ever */
    return layernorm(a);
}

static ug_status loses(ug_args *a)
{
    const char *file = getenv("UG_TEST_LOST");
    ug_status status = layernorm(a);
    if (file) close(open(file, O_CREAT | O_WRONLY, 0600));
    return status;
}

static int launches, copies[2]; /* since the capture that is on began */

static ug_status counted(ug_args *a)
{
    launches++;
    return layernorm(a);
}

/* Declines a matrix with two equal rows of bytes. */
static ug_status all_differ(ug_args *a)
{
    const size_t size = a->x.dtype == UG_F32 ? 4 : 2;
    const size_t row = (size_t)a->x.cols * size, step = (size_t)a->x.row_stride * size;
    const char *x = a->x.data;
    for (int64_t r = 1; r < a->x.rows; r++)
        for (int64_t q = 0; q < r; q++)
            if (!memcmp(x + (size_t)r * step, x + (size_t)q * step, row)) {
                snprintf(a->message, sizeof a->message, "rows %d and %d are equal", (int)q, (int)r);
                return UG_DECLINED;
            }
    return layernorm(a);
}

static ug_status faults_third(ug_args *a)
{
    static int calls;
    return ++calls > 2 ? faults(a) : layernorm(a);
}

static float *element(const ug_view *v, int64_t i) { return (float *)v->data + i; }

static ug_status writes_x(ug_args *a)
{
    layernorm(a);
    *element(&a->x, 0) += 1;
    return UG_OK;
}

static ug_status writes_behind(ug_args *a)
{
    layernorm(a);
    *element(&a->y, (a->y.rows - 1) * a->y.row_stride + a->y.cols) = 0;
    return UG_OK;
}

/* Far enough to be another buffer's guard: no page is inaccessible on a device. */
static ug_status writes_far(ug_args *a)
{
    layernorm(a);
    *element(&a->y, -1200) = 0;
    return UG_OK;
}

/* A device whose clock is known: a launch takes 10 us and one more in each of the next three
 * replays, then again; copies take 4 and 2 us. Launches run while they are recorded, too. */
typedef struct graph {
    int launches, copies[2], replays;
} graph;

static size_t cache_bytes(void) { return 10000; }
static void *stream_make(char *err, size_t cap)
{
    (void)err;
    (void)cap;
    return &the_stream;
}
static void stream_free(void *stream) { (void)stream; }

static int capture(void *stream, char *err, size_t cap)
{
    launches = copies[0] = copies[1] = 0;
    if (stream == &the_stream) return 0;
    snprintf(err, cap, "not a stream of this device");
    return -1;
}

static void *captured(void *stream, char *err, size_t cap)
{
    graph *g = malloc(sizeof *g);
    (void)stream;
    if (g)
        *g = (graph){launches, {copies[0], copies[1]}, 0};
    else
        snprintf(err, cap, "out of memory");
    return g;
}

static int replay(void *of, void *stream, double *us, char *err, size_t cap)
{
    graph *g = of;
    (void)stream;
    *us = g->launches * (10 + g->replays++ % 4) + 4 * g->copies[0] + 2 * g->copies[1];
    return synchronize(err, cap);
}

static const char *copy_name(int way) { return way == 0 ? "slow" : way == 1 ? "fast" : NULL; }

static int copy_within(int way, void *dst, const void *src, size_t bytes, void *stream, char *err,
                       size_t cap)
{
    (void)stream;
    copies[way]++;
    return copy(dst, src, bytes, err, cap);
}

static const ug_timing timing = {.size = sizeof timing,
                                 .cache_bytes = cache_bytes,
                                 .stream_make = stream_make,
                                 .stream_free = stream_free,
                                 .capture = capture,
                                 .captured = captured,
                                 .graph_free = free,
                                 .replay = replay,
                                 .copy_name = copy_name,
                                 .copy = copy_within};

static const ug_space space = {.size = sizeof space,
                               .name = "fake",
                               .device_count = device_count,
                               .alloc = device_alloc,
                               .free = device_free,
                               .to_device = copy,
                               .to_host = copy,
                               .synchronize = synchronize,
                               .timing = &timing};

#define KERNEL(NAME, FUNCTION)                                                                     \
    {                                                                                              \
        .size = sizeof(ug_kernel), .name = NAME, .summary = "for tests", .repeatable = 1,          \
        .ops = 1u << UG_OP_LAYERNORM, .dtypes = 7, .supports = EVERYTHING, .launch = FUNCTION      \
    }

static const ug_kernel kernels[] = {
    KERNEL("right", layernorm),           KERNEL("faults", faults),
    KERNEL("writes_x", writes_x),         KERNEL("writes_behind", writes_behind),
    KERNEL("writes_far", writes_far),     KERNEL("right_again", layernorm),
    KERNEL("counted", counted),           KERNEL("all_differ", all_differ),
    KERNEL("faults_third", faults_third), KERNEL("loses", loses)};

const ug_plugin *ulpgate_plugin(void)
{
    static const ug_plugin plugin = {.abi = UG_ABI_VERSION,
                                     .size = sizeof plugin,
                                     .backend = "device",
                                     .space = &space,
                                     .count = sizeof kernels / sizeof *kernels,
                                     .kernels = kernels};
    return &plugin;
}
