/* SPDX-License-Identifier: Apache-2.0 */
/* The float BLAS beside every kernel: always run, reported where chosen, counted only when alone;
 * and the output bits that a run keeps. */
#include "audit_fixture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *const lines[] = {"layernorm rows=3 n=40", "layernorm rows=3 n=40 xcol=2", NULL};

static const json_t *metric(const fixture *f, size_t i, const char *name)
{
    return json_object_get(json_object_get(json_array_get(f->records, i), "metrics"), name);
}

static void test_unchosen(void **state)
{
    fixture f;
    (void)state;
    fixture_init(&f, UG_RIGHT_PLUGIN, "right:all/*", lines);
    fixture_run(&f);
    assert_int_equal(f.rc, 0);
    assert_int_equal(json_array_size(f.records), 2);
    assert_int_equal(f.summary.shown, 0);
    assert_true(json_real_value(metric(&f, 0, "vs_openblas_abs")) > 0);
    assert_true(json_real_value(metric(&f, 0, "vs_openblas_abs")) < 1e-5);
    assert_null(metric(&f, 1, "vs_openblas_abs")); /* it declines column strides */
    fixture_done(&f);
}

static void test_chosen(void **state)
{
    fixture f;
    (void)state;
    fixture_init(&f, UG_RIGHT_PLUGIN, "right:all/* openblas:*", lines);
    fixture_run(&f);
    assert_int_equal(f.rc, 0);
    assert_int_equal(json_array_size(f.records), 4);
    assert_int_equal(f.summary.shown, 2);
    assert_int_equal(f.summary.results, 2);
    assert_true(json_is_true(json_object_get(json_array_get(f.records, 0), "yardstick")));
    assert_string_equal(record_text(json_array_get(f.records, 0), "verdict"), "PASS");
    assert_string_equal(record_text(json_array_get(f.records, 2), "verdict"), "DECLINED");
    fixture_done(&f);
}

static void test_alone(void **state)
{
    const char *strided[] = {lines[1], NULL};
    fixture f;
    (void)state;
    fixture_init(&f, NULL, "openblas:*", lines);
    fixture_run(&f);
    assert_int_equal(f.rc, 0);
    assert_int_equal(f.summary.results, 2);
    assert_int_equal(f.summary.shown, 0);
    fixture_done(&f);
    fixture_init(&f, NULL, "openblas:*", strided);
    fixture_run(&f);
    assert_int_equal(f.rc, 77);
    fixture_done(&f);
}

/* Equal values: x - mean is 0 exactly, y is beta, here 0. Kept row after row, without padding. */
static void test_outputs(void **state)
{
    const char *equal[] = {
        "layernorm rows=3 n=5 ystride=9 data=constant(c=3) gamma=none beta=none", NULL};
    char dir[] = "/tmp/ulpgate-kept-XXXXXX", path[256];
    float kept[16];
    fixture f;
    FILE *in;
    (void)state;
    assert_non_null(mkdtemp(dir));
    fixture_init(&f, UG_RIGHT_PLUGIN, "right:all/*", equal);
    f.options.keep_outputs = dir;
    fixture_run(&f);
    assert_int_equal(f.rc, 0);
    snprintf(path, sizeof path, "%s/%s-right_all_twopass.bin", dir,
             record_text(json_array_get(f.records, 0), "id"));
    in = fopen(path, "rb");
    assert_non_null(in);
    memset(kept, 0xff, sizeof kept);
    assert_int_equal(fread(kept, sizeof *kept, 16, in), 15);
    fclose(in);
    for (int i = 0; i < 15; i++) assert_true(kept[i] == 0);
    fixture_done(&f);
    unlink(path);
    rmdir(dir);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_unchosen),
                                       cmocka_unit_test(test_chosen), cmocka_unit_test(test_alone),
                                       cmocka_unit_test(test_outputs)};
    setenv("ULPGATE_PLUGINS", UG_OPENBLAS_FOLDER, 1);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
