/* SPDX-License-Identifier: Apache-2.0 */
/* A memory space that fills and compares by itself, made of host memory, and kernels that go wrong
 * where only a look at every element of a large matrix shows it. Offsets that wrap at 2^32 elements
 * on a device wrap at 64 rows here. */
#include "tests/plugins/layernorm.h"

#include <stdlib.h>

#include "tests/plugins/tiles.h"

enum { HEAD = 256, WRAP = 64 };

static const size_t device_bytes = (size_t)256 << 20;
static size_t used_bytes;

static int device_count(void) { return 1; }

static void *device_alloc(size_t bytes, char *err, size_t cap)
{
    char *p = NULL;
    if (bytes <= device_bytes - used_bytes)
        p = aligned_alloc(HEAD, HEAD + (bytes + HEAD - 1) / HEAD * HEAD);
    if (!p) return snprintf(err, cap, "the device has no room for %zu bytes", bytes), NULL;
    memcpy(p, &bytes, sizeof bytes);
    memset(p + HEAD, 0x5a, bytes);
    used_bytes += bytes;
    return p + HEAD;
}

static void device_free(void *memory)
{
    size_t bytes;
    if (!memory) return;
    memcpy(&bytes, (char *)memory - HEAD, sizeof bytes);
    used_bytes -= bytes;
    free((char *)memory - HEAD);
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
    (void)err;
    (void)cap;
    return 0;
}

static int memory(size_t *unused, size_t *total, char *err, size_t cap)
{
    (void)err;
    (void)cap;
    *total = device_bytes;
    *unused = device_bytes - used_bytes;
    return 0;
}

static int64_t far_row(const ug_args *a) { return a->x.rows * 5 / 7; }

static void *element(const ug_view *v, int64_t r, int64_t c)
{
    return (char *)v->data +
           (size_t)(r * v->row_stride + c * v->col_stride) * ug_dtype_size(v->dtype);
}

/* An f32 moved by one spacing at most; narrower types stay as they are. */
static void nudge(const ug_view *v, int64_t r, int64_t c)
{
    uint32_t bits;
    if (v->dtype != UG_F32) return;
    memcpy(&bits, element(v, r, c), 4);
    bits ^= 1;
    memcpy(element(v, r, c), &bits, 4);
}

/* Row r of a launch of its own, with x or y of another row. */
static void row_alone(const ug_args *a, int64_t from, int64_t to, int64_t stats)
{
    ug_args one = *a;
    one.x.data = element(&a->x, from, 0);
    one.y.data = element(&a->y, to, 0);
    one.x.rows = one.y.rows = 1;
    one.mean = a->mean ? a->mean + stats : NULL;
    one.rstd = a->rstd ? a->rstd + stats : NULL;
    layernorm_rows(&one, 0, 1);
}

static ug_status wraps_reading(ug_args *a)
{
    for (int64_t r = 0; r < a->x.rows; r++) row_alone(a, r % WRAP, r, r);
    return UG_OK;
}

static ug_status wraps_writing(ug_args *a)
{
    for (int64_t r = 0; r < a->x.rows; r++) row_alone(a, r, r % WRAP, r);
    return UG_OK;
}

static ug_status last_row_unwritten(ug_args *a)
{
    layernorm_rows(a, 0, a->x.rows - 1);
    return UG_OK;
}

static ug_status last_column_unwritten(ug_args *a)
{
    ug_args part = *a;
    for (int64_t r = 0; r < a->x.rows; r++) {
        uint32_t before;
        memcpy(&before, element(&a->y, r, a->y.cols - 1), ug_dtype_size(a->y.dtype));
        layernorm_rows(&part, r, r + 1);
        memcpy(element(&a->y, r, a->y.cols - 1), &before, ug_dtype_size(a->y.dtype));
    }
    return UG_OK;
}

static ug_status one_element(ug_args *a)
{
    layernorm(a);
    nudge(&a->y, far_row(a), a->y.cols / 3);
    return UG_OK;
}

static ug_status one_mean(ug_args *a)
{
    layernorm(a);
    if (a->mean) a->mean[far_row(a)] += 1;
    return UG_OK;
}

static ug_status no_rstd_in_one(ug_args *a)
{
    float before = a->rstd[far_row(a)];
    layernorm(a);
    a->rstd[far_row(a)] = before;
    return UG_OK;
}

static ug_status writes_behind(ug_args *a)
{
    layernorm(a);
    ug_store(element(&a->y, a->y.rows - 1, a->y.cols - 1), a->y.dtype, 1, 0);
    return UG_OK;
}

static ug_status writes_between(ug_args *a)
{
    layernorm(a);
    ug_store(element(&a->y, far_row(a), a->y.cols - 1), a->y.dtype, 1, 0);
    return UG_OK;
}

static ug_status writes_x(ug_args *a)
{
    layernorm(a);
    nudge(&a->x, far_row(a), 1);
    return UG_OK;
}

static ug_status writes_gamma(ug_args *a)
{
    layernorm(a);
    ((char *)(uintptr_t)a->gamma)[0] ^= 1;
    return UG_OK;
}

static ug_status not_steady(ug_args *a)
{
    static int count;
    layernorm(a);
    if (count++) nudge(&a->y, far_row(a), 0);
    return UG_OK;
}

static ug_status by_lanes(ug_args *a)
{
    layernorm(a);
    if (a->variation) nudge(&a->y, far_row(a), 0);
    return UG_OK;
}

static ug_status by_place(ug_args *a)
{
    layernorm(a);
    nudge(&a->y, 0, 0);
    return UG_OK;
}

/* Within the bound, and the same in every row: a right kernel whose loop has a tail. */
static ug_status other_tail(ug_args *a)
{
    layernorm(a);
    for (int64_t r = 0; r < a->y.rows; r++) nudge(&a->y, r, a->y.cols - 1);
    return UG_OK;
}

static ug_status within(ug_args *a)
{
    layernorm(a);
    for (int64_t r = 0; r < a->y.rows; r++) nudge(&a->y, r, a->y.cols / 2);
    return UG_OK;
}

static ug_status wrong_tail(ug_args *a)
{
    layernorm(a);
    for (int64_t r = 0; r < a->y.rows; r++)
        ug_store(element(&a->y, r, a->y.cols - 1), a->y.dtype, 0, 100);
    return UG_OK;
}

static ug_status by_alignment(ug_args *a)
{
    layernorm(a);
    for (int64_t r = 0; r < a->y.rows; r++)
        if ((uintptr_t)element(&a->x, r, 0) % 16) nudge(&a->y, r, 0);
    return UG_OK;
}

static ug_status declines(ug_args *a)
{
    snprintf(a->message, sizeof a->message, "not today");
    return UG_DECLINED;
}

static ug_status declines_late(ug_args *a)
{
    layernorm(a);
    return declines(a);
}

static size_t workspace_bytes(const ug_args *a) { return (size_t)a->x.rows * 12 + 5; }

static ug_status workspace(ug_args *a)
{
    if (a->workspace_bytes != workspace_bytes(a) || (uintptr_t)a->workspace % 256) return UG_FAILED;
    memset(a->workspace, 1, a->workspace_bytes);
    return layernorm(a);
}

#define KERNEL(NAME, DEPENDS, REPEATS)                                                             \
    {                                                                                              \
        .size = sizeof(ug_kernel), .name = #NAME, .summary = "for tests", .depends = DEPENDS,      \
        .repeatable = REPEATS, .ops = 1u << UG_OP_LAYERNORM, .dtypes = 7, .supports = EVERYTHING,  \
        .launch = NAME                                                                             \
    }
#define PLAIN(NAME) KERNEL(NAME, UG_DEPENDS_ROW, 1)

static ug_status right(ug_args *a) { return layernorm(a); }
static ug_status anything(ug_args *a) { return layernorm(a); }
static ug_status unsteady(ug_args *a) { return layernorm(a); }

static ug_kernel kernels[] = {PLAIN(right),
                              PLAIN(workspace),
                              PLAIN(wraps_reading),
                              PLAIN(wraps_writing),
                              PLAIN(last_row_unwritten),
                              PLAIN(last_column_unwritten),
                              PLAIN(one_element),
                              PLAIN(one_mean),
                              PLAIN(no_rstd_in_one),
                              PLAIN(writes_behind),
                              PLAIN(writes_between),
                              PLAIN(writes_x),
                              PLAIN(writes_gamma),
                              PLAIN(not_steady),
                              PLAIN(by_lanes),
                              PLAIN(by_place),
                              PLAIN(other_tail),
                              PLAIN(within),
                              PLAIN(wrong_tail),
                              PLAIN(declines),
                              PLAIN(declines_late),
                              KERNEL(by_alignment, UG_DEPENDS_ALIGNMENT, 1),
                              KERNEL(anything, UG_DEPENDS_ANY, 1),
                              KERNEL(unsteady, UG_DEPENDS_ROW, 0)};

const ug_plugin *ulpgate_plugin(void)
{
    static const ug_tiles tiles = {sizeof tiles, memory,        tiles_pattern,
                                   tiles_put,    tiles_compare, tiles_scan};
    static const ug_space space = {.size = sizeof space,
                                   .name = "fake",
                                   .device_count = device_count,
                                   .alloc = device_alloc,
                                   .free = device_free,
                                   .to_device = copy,
                                   .to_host = copy,
                                   .synchronize = synchronize,
                                   .tiles = &tiles};
    static const ug_plugin plugin = {.abi = UG_ABI_VERSION,
                                     .size = sizeof plugin,
                                     .backend = "huge",
                                     .space = &space,
                                     .count = sizeof kernels / sizeof *kernels,
                                     .kernels = kernels};
    kernels[1].workspace_size = workspace_bytes;
    return &plugin;
}
