/* SPDX-License-Identifier: Apache-2.0 */
/* Matrices that only the device holds: every element is looked at, faults are told with their
 * place, and right kernels get the record that they would get on the host. */
#include "audit_fixture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "audit/tile.h"

static fixture f;

static const char *verdict_of(size_t i)
{
    return record_text(json_array_get(f.records, i), "verdict");
}

static char *reasons_of(size_t i)
{
    static char text[4096];
    char *all = json_dumps(json_object_get(json_array_get(f.records, i), "reasons"), JSON_COMPACT);
    snprintf(text, sizeof text, "%s", all);
    free(all);
    return text;
}

static const char *const cases[] = {
    "layernorm rows=1000 n=33 rowperiod=13",
    "layernorm dtype=f16 rows=1000 n=34 rowperiod=13 xstride=37 ystride=41 xoffset=1 batch=77",
    "layernorm dtype=bf16 rows=500 n=16 rowperiod=7 alias=inplace xstride=20 ystride=20 stats=0",
    "layernorm rows=200 n=9 rowperiod=5 xcol=3 ycol=2 gamma=none",
    "layernorm rows=200 n=12 rowperiod=4 colperiod=6 beta=none",
    "layernorm dtype=f16 rows=1 n=3003 colperiod=77",
    "layernorm rows=6 n=3003 colperiod=77 xstride=3010 yoffset=3 xcol=1",
    "layernorm rows=30 n=20 rowperiod=6 special=nan@3+inf@last specialrow=2",
    "layernorm rows=30 n=8 rowperiod=29 batch=3",
    "layernorm rows=11 rowperiod=4 n=384 data=file(real/minilm.safetensors,tensor=layer0.output.x)",
    NULL};

/* The bits, their digest and what they are measured by are those of the ordinary way, which the
 * other device takes for want of functions. */
static void test_same_as_the_ordinary_way(void **state)
{
    static const char *const same[] = {"digest", "inputs"};
    json_t *tiled;
    size_t count;
    (void)state;
    fixture_init(&f, UG_HUGE_PLUGIN, "huge:right", cases);
    fixture_run(&f);
    count = json_array_size(f.records);
    for (size_t i = 0; i < count; i++)
        if (strcmp(verdict_of(i), "PASS")) fail_msg("%s: %s", cases[i], reasons_of(i));
    tiled = json_incref(f.records);
    fixture_done(&f);
    fixture_init(&f, UG_DEVICE_PLUGIN, "device:right", cases);
    fixture_run(&f);
    for (size_t i = 0; i < count; i++) {
        const json_t *a = json_array_get(tiled, i), *b = json_array_get(f.records, i);
        const json_t *rows = json_object_get(a, "rows");
        double got = json_number_value(json_object_get(json_object_get(a, "metrics"), "max_ulp"));
        double want = json_number_value(json_object_get(json_object_get(b, "metrics"), "max_ulp"));
        assert_string_equal(verdict_of(i), "PASS");
        for (size_t k = 0; k < 2; k++)
            assert_string_equal(record_text(a, same[k]), record_text(b, same[k]));
        if (got != want) fail_msg("%s: max_ulp %.17g, expected %.17g", cases[i], got, want);
        assert_int_equal(json_integer_value(json_object_get(rows, "compared")), f.cases[i].rows);
        assert_null(json_object_get(json_object_get(b, "rows"), "compared"));
    }
    json_decref(tiled);
    fixture_done(&f);
}

/* What a reader of files says of a good one must not be taken for a complaint. */
static void test_files(void **state)
{
    const char *lines[] = {
        "layernorm rows=4 n=384 data=file(real/minilm.safetensors,tensor=layer0."
        "output.x) gamma=file(real/minilm.safetensors,tensor=layer0.output.gamma)",
        cases[9], "layernorm n=3 data=file(/nowhere/x.npy)", NULL};
    (void)state;
    fixture_init(&f, UG_RIGHT_PLUGIN, "right:all/twopass", lines);
    fixture_run(&f);
    for (size_t i = 0; i < 2; i++) assert_string_equal(verdict_of(i), "PASS");
    assert_string_equal(verdict_of(2), "ERROR");
    assert_non_null(strstr(reasons_of(2), "cannot open /nowhere/x.npy"));
    fixture_done(&f);
}

static void test_right_kernels(void **state)
{
    static const char *const globs[] = {"huge:workspace", "huge:by_alignment"};
    (void)state;
    for (size_t k = 0; k < 2; k++) {
        fixture_init(&f, UG_HUGE_PLUGIN, globs[k], cases);
        fixture_run(&f);
        for (size_t i = 0; i < json_array_size(f.records); i++)
            if (strcmp(verdict_of(i), "PASS"))
                fail_msg("%s on %s: %s", globs[k], cases[i], reasons_of(i));
        assert_int_equal(f.rc, 0);
        fixture_done(&f);
    }
}

/* What is wrong and where: rows 1000, n 33, 13 rows of data; the far row is 714. Of the 936 rows
 * from 64 on, all but the 64 rows 832 to 895 find other data 64 k rows before: k = 13. */
static void test_faults_and_places(void **state)
{
    static const struct {
        const char *kernel, *line, *want;
    } table[] = {
        {"wraps_reading", NULL,
         "\"rows 28776 elements of y in launch 1 differ from judged ones of "
         "the same values, first at row 64 col 0\""},
        {"wraps_writing", NULL,
         "\"unwritten 30888 elements of y in launch 1, first at row 64 col 0"},
        {"last_row_unwritten", NULL,
         "\"unwritten 33 elements of y in launch 1, first at row 999 "
         "col 0\""},
        {"last_column_unwritten", NULL, "first at row 0 col 32"},
        {"one_element", NULL,
         "rows 1 elements of y in launch 1 differ from judged ones of the same "
         "values, first at row 714 col 11"},
        {"one_mean", NULL,
         "\"rows mean of 1 rows in launch 1 differs from that of equal rows, "
         "first row 714\""},
        {"no_rstd_in_one", NULL, "\"unwritten rstd of 1 rows in launch 1, first row 714\""},
        {"writes_behind", NULL,
         "\"guard launch 1 wrote outside the rows: y, 0 bytes behind its "
         "end\""},
        {"writes_between", "layernorm rows=1000 n=33 ystride=40 rowperiod=13",
         "\"guard launch 1 wrote outside the rows: y, row 714, 132 bytes from its start (a row has "
         "132)\""},
        {"writes_x", NULL, "\"input launch 1 changed x in row 714\""},
        {"writes_gamma", NULL, "\"input launch 1 changed gamma\""},
        {"not_steady", NULL, "\"repeat the same launch again gave row 714 other bits\""},
        {"by_lanes", NULL, "\"order lane order 1 gave row 714 other bits\""},
        {"by_place", "layernorm rows=6 n=60 colperiod=20",
         "\"rows 2 elements of y in launch 2 differ from judged ones of the same values, first at "
         "row 0 col 0\""},
        {"within", "layernorm rows=1 n=3003 colperiod=77",
         "\"rows 1 elements of y in launch 1 differ from judged ones of the same values, first at "
         "row 0 col 1501\""},
        {"wrong_tail", "layernorm rows=1 n=3003 colperiod=77", " at row 0 col 3002\""},
        {"declines_late", NULL, "\"declined launch 1 but its outputs were written\""},
    };
    (void)state;
    for (size_t k = 0; k < sizeof table / sizeof *table; k++) {
        const char *lines[] = {table[k].line ? table[k].line : cases[0], NULL};
        char name[64];
        snprintf(name, sizeof name, "huge:%s", table[k].kernel);
        fixture_init(&f, UG_HUGE_PLUGIN, name, lines);
        fixture_run(&f);
        if (strcmp(verdict_of(0), "FAIL") || !strstr(reasons_of(0), table[k].want))
            fail_msg("%s: %s %s", name, verdict_of(0), reasons_of(0));
        assert_int_equal(f.rc, 1);
        fixture_done(&f);
    }
}

/* A kernel that rounds the last elements of a row otherwise is right. */
static void test_ends_of_rows(void **state)
{
    const char *lines[] = {"layernorm rows=1 n=3003 colperiod=77", cases[6],
                           "layernorm rows=2 n=40 colperiod=20", NULL};
    (void)state;
    fixture_init(&f, UG_HUGE_PLUGIN, "huge:other_tail", lines);
    fixture_run(&f);
    for (size_t i = 0; i < 3; i++)
        if (strcmp(verdict_of(i), "PASS")) fail_msg("%s: %s", lines[i], reasons_of(i));
    fixture_done(&f);
}

static void expect_declined(const char *plugin, const char *kernel, const char *line,
                            const char *word)
{
    const char *lines[] = {line, "layernorm rows=2 n=8", NULL};
    fixture_init(&f, plugin, kernel, lines);
    fixture_run(&f);
    if (strcmp(verdict_of(0), "DECLINED") || !strstr(reasons_of(0), word))
        fail_msg("%s: %s %s", kernel, verdict_of(0), reasons_of(0));
    if (strcmp(kernel, "huge:declines")) assert_string_equal(verdict_of(1), "PASS");
    fixture_done(&f);
}

static void test_declined(void **state)
{
    const char *large = "layernorm rows=2097153 n=1024 rowperiod=13";
    (void)state;
    expect_declined(UG_HUGE_PLUGIN, "huge:declines", cases[0], "\"declined not today\"");
    expect_declined(UG_HUGE_PLUGIN, "huge:right", large, "needs 16.0 GiB, the device has 0.2 of");
    expect_declined(UG_HUGE_PLUGIN, "huge:anything", cases[0], "depend on anything");
    expect_declined(UG_HUGE_PLUGIN, "huge:unsteady", cases[0], "no repeats");
    expect_declined(UG_HUGE_PLUGIN, "huge:right", "layernorm rows=65536 n=65536 rowperiod=65535",
                    "to be judged");
    expect_declined(UG_HUGE_PLUGIN, "huge:right",
                    "layernorm dtype=f16 rows=1 n=4294967296 colperiod=1024", "2^32 in a row");
    expect_declined(UG_DEVICE_PLUGIN, "device:right", large, "cannot fill by itself");
    expect_declined(UG_RIGHT_PLUGIN, "right:all/twopass", large, "needs a GPU");
}

/* Every judged row stands for one row of data at one alignment, and a shift keeps both apart. */
static void test_plans(void **state)
{
    static const struct {
        const char *line;
        ug_depends depends;
        ug_tile_plan want;
    } table[] = {
        {"layernorm rows=2097153 n=1024 rowperiod=13", UG_DEPENDS_ROW, {13, 1024, 1, 13, 1}},
        {"layernorm rows=2097153 n=1024 rowperiod=13", UG_DEPENDS_ALIGNMENT, {13, 1024, 1, 13, 1}},
        {"layernorm rows=16777216 n=9 rowperiod=13", UG_DEPENDS_ALIGNMENT, {13, 9, 1, 52, 4}},
        {"layernorm dtype=f16 rows=99 n=9 rowperiod=6", UG_DEPENDS_ALIGNMENT, {6, 9, 1, 24, 8}},
        {"layernorm dtype=f16 rows=99 n=9 rowperiod=16", UG_DEPENDS_ALIGNMENT, {16, 9, 1, 16, 8}},
        {"layernorm rows=20 n=9 rowperiod=13", UG_DEPENDS_ALIGNMENT, {13, 9, 1, 20, 0}},
        {"layernorm rows=1 n=4000 colperiod=2000", UG_DEPENDS_ROW, {1, 2000, 2, 1, 1}},
        {"layernorm rows=1 n=8000 colperiod=2000", UG_DEPENDS_ROW, {1, 2000, 3, 1, 1}}};
    (void)state;
    for (size_t k = 0; k < sizeof table / sizeof *table; k++) {
        ug_case c;
        ug_case_error e;
        ug_tile_plan got;
        if (ug_case_parse(table[k].line, &c, &e)) fail_msg("%s: %s", table[k].line, e.text);
        ug_tile_plan_make(&c, table[k].depends, &got);
        assert_memory_equal(&got, &table[k].want, sizeof got);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_same_as_the_ordinary_way),
                                       cmocka_unit_test(test_files),
                                       cmocka_unit_test(test_right_kernels),
                                       cmocka_unit_test(test_faults_and_places),
                                       cmocka_unit_test(test_ends_of_rows),
                                       cmocka_unit_test(test_declined),
                                       cmocka_unit_test(test_plans)};
    setenv("ULPGATE_PLUGINS", "/nonexistent", 1);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
