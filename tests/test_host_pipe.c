/* SPDX-License-Identifier: Apache-2.0 */
/* Long rows that fill a cluster take a kernel that has several of them in work at a time: it must
 * give the bits of the one for any row, which the same values take when y is not aligned. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "kernel_trial.h"

static const ug_plugin *plugin;

static void run(const ug_kernel *k, const trial *t, outcome *o)
{
    trial_run(plugin, k, t, o);
    if (o->status != UG_OK) fail_msg("%s: %s", trial_name(k, t), o->message);
    assert_int_equal(o->stray, 0);
}

/* All rows go to one cluster, as the grid ends there: fewer rows than stages, or more, so that the
 * stages are filled anew. */
static void same(const ug_kernel *k, ug_dtype dtype, int64_t n, int64_t rows, int64_t grid)
{
    const ug_profile limits = {"one cluster", grid, 1024, 227 * 1024, 32};
    trial t = {.dtype = dtype,
               .param = dtype,
               .rows = rows,
               .n = n,
               .xgap = 8,
               .ygap = 16,
               .gamma = 1,
               .beta = 1,
               .mean = 3,
               .std = 2,
               .profile = &limits,
               .variation = (uint32_t)rows};
    outcome full, any;
    run(k, &t, &full);
    t.yoff = 1;
    run(k, &t, &any);
    if (memcmp(full.y, any.y, (size_t)(rows * n) * sizeof *any.y))
        fail_msg("%s: y differs from that of a misaligned one", trial_name(k, &t));
    assert_memory_equal(full.mean, any.mean, (size_t)rows * sizeof *any.mean);
    assert_memory_equal(full.rstd, any.rstd, (size_t)rows * sizeof *any.rstd);
    outcome_free(&full);
    outcome_free(&any);
}

static const ug_kernel *find(const char *name)
{
    for (size_t i = 0; i < plugin->count; i++)
        if (!strcmp(plugin->kernels[i].name, name)) return &plugin->kernels[i];
    fail_msg("no kernel %s", name);
    return NULL;
}

/* One join and two, every type, parts of 32 KiB; the last has parts of 64 KiB. */
static void same_bits(void **state)
{
    (void)state;
    for (int64_t rows = 1; rows <= 11; rows += 5) {
        same(find("best/twopass"), UG_F32, 65536, rows, 8);
        same(find("best/welford"), UG_F32, 65536, rows, 8);
    }
    same(find("best/pairmean"), UG_F32, 65536, 9, 8);
    same(find("best/shifted"), UG_BF16, 131072, 7, 8);
    same(find("best/twopass"), UG_F16, 131072, 6, 15);
    same(find("best/welford"), UG_F32, 262144, 5, 16);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(same_bits)};
    plugin = trial_plugin(UG_HOST_PLUGIN);
    if (!plugin) {
        fprintf(stderr, "%s: no such file\n", UG_HOST_PLUGIN);
        return 1;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
