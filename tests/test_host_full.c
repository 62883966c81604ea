/* SPDX-License-Identifier: Apache-2.0 */
/* Rows that fill their threads take a kernel of their own: it must give the bits of the one for any
 * row, which the same values take when y is not aligned. */
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

static void same(const ug_kernel *k, ug_dtype dtype, int64_t n, int64_t rows, double mean)
{
    trial t = {.dtype = dtype,
               .param = dtype,
               .rows = rows,
               .n = n,
               .xgap = 8,
               .ygap = 16,
               .gamma = 1,
               .beta = 1,
               .mean = mean,
               .std = 2,
               .threads = 1};
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

/* Lengths at which the dispatcher's table fills its threads for one dtype or the other, and two
 * between them; rows that do not come out even with the rows of a block. */
static void same_bits(void **state)
{
    static const int64_t length[] = {128, 256, 512, 768, 1000, 1024, 2048, 3072, 4096, 8192};
    (void)state;
    for (size_t i = 0; i < plugin->count; i++) {
        const ug_kernel *k = &plugin->kernels[i];
        if (strncmp(k->name, "best/", 5)) continue;
        for (size_t j = 0; j < sizeof length / sizeof *length; j++)
            for (ug_dtype d = UG_F32; d < UG_DTYPE_COUNT; d++)
                same(k, d, length[j], length[j] < 1000 ? 37 : 3, j % 2 ? 3 : -1000);
    }
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
