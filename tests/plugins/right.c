/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels that do what they declare, each in another corner of the contract. */
#include "tests/plugins/layernorm.h"

#include <stdlib.h>

static const char *const paths[] = {"serial", "other", NULL};

/* The bits of a result at (r, 0) moved by one place: allowed only where it is declared. */
static void nudge(ug_args *a, int64_t r)
{
    uint32_t *y = (uint32_t *)a->y.data + r * a->y.row_stride;
    if (a->y.dtype == UG_F32 && a->y.cols) ++*y;
}

/* Supports nothing but what every kernel must: says so. */
static ug_status plain(ug_args *a)
{
    const char *why = NULL;
    if (a->x.dtype != UG_F32) why = "dtype";
    if (a->x.row_stride != a->x.cols || a->y.row_stride != a->y.cols) why = "row strides";
    if (a->x.col_stride != 1 || a->y.col_stride != 1) why = "column strides";
    if (!a->gamma || !a->beta) why = "gamma or beta is absent";
    if (a->x.data == a->y.data) why = "in place";
    if (((uintptr_t)a->x.data | (uintptr_t)a->y.data | (uintptr_t)a->gamma | (uintptr_t)a->beta) %
        16)
        why = "alignment";
    if (!why) return layernorm(a);
    snprintf(a->message, sizeof a->message, "%s", why);
    return UG_DECLINED;
}

/* Supports everything, but no row longer than 64. */
static ug_status short_rows(ug_args *a)
{
    if (a->x.cols <= 64) return layernorm(a);
    snprintf(a->message, sizeof a->message, "rows longer than 64");
    return UG_DECLINED;
}

/* Uses all of its workspace. */
static size_t workspace_bytes(const ug_args *a) { return (size_t)a->x.rows * 12 + 5; }

static ug_status workspace(ug_args *a)
{
    if (a->workspace_bytes != workspace_bytes(a) || (uintptr_t)a->workspace % 256) return UG_FAILED;
    memset(a->workspace, 1, a->workspace_bytes);
    return layernorm(a);
}

/* One place off where a row does not begin at a multiple of 16 bytes. */
static ug_status aligned(ug_args *a)
{
    layernorm(a);
    for (int64_t r = 0; r < a->x.rows; r++)
        if ((uintptr_t)((float *)a->x.data + r * a->x.row_stride) % 16) nudge(a, r);
    return UG_OK;
}

/* The last row of a batch has other bits. */
static ug_status last_row(ug_args *a)
{
    layernorm(a);
    if (a->x.rows) nudge(a, a->x.rows - 1);
    return UG_OK;
}

static ug_status never_same(ug_args *a)
{
    static int count;
    layernorm(a);
    if (a->x.rows && count++ % 2) nudge(a, 0);
    return UG_OK;
}

static void serial(const ug_args *a, ug_geometry *g)
{
    *g = (ug_geometry){.threads = 1, .chain = a->x.cols};
}

#define KERNEL(NAME, FUNCTION, DEPENDS, REPEATS, DTYPES, SUPPORTS)                                 \
    {                                                                                              \
        .size = sizeof(ug_kernel), .name = NAME, .summary = "for tests",                           \
        .variance = UG_VAR_TWOPASS, .depends = DEPENDS, .repeatable = REPEATS,                     \
        .ops = 1u << UG_OP_LAYERNORM, .dtypes = DTYPES, .supports = SUPPORTS, .rsqrt_error = 2,    \
        .paths = paths, .geometry = serial, .launch = FUNCTION                                     \
    }

static ug_kernel kernels[] = {
    KERNEL("all/twopass", layernorm, UG_DEPENDS_ROW, 1, 7, EVERYTHING),
    KERNEL("plain/twopass", plain, UG_DEPENDS_ROW, 1, 1, 0),
    KERNEL("short/twopass", short_rows, UG_DEPENDS_ROW, 1, 7, EVERYTHING),
    KERNEL("workspace/twopass", workspace, UG_DEPENDS_ROW, 1, 7, EVERYTHING),
    KERNEL("aligned/twopass", aligned, UG_DEPENDS_ALIGNMENT, 1, 7, EVERYTHING),
    KERNEL("lastrow/twopass", last_row, UG_DEPENDS_ANY, 1, 7, EVERYTHING),
    KERNEL("never/twopass", never_same, UG_DEPENDS_ROW, 0, 7, EVERYTHING)};

static int describe(int index, const char **key, const char **value)
{
    *key = "device";
    *value = "cpu";
    return index == 0;
}

const ug_plugin *ulpgate_plugin(void)
{
    static ug_plugin plugin = {.abi = UG_ABI_VERSION,
                               .size = sizeof plugin,
                               .backend = "right",
                               .describe = describe,
                               .count = sizeof kernels / sizeof *kernels,
                               .kernels = kernels};
    kernels[3].workspace_size = workspace_bytes;
    return &plugin;
}
