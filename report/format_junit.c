/* SPDX-License-Identifier: Apache-2.0 */
/* JUnit XML for CI servers: a suite a kernel, a testcase a case, measured values as properties. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "report/screen.h"
#include "report/summary.h"
#include "report/words.h"

enum { TEXT = 1600 };

static int is_error(ug_rec_verdict v)
{
    return v == UG_REC_CRASH || v == UG_REC_HANG || v == UG_REC_ERROR;
}

/* Yardsticks are shown and not counted: whatever does not pass is a skipped testcase. */
static int is_skipped(const ug_rec *rec)
{
    return rec->verdict == UG_REC_DECLINED || (rec->yardstick && rec->verdict != UG_REC_PASS);
}

static void print_property(FILE *out, const char *name, const char *value)
{
    if (!*value) return;
    fprintf(out, "<property name=\"%s\" value=\"", name);
    ug_print_markup(out, value);
    fputs("\"/>", out);
}

static void print_properties(const ug_rec *rec, FILE *out)
{
    char text[UG_NUMBER_TEXT];
    int m;
    fputs("\n<properties>", out);
    print_property(out, "id", rec->id);
    print_property(out, "family", rec->family);
    print_property(out, "gate", rec->gate);
    print_property(out, "path", rec->path);
    if (rec->bound >= 0) print_property(out, "bound", rec->bound ? "pass" : "fail");
    if (rec->sound >= 0) print_property(out, "sound", rec->sound ? "pass" : "fail");
    for (m = 0; m < UG_REC_METRICS; m++) {
        if (!(rec->has & 1u << m)) continue;
        print_property(out, ug_rec_metric_name((ug_rec_metric)m),
                       ug_number_exact(rec->metric[m], text));
    }
    if (!isnan(rec->bound_abs)) {
        print_property(out, "bound_abs", ug_number_exact(rec->bound_abs, text));
    }
    print_property(out, "digest", rec->digest);
    fputs("</properties>\n", out);
}

/* The message is the command that repeats the case; the reasons are the text. 0, or -1 when out of
 * memory. */
static int print_fault(const ug_results *results, const ug_rec *rec, const char *tag, FILE *out)
{
    char *command = NULL;
    size_t size;
    FILE *line = open_memstream(&command, &size);
    int r;
    if (!line) return -1;
    ug_print_repeat(line, results, rec);
    if (fclose(line)) {
        free(command);
        return -1;
    }
    fprintf(out, "<%s type=\"%s\" message=\"", tag, ug_rec_verdict_name(rec->verdict));
    ug_print_markup(out, command);
    fputs("\">", out);
    for (r = 0; r < rec->reasons; r++) {
        if (r) fputc('\n', out);
        ug_print_markup(out, rec->reason[r]);
    }
    fprintf(out, "</%s>\n", tag);
    free(command);
    return 0;
}

static void print_skipped(const ug_rec *rec, FILE *out)
{
    char text[TEXT];
    ug_reason_text(rec, text, sizeof text);
    fputs("<skipped message=\"", out);
    if (rec->yardstick && rec->verdict != UG_REC_DECLINED) {
        fprintf(out, "yardstick, not counted: %s ", ug_rec_verdict_name(rec->verdict));
    }
    ug_print_markup(out, text);
    fputs("\"/>\n", out);
}

static int print_case(const ug_results *results, const ug_rec *rec, FILE *out)
{
    int rc = 0;
    fputs("<testcase classname=\"", out);
    ug_print_markup(out, rec->kernel);
    fputs("\" name=\"", out);
    ug_print_markup(out, rec->line);
    fputc('"', out);
    if (rec->time_us >= 0) fprintf(out, " time=\"%.6f\"", rec->time_us * 1e-6);
    fputc('>', out);
    print_properties(rec, out);
    if (is_skipped(rec)) {
        print_skipped(rec, out);
    } else if (rec->verdict != UG_REC_PASS) {
        rc = print_fault(results, rec, is_error(rec->verdict) ? "error" : "failure", out);
    }
    fputs("</testcase>\n", out);
    return rc;
}

/* Runs that were interrupted or tested nothing must not look like a pass. */
static void print_notices(const ug_results *results, FILE *out)
{
    char text[TEXT];
    size_t i, count = 0;
    while (ug_results_notice(results, count, text, sizeof text)) count++;
    if (!count) return;
    fprintf(out,
            "<testsuite name=\"results files\" tests=\"%zu\" failures=\"0\" errors=\"%zu\" "
            "skipped=\"0\">\n",
            count, count);
    for (i = 0; ug_results_notice(results, i, text, sizeof text); i++) {
        fprintf(out, "<testcase classname=\"results files\" name=\"complete %zu\">", i + 1);
        fputs("<error type=\"incomplete\" message=\"", out);
        ug_print_markup(out, text);
        fputs("\"/></testcase>\n", out);
    }
    fputs("</testsuite>\n", out);
}

/* Attributes of a suite, or of all suites when kernel is NULL. */
static void print_counts(const ug_results *results, const char *kernel, FILE *out)
{
    size_t i, tests = 0, failures = 0, errors = 0, skipped = 0;
    char text[TEXT];
    for (i = 0; i < results->count; i++) {
        const ug_rec *rec = &results->rec[i];
        if (kernel && rec->kernel != kernel) continue;
        tests++;
        if (is_skipped(rec)) {
            skipped++;
        } else if (is_error(rec->verdict)) {
            errors++;
        } else {
            failures += rec->verdict == UG_REC_FAIL;
        }
    }
    for (i = 0; !kernel && ug_results_notice(results, i, text, sizeof text); i++) {
        tests++;
        errors++;
    }
    fprintf(out, " tests=\"%zu\" failures=\"%zu\" errors=\"%zu\"", tests, failures, errors);
    /* The schema that most servers follow knows no skipped attribute on the root. */
    if (kernel) fprintf(out, " skipped=\"%zu\"", skipped);
    fputs(">\n", out);
}

static int print_suite(const ug_results *results, const ug_kernel_sum *k, FILE *out)
{
    size_t i;
    int rc = 0;
    fputs("<testsuite name=\"", out);
    ug_print_markup(out, k->kernel);
    fputc('"', out);
    print_counts(results, k->kernel, out);
    for (i = 0; i < results->count && !rc; i++) {
        if (results->rec[i].kernel == k->kernel) rc = print_case(results, &results->rec[i], out);
    }
    fputs("</testsuite>\n", out);
    return rc;
}

static int render(const ug_results *results, const ug_report_options *options, FILE *out, char *err,
                  size_t cap)
{
    ug_summary summary;
    size_t k;
    int rc = ug_summarize(results, &summary);
    (void)options;
    if (!rc) {
        fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"ulpgate\"", out);
        print_counts(results, NULL, out);
        print_notices(results, out);
        for (k = 0; k < summary.kernels && !rc; k++) {
            rc = print_suite(results, &summary.kernel[k], out);
        }
        fputs("</testsuites>\n", out);
        ug_summary_free(&summary);
    }
    if (rc) snprintf(err, cap, "out of memory");
    return rc;
}

const ug_format ug_format_junit = {"junit", "JUnit XML for CI servers, one testcase a case",
                                   render};
