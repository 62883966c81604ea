/* SPDX-License-Identifier: Apache-2.0 */
/* What the OpenBLAS plugin declares, refuses and promises. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cblas.h>
#include <cmocka.h>

#include "openblas_harness.h"

static const trial plain = {.rows = 6, .n = 40, .std = 1, .eps = 1e-5f, .seed = 3};

static void declared(void **state)
{
    const ug_plugin *plugin = harness_plugin();
    const ug_kernel *kernel = harness_kernel();
    (void)state;
    assert_int_equal(plugin->abi, UG_ABI_VERSION);
    assert_int_equal(plugin->size, sizeof(ug_plugin));
    assert_string_equal(plugin->backend, "openblas");
    assert_true(plugin->flags & UG_PLUGIN_YARDSTICK);
    assert_int_equal(plugin->count, 1);
    assert_string_equal(kernel->name, "gemv/twopass");
    assert_int_equal(kernel->size, sizeof(ug_kernel));
    assert_int_equal(kernel->variance, UG_VAR_TWOPASS);
    assert_null(kernel->geometry);
    assert_false(kernel->supports & UG_CAN_COL_STRIDE);
}

static void describes_the_library(void **state)
{
    const ug_plugin *plugin = harness_plugin();
    const char *key, *value, *asked = getenv("ULPGATE_OPENBLAS_THREADS");
    int core = 0, config = 0, threads = 0, index = 0;
    (void)state;
    for (; plugin->describe(index, &key, &value); index++) {
        assert_true(*key && *value);
        core += !strcmp(key, "core");
        config += !strcmp(key, "config") && strstr(value, "OpenBLAS");
        threads += !strcmp(key, "threads") && !strcmp(value, asked ? asked : "1");
    }
    assert_true(core == 1 && config == 1 && threads == 1 && index < 20);
    assert_int_equal(plugin->describe(-1, &key, &value), 0);
}

/* The answer must be `status` with a message that holds `word`, and y must stay untouched. */
static void refused(trial_run *run, ug_status status, const char *word)
{
    const unsigned char *y = (const unsigned char *)run->y.base;
    run->args.message[0] = 0;
    assert_int_equal(trial_launch(run), status);
    if (!strstr(run->args.message, word)) fail_msg("'%s' lacks '%s'", run->args.message, word);
    for (size_t i = 0; i < run->y.bytes; i++) assert_int_equal(y[i], 0xa5);
    assert_memory_equal(run->x.base, run->x_before, run->x.bytes);
}

static void declines(void **state)
{
    trial_run run;
    ug_args whole;
    (void)state;
    trial_open(&run, &plain);
    whole = run.args;
    run.args.x.col_stride = 2;
    refused(&run, UG_DECLINED, "column stride");
    run.args = whole;
    run.args.y.col_stride = -1;
    refused(&run, UG_DECLINED, "column stride");
    run.args = whole;
    run.args.y.dtype = UG_F16;
    refused(&run, UG_DECLINED, "dtype");
    run.args = whole;
    run.args.param_dtype = UG_BF16;
    refused(&run, UG_DECLINED, "gamma");
    run.args = whole;
    run.args.op = (ug_op)1;
    refused(&run, UG_DECLINED, "op");
    run.args = whole;
    run.args.y.row_stride = 39;
    refused(&run, UG_DECLINED, "overlap");
    run.args = whole;
    run.args.x.cols = run.args.y.cols = (int64_t)INT32_MAX + 1;
    run.args.x.rows = run.args.y.rows = 1;
    if (sizeof(blasint) == 4) refused(&run, UG_DECLINED, "BLAS integer");
    trial_close(&run);
}

static void declines_shifted_overlap(void **state)
{
    trial t = plain;
    trial_run run;
    (void)state;
    trial_open(&run, &plain);
    run.args.y = run.args.x;
    run.args.y.row_stride = 41;
    refused(&run, UG_DECLINED, "overlaps");
    run.args.y = run.args.x;
    run.args.y.data = (float *)run.args.x.data + 1;
    refused(&run, UG_DECLINED, "overlaps");
    trial_close(&run);
    t.xstride = 96;
    trial_open(&run, &t);
    run.args.x.rows = 5;
    for (int shift = 8; shift < 96; shift += 24) { /* 8, 32 and 80 meet rows of x, 56 does not */
        run.args.y = run.args.x;
        run.args.y.data = (float *)run.args.x.data + shift;
        if (shift != 56) refused(&run, UG_DECLINED, "overlaps");
    }
    trial_close(&run);
}

static void fails_with_a_reason(void **state)
{
    trial_run run;
    ug_args whole;
    (void)state;
    trial_open(&run, &plain);
    whole = run.args;
    run.args.y.rows = 5;
    refused(&run, UG_FAILED, "shape");
    run.args = whole;
    run.args.x.data = NULL;
    refused(&run, UG_FAILED, "NULL");
    run.args = whole;
    assert_int_equal(harness_kernel()->launch(&run.args), UG_FAILED);
    assert_non_null(strstr(run.args.message, "workspace"));
    trial_close(&run);
}

/* y between the rows of x, both in one buffer: disjoint, though their ranges cross. */
static void interleaved(void **state)
{
    trial t = plain, alone = plain;
    trial_run run, other;
    (void)state;
    t.xstride = alone.xstride = 96;
    trial_open(&run, &t);
    trial_open(&other, &alone);
    run.args.y = run.args.x;
    run.args.y.rows = run.args.x.rows = 5; /* the last row of y lies before x's sixth */
    other.args.y.rows = other.args.x.rows = 5;
    run.args.y.data = (float *)run.args.x.data + 48;
    assert_int_equal(trial_launch(&run), UG_OK);
    assert_int_equal(trial_launch(&other), UG_OK);
    for (int64_t r = 0; r < 5; r++)
        for (int64_t i = 0; i < t.n; i++)
            assert_int_equal(trial_bits(&run, r, i), trial_bits(&other, r, i));
    trial_close(&run);
    trial_close(&other);
}

static void nothing_to_do(void **state)
{
    trial t = plain;
    trial_run run;
    (void)state;
    t.rows = 0;
    trial_open(&run, &t);
    assert_int_equal(trial_launch(&run), UG_OK);
    trial_close(&run);
    t.rows = 4;
    t.n = 0;
    trial_open(&run, &t);
    assert_int_equal(trial_launch(&run), UG_OK);
    for (int r = 0; r < 4; r++) assert_true(isnan(run.args.mean[r]) && isnan(run.args.rstd[r]));
    trial_close(&run);
}

static void workspace_is_bounded(void **state)
{
    ug_args args = {.size = sizeof args, .x = {.rows = (int64_t)1 << 32, .cols = 7}};
    size_t few;
    (void)state;
    args.x.row_stride = args.x.cols;
    args.x.col_stride = 1;
    args.y = args.x;
    assert_true(harness_kernel()->workspace_size(&args) <= (size_t)4 << 20);
    args.x.cols = args.y.cols = 1 << 20;
    few = harness_kernel()->workspace_size(&args);
    assert_true(few >= (size_t)8 << 20 && few <= (size_t)10 << 20);
}

static void repeats(void **state)
{
    static const int64_t lengths[] = {33, 1000, 20000};
    (void)state;
    for (size_t k = 0; k < 3; k++) {
        trial t = plain;
        trial_run first, again;
        t.rows = 37;
        t.n = lengths[k];
        trial_open(&first, &t);
        trial_open(&again, &t);
        again.args.variation = 2;
        assert_int_equal(trial_launch(&first), UG_OK);
        assert_int_equal(trial_launch(&again), UG_OK);
        assert_memory_equal(first.y.base, again.y.base, first.y.bytes);
        assert_memory_equal(first.mean.base, again.mean.base, first.mean.bytes);
        trial_close(&first);
        trial_close(&again);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(declared),      cmocka_unit_test(describes_the_library),
        cmocka_unit_test(declines),      cmocka_unit_test(declines_shifted_overlap),
        cmocka_unit_test(interleaved),   cmocka_unit_test(fails_with_a_reason),
        cmocka_unit_test(nothing_to_do), cmocka_unit_test(workspace_is_bounded),
        cmocka_unit_test(repeats),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
