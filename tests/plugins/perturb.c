/* SPDX-License-Identifier: Apache-2.0 */
/* Two kernels; built with UG_PERTURB, one of them gives other bits in some rows: where the first
 * four values fall, element 5 is one place off. Which rows these are follows from the data and not
 * from its scale, so that the judge finds nothing wrong. */
#include "tests/plugins/layernorm.h"

static ug_status steady(ug_args *a) { return layernorm(a); }

static ug_status perturbed(ug_args *a)
{
    layernorm(a);
#ifdef UG_PERTURB
    for (int64_t r = 0; r < a->x.rows; r++) {
        uint32_t *y = (uint32_t *)a->y.data + r * a->y.row_stride + 5 * a->y.col_stride;
        int falls = a->y.dtype == UG_F32 && a->y.cols > 5;
        for (int64_t i = 0; i < 3 && falls; i++) {
            int64_t at = r * a->x.row_stride + i * a->x.col_stride;
            falls = ug_load(a->x.data, a->x.dtype, at) >
                    ug_load(a->x.data, a->x.dtype, at + a->x.col_stride);
        }
        if (falls) ++*y;
    }
#endif
    return UG_OK;
}

static void serial(const ug_args *a, ug_geometry *g)
{
    *g = (ug_geometry){.threads = 1, .chain = a->x.cols};
}

#define KERNEL(NAME, FUNCTION)                                                                     \
    {                                                                                              \
        .size = sizeof(ug_kernel), .name = NAME, .summary = "for tests",                           \
        .variance = UG_VAR_TWOPASS, .depends = UG_DEPENDS_ROW, .repeatable = 1,                    \
        .ops = 1u << UG_OP_LAYERNORM, .dtypes = 7, .supports = EVERYTHING, .rsqrt_error = 2,       \
        .geometry = serial, .launch = FUNCTION                                                     \
    }

static const ug_kernel kernels[] = {KERNEL("steady/twopass", steady),
                                    KERNEL("perturbed/twopass", perturbed)};

static int describe(int index, const char **key, const char **value)
{
    *key = "device";
#ifdef UG_PERTURB
    *value = "another";
#else
    *value = "one";
#endif
    return index == 0;
}

const ug_plugin *ulpgate_plugin(void)
{
    static const ug_plugin plugin = {.abi = UG_ABI_VERSION,
                                     .size = sizeof plugin,
                                     .backend = "port",
                                     .describe = describe,
                                     .count = sizeof kernels / sizeof *kernels,
                                     .kernels = kernels};
    return &plugin;
}
