/* SPDX-License-Identifier: Apache-2.0 */
/* The reader of results files: fields, unknown fields, cut and damaged files, nothing tested. */
#include "report_files.h"

#include <math.h>

#include "report/words.h"

static int read_text(ug_results *results, const char *text, char *err, size_t cap)
{
    memset(results, 0, sizeof *results);
    return ug_results_read(results, write_results(text), err, cap);
}

static void expect_read(ug_results *results, const char *text)
{
    char err[512] = "";
    int rc = read_text(results, text, err, sizeof err);
    if (rc) print_error("%s\n", err);
    assert_int_equal(rc, 0);
}

static void expect_error(const char *text, const char *message)
{
    ug_results results;
    char err[512] = "";
    assert_int_equal(read_text(&results, text, err, sizeof err), -1);
    if (!strstr(err, message)) print_error("'%s' lacks '%s'\n", err, message);
    assert_non_null(strstr(err, message));
    ug_results_free(&results);
}

static void reads_every_field(void **state)
{
    ug_results r;
    const ug_rec *rec;
    (void)state;
    expect_read(&r, HEADER RESULT(
                        "layernorm n=8", "host:a/sum2", "sum2", "FAIL",
                        ",\"id\":\"0123\",\"suite\":\"edge\",\"family\":\"F02\",\"tier\":\"full\","
                        "\"params\":{\"dtype\":\"f16\",\"n\":\"8\",\"rows\":\"4294967296\"},"
                        "\"geometry\":{\"threads\":4,\"chain\":2,\"levels\":2},"
                        "\"yardstick\":false,\"gate\":\"bound\",\"reasons\":[\"bound 3\",\"x\"],"
                        "\"passes\":{\"bound\":false},\"metrics\":{\"max_ulp\":2.5,\"nmse\":1},"
                        "\"worst\":{\"cond\":{\"row\":3,\"col\":5,\"value\":9,\"kappa\":1e4}},"
                        "\"ulp_hist\":[1,0,7],\"rows\":{\"regular\":4,\"range_wrong\":2},"
                        "\"digest\":\"ab\",\"path\":\"long\",\"time_us\":12.5") FOOTER);
    assert_int_equal(r.count, 1);
    assert_int_equal(r.runs, 1);
    assert_true(r.run[0].complete);
    assert_false(r.run[0].cut);
    assert_int_equal(r.run[0].cores, 2);
    assert_int_equal(r.run[0].backends, 2);
    assert_string_equal(r.run[0].backend[0].fact[0].value, "cpu");
    rec = r.rec;
    assert_string_equal(rec->line, "layernorm n=8");
    assert_string_equal(rec->suite, "edge");
    assert_string_equal(rec->dtype, "f16");
    assert_true(rec->rows == 4294967296);
    assert_int_equal(rec->n, 8);
    assert_int_equal(rec->threads, 4);
    assert_int_equal(rec->verdict, UG_REC_FAIL);
    assert_int_equal(rec->bound, 0);
    assert_int_equal(rec->sound, -1);
    assert_int_equal(rec->reasons, 2);
    assert_string_equal(rec->reason[1], "x");
    assert_true(rec->has == (1u << UG_REC_max_ulp | 1u << UG_REC_nmse));
    assert_true(rec->metric[UG_REC_max_ulp] == 2.5);
    assert_true(rec->worst[3].known && rec->worst[3].col == 5 && rec->worst[3].kappa == 1e4);
    assert_false(rec->worst[0].known);
    assert_true(rec->hist[2] == 7);
    assert_true(rec->row_count[UG_REC_ROWS_range_wrong] == 2);
    assert_true(rec->row_count[UG_REC_ROWS_blind] == -1);
    assert_true(rec->time_us == 12.5 && isnan(rec->bound_abs));
    ug_results_free(&r);
}

static void ignores_what_it_does_not_know(void **state)
{
    ug_results r;
    (void)state;
    expect_read(&r,
                HEADER "{\"type\":\"other\",\"us\":1}\n{\"type\":\"later\",\"x\":[{}]}\n\n" RESULT(
                    "layernorm", "host:a/sum2", "sum2", "PASS",
                    ",\"new\":{\"a\":[1]},\"metrics\":{\"max_new\":\"text\"}") FOOTER);
    assert_int_equal(r.count, 1);
    assert_true(r.rec[0].has == 0);
    ug_results_free(&r);
}

static void reads_non_finite_strings(void **state)
{
    ug_results r;
    (void)state;
    expect_read(&r, HEADER RESULT("layernorm", "host:a/sum2", "sum2", "FAIL",
                                  ",\"metrics\":{\"max_ulp\":\"nan\",\"max_abs\":\"inf\","
                                  "\"max_cond\":\"-inf\"}"));
    assert_true(r.rec[0].has == 0xbu);
    assert_true(isnan(r.rec[0].metric[UG_REC_max_ulp]));
    assert_true(r.rec[0].metric[UG_REC_max_abs] == INFINITY);
    assert_true(r.rec[0].metric[UG_REC_max_cond] == -INFINITY);
    ug_results_free(&r);
}

static void drops_a_cut_last_line(void **state)
{
    ug_results r;
    char text[1024];
    (void)state;
    expect_read(&r,
                HEADER RESULT("layernorm", "host:a/sum2", "sum2", "PASS", "") "{\"type\":\"res");
    assert_int_equal(r.count, 1);
    assert_true(r.run[0].cut);
    assert_false(r.run[0].complete);
    assert_true(ug_results_notice(&r, 0, text, sizeof text));
    assert_non_null(strstr(text, "interrupted after 1 results"));
    assert_true(ug_results_notice(&r, 1, text, sizeof text));
    assert_non_null(strstr(text, "cut"));
    assert_false(ug_results_notice(&r, 2, text, sizeof text));
    ug_results_free(&r);
}

/* What a file lost or got since its footer was written; `none` where nothing is said. */
static void expect_notice(const char *text, const char *notice)
{
    ug_results r;
    char found[1024];
    expect_read(&r, text);
    if (!ug_results_notice(&r, 0, found, sizeof found)) snprintf(found, sizeof found, "none");
    if (!strstr(found, notice)) fail_msg("'%s' lacks '%s'", found, notice);
    if (!strcmp(notice, "none")) assert_string_equal(found, notice);
    ug_results_free(&r);
}

static void holds_the_footer_against_the_results(void **state)
{
#define ONE RESULT("layernorm", "host:a/sum2", "sum2", "PASS", "")
    (void)state;
    expect_notice(HEADER ONE ONE FOOTER_OF("2"), "none");
    expect_notice(HEADER ONE FOOTER_OF("2"), " has lost results: its footer counts 2, there are 1");
    expect_notice(HEADER ONE ONE ONE FOOTER_OF("2"),
                  "additional results: its footer counts 2, there are 3");
    expect_notice(HEADER ONE FOOTER HEADER ONE ONE FOOTER_OF("2"), "none");
    expect_notice(HEADER ONE FOOTER HEADER ONE FOOTER_OF("2"), "its footer counts 3, there are 2");
    expect_notice(HEADER ONE "{\"type\":\"end\"}\n", "none");
    expect_notice(HEADER ONE ONE, "has no footer");
    expect_error(HEADER ONE "{\"type\":\"end\",\"results\":-1}\n", ":3: results is an integer");
}

static void results_after_a_footer_are_unfinished(void **state)
{
    ug_results r;
    (void)state;
    expect_read(&r, HEADER RESULT("layernorm", "host:a/sum2", "sum2", "PASS", "")
                        FOOTER RESULT("layernorm n=8", "host:a/sum2", "sum2", "PASS", ""));
    assert_int_equal(r.count, 2);
    assert_false(r.run[0].complete);
    ug_results_free(&r);
}

static void says_when_nothing_was_tested(void **state)
{
    ug_results r;
    char text[1024];
    (void)state;
    expect_read(&r, HEADER "{\"type\":\"end\",\"results\":0}\n");
    assert_int_equal(r.count, 0);
    assert_true(ug_results_notice(&r, 0, text, sizeof text));
    assert_non_null(strstr(text, "nothing was tested"));
    ug_results_free(&r);
    expect_read(&r, "");
    assert_int_equal(r.count, 0);
    assert_true(ug_results_notice(&r, 0, text, sizeof text));
    assert_non_null(strstr(text, "is empty and holds no run: nothing was tested"));
    assert_false(ug_results_notice(&r, 1, text, sizeof text));
    ug_results_free(&r);
}

static void joins_files(void **state)
{
    ug_results r;
    char err[512];
    (void)state;
    expect_read(&r, HEADER RESULT("layernorm", "host:a/sum2", "sum2", "PASS", "") FOOTER);
    assert_int_equal(ug_results_read(&r, results_file, err, sizeof err), 0);
    assert_int_equal(r.count, 2);
    assert_int_equal(r.runs, 2);
    assert_int_equal(r.rec[1].run, 1);
    assert_ptr_equal(r.rec[0].kernel, r.rec[1].kernel);
    ug_results_free(&r);
}

static void refuses_damage(void **state)
{
    ug_results r = {0};
    char err[512] = "";
    (void)state;
    expect_error(HEADER "{\"type\":\"res\n" FOOTER, ":2: not a JSON object: column ");
    expect_error(HEADER "[1]\n", ":2: expected a JSON object");
    expect_error(RESULT("layernorm", "k", "sum2", "PASS", ""), ":1: the first record has type");
    expect_error("{\"type\":\"run\",\"schema\":2}\n", "schema is 2, this program reads schema 1");
    expect_error(HEADER RESULT("layernorm", "k", "sum2", "PASSED", ""),
                 ":2: verdict is \"PASSED\"");
    expect_error(
        HEADER RESULT("layernorm", "k", "sum2", "PASS", ",\"metrics\":{\"max_ulp\":\"big\"}"),
        ":2: metrics.max_ulp is the string \"big\", expected a number");
    expect_error(HEADER RESULT("layernorm", "k", "sum2", "PASS", ",\"metrics\":{\"max_ulp\":null}"),
                 "metrics.max_ulp is null");
    expect_error(HEADER RESULT("layernorm", "k", "sum2", "PASS", ",\"metrics\":3"),
                 "metrics is an integer, expected an object");
    expect_error(HEADER RESULT("layernorm", "k", "sum2", "PASS", ",\"params\":{\"n\":\"8x\"}"),
                 "params.n is not an integer");
    expect_error(HEADER RESULT("", "k", "sum2", "PASS", ""), "a result without \"case\"");
    expect_error(HEADER RESULT("layernorm", "k", "sum2", "PASS", ",\"kernel\":\"k\""), "duplicate");
    assert_int_equal(ug_results_read(&r, "/nowhere/results.jsonl", err, sizeof err), -1);
    assert_non_null(strstr(err, "cannot open '/nowhere/results.jsonl'"));
    ug_results_free(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_every_field),
        cmocka_unit_test(ignores_what_it_does_not_know),
        cmocka_unit_test(reads_non_finite_strings),
        cmocka_unit_test(drops_a_cut_last_line),
        cmocka_unit_test(holds_the_footer_against_the_results),
        cmocka_unit_test(results_after_a_footer_are_unfinished),
        cmocka_unit_test(says_when_nothing_was_tested),
        cmocka_unit_test(joins_files),
        cmocka_unit_test(refuses_damage),
    };
    return cmocka_run_group_tests(tests, NULL, remove_results);
}
