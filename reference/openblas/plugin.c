/* SPDX-License-Identifier: Apache-2.0 */
/* The plugin table of the OpenBLAS float reference, and what it tells of the library. */
#include <stdio.h>
#include <stdlib.h>

#include "reference/openblas/rows.h"

static int threads_allowed = 1, threads_now;

int ug_openblas_threads_init(void)
{
    const char *text = getenv("ULPGATE_OPENBLAS_THREADS");
    char *end;
    long count = text ? strtol(text, &end, 10) : 1;
    if (text && (end == text || *end || count < 1 || count > openblas_get_num_procs())) {
        fprintf(stderr, "ULPGATE_OPENBLAS_THREADS is '%s', expected 1 to %d: one thread is used\n",
                text, openblas_get_num_procs());
        count = 1;
    }
    threads_allowed = (int)count;
    openblas_set_num_threads(threads_allowed);
    threads_allowed =
        openblas_get_num_threads(); /* one in a sequential build, whatever was asked */
    threads_now = threads_allowed;
    return threads_allowed;
}

void ug_openblas_threads_limit(uint32_t launch_limit)
{
    int want = threads_allowed;
    if (launch_limit > 0 && launch_limit < (uint32_t)want) want = (int)launch_limit;
    if (want == threads_now) return;
    openblas_set_num_threads(want);
    threads_now = want;
}

static int describe(int index, const char **key, const char **value)
{
    static const char *const names[] = {"library", "config", "core", "threads", "parallel"};
    static const char *const kinds[] = {"sequential", "pthreads", "openmp"};
    static char threads[16];
    int kind = openblas_get_parallel();
    if (index < 0 || index >= (int)(sizeof names / sizeof *names)) return 0;
    snprintf(threads, sizeof threads, "%d", threads_allowed);
    const char *const values[] = {"OpenBLAS", openblas_get_config(), openblas_get_corename(),
                                  threads, kind >= 0 && kind <= 2 ? kinds[kind] : "unknown"};
    *key = names[index];
    *value = values[index];
    return 1;
}

/* depends: the matrix-vector product takes rows four at a time and the rest in twos and ones with
 * other orders of summation, so a row's bits change with the number of rows and its place among
 * them (seen from 33 columns on with OpenBLAS 0.3.21 on a Zen core; README.md). The interface
 * promises nothing on this. repeatable: the same launch with the same thread count does repeat.
 * geometry: not told by the library, hence the serial bound. */
static const ug_kernel kernel = {
    .size = sizeof(ug_kernel),
    .name = "gemv/twopass",
    .summary = "float reference: means by sgemv, centring by sger, variances by sdot",
    .variance = UG_VAR_TWOPASS,
    .rounding = UG_ROUND_ONCE,
    .depends = UG_DEPENDS_ANY,
    .promise = UG_PROMISE_NONE,
    .repeatable = 1,
    .ops = 1u << UG_OP_LAYERNORM,
    .dtypes = 1u << UG_F32 | 1u << UG_F16 | 1u << UG_BF16,
    .supports = UG_CAN_ROW_STRIDE | UG_CAN_MISALIGNED | UG_CAN_IN_PLACE | UG_CAN_NO_GAMMA |
                UG_CAN_NO_BETA | UG_CAN_STATS | UG_CAN_WIDE_PARAMS,
    .rsqrt_error = 2.0, /* sqrtf and a division, correctly rounded both */
    .paths = ug_openblas_paths,
    .workspace_size = ug_openblas_workspace,
    .geometry = NULL,
    .launch = ug_openblas_launch,
};

static const ug_plugin plugin = {
    .abi = UG_ABI_VERSION,
    .size = sizeof(ug_plugin),
    .backend = "openblas",
    .flags = UG_PLUGIN_YARDSTICK,
    .describe = describe,
    .space = NULL,
    .count = 1,
    .kernels = &kernel,
};

__attribute__((visibility("default"))) const ug_plugin *ulpgate_plugin(void)
{
    ug_openblas_threads_init();
    return &plugin;
}
