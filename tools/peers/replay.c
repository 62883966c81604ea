/* SPDX-License-Identifier: Apache-2.0 */
/* The plugin `peers`: lets other programs' answers be judged, through files.
 *
 * $ULPGATE_REPLAY names a folder. The kernel `record` writes the rows that it is given to
 * FOLDER/inputs (and answers in double, so that a run is none the worse for it); somebody else
 * answers them into FOLDER/outputs/PEER; each PEER is a kernel that gives its answers back, row by
 * row. What the judge finds out about layouts, guards and order says nothing about the peer: rows
 * travel alone, so only what is contiguous is accepted. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "store.h"
#include "ulpgate/dtype.h"

static const char *folder;
static ug_peer peers[UG_PEERS_MAX];

static ug_status decline(ug_args *a, const char *why)
{
    snprintf(a->message, sizeof a->message, "%s: rows travel alone, in order", why);
    return UG_DECLINED;
}

static ug_status check(ug_args *a)
{
    if (a->x.row_stride != a->x.cols || a->y.row_stride != a->y.cols)
        return decline(a, "rows are apart");
    if (a->x.col_stride != 1 || a->y.col_stride != 1) return decline(a, "columns are apart");
    if (a->x.data == a->y.data) return decline(a, "in place");
    if (((uintptr_t)a->x.data | (uintptr_t)a->y.data) % 16) return decline(a, "not aligned");
    return UG_OK;
}

static void answer_row(const ug_args *a, int64_t row)
{
    const int64_t n = a->x.cols, first = row * n;
    double mean = 0, var = 0, rstd;
    for (int64_t i = 0; i < n; i++) mean += (double)ug_load(a->x.data, a->x.dtype, first + i);
    mean /= (double)n;
    for (int64_t i = 0; i < n; i++) {
        const double d = (double)ug_load(a->x.data, a->x.dtype, first + i) - mean;
        var += d * d;
    }
    rstd = 1 / sqrt(var / (double)n + (double)a->eps);
    for (int64_t i = 0; i < n; i++) {
        double y = ((double)ug_load(a->x.data, a->x.dtype, first + i) - mean) * rstd;
        if (a->gamma) y *= (double)ug_load(a->gamma, a->param_dtype, i);
        if (a->beta) y += (double)ug_load(a->beta, a->param_dtype, i);
        ug_store(a->y.data, a->y.dtype, first + i, (float)y);
    }
}

static ug_status record(ug_args *a)
{
    ug_status status = check(a);
    if (status != UG_OK) return status;
    if (ug_store_record(folder, a)) return UG_FAILED;
    for (int64_t r = 0; r < a->x.rows; r++) answer_row(a, r);
    return UG_OK;
}

static ug_status replay(size_t peer, ug_args *a)
{
    ug_status status = check(a);
    if (status != UG_OK) return status;
    return ug_store_replay(folder, &peers[peer], a) ? UG_DECLINED : UG_OK;
}

/* A launch does not say whose it is: a function a peer. The numbers are octal, 00 to 037. */
#define EIGHT(X, n) X(n##0) X(n##1) X(n##2) X(n##3) X(n##4) X(n##5) X(n##6) X(n##7)
#define ALL(X)      EIGHT(X, 0) EIGHT(X, 01) EIGHT(X, 02) EIGHT(X, 03)
#define REPLAY(n)                                                                                  \
    static ug_status replay_##n(ug_args *a) { return replay(n, a); }
ALL(REPLAY)
#define NAME(n) replay_##n,
static ug_status (*const replays[UG_PEERS_MAX])(ug_args *) = {ALL(NAME)};

static int describe(int index, const char **key, const char **value)
{
    const char *const facts[][2] = {{"device", "files"}, {"folder", folder ? folder : ""}};
    if (index < 0 || index > 1) return 0;
    *key = facts[index][0];
    *value = facts[index][1];
    return 1;
}

static ug_kernel card(const char *name, uint32_t dtypes, ug_status (*launch)(ug_args *))
{
    return (ug_kernel){.size = sizeof(ug_kernel),
                       .name = name,
                       .summary = "through files",
                       .variance = UG_VAR_UNKNOWN,
                       .repeatable = 1,
                       .ops = 1u << UG_OP_LAYERNORM,
                       .dtypes = dtypes,
                       .supports = UG_CAN_NO_GAMMA | UG_CAN_NO_BETA | UG_CAN_WIDE_PARAMS,
                       .rsqrt_error = 2.15,
                       .launch = launch};
}

__attribute__((visibility("default"))) const ug_plugin *ulpgate_plugin(void)
{
    static ug_kernel kernels[UG_PEERS_MAX + 1];
    static ug_plugin plugin = {.abi = UG_ABI_VERSION,
                               .size = sizeof plugin,
                               .backend = "peers",
                               .flags = UG_PLUGIN_NO_TIMES,
                               .describe = describe,
                               .kernels = kernels};
    folder = getenv("ULPGATE_REPLAY");
    if (!folder || !*folder) return &plugin;
    const size_t count = ug_store_peers(folder, peers);
    kernels[0] = card("record", 7, record);
    for (size_t i = 0; i < count; i++)
        kernels[i + 1] = card(peers[i].name, peers[i].dtypes, replays[i]);
    plugin.count = count + 1;
    return &plugin;
}
