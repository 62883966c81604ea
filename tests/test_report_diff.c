/* SPDX-License-Identifier: Apache-2.0 */
/* The rule for worse, one boundary at a time, on hand-written results. */
#include "tests/report_files.h"

#include <math.h>

#include "report/diff.h"

static char old_file[] = "/tmp/ulpgate_old_XXXXXX";
static char new_file[] = "/tmp/ulpgate_new_XXXXXX";

static void write_side(char *name, const char *lines)
{
    FILE *out = fopen(name, "w");
    assert_non_null(out);
    fputs(HEADER, out);
    fputs(lines, out);
    fputs(FOOTER, out);
    assert_int_equal(fclose(out), 0);
}

static const ug_diff_options plain;

/* What the first item says; the number of worse ones into *worse. 0 when nothing differs. */
static unsigned compare(const char *was, const char *is, const ug_diff_options *o, size_t *worse)
{
    ug_results results = {0};
    ug_diff diff;
    char err[512] = "";
    unsigned what;
    write_side(old_file, was);
    write_side(new_file, is);
    assert_int_equal(ug_results_read(&results, old_file, err, sizeof err), 0);
    assert_int_equal(ug_results_read(&results, new_file, err, sizeof err), 0);
    assert_int_equal(ug_diff_make(&results, o, &diff), 0);
    what = diff.items ? diff.item[0].what : 0;
    *worse = diff.worse;
    ug_diff_free(&diff);
    ug_results_free(&results);
    return what;
}

#define ONE(verdict, rest) RESULT("layernorm n=4", "host:a/sum2", "sum2", verdict, rest)

static void expect(const char *was, const char *is, unsigned what, size_t worse)
{
    size_t found;
    unsigned got = compare(was, is, &plain, &found);
    if (got != what || found != worse) {
        fail_msg("%s%s: what %x, expected %x; worse %zu, expected %zu", was, is, got, what, found,
                 worse);
    }
}

static void verdicts_have_an_order(void **state)
{
    /* From best to worst, as docs/reports.md says. */
    static const char *const order[] = {ONE("PASS", ""),  ONE("DECLINED", ""), ONE("FAIL", ""),
                                        ONE("ERROR", ""), ONE("HANG", ""),     ONE("CRASH", "")};
    size_t i, j;
    (void)state;
    for (i = 0; i < 6; i++) {
        for (j = 0; j < 6; j++) {
            expect(order[i], order[j],
                   i == j  ? 0
                   : i < j ? UG_DIFF_VERDICT
                           : UG_DIFF_BETTER,
                   i < j);
        }
    }
}

static void gates_that_no_longer_pass(void **state)
{
    const char *yes = ONE("PASS", ",\"passes\":{\"bound\":true,\"sound\":true}");
    const char *no = ONE("PASS", ",\"passes\":{\"bound\":true,\"sound\":false}");
    const char *none = ONE("PASS", ",\"passes\":{\"bound\":true}");
    (void)state;
    expect(yes, no, UG_DIFF_JUDGED, 1);
    expect(yes, none, UG_DIFF_JUDGED, 1);
    expect(no, yes, UG_DIFF_BETTER, 0);
    expect(none, no, 0, 0);
}

static void bits_and_inputs(void **state)
{
    const char *was = ONE("PASS", ",\"inputs\":\"0a\",\"digest\":\"01\"");
    ug_diff_options free_bits = {(const char *const[]){"other:*", "host:a/*"}, 2, 0, {NULL, NULL}};
    size_t worse;
    (void)state;
    expect(was, ONE("PASS", ",\"inputs\":\"0a\",\"digest\":\"02\""), UG_DIFF_BITS, 1);
    expect(was, ONE("PASS", ",\"inputs\":\"0b\",\"digest\":\"01\""), UG_DIFF_INPUTS, 1);
    expect(was, ONE("PASS", ""), 0, 0); /* not known: no evidence */
    assert_int_equal(compare(was, ONE("PASS", ",\"digest\":\"02\""), &free_bits, &worse),
                     UG_DIFF_FREE);
    assert_int_equal(worse, 0);
    expect(RESULT("layernorm", "cuda:a-rsqrtf/sum2", "sum2", "PASS", ",\"digest\":\"01\""),
           RESULT("layernorm", "cuda:a-rsqrtf/sum2", "sum2", "PASS", ",\"digest\":\"02\""),
           UG_DIFF_FREE, 0);
}

#define COND(text)  ONE("PASS", ",\"metrics\":{\"max_cond\":" text "}")
#define SHARE(text) ONE("PASS", ",\"metrics\":{\"max_bound\":" text "}")

static void errors_may_grow_by_a_quarter(void **state)
{
    (void)state;
    expect(COND("4"), COND("5.5"), UG_DIFF_MORE, 0); /* 4 * 1.25 + 0.5 */
    expect(COND("4"), COND("5.51"), UG_DIFF_GREW, 1);
    expect(COND("0"), COND("0.5"), UG_DIFF_MORE, 0);
    expect(COND("4"), COND("3"), UG_DIFF_LESS, 0);
    expect(COND("4"), COND("\"nan\""), UG_DIFF_GREW, 1);
    expect(COND("4"), COND("\"inf\""), UG_DIFF_GREW, 1);
    expect(COND("\"nan\""), COND("\"inf\""), 0, 0);
    expect(SHARE("0.4"), SHARE("0.55"), UG_DIFF_MORE, 0); /* 0.4 * 1.25 + 0.05 */
    expect(SHARE("0.4"), SHARE("0.5501"), UG_DIFF_GREW, 1);
    expect(ONE("PASS", ",\"metrics\":{\"max_ulp\":1}"),
           ONE("PASS", ",\"metrics\":{\"max_ulp\":1e9}"), UG_DIFF_MORE, 0);
}

#define BOUND(col, text)                                                                           \
    ONE("PASS", ",\"bound_abs\":" text ",\"worst\":{\"bound\":{\"row\":0,\"col\":" col             \
                ",\"kappa\":1,\"value\":0.1}}")

static void bounds_of_the_same_element(void **state)
{
    (void)state;
    expect(BOUND("1", "1e-5"), BOUND("1", "1e-6"), UG_DIFF_TIGHTER, 0);
    expect(BOUND("1", "1e-6"), BOUND("1", "1e-5"), UG_DIFF_LOOSER, 0);
    expect(BOUND("1", "1e-5"), BOUND("2", "1e-6"), 0, 0);
}

static void only_on_one_side(void **state)
{
    const char *one = ONE("PASS", "");
    const char *two = ONE("PASS", "") RESULT("layernorm n=8", "host:a/sum2", "sum2", "FAIL", "");
    ug_diff_options common = {NULL, 0, 1, {NULL, NULL}};
    size_t worse;
    (void)state;
    expect(one, two, UG_DIFF_NEW, 0);
    expect(two, one, UG_DIFF_GONE, 1);
    assert_int_equal(compare(two, one, &common, &worse), 0);
    assert_int_equal(worse, 0);
}

static void yardsticks_do_not_count(void **state)
{
    (void)state;
    expect(ONE("PASS", ",\"yardstick\":true,\"digest\":\"01\""),
           ONE("FAIL", ",\"yardstick\":true,\"digest\":\"02\""), UG_DIFF_VERDICT | UG_DIFF_BITS, 0);
}

static void rows_from_digests(void **state)
{
    ug_results results = {0};
    ug_diff diff;
    char err[512] = "", text[512];
    (void)state;
    write_side(old_file, ONE("PASS", ",\"digest\":\"01\",\"row_digests\":[\"0a\",\"ff\",\"0c\"]"));
    write_side(new_file, ONE("PASS", ",\"digest\":\"02\",\"row_digests\":[\"0a\",\"fe\",\"0d\"]"));
    assert_int_equal(ug_results_read(&results, old_file, err, sizeof err), 0);
    assert_int_equal(ug_results_read(&results, new_file, err, sizeof err), 0);
    assert_int_equal(ug_diff_make(&results, &plain, &diff), 0);
    assert_int_equal(diff.items, 1);
    assert_int_equal(diff.item[0].row, 1);
    assert_int_equal(diff.item[0].col, -1);
    ug_diff_text(&diff.item[0], text, sizeof text);
    assert_string_equal(text, "bits differ first in row 1");
    ug_diff_free(&diff);
    ug_results_free(&results);
    write_side(old_file, ONE("PASS", ",\"row_digests\":[\"0a\",\"xyz\"]"));
    assert_int_equal(ug_results_read(&results, old_file, err, sizeof err), -1);
    assert_non_null(strstr(err, "row_digests[1]"));
    ug_results_free(&results);
}

static int set_up(void **state)
{
    (void)state;
    return close(mkstemp(old_file)) || close(mkstemp(new_file));
}

static int tear_down(void **state)
{
    (void)state;
    return unlink(old_file) || unlink(new_file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(verdicts_have_an_order),
                                       cmocka_unit_test(gates_that_no_longer_pass),
                                       cmocka_unit_test(bits_and_inputs),
                                       cmocka_unit_test(errors_may_grow_by_a_quarter),
                                       cmocka_unit_test(bounds_of_the_same_element),
                                       cmocka_unit_test(only_on_one_side),
                                       cmocka_unit_test(yardsticks_do_not_count),
                                       cmocka_unit_test(rows_from_digests)};
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
