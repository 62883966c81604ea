// SPDX-License-Identifier: Apache-2.0
// What ulpgate sees of the kernel. Another hidden size is declined, whatever else is asked for: a
// limit of size is no lie, so such cases count as declined, neither as passed nor as failed.
#include <limits.h>
#include <stdint.h>
#include <stdio.h>

#include "fixed.h"
#include "ulpgate/cuda_space.h"

static bool aligned(const void *p) { return (uintptr_t)p % 16 == 0; }

static const char *refusal(const ug_args *a)
{
    if (a->x.cols != fixed_n) return "rows of 1024 elements only";
    if (a->x.rows < 1 || a->x.rows > INT_MAX) return "1 to 2^31 - 1 rows";
    if (a->x.dtype != UG_F32 || a->param_dtype != UG_F32) return "float32 only";
    if (a->x.col_stride != 1 || a->y.col_stride != 1 || a->x.row_stride != fixed_n ||
        a->y.row_stride != fixed_n)
        return "dense rows only";
    if (!a->gamma || !a->beta) return "gamma and beta are needed";
    if (a->mean || a->rstd) return "no statistics";
    if (!aligned(a->x.data) || !aligned(a->y.data) || !aligned(a->gamma) || !aligned(a->beta))
        return "everything at multiples of 16 bytes";
    return nullptr;
}

static ug_status launch(ug_args *a)
{
    const char *why = refusal(a);
    if (why) {
        snprintf(a->message, sizeof a->message, "%s", why);
        return UG_DECLINED;
    }
    const cudaError_t e =
        fixed((const float *)a->x.data, (float *)a->y.data, (const float *)a->gamma,
              (const float *)a->beta, (unsigned)a->x.rows, a->eps, (cudaStream_t)a->stream);
    if (e == cudaSuccess) return UG_OK;
    snprintf(a->message, sizeof a->message, "launch: %s", cudaGetErrorString(e));
    return UG_FAILED;
}

static ug_kernel card()
{
    ug_kernel k = {};
    k.size = sizeof k;
    k.name = "fixed1024/twopass";
    k.summary = "example";
    k.repeatable = 1;
    k.ops = 1u << UG_OP_LAYERNORM;
    k.dtypes = 1u << UG_F32;
    k.supports = UG_CAN_IN_PLACE;
    k.rsqrt_error = 2.15; // rsqrtf
    k.launch = launch;
    return k;
}

extern "C" const ug_plugin *ulpgate_plugin(void)
{
    static const ug_kernel kernels[] = {card()};
    static ug_plugin plugin = {};
    plugin.abi = UG_ABI_VERSION;
    plugin.size = sizeof plugin;
    plugin.backend = "example";
    plugin.space = ug_cuda_space();
    plugin.count = 1;
    plugin.kernels = kernels;
    return &plugin;
}
