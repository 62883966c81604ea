/* SPDX-License-Identifier: Apache-2.0 */
/* Which launches the kernels of the host plugin take, by which path, and which they decline. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "kernel_trial.h"

static const ug_plugin *plugin;
static const ug_profile tiny = {"tiny", 3, 64, 512, 32}, roomy = {"roomy", 1000, 64, 65536, 32};

static void run_path(const ug_kernel *k, const ug_profile *profile, int64_t rows, int64_t n,
                     int64_t off, outcome *o)
{
    const trial t = {.rows = rows,
                     .n = n,
                     .xoff = off,
                     .yoff = off,
                     .xgap = 4,
                     .ygap = 8,
                     .gamma = 1,
                     .mean = 3,
                     .std = 2,
                     .profile = profile,
                     .threads = 1};
    trial t4 = t;
    /* Strides that are multiples of four, whatever n is. */
    t4.xgap = 4 + (4 - n % 4) % 4, t4.ygap = 8 + (4 - n % 4) % 4;
    trial_run(plugin, k, &t4, o);
    if (o->status != UG_OK) fail_msg("%s: %s", trial_name(k, &t4), o->message);
    assert_int_equal(o->stray, 0);
}

static int known_path(const ug_kernel *k, const char *path)
{
    for (int i = 0; k->paths[i]; i++)
        if (strcmp(k->paths[i], path) == 0) return i;
    return -1;
}

static void take(const ug_kernel *k, const ug_profile *profile, int64_t rows, int64_t n,
                 int64_t off, int *taken, outcome *o)
{
    run_path(k, profile, rows, n, off, o);
    const int p = known_path(k, o->path);
    if (p < 0) fail_msg("%s: path %s is not listed", k->name, o->path);
    taken[p] = 1;
}

/* All paths of one shape give the same bits. */
static void short_paths(const ug_kernel *k, int *taken)
{
    for (int64_t n = 128; n <= 131; n += 3) {
        outcome first = {0};
        for (int shape = 0; shape < 8; shape++) {
            outcome o;
            take(k, shape & 1 ? &tiny : &roomy, shape & 2 ? 7 : 2, n, shape >> 2, taken, &o);
            if (shape) assert_memory_equal(o.y, first.y, 2 * (size_t)n * sizeof *o.y);
            if (shape)
                outcome_free(&o);
            else
                first = o;
        }
        outcome_free(&first);
    }
}

/* Rows that no block of 64 threads holds: with clusters and without, the same bits again. */
static void long_paths(const ug_kernel *k, int *taken)
{
    static const ug_profile with = {"with", 24, 64, 65536, 32};
    static const ug_profile without = {"without", 24, 64, 4096, 32};
    static const int64_t length[] = {2000, 4100, 20000};
    for (int shape = 0; shape < 12; shape++) {
        outcome a, b;
        const int64_t n = length[shape % 3], rows = shape / 3 % 2 ? 60 : 2;
        take(k, &with, rows, n, shape / 6, taken, &a);
        take(k, &without, rows, n, shape / 6, taken, &b);
        assert_memory_equal(a.y, b.y, (size_t)(rows * n) * sizeof *a.y);
        outcome_free(&a);
        outcome_free(&b);
    }
}

/* Small profiles reach every path that a kernel lists, and no other. */
static void every_path(void **state)
{
    static const ug_profile wide = {"wide", 24, 512, 131072, 32};
    static const ug_profile few = {"few", 3, 64, 65536, 32}, small = {"small", 99, 64, 512, 32};
    (void)state;
    for (size_t i = 0; i < plugin->count; i++) {
        const ug_kernel *k = &plugin->kernels[i];
        int taken[32] = {0}, count = 0;
        outcome o;
        for (; k->paths[count]; count++) {}
        short_paths(k, taken);
        long_paths(k, taken);
        for (int64_t n = 1001; n <= 9000; n += 7999) {
            take(k, &wide, 2, n, 0, taken, &o);
            outcome_free(&o);
        }
        /* Shared memory that holds a row, and a grid that holds the batch, in one profile each. */
        for (int shape = 0; shape < 8; shape++) {
            take(k, shape & 1 ? &few : &small, 60, shape & 2 ? 131 : 128, shape >> 2, taken, &o);
            outcome_free(&o);
        }
        take(k, &roomy, 0, 128, 0, taken, &o);
        outcome_free(&o);
        for (int p = 0; p < count; p++)
            if (!taken[p]) fail_msg("%s: path %s was never taken", k->name, k->paths[p]);
    }
}

typedef void spoil(ug_args *a);
static float memory[4096];
static void columns(ug_args *a) { a->x.col_stride = 2; }
static void columns_y(ug_args *a) { a->y.col_stride = 2; }
static void shifted(ug_args *a) { a->y.data = memory + 1; }
static void other_stride(ug_args *a) { a->y.data = memory, a->y.row_stride = 20; }
static void crossing(ug_args *a) { a->y.data = memory + 8; }
static void crossing_gap(ug_args *a)
{
    a->y.data = memory + 8, a->x.row_stride = a->y.row_stride = 40;
}
static void crossing_next(ug_args *a)
{
    a->y.data = memory + 32, a->x.row_stride = a->y.row_stride = 40;
}
static void over_gamma(ug_args *a) { a->gamma = (float *)a->y.data + 3; }
static void over_mean(ug_args *a) { a->mean = (float *)a->y.data; }
static void folded(ug_args *a) { a->y.row_stride = 8; }
static void mixed(ug_args *a) { a->y.dtype = UG_F16; }
static void half_params(ug_args *a) { a->gamma = memory + 3000, a->param_dtype = UG_F16; }
static void odd_bytes(ug_args *a) { a->x.data = (char *)memory + 2; }
static void warp64(ug_args *a)
{
    static const ug_profile p = {"warp64", 0, 0, 0, 64};
    a->profile = &p;
}
static void narrow(ug_args *a)
{
    static const ug_profile p = {"narrow", 0, 16, 0, 0};
    a->profile = &p;
}
static void bare(ug_args *a)
{
    static const ug_profile p = {"bare", 0, 0, 64, 0};
    a->profile = &p;
}

static ug_args plain_args(void)
{
    const trial t = {.rows = 4, .n = 16};
    ug_args a = trial_args(&t);
    a.x.data = memory;
    a.y.data = memory + 1024;
    a.mean = memory + 2048;
    a.rstd = memory + 2100;
    a.threads = 1;
    return a;
}

static void declines(void **state)
{
    static const struct {
        spoil *f;
        const char *word;
    } list[] = {
        {columns, "column stride"}, {columns_y, "column stride"},
        {shifted, "overlap"},       {other_stride, "overlap"},
        {crossing, "overlap"},      {crossing_gap, "overlap"},
        {crossing_next, "overlap"}, {over_gamma, "overlap"},
        {over_mean, "overlap"},     {folded, "overlap"},
        {mixed, "dtype"},           {half_params, "dtype"},
        {odd_bytes, "aligned"},     {warp64, "warp"},
        {narrow, "block"},          {bare, "shared"},
    };
    (void)state;
    for (size_t k = 0; k < plugin->count; k++)
        for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
            ug_args a = plain_args();
            memset(memory, 0x5a, sizeof memory);
            list[i].f(&a);
            if (plugin->kernels[k].launch(&a) != UG_DECLINED || !strstr(a.message, list[i].word))
                fail_msg("%s, %s: not declined, or for another reason: %s", plugin->kernels[k].name,
                         list[i].word, a.message);
            for (size_t b = 0; b < sizeof memory / 4; b++)
                assert_int_equal(ug_float_bits(memory[b]), 0x5a5a5a5a);
        }
}

static void broken(void **state)
{
    (void)state;
    for (size_t k = 0; k < plugin->count; k++) {
        const ug_kernel *kernel = &plugin->kernels[k];
        ug_args a = plain_args();
        a.x.rows = a.y.rows = -1;
        assert_int_equal(kernel->launch(&a), UG_FAILED);
        assert_non_null(strstr(a.message, "-1 rows"));
        a = plain_args();
        a.x.data = NULL;
        assert_int_equal(kernel->launch(&a), UG_FAILED);
        a = plain_args();
        a.x.row_stride = INT64_MAX / 2;
        assert_int_equal(kernel->launch(&a), UG_FAILED);
        a = plain_args();
        a.mean = NULL;
        const size_t need = kernel->workspace_size(&a);
        if (need == 0) continue;
        a.workspace = memory + 3000, a.workspace_bytes = need - 1;
        assert_int_equal(kernel->launch(&a), UG_FAILED);
        assert_non_null(strstr(a.message, "workspace"));
    }
}

/* Rows of y in the gaps between rows of x are apart, though their spans cross. */
static void interleaved(void **state)
{
    (void)state;
    for (size_t k = 0; k < plugin->count; k++) {
        ug_args a = plain_args();
        for (int i = 0; i < 4096; i++) memory[i] = (float)(i % 37);
        a.x.row_stride = a.y.row_stride = 32;
        a.y.data = memory + 16;
        assert_int_equal(plugin->kernels[k].launch(&a), UG_OK);
        for (int i = 0; i < 16; i++) assert_true(memory[32 + i] == (float)((32 + i) % 37));
    }
}

static void nothing_to_do(void **state)
{
    (void)state;
    for (size_t k = 0; k < plugin->count; k++) {
        ug_args a = plain_args();
        memset(memory, 0x5a, sizeof memory);
        a.x.rows = a.y.rows = 0;
        assert_int_equal(plugin->kernels[k].launch(&a), UG_OK);
        for (size_t b = 0; b < sizeof memory / 4; b++)
            assert_int_equal(ug_float_bits(memory[b]), 0x5a5a5a5a);
        a = plain_args();
        a.x.cols = a.y.cols = a.x.row_stride = a.y.row_stride = 0;
        assert_int_equal(plugin->kernels[k].launch(&a), UG_OK);
        for (size_t b = 0; b < sizeof memory / 4; b++)
            if ((b < 2048 || b >= 2052) && (b < 2100 || b >= 2104))
                assert_int_equal(ug_float_bits(memory[b]), 0x5a5a5a5a);
            else
                assert_true(isnan(memory[b])); /* an empty row has no mean */
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_path),  cmocka_unit_test(declines),      cmocka_unit_test(broken),
        cmocka_unit_test(interleaved), cmocka_unit_test(nothing_to_do),
    };
    plugin = trial_plugin(UG_HOST_PLUGIN);
    if (!plugin) {
        fprintf(stderr, "%s: no such file\n", UG_HOST_PLUGIN);
        return 1;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
