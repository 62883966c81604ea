/* SPDX-License-Identifier: Apache-2.0 */
/* The terminal report: where it ran, kernels, suites, failures, histograms, which variance. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "report/screen.h"
#include "report/speed.h"
#include "report/words.h"

enum { FAILURES = 20, SUITES = 64 };

static void print_fact(FILE *out, const char *key, const char *value)
{
    if (!*value) return;
    fprintf(out, "%-10s ", key);
    ug_print_safe(out, value);
    fputc('\n', out);
}

static void print_backends(const ug_rec_run *run, FILE *out)
{
    size_t b, f;
    for (b = 0; b < run->backends; b++) {
        const ug_rec_backend *backend = &run->backend[b];
        fprintf(out, "%-10s ", "backend");
        ug_print_safe(out, backend->backend);
        for (f = 0; f < backend->facts; f++) {
            fputs(f ? ", " : ": ", out);
            ug_print_safe(out, backend->fact[f].key);
            fputc(' ', out);
            ug_print_safe(out, backend->fact[f].value);
        }
        fputc('\n', out);
    }
}

static void print_run(const ug_rec_run *run, FILE *out)
{
    char number[UG_NUMBER_TEXT];
    print_fact(out, "file", run->file);
    print_fact(out, "version", run->version);
    print_fact(out, "started", run->started);
    print_fact(out, "host", run->cpu);
    print_fact(out, "compiler", run->compiler);
    print_fact(out, "command", run->command);
    print_fact(out, "profile", run->profile);
    if (!isnan(run->seconds)) {
        fprintf(out, "%-10s %s s for %zu results\n", "time", ug_number_short(run->seconds, number),
                run->count + run->benches);
    }
    print_backends(run, out);
}

typedef struct suite_sum {
    const char *suite;
    int64_t verdict[UG_REC_VERDICTS];
} suite_sum;

static void print_suites(const ug_results *results, FILE *out)
{
    suite_sum suite[SUITES];
    char counts[256];
    size_t i, s, count = 0;
    for (i = 0; i < results->count; i++) {
        const ug_rec *rec = &results->rec[i];
        if (rec->yardstick) continue;
        for (s = 0; s < count && suite[s].suite != rec->suite; s++) {}
        if (s == SUITES) continue;
        if (s == count) suite[count++] = (suite_sum){rec->suite, {0}};
        suite[s].verdict[rec->verdict]++;
    }
    for (s = 0; s < count; s++) {
        ug_count_text(suite[s].verdict, counts, sizeof counts);
        fputs("suite ", out);
        ug_print_safe(out, *suite[s].suite ? suite[s].suite : "(single cases)");
        fprintf(out, ": %s\n", counts);
    }
}

/* One block character a bin, its height by the logarithm of the count; a dot where it is empty. */
static void print_histogram(const ug_kernel_sum *k, int name_width, FILE *out)
{
    static const char *const bar[] = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
    int64_t most = 0;
    int bin;
    for (bin = 0; bin < UG_REC_HIST; bin++) most = k->hist[bin] > most ? k->hist[bin] : most;
    if (!most) return;
    ug_print_safe(out, k->kernel);
    fprintf(out, "%*s  ", name_width - (int)strlen(k->kernel), "");
    for (bin = 0; bin < UG_REC_HIST; bin++) {
        double share = log2((double)k->hist[bin] + 1) / log2((double)most + 1);
        int height = (int)(share * 7.999);
        fputs(k->hist[bin] > 0 ? bar[height] : "·", out);
    }
    fputc('\n', out);
}

static void print_histograms(const ug_summary *summary, FILE *out)
{
    int width = 0;
    size_t k;
    for (k = 0; k < summary->kernels; k++) {
        int length = (int)strlen(summary->kernel[k].kernel);
        if (length > width) width = length;
    }
    fputs("elements by error in ulp: up to 0.5, 1, 2, 4, ... 2^22 and more; heights are "
          "logarithmic\n",
          out);
    for (k = 0; k < summary->kernels; k++) print_histogram(&summary->kernel[k], width, out);
}

static int render_body(const ug_results *results, const ug_summary *summary,
                       const ug_report_options *options, FILE *out)
{
    if (ug_screen_kernels(summary, options, out)) return -1;
    fputc('\n', out);
    print_suites(results, out);
    if (summary->failures) {
        fputc('\n', out);
        if (ug_screen_failures(results, summary, FAILURES, options, out)) return -1;
    }
    fputc('\n', out);
    print_histograms(summary, out);
    fputc('\n', out);
    return ug_screen_variances(results, options, out);
}

static int render(const ug_results *results, const ug_report_options *options, FILE *out, char *err,
                  size_t cap)
{
    ug_summary summary;
    size_t r;
    int rc;
    for (r = 0; r < results->runs; r++) print_run(&results->run[r], out);
    ug_screen_notices(results, options, out);
    if (!results->count && !results->benches) return 0;
    fputc('\n', out);
    if (ug_summarize(results, &summary)) {
        snprintf(err, cap, "out of memory");
        return -1;
    }
    rc = results->count ? render_body(results, &summary, options, out) : 0;
    if (!rc && results->count && results->benches) fputc('\n', out);
    if (!rc) rc = ug_screen_speed(results, &summary, 0, options, out);
    ug_summary_free(&summary);
    if (rc) snprintf(err, cap, "out of memory");
    return rc;
}

const ug_format ug_format_text = {"text", "the report for a terminal", render};
