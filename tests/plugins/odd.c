/* SPDX-License-Identifier: Apache-2.0 */
/* A plugin whose table is right but for one thing, which $UG_TEST_ODD names. */
#include "tests/plugins/layernorm.h"

#include <stdlib.h>
#include <string.h>

static void geometry_negative(const ug_args *a, ug_geometry *g)
{
    (void)a;
    *g = (ug_geometry){-5, -1, -9};
}

static void geometry_zero(const ug_args *a, ug_geometry *g)
{
    (void)a;
    *g = (ug_geometry){0, 0, 0};
}

static size_t workspace_huge(const ug_args *a)
{
    (void)a;
    return (size_t)1 << 39;
}

static ug_status message_without_end(ug_args *a)
{
    memset(a->message, 'A', sizeof a->message);
    return UG_FAILED;
}

static ug_kernel kernel = {.size = sizeof kernel,
                           .name = "odd/twopass",
                           .summary = "one thing is odd",
                           .variance = UG_VAR_TWOPASS,
                           .repeatable = 1,
                           .ops = 1u << UG_OP_LAYERNORM,
                           .dtypes = (1u << UG_DTYPE_COUNT) - 1,
                           .supports = EVERYTHING,
                           .rsqrt_error = 1,
                           .launch = layernorm};
static ug_plugin plugin = {
    .abi = UG_ABI_VERSION, .size = sizeof plugin, .backend = "odd", .count = 1, .kernels = &kernel};

const ug_plugin *ulpgate_plugin(void)
{
    const char *odd = getenv("UG_TEST_ODD");
    const struct {
        const char *name, *kernel;
    } names[] = {
        {"name empty", ""},       {"name blank", "a b/twopass"}, {"name line", "a\nb"},
        {"name colon", "a:b"},    {"name comma", "a,b"},         {"name glob", "a*"},
        {"name escape", "\033a"}, {"name utf-8", "caf\303\251"}, {"name latin", "caf\351"}};
    for (size_t i = 0; odd && i < sizeof names / sizeof *names; i++)
        if (!strcmp(odd, names[i].name)) kernel.name = names[i].kernel;
    if (!odd) return &plugin;
    if (!strcmp(odd, "table aborts")) abort();
    if (!strcmp(odd, "table exits")) exit(0);
    if (!strcmp(odd, "name absent")) kernel.name = NULL;
    if (!strcmp(odd, "backend colon")) plugin.backend = "a:b";
    if (!strcmp(odd, "backend escape")) plugin.backend = "\033a";
    if (!strcmp(odd, "no kernel")) plugin.count = 0;
    if (!strcmp(odd, "no table")) plugin.kernels = NULL;
    if (!strcmp(odd, "many")) plugin.count = (size_t)-1;
    if (!strcmp(odd, "no launch")) kernel.launch = NULL;
    if (!strcmp(odd, "abi")) plugin.abi = 0;
    if (!strcmp(odd, "small")) plugin.size = 8;
    if (!strcmp(odd, "kernel small")) kernel.size = 8;
    if (!strcmp(odd, "variance")) kernel.variance = (ug_variance)99;
    if (!strcmp(odd, "rsqrt nan")) kernel.rsqrt_error = NAN;
    if (!strcmp(odd, "rsqrt negative")) kernel.rsqrt_error = -1;
    if (!strcmp(odd, "rsqrt infinite")) kernel.rsqrt_error = INFINITY;
    if (!strcmp(odd, "geometry negative")) kernel.geometry = geometry_negative;
    if (!strcmp(odd, "geometry zero")) kernel.geometry = geometry_zero;
    if (!strcmp(odd, "workspace huge")) kernel.workspace_size = workspace_huge;
    if (!strcmp(odd, "message")) kernel.launch = message_without_end;
    if (!strcmp(odd, "no operation")) kernel.ops = 0;
    return &plugin;
}
