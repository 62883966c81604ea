/* SPDX-License-Identifier: Apache-2.0 */
/* Bench records of two runs, summed up to figures known by hand. */
#include "report_files.h"

#include <math.h>

#include "report/speed.h"
#include "report/words.h"

#define BENCH(n, kernel, yardstick, verdict, rest)                                                 \
    "{\"type\":\"bench\",\"case\":\"layernorm n=" n "\",\"kernel\":\"" kernel                      \
    "\",\"variance\":\"sum2\",\"yardstick\":" yardstick ",\"verdict\":\"" verdict                  \
    "\",\"params\":{\"n\":\"" n "\",\"rows\":\"10\",\"dtype\":\"bf16\"}" rest "}\n"
#define TIMES(us, spread, gbps, share)                                                             \
    ",\"us\":" us ",\"us_spread\":" spread ",\"gbps\":" gbps ",\"copy_share\":" share              \
    ",\"copy\":\"d:copy/fast\",\"bytes\":5000"
#define ERRORS(cond, cr, sound)                                                                    \
    ",\"passes\":{\"bound\":true,\"sound\":" sound "},\"metrics\":{\"max_cond\":" cond             \
    ",\"cr_share\":" cr "}"

static const char runs[] = HEADER BENCH("8", "d:copy/fast", "true", "PASS",
                                        TIMES("1", "0", "5", "1"))
    BENCH("8", "d:a@128/sum2", "false", "PASS",
          TIMES("4", "0.5", "1.25", "0.25") ERRORS("2", "0.5", "true"))
        BENCH("8", "d:b/sum2", "false", "PASS", TIMES("2", "0.25", "2.5", "0.5"))
            BENCH("9", "d:a@128/sum2", "false", "PASS", TIMES("1.25", "0", "4", "1")) BENCH(
                "9", "d:b/sum2", "false", "CRASH", ",\"reasons\":[\"crash signal 11\"]")
                FOOTER_OF("5") HEADER BENCH("8", "d:a@128/sum2", "false", "PASS",
                                            TIMES("2", "0.75", "2.5", "0.5")
                                                ERRORS("3", "0.75", "false"))
                    BENCH("8", "d:a@128/sum2", "false", "PASS", TIMES("3", "0.5", "1.6", "0.32"))
                        RESULT("c", "d:a/sum2", "sum2", "PASS", ",\"passes\":{\"sound\":true}")
                            FOOTER_OF("3");

static void near(double got, double want)
{
    if (!(fabs(got - want) <= 1e-12)) fail_msg("%.17g, expected %.17g", got, want);
}

static void load(ug_results *results, ug_summary *summary, ug_speeds *speeds)
{
    char err[512] = "";
    memset(results, 0, sizeof *results);
    if (ug_results_read(results, write_results(runs), err, sizeof err)) fail_msg("%s", err);
    assert_int_equal(ug_summarize(results, summary), 0);
    assert_int_equal(ug_speed_sums(results, summary, speeds), 0);
}

static void sums(void **state)
{
    ug_results r;
    ug_summary summary;
    ug_speeds s;
    (void)state;
    load(&r, &summary, &s);
    assert_int_equal(r.benches, 7);
    assert_int_equal(s.count, 5);
    assert_int_equal(s.cases, 2);
    assert_int_equal(s.runs, 3);
    assert_string_equal(s.item[0].first->rec.kernel, "d:copy/fast");
    assert_string_equal(s.item[1].first->rec.kernel, "d:b/sum2");
    assert_int_equal(s.item[1].fastest, 1);
    /* three runs: 4, 2, 3 us */
    assert_string_equal(s.item[2].first->rec.kernel, "d:a@128/sum2");
    near(s.item[2].us, 3);
    near(s.item[2].spread, 0.75);
    near(s.item[2].gbps, 1.6);
    near(s.item[2].share, 0.32);
    near(s.item[2].cond, 3);
    near(s.item[2].cr, 0.5);
    assert_int_equal(s.item[2].sound, 0);
    assert_int_equal(s.item[3].fastest, 1);
    assert_true(isnan(s.item[4].us));
    /* by share: copies first, then sqrt(0.32 * 1) = 0.566 before 0.5 */
    assert_int_equal(s.kernels, 3);
    assert_int_equal(s.kernel[0].yardstick, 1);
    assert_string_equal(s.kernel[1].kernel, "d:a@128/sum2");
    near(s.kernel[1].share_geo, sqrt(0.32));
    near(s.kernel[1].share_least, 0.32);
    assert_int_equal(s.kernel[1].unsound, 1);
    /* the block size is no part of the name that results have */
    assert_non_null(s.kernel[1].judged);
    assert_string_equal(s.kernel[1].judged->kernel, "d:a/sum2");
    assert_null(s.kernel[2].judged);
    assert_int_equal(s.kernel[2].cases, 2);
    assert_int_equal(s.kernel[2].timed, 1);
    near(s.kernel[2].share_geo, 0.5);
    ug_speeds_free(&s);
    ug_summary_free(&summary);
    ug_results_free(&r);
}

static void every_format_shows_it(void **state)
{
    static const char *const words[][2] = {{"table", "bf16 10 x 8"},
                                           {"text", "CRASH: crash signal 11"},
                                           {"md", "| d:a@128/sum2 | 2/2 | 0.566 | 0.320 |"},
                                           {"csv", ",bench,3,0.5,1.6,0.32,,d:copy/fast,5000,"}};
    const ug_report_options options = {0};
    ug_results r;
    ug_summary summary;
    ug_speeds s;
    (void)state;
    load(&r, &summary, &s);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        char *text = NULL, err[512] = "";
        size_t size = 0;
        FILE *out = open_memstream(&text, &size);
        const ug_format *format = ug_format_find(words[i][0]);
        assert_int_equal(format->render(&r, &options, out, err, sizeof err), 0);
        fclose(out);
        if (!strstr(text, words[i][1]))
            fail_msg("%s: no '%s' in\n%s", *words[i], words[i][1], text);
        free(text);
    }
    ug_speeds_free(&s);
    ug_summary_free(&summary);
    ug_results_free(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums),
        cmocka_unit_test(every_format_shows_it),
    };
    return cmocka_run_group_tests(tests, NULL, remove_results);
}
