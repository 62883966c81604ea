// SPDX-License-Identifier: Apache-2.0
// What ulpgate sees of both kernels. They work on dense rows and say so.
#include <limits.h>
#include <stdio.h>

#include "naive.h"
#include "ulpgate/cuda_space.h"

typedef cudaError_t (*layernorm)(const float *x, float *y, const float *gamma, const float *beta,
                                 int rows, int n, float eps, cudaStream_t stream);

static ug_status launch(ug_args *a, layernorm f)
{
    const char *why = nullptr;
    if (a->x.dtype != UG_F32 || a->param_dtype != UG_F32) why = "float32 only";
    if (a->x.col_stride != 1 || a->y.col_stride != 1 || a->x.row_stride != a->x.cols ||
        a->y.row_stride != a->y.cols)
        why = "dense rows only";
    if (!a->gamma || !a->beta) why = "gamma and beta are needed";
    if (a->mean || a->rstd) why = "no statistics";
    if (a->x.rows < 1 || a->x.cols < 1 || a->x.rows > INT_MAX || a->x.cols > INT_MAX)
        why = "1 to 2^31 - 1 rows and columns";
    if (why) {
        snprintf(a->message, sizeof a->message, "%s", why);
        return UG_DECLINED;
    }
    const cudaError_t e =
        f((const float *)a->x.data, (float *)a->y.data, (const float *)a->gamma,
          (const float *)a->beta, (int)a->x.rows, (int)a->x.cols, a->eps, (cudaStream_t)a->stream);
    if (e == cudaSuccess) return UG_OK;
    snprintf(a->message, sizeof a->message, "launch: %s", cudaGetErrorString(e));
    return UG_FAILED;
}

static ug_status launch_naive(ug_args *a) { return launch(a, naive); }
static ug_status launch_repaired(ug_args *a) { return launch(a, repaired); }

// 256 threads a row, each adds every 256th element, then a tree of 8 levels.
static void geometry(const ug_args *a, ug_geometry *g)
{
    g->threads = 256;
    g->chain = (a->x.cols + 255) / 256;
    g->levels = 8;
}

static ug_kernel card(const char *name, ug_variance variance, ug_status (*f)(ug_args *))
{
    ug_kernel k = {};
    k.size = sizeof k;
    k.name = name;
    k.summary = "example";
    k.variance = variance;
    k.repeatable = 1;
    k.ops = 1u << UG_OP_LAYERNORM;
    k.dtypes = 1u << UG_F32;
    k.supports = UG_CAN_MISALIGNED | UG_CAN_IN_PLACE;
    k.rsqrt_error = 2.15; // rsqrtf
    k.geometry = geometry;
    k.launch = f;
    return k;
}

extern "C" const ug_plugin *ulpgate_plugin(void)
{
    static const ug_kernel kernels[] = {card("naive/sum2", UG_VAR_SUM2, launch_naive),
                                        card("repaired/twopass", UG_VAR_TWOPASS, launch_repaired)};
    static ug_plugin plugin = {};
    plugin.abi = UG_ABI_VERSION;
    plugin.size = sizeof plugin;
    plugin.backend = "example";
    plugin.space = ug_cuda_space();
    plugin.count = sizeof kernels / sizeof *kernels;
    plugin.kernels = kernels;
    return &plugin;
}
