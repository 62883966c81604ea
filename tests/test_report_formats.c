/* SPDX-License-Identifier: Apache-2.0 */
/* Sums and renderers on small results files with answers known by hand. */
#include "report_files.h"

#include <math.h>

#include "report/summary.h"
#include "report/words.h"

#define METRICS(cond, kappa)                                                                       \
    "\"metrics\":{\"max_cond\":" cond ",\"max_abs\":0.25,\"max_ulp\":3,\"max_bound\":0.5,"         \
    "\"kappa_max\":" kappa ",\"vs_openblas_abs\":0.125,\"vs_openblas_ulp\":1}"
#define JUDGED(line, kernel, variance, verdict, gate, sound, cond, kappa)                          \
    RESULT(line, kernel, variance, verdict,                                                        \
           ",\"params\":{\"n\":\"64\"},\"geometry\":{\"threads\":16},\"gate\":\"" gate             \
           "\",\"passes\":{\"bound\":true,\"sound\":" sound "}," METRICS(cond, kappa))

/* sum2 sound at kappa 5, not at 20 and 300; twopass sound at all three; one yardstick. */
static const char ladder[] =
    HEADER JUDGED("c1", "host:a/sum2", "sum2", "PASS", "sound", "true", "2",
                  "5") JUDGED("c2", "host:a/sum2", "sum2", "FAIL", "sound", "false", "27", "20")
        JUDGED("c3", "host:a/sum2", "sum2", "FAIL", "sound", "false", "900", "300")
            JUDGED("c1", "host:a/twopass", "twopass", "PASS", "sound", "true", "1", "5")
                JUDGED("c2", "host:a/twopass", "twopass", "PASS", "sound", "true", "1.5", "20")
                    JUDGED("c3", "host:a/twopass", "twopass", "PASS", "sound", "true", "1", "300")
                        RESULT("c4 it's", "host:a/twopass", "twopass", "CRASH",
                               ",\"gate\":\"sound\",\"reasons\":[\"crash signal 11\"]")
                            RESULT("c5", "host:a/twopass", "twopass", "DECLINED", "")
                                RESULT("c1", "openblas:b/twopass", "twopass", "FAIL",
                                       ",\"yardstick\":true," METRICS("\"nan\"", "5"))
                                    FOOTER_OF("9");

static ug_results results;

static void load(const char *text)
{
    char err[512] = "";
    memset(&results, 0, sizeof results);
    assert_int_equal(ug_results_read(&results, write_results(text), err, sizeof err), 0);
}

static char *render(const char *format, ug_report_options options)
{
    char *text = NULL, err[512] = "";
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    const ug_format *f = ug_format_find(format);
    assert_non_null(f);
    assert_int_equal(f->render(&results, &options, out, err, sizeof err), 0);
    fclose(out);
    return text;
}

static void expect_in(const char *text, const char *part)
{
    if (!strstr(text, part)) print_error("'%s' is not in:\n%s\n", part, text);
    assert_non_null(strstr(text, part));
}

static void sums_by_kernel(void **state)
{
    ug_summary s;
    (void)state;
    load(ladder);
    assert_int_equal(ug_summarize(&results, &s), 0);
    assert_int_equal(s.kernels, 3);
    assert_int_equal(s.kernel[0].cases, 3);
    assert_int_equal(s.kernel[0].verdict[UG_REC_FAIL], 2);
    assert_int_equal(s.kernel[0].sound_judged, 3);
    assert_int_equal(s.kernel[0].sound_pass, 1);
    assert_true(s.kernel[0].worst[UG_SUM_COND] == 900);
    assert_string_equal(s.kernel[0].worst_case->line, "c3");
    assert_int_equal(s.kernel[1].cases, 5);
    assert_int_equal(s.kernel[1].verdict[UG_REC_DECLINED], 1);
    assert_string_equal(s.kernel[1].worst_case->line, "c4 it's");
    assert_true(isnan(s.kernel[2].worst[UG_SUM_COND]));
    /* The yardstick's failure is shown and not counted. */
    assert_int_equal(s.verdict[UG_REC_FAIL], 2);
    assert_int_equal(s.shown_bad, 1);
    assert_int_equal(s.failures, 3);
    assert_string_equal(s.failure[0]->line, "c4 it's");
    assert_string_equal(s.failure[1]->line, "c3");
    ug_summary_free(&s);
    ug_results_free(&results);
}

static void weighs_failures(void **state)
{
    ug_rec a = {.gate = "abs=0.5,cond=8", .n = 64, .threads = 16}, b = {.gate = "sound"};
    const char *guard[] = {"guard 4 bytes after row 1"}, *accuracy[] = {"bound 3 times"};
    (void)state;
    a.has = 1u << UG_REC_max_abs | 1u << UG_REC_max_cond;
    a.metric[UG_REC_max_abs] = 1;
    a.metric[UG_REC_max_cond] = 80;
    assert_true(ug_rec_excess(&a) == 10);
    a.gate = "sound";
    assert_true(ug_rec_chain(&a) == 4);
    assert_true(ug_rec_excess(&a) == 80 / 9.0);
    a.metric[UG_REC_max_cond] = NAN;
    assert_true(ug_rec_excess(&a) == INFINITY);
    a.verdict = b.verdict = UG_REC_FAIL;
    a.reason = accuracy, a.reasons = 1;
    b.reason = guard, b.reasons = 1;
    assert_true(ug_rec_structural(&b));
    assert_false(ug_rec_structural(&a));
    assert_true(ug_rec_compare(&b, &a) < 0);
    b.verdict = UG_REC_PASS;
    assert_true(ug_rec_compare(&b, &a) > 0);
}

static void says_which_variance(void **state)
{
    ug_variances v;
    char text[512];
    (void)state;
    load(ladder);
    ug_sum_variances(&results, &v);
    assert_int_equal(v.count, 2);
    assert_string_equal(v.item[0].variance, "sum2");
    assert_int_equal(v.item[0].judged, 3);
    assert_true(v.item[0].sound_to == 5 && v.item[0].breaks_at == 20);
    assert_true(v.item[0].cond[0] == 2 && v.item[0].cond[1] == 27 && v.item[0].cond[2] == 900);
    assert_true(v.item[0].cond[3] == -1);
    assert_int_equal(v.item[1].sound, 3);
    assert_true(v.item[1].sound_to == 300 && !v.item[1].breaking);
    ug_variance_advice(&v, text, sizeof text);
    assert_string_equal(text,
                        "twopass: sound in every judged case, up to kappa 300. sum2: only for rows "
                        "with kappa (about |mean| / std) up to 5, not sound at 20.");
    ug_results_free(&results);
}

static void expect_limit(const char *text, const char *limit)
{
    ug_variances v;
    char advice[512];
    load(text);
    ug_sum_variances(&results, &v);
    ug_variance_advice(&v, advice, sizeof advice);
    assert_string_equal(advice, limit);
    ug_results_free(&results);
}

/* What is sound and what is not may be nearer to each other than the digits that are shown. */
static void limits_do_not_contradict(void **state)
{
#define SOUND(kappa)   JUDGED("c1", "host:a/x", "x", "PASS", "sound", "true", "2", kappa)
#define UNSOUND(kappa) JUDGED("c2", "host:a/x", "x", "FAIL", "sound", "false", "99", kappa)
    (void)state;
    expect_limit(HEADER SOUND("1") UNSOUND("1.00001") FOOTER_OF("2"),
                 "x: not sound at kappa (about |mean| / std) 1 already.");
    expect_limit(HEADER SOUND("2") UNSOUND("2.00001") FOOTER_OF("2"),
                 "x: only for rows with kappa (about |mean| / std) below 2, not sound at 2.");
    expect_limit(HEADER UNSOUND("20") FOOTER,
                 "x: not sound at kappa (about |mean| / std) 20 already.");
}

/* A guard band that was overwritten says nothing about how the variance is computed. */
static void faults_are_no_evidence(void **state)
{
    ug_variances v;
    (void)state;
    load(HEADER RESULT(
        "c1", "host:a/twopass", "twopass", "FAIL",
        ",\"reasons\":[\"guard row 1\"],\"passes\":{\"sound\":false}," METRICS("99", "2"))
             RESULT("c2", "host:a/twopass", "twopass", "PASS",
                    ",\"reasons\":[\"note x\"],\"passes\":{\"sound\":true}," METRICS("1", "7")));
    ug_sum_variances(&results, &v);
    assert_int_equal(v.item[0].judged, 1);
    assert_int_equal(v.item[0].sound, 1);
    assert_true(v.item[0].cond[0] == 1 && v.item[0].sound_to == 7);
    ug_results_free(&results);
}

static void prints_the_table(void **state)
{
    char *text;
    (void)state;
    load(ladder);
    text = render("table", (ug_report_options){0});
    expect_in(text, "host:a/sum2               3     1     2         0      0    3/3    1/3   900");
    expect_in(text, "openblas:b/twopass *");
    expect_in(text, "4 PASS, 2 FAIL, 1 DECLINED, 1 CRASH\n");
    expect_in(text, "1 results shown, not counted (1 failed)");
    expect_in(text,
              "  CRASH  host:a/twopass  crash signal 11\n    ulpgate run --case 'c4 it'\\''s' "
              "--kernel host:a/twopass --gate sound\n");
    assert_null(strstr(text, "\033["));
    assert_null(strstr(text, "HANG"));
    free(text);
    text = render("table", (ug_report_options){.failures = 1, .colour = 1});
    expect_in(text, "  ... 2 more\n");
    expect_in(text, "\033[31mCRASH\033[0m");
    free(text);
    ug_results_free(&results);
}

static void keeps_to_the_width(void **state)
{
    char *text, *line, *rest;
    int lines = 0;
    (void)state;
    load(ladder);
    text = render("table", (ug_report_options){.width = 80});
    for (line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
        /* Commands are there to be copied: never cut. */
        if (!strstr(line, "ulpgate run")) assert_true(strlen(line) <= 80);
        lines++;
    }
    assert_true(lines > 10);
    free(text);
    ug_results_free(&results);
}

static void repeats_name_what_they_need(void **state)
{
    char *text;
    (void)state;
    load("{\"type\":\"run\",\"schema\":1,\"profile\":\"h200\",\"backends\":[{\"backend\":\"mine\","
         "\"plugin\":\"/opt/my kernels.so\"}]}\n" RESULT("c1", "mine:x", "unknown", "HANG",
                                                         ",\"gate\":\"sound\"") FOOTER);
    text = render("table", (ug_report_options){0});
    expect_in(text, "ulpgate run --case 'c1' --kernel mine:x --gate sound --profile h200 "
                    "--plugin '/opt/my kernels.so'\n");
    free(text);
    ug_results_free(&results);
}

static void empty_files_render(void **state)
{
    const ug_format *format;
    size_t i;
    (void)state;
    for (i = 0; (format = ug_format_at(i)); i++) {
        char *text;
        load(HEADER FOOTER);
        text = render(format->name, (ug_report_options){0});
        if (strcmp(format->name, "csv")) expect_in(text, "nothing was tested");
        assert_null(strstr(text, "PASS"));
        free(text);
        ug_results_free(&results);
    }
    assert_true(i >= 4);
    assert_null(ug_format_find("nosuch"));
}

static void writes_csv(void **state)
{
    char *text, *line, *c;
    int head = 0, commas = 0;
    (void)state;
    load(HEADER RESULT("layernorm data=normal(mean=1,std=1)", "host:a/sum2", "sum2", "FAIL",
                       ",\"reasons\":[\"bound \\\"3\\\"\",\"sound\"],\"metrics\":{\"max_ulp\":0.1,"
                       "\"max_abs\":\"inf\"}") FOOTER);
    text = render("csv", (ug_report_options){0});
    line = strstr(text, "\r\n") + 2;
    expect_in(line, "host:a/sum2,sum2,0,,,,,,,,\"layernorm data=normal(mean=1,std=1)\",FAIL,,,,"
                    "\"bound \"\"3\"\"; sound\",,,,,0.1,inf,,");
    for (c = text; *c; c++) *(c < line ? &head : &commas) += *c == ',';
    assert_int_equal(head + 1, commas); /* one more: the one inside the quoted case */
    free(text);
    ug_results_free(&results);
}

static void numbers_are_short_and_exact(void **state)
{
    static const struct {
        double v;
        const char *small, *exact;
    } known[] = {{0, "0", "0"},
                 {1234.5, "1234", "1234.5"},
                 {0.1, "0.1", "0.1"},
                 {123456, "1.2e5", "123456"},
                 {1e-7, "1.0e-7", "1e-07"},
                 {0x1p-149, "1.4e-45", "1.401298464324817e-45"},
                 {INFINITY, "inf", "inf"}};
    char text[UG_NUMBER_TEXT];
    size_t i;
    (void)state;
    for (i = 0; i < sizeof known / sizeof *known; i++) {
        assert_string_equal(ug_number_short(known[i].v, text), known[i].small);
        assert_string_equal(ug_number_exact(known[i].v, text), known[i].exact);
        assert_true(strtod(text, NULL) == known[i].v || isinf(known[i].v));
    }
}

/* Many failures with long lines: Markdown keeps below its limit and says how many are left. */
static void markdown_stays_short(void **state)
{
    char *text, *file = NULL, line[1001];
    size_t size = 0;
    FILE *out = open_memstream(&file, &size);
    int i;
    (void)state;
    memset(line, '<', sizeof line - 1);
    line[sizeof line - 1] = 0;
    fputs(HEADER, out);
    for (i = 0; i < 3000; i++) {
        fprintf(out, RESULT("%s", "host:k%d/sum2", "sum2", "CRASH", ",\"reasons\":[\"%s\"]"), line,
                i % 300, line);
    }
    fclose(out);
    load(file);
    free(file);
    text = render("md", (ug_report_options){0});
    assert_true(strlen(text) < 60000);
    expect_in(text, "### ulpgate: 3000 CRASH");
    expect_in(text, " more\n");
    expect_in(text, "where it ran");
    free(text);
    ug_results_free(&results);
}

static void markdown_starts_with_the_worst(void **state)
{
    char *text;
    (void)state;
    load(ladder);
    text = render("md", (ug_report_options){0});
    expect_in(text, "### ulpgate: 4 PASS, 2 FAIL, 1 DECLINED, 1 CRASH\n");
    assert_true(strstr(text, "| host:a/twopass") < strstr(text, "| host:a/sum2"));
    assert_true(strstr(text, "| host:a/sum2") < strstr(text, "| openblas:b/twopass"));
    expect_in(text, "<details><summary>CRASH host:a/twopass crash signal 11</summary>");
    free(text);
    ug_results_free(&results);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_by_kernel),
        cmocka_unit_test(weighs_failures),
        cmocka_unit_test(says_which_variance),
        cmocka_unit_test(limits_do_not_contradict),
        cmocka_unit_test(faults_are_no_evidence),
        cmocka_unit_test(prints_the_table),
        cmocka_unit_test(keeps_to_the_width),
        cmocka_unit_test(repeats_name_what_they_need),
        cmocka_unit_test(empty_files_render),
        cmocka_unit_test(writes_csv),
        cmocka_unit_test(numbers_are_short_and_exact),
        cmocka_unit_test(markdown_stays_short),
        cmocka_unit_test(markdown_starts_with_the_worst),
    };
    return cmocka_run_group_tests(tests, NULL, remove_results);
}
