/* SPDX-License-Identifier: Apache-2.0 */
/* A memory space made of host memory that no kernel address of the judge reaches, and kernels that
 * treat it well or badly. $UG_TEST_DEVICES: how many devices there are (default 1). */
#include "tests/plugins/layernorm.h"

#include <stdlib.h>

static int sticky; /* a device error that nobody has asked about yet */
static size_t allowed = (size_t)1 << 30;

static int device_count(void)
{
    const char *given = getenv("UG_TEST_DEVICES");
    return given ? atoi(given) : 1;
}

static void *device_alloc(size_t bytes, char *err, size_t cap)
{
    void *p = bytes <= allowed ? aligned_alloc(256, (bytes + 255) / 256 * 256) : NULL;
    if (!p) snprintf(err, cap, "the device has no room for %zu bytes", bytes);
    if (p) memset(p, 0x5a, bytes);
    return p;
}

static int copy(void *to, const void *from, size_t bytes, char *err, size_t cap)
{
    (void)err;
    (void)cap;
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

static const ug_space space = {.size = sizeof space,
                               .name = "fake",
                               .device_count = device_count,
                               .alloc = device_alloc,
                               .free = free,
                               .to_device = copy,
                               .to_host = copy,
                               .synchronize = synchronize};

#define KERNEL(NAME, FUNCTION)                                                                     \
    {                                                                                              \
        .size = sizeof(ug_kernel), .name = NAME, .summary = "for tests", .repeatable = 1,          \
        .ops = 1u << UG_OP_LAYERNORM, .dtypes = 7, .supports = EVERYTHING, .launch = FUNCTION      \
    }

static const ug_kernel kernels[] = {
    KERNEL("right", layernorm),       KERNEL("faults", faults),
    KERNEL("writes_x", writes_x),     KERNEL("writes_behind", writes_behind),
    KERNEL("writes_far", writes_far), KERNEL("right_again", layernorm)};

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
