/* SPDX-License-Identifier: Apache-2.0 */
/* A bench of plugins whose times are known, and of plugins that die while they are timed. */
#include "audit_fixture.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "audit/bench.h"
#include "audit/bench_record.h"

/* 10 rows of 32 floats: 2560 bytes there and back, 256 of gamma and beta. */
static const char *const small[] = {"layernorm rows=10 n=32 stats=0 gamma=random beta=random",
                                    NULL};
static const double bytes = 2560 + 256;

static void run(fixture *f, ug_bench_options *o)
{
    char *text = NULL;
    size_t size = 0;
    o->cases = f->cases;
    o->case_count = f->options.case_count;
    o->plugins = f->plugins;
    o->plugin_count = f->options.plugin_count;
    o->kernels = f->kernels;
    o->kernel_count = f->options.kernel_count;
    o->command = "a test";
    o->log = open_memstream(&text, &size);
    f->rc = ug_bench(o, &f->summary);
    fclose(o->log);
    snprintf(f->log, sizeof f->log, "%s", text);
    free(text);
    if (f->summary.out[0]) fixture_read(f, f->summary.out);
}

static const json_t *find(const fixture *f, const char *kernel)
{
    for (size_t i = 0; i < json_array_size(f->records); i++) {
        const json_t *record = json_array_get(f->records, i);
        assert_string_equal(record_text(record, "type"), "bench");
        if (!strcmp(record_text(record, "kernel"), kernel)) return record;
    }
    fail_msg("no record of %s in %zu; the log says: %s", kernel, json_array_size(f->records),
             f->log);
    return NULL;
}

static double number(const json_t *record, const char *key)
{
    const json_t *value = json_object_get(record, key);
    return json_is_number(value) ? json_number_value(value) : NAN;
}

static void expect_verdict(const fixture *f, const char *kernel, const char *verdict,
                           const char *tag)
{
    const json_t *record = find(f, kernel);
    char *text = json_dumps(json_object_get(record, "reasons"), JSON_COMPACT);
    if (strcmp(record_text(record, "verdict"), verdict) || (tag && !record_has(record, tag)))
        fail_msg("%s: %s %s, expected %s %s", kernel, record_text(record, "verdict"), text, verdict,
                 tag ? tag : "");
    free(text);
}

static void expect_near(double got, double want)
{
    if (!(fabs(got - want) <= 1e-9 * fabs(want))) fail_msg("%.17g, expected %.17g", got, want);
}

/* The fake device's launches take 10, 11, 12, 13, 10... us. Rounds 4 to 33 count: 13, 10, 11, ...;
 * sorted 8, 7, 7 and 8 of them, so the quartiles are 10.25, 11.5 and 12.75. */
static void figures(void **state)
{
    fixture f;
    ug_bench_options o = {0};
    (void)state;
    fixture_init(&f, UG_DEVICE_PLUGIN, "device:counted device:right", small);
    run(&f, &o);
    assert_int_equal(f.rc, 0);
    const json_t *slow = find(&f, "device:copy/slow"), *fast = find(&f, "device:copy/fast");
    const json_t *kernel = find(&f, "device:counted");
    expect_near(number(slow, "us"), 4);
    expect_near(number(slow, "copy_share"), 0.5);
    expect_near(number(fast, "us"), 2);
    expect_near(number(fast, "gbps"), 1.28);
    expect_near(number(fast, "us_spread"), 0);
    expect_near(number(kernel, "us"), 11.5);
    expect_near(number(kernel, "us_spread"), 2.5);
    expect_near(number(kernel, "bytes"), bytes);
    expect_near(number(kernel, "gbps"), bytes / 11500);
    expect_near(number(kernel, "copy_share"), bytes / 11.5 / (2560.0 / 2));
    expect_near(number(kernel, "copy_us"), 2);
    assert_string_equal(record_text(kernel, "copy"), "device:copy/fast");
    assert_string_equal(record_text(kernel, "clock"), "device");
    /* six times a cache of 10000 bytes, in sets of 2560 */
    expect_near(number(kernel, "sets"), 24);
    expect_near(number(kernel, "repeats"), 30);
    expect_near(number(kernel, "judged_rows"), 10);
    expect_verdict(&f, "device:counted", "PASS", NULL);
    assert_int_equal(f.summary.passed, 2);
    assert_int_equal(f.summary.shown, 2);
    fixture_done(&f);
}

/* Long cases are judged on some rows; all rows are timed, with as many repeats as asked for. */
static void rows_and_repeats(void **state)
{
    static const char *const lines[] = {
        "layernorm dtype=bf16 rows=300 n=1000 xstride=1004 ystride=1008 offset=3", NULL};
    fixture f;
    ug_bench_options o = {.repeats = 4};
    (void)state;
    fixture_init(&f, UG_DEVICE_PLUGIN, "device:counted", lines);
    run(&f, &o);
    assert_int_equal(f.rc, 0);
    const json_t *kernel = find(&f, "device:counted");
    expect_near(number(kernel, "judged_rows"), 131);
    expect_near(number(kernel, "repeats"), 4);
    /* x and y of 2 bytes, float gamma, beta, mean and rstd */
    expect_near(number(kernel, "bytes"), 2 * 2 * 300000.0 + 2 * 4 * 1000 + 2 * 4 * 300);
    expect_near(number(kernel, "sets"), 2);
    expect_verdict(&f, "device:counted", "PASS", NULL);
    fixture_done(&f);
}

/* Rows that are filled with those that are judged come each but once, in strided matrices, too. */
static void rows_differ(void **state)
{
    static const char *const lines[] = {"layernorm rows=700 n=500",
                                        "layernorm dtype=bf16 rows=300 n=1000 xstride=1004", NULL};
    fixture f;
    ug_bench_options o = {.repeats = 1};
    (void)state;
    fixture_init(&f, UG_DEVICE_PLUGIN, "device:all_differ", lines);
    run(&f, &o);
    assert_int_equal(f.rc, 0);
    assert_int_equal(f.summary.passed, 2);
    expect_verdict(&f, "device:all_differ", "PASS", NULL);
    expect_near(number(find(&f, "device:all_differ"), "judged_rows"), 262);
    fixture_done(&f);
}

/* What dies takes nobody with it. */
static void deaths(void **state)
{
    fixture f;
    ug_bench_options o = {.repeats = 5, .time_limit = 20};
    (void)state;
    fixture_init(&f, UG_WRONG_PLUGIN,
                 "wrong:aborts wrong:wild wrong:throws wrong:silent wrong:right wrong:declines",
                 small);
    run(&f, &o);
    assert_int_equal(f.rc, 1);
    expect_verdict(&f, "wrong:aborts", "CRASH", "crash");
    expect_verdict(&f, "wrong:wild", "CRASH", "crash");
    expect_verdict(&f, "wrong:throws", "ERROR", "error");
    expect_verdict(&f, "wrong:silent", "FAIL", "unwritten");
    expect_verdict(&f, "wrong:right", "PASS", NULL);
    assert_true(number(find(&f, "wrong:right"), "us") > 0);
    assert_true(isnan(number(find(&f, "wrong:aborts"), "us")));
    assert_string_equal(record_text(find(&f, "wrong:right"), "clock"), "host");
    assert_int_equal(f.summary.crashed, 2);
    fixture_done(&f);
    fixture_init(&f, UG_DEVICE_PLUGIN, "device:faults device:faults_third device:counted", small);
    run(&f, &o);
    assert_int_equal(f.rc, 1);
    expect_verdict(&f, "device:faults", "ERROR", "error");
    expect_verdict(&f, "device:faults_third", "ERROR", "error");
    expect_verdict(&f, "device:counted", "PASS", NULL);
    expect_near(number(find(&f, "device:counted"), "repeats"), 5);
    fixture_done(&f);
}

static void hang(void **state)
{
    fixture f;
    ug_bench_options o = {.repeats = 2, .time_limit = 1.5};
    (void)state;
    fixture_init(&f, UG_WRONG_PLUGIN, "wrong:loops wrong:right", small);
    run(&f, &o);
    assert_int_equal(f.rc, 1);
    expect_verdict(&f, "wrong:loops", "HANG", "hang");
    expect_verdict(&f, "wrong:right", "PASS", NULL);
    fixture_done(&f);
}

/* Nothing timed is no pass. */
static void nothing(void **state)
{
    static const char *const lines[] = {"layernorm rows=4 n=8 alias=inplace",
                                        "layernorm rows=4 n=8 xstride=0", "layernorm rows=0 n=8",
                                        NULL};
    static const char *const no_case[] = {NULL};
    fixture f;
    ug_bench_options o = {0};
    (void)state;
    fixture_init(&f, UG_DEVICE_PLUGIN, "device:counted", lines);
    run(&f, &o);
    assert_int_equal(f.rc, 77);
    assert_int_equal(json_array_size(f.records), 3);
    for (size_t i = 0; i < 3; i++)
        assert_string_equal(record_text(json_array_get(f.records, i), "verdict"), "DECLINED");
    fixture_done(&f);
    fixture_init(&f, UG_DEVICE_PLUGIN, "device:counted", no_case);
    run(&f, &o);
    assert_int_equal(f.rc, 77);
    fixture_done(&f);
    fixture_init(&f, UG_DEVICE_PLUGIN, "device:nosuch", small);
    run(&f, &o);
    assert_int_equal(f.rc, 77);
    fixture_done(&f);
}

static void medians(void **state)
{
    double one[] = {3}, two[] = {4, 2}, many[] = {5, 1, 9, 3, 7};
    ug_bench_time t;
    (void)state;
    t = ug_bench_median(one, 1);
    assert_true(t.median == 3 && t.spread == 0);
    t = ug_bench_median(two, 2);
    assert_true(t.median == 3 && t.spread == 1);
    t = ug_bench_median(many, 5);
    assert_true(t.median == 5 && t.spread == 4);
    assert_true(isnan(ug_bench_median(one, 0).median));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(figures),     cmocka_unit_test(rows_and_repeats),
        cmocka_unit_test(rows_differ), cmocka_unit_test(deaths),
        cmocka_unit_test(hang),        cmocka_unit_test(nothing),
        cmocka_unit_test(medians),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
