/* SPDX-License-Identifier: Apache-2.0 */
/* What ulpgate sees of the kernel. It knows no output of its own: where y is not x, x is copied
 * there first, as a caller would have to. */
#include <stdio.h>
#include <string.h>

#include "inplace.h"
#include "ulpgate/kernel.h"

static ug_status launch(ug_args *a)
{
    const char *why = NULL;
    size_t rows = (size_t)a->x.rows, n = (size_t)a->x.cols;
    if (a->x.dtype != UG_F32 || a->param_dtype != UG_F32) why = "float32 only";
    if (a->x.col_stride != 1 || a->y.col_stride != 1 || a->x.row_stride != a->x.cols ||
        a->y.row_stride != a->y.cols)
        why = "dense rows only";
    if (!a->gamma || !a->beta) why = "gamma and beta are needed";
    if (why) {
        snprintf(a->message, sizeof a->message, "%s", why);
        return UG_DECLINED;
    }
    if (a->y.data != a->x.data && rows * n) memcpy(a->y.data, a->x.data, rows * n * sizeof(float));
    inplace(a->y.data, a->gamma, a->beta, rows, n, a->eps);
    return UG_OK;
}

static const ug_kernel kernels[] = {{.size = sizeof(ug_kernel),
                                     .name = "inplace/welford",
                                     .summary = "example",
                                     .repeatable = 1,
                                     .ops = 1u << UG_OP_LAYERNORM,
                                     .dtypes = 1u << UG_F32,
                                     .supports = UG_CAN_MISALIGNED | UG_CAN_IN_PLACE,
                                     .rsqrt_error = 2,
                                     .launch = launch}};

const ug_plugin *ulpgate_plugin(void)
{
    static const ug_plugin plugin = {.abi = UG_ABI_VERSION,
                                     .size = sizeof(ug_plugin),
                                     .backend = "example",
                                     .count = 1,
                                     .kernels = kernels};
    return &plugin;
}
