/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of whole vectors take kernels of their own in a block and in a cluster: these must give the
 * bits of the one for any row, which the same values take when y is not aligned. */
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

static void assert_same_bits(const ug_kernel *k, const trial *t, const outcome *a, const outcome *b)
{
    const size_t rows = (size_t)t->rows, elements = rows * (size_t)t->n;
    if (memcmp(a->y, b->y, elements * sizeof *a->y))
        fail_msg("%s: y differs from that at another place", trial_name(k, t));
    assert_memory_equal(a->mean, b->mean, rows * sizeof *a->mean);
    assert_memory_equal(a->rstd, b->rstd, rows * sizeof *a->rstd);
}

static void same(const ug_kernel *k, trial t)
{
    outcome own, any;
    t.xgap = 8, t.ygap = 16;
    t.gamma = t.beta = 1;
    t.param = t.dtype, t.std = 2;
    run(k, &t, &own);
    t.yoff = 1;
    run(k, &t, &any);
    assert_same_bits(k, &t, &own, &any);
    outcome_free(&own);
    outcome_free(&any);
}

/* Lengths at which the dispatcher's table fills its threads for one dtype or the other, and some
 * between them; rows that do not come out even with the rows of a block. */
static void blocks(void **state)
{
    static const int64_t length[] = {128,  256,  512,  768,  1000,  1024,  2048,  3072,
                                     4096, 6144, 8192, 9000, 10240, 16384, 18400, 32768};
    (void)state;
    for (size_t i = 0; i < plugin->count; i++) {
        const ug_kernel *k = &plugin->kernels[i];
        if (strncmp(k->name, "best/", 5)) continue;
        for (size_t j = 0; j < sizeof length / sizeof *length; j++)
            for (ug_dtype d = UG_F32; d < UG_DTYPE_COUNT; d++)
                same(k, (trial){.dtype = d,
                                .n = length[j],
                                .rows = length[j] < 1000 ? 37 : 3,
                                .mean = j % 2 ? 3 : -1000,
                                .threads = 1});
    }
}

/* x and y anywhere, also in place. */
static void anywhere(const ug_kernel *k, trial t)
{
    outcome first, other;
    run(k, &t, &first);
    for (int place = 1; place < 16; place++) {
        t.xoff = place % 8, t.yoff = place * 3 % 8;
        t.xgap = place % 5, t.ygap = place % 3;
        t.in_place = place > 12;
        t.variation = (uint32_t)place % 4;
        run(k, &t, &other);
        assert_same_bits(k, &t, &first, &other);
        outcome_free(&other);
    }
    outcome_free(&first);
}

/* Lengths that no vector divides: one more and one less than fill the threads, and others; gamma
 * and beta in the type of x, in float, and absent. More rows than the grid has blocks. */
static void odd(void **state)
{
    static const int64_t length[] = {193, 391, 511, 777, 1023, 1025, 2047, 3001, 4097, 8191};
    static const ug_profile grid = {"grid", 3, 1024, 49152, 32};
    (void)state;
    for (size_t i = 0; i < plugin->count; i++) {
        const ug_kernel *k = &plugin->kernels[i];
        if (strncmp(k->name, "best/", 5)) continue;
        for (size_t j = 0; j < sizeof length / sizeof *length; j++)
            for (ug_dtype d = UG_F32; d < UG_DTYPE_COUNT; d++)
                anywhere(k, (trial){.dtype = d,
                                    .n = length[j],
                                    .rows = j % 2 ? 5 : 4,
                                    .mean = 3,
                                    .std = 2,
                                    .gamma = j % 4 != 2,
                                    .beta = j % 4 != 3,
                                    .param = j % 3 == 1 ? UG_F32 : d,
                                    .profile = j % 2 ? &grid : NULL,
                                    .threads = 1});
    }
}

static const ug_kernel *find(const char *name)
{
    for (size_t i = 0; i < plugin->count; i++)
        if (!strcmp(plugin->kernels[i].name, name)) return &plugin->kernels[i];
    fail_msg("no kernel %s", name);
    return NULL;
}

struct shared {
    const char *kernel;
    ug_dtype dtype;
    int64_t n, rows, grid;
};

/* One join and two, every type. Parts of 32 and 64 KiB that all threads have as many vectors of,
 * then parts of two, four, eight and sixteen blocks with few places empty and with many. */
static const struct shared shared_rows[] = {
    {"best/twopass", UG_F32, 65536, 1, 8},   {"best/twopass", UG_F32, 65536, 6, 8},
    {"best/twopass", UG_F32, 65536, 11, 8},  {"best/welford", UG_F32, 65536, 1, 8},
    {"best/welford", UG_F32, 65536, 6, 8},   {"best/welford", UG_F32, 65536, 11, 8},
    {"best/twopass", UG_F32, 65536, 13, 16}, {"best/welford", UG_F32, 65536, 14, 17},
    {"best/pairmean", UG_F32, 65536, 9, 8},  {"best/shifted", UG_BF16, 131072, 7, 8},
    {"best/twopass", UG_F16, 131072, 6, 15}, {"best/welford", UG_F32, 262144, 5, 16},
    {"best/twopass", UG_F32, 262144, 6, 16}, {"best/twopass", UG_F32, 15000, 1, 2},
    {"best/twopass", UG_F32, 15000, 6, 2},   {"best/welford", UG_F32, 15000, 1, 4},
    {"best/welford", UG_F32, 15000, 11, 4},  {"best/shifted", UG_F32, 13312, 6, 3},
    {"best/welford", UG_BF16, 41000, 7, 4},  {"best/pairmean", UG_BF16, 53248, 5, 8},
    {"best/twopass", UG_F32, 25600, 9, 4},   {"best/shifted", UG_F32, 50000, 6, 8},
    {"best/welford", UG_F16, 100000, 5, 8},  {"best/pairmean", UG_F32, 66000, 5, 16},
    {"best/twopass", UG_F32, 150000, 5, 16}, {"best/welford", UG_F32, 150000, 5, 16},
    {"best/pairwise", UG_F32, 65536, 1, 8},  {"best/pairwise", UG_F32, 65536, 11, 8},
    {"best/pairwise", UG_F32, 15000, 6, 2},  {"best/pairwise", UG_F32, 150000, 5, 16},
    {"best/pairwise", UG_F32, 66000, 5, 16}, {"best/pairwise", UG_F32, 262144, 5, 16},
    {"best/pairwise", UG_BF16, 41000, 7, 4}, {"best/pairwise", UG_BF16, 131072, 7, 8},
    {"best/pairwise", UG_F16, 100000, 5, 8}, {"best/pairwise", UG_F16, 131072, 6, 15},
};

/* The rows go to one cluster or two, as the grid ends there: fewer rows than stages, or more, so
 * that the stages are filled anew and rows are drawn. */
static void clusters(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof shared_rows / sizeof *shared_rows; i++) {
        const struct shared *s = &shared_rows[i];
        const ug_profile limits = {"few clusters", s->grid, 1024, 227 * 1024, 32};
        same(find(s->kernel), (trial){.dtype = s->dtype,
                                      .n = s->n,
                                      .rows = s->rows,
                                      .mean = 3,
                                      .profile = &limits,
                                      .variation = (uint32_t)s->rows});
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(blocks), cmocka_unit_test(odd),
                                       cmocka_unit_test(clusters)};
    plugin = trial_plugin(UG_HOST_PLUGIN);
    if (!plugin) {
        fprintf(stderr, "%s: no such file\n", UG_HOST_PLUGIN);
        return 1;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
