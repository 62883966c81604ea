/* SPDX-License-Identifier: Apache-2.0 */
/* Markdown for a pull-request comment or a job summary: worst first, below 60,000 characters. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "report/screen.h"
#include "report/speed.h"
#include "report/words.h"

enum { BUDGET = 58000, KERNEL_ROWS = 100, SPEED_ROWS = 250, FAILURES = 30, TEXT = 1600 };

/* Kernels with the worst case first; yardsticks last. */
static int by_worst(const void *a, const void *b)
{
    const ug_kernel_sum *x = *(const ug_kernel_sum *const *)a;
    const ug_kernel_sum *y = *(const ug_kernel_sum *const *)b;
    int order;
    if (x->yardstick != y->yardstick) return x->yardstick - y->yardstick;
    if (!x->worst_case || !y->worst_case) return (x->worst_case == NULL) - (y->worst_case == NULL);
    order = ug_rec_compare(x->worst_case, y->worst_case);
    return order ? order : strcmp(x->kernel, y->kernel);
}

static void print_title(const ug_results *results, const ug_summary *summary, FILE *out)
{
    char text[TEXT];
    ug_count_text(summary->verdict, text, sizeof text);
    fprintf(out, "### ulpgate: %s\n\n",
            results->count     ? text
            : results->benches ? "speed"
                               : "nothing was tested");
    ug_print_md_notices(results, out);
}

static int print_kernels(const ug_summary *summary, FILE *out)
{
    const ug_kernel_sum **order = malloc((summary->kernels + 1) * sizeof *order);
    ug_table t = {0};
    char text[TEXT];
    size_t i;
    int rc = -1;
    if (!order) return -1;
    for (i = 0; i < summary->kernels; i++) order[i] = &summary->kernel[i];
    qsort(order, summary->kernels, sizeof *order, by_worst);
    if (!ug_kernel_table(order, summary->kernels, &t)) {
        ug_table_print_md_head(&t, out);
        for (i = 0; i < t.rows && i < KERNEL_ROWS; i++) ug_table_print_md_row(&t, i, out);
        fputc('\n', out);
        if (t.rows > KERNEL_ROWS) fprintf(out, "... %zu more kernels\n\n", t.rows - KERNEL_ROWS);
        for (i = 0; ug_summary_note(summary, i, text, sizeof text); i++) {
            ug_print_md(out, text);
            fputs("\n\n", out);
        }
        rc = 0;
    }
    ug_table_free(&t);
    free(order);
    return rc;
}

static int print_variances(const ug_results *results, FILE *out)
{
    ug_variances variances;
    ug_table t = {0};
    char text[TEXT];
    size_t i;
    int rc;
    ug_sum_variances(results, &variances);
    if (!variances.count) return 0;
    rc = ug_variance_table(&variances, &t);
    if (!rc) {
        fputs("**Which variance** (worst cond by kappa)\n\n", out);
        ug_table_print_md_head(&t, out);
        for (i = 0; i < t.rows; i++) ug_table_print_md_row(&t, i, out);
        ug_variance_advice(&variances, text, sizeof text);
        fputc('\n', out);
        ug_print_md(out, text);
        fputs("\n\n", out);
    }
    ug_table_free(&t);
    return rc;
}

/* One failure as a collapsible block into memory, so that its size is known before it is taken.
 * Inside an HTML block Markdown is not read, so that HTML's own escapes are needed. */
static char *failure_block(const ug_results *results, const ug_rec *rec, size_t *size)
{
    char *block = NULL, text[TEXT];
    FILE *out = open_memstream(&block, size);
    if (!out) return NULL;
    ug_reason_text(rec, text, sizeof text);
    fprintf(out, "<details><summary>%s ", ug_rec_verdict_name(rec->verdict));
    ug_print_markup(out, rec->kernel);
    fputc(' ', out);
    ug_print_markup(out, text);
    fputs("</summary>\n\n```sh\n", out);
    ug_print_repeat(out, results, rec);
    fputs("\n```\n</details>\n\n", out);
    if (fclose(out)) {
        free(block);
        return NULL;
    }
    return block;
}

static int print_failures(const ug_results *results, const ug_summary *summary, int limit,
                          size_t budget, FILE *out)
{
    size_t room = limit > 0 ? (size_t)limit : FAILURES, count, i;
    const ug_rec **picked;
    int rc = 0;
    if (!summary->failures) return 0;
    if (room > summary->failures) room = summary->failures;
    picked = malloc(room * sizeof *picked);
    if (!picked) return -1;
    count = ug_pick_failures(summary, room, picked);
    fputs("**Failures, worst first**\n\n", out);
    for (i = 0; i < count && !rc; i++) {
        size_t size = 0;
        char *block = failure_block(results, picked[i], &size);
        int fits = block && size <= budget;
        if (!block) rc = -1;
        if (fits) fwrite(block, 1, size, out);
        budget -= fits ? size : 0;
        free(block);
        if (!fits) break;
    }
    if (!rc && summary->failures > i) fprintf(out, "... %zu more\n\n", summary->failures - i);
    free(picked);
    return rc;
}

static void print_where(const ug_results *results, FILE *out)
{
    size_t r, b, f;
    fputs("<details><summary>where it ran</summary>\n\n", out);
    for (r = 0; r < results->runs && r < 10; r++) {
        const ug_rec_run *run = &results->run[r];
        const char *const text[] = {run->version, run->started, run->cpu, run->compiler};
        fputs("- ", out);
        for (f = 0; f < sizeof text / sizeof *text; f++) {
            if (f && *text[f]) fputs(", ", out);
            fputs(f == 0 ? "ulpgate " : "", out);
            ug_print_md(out, text[f]);
        }
        fputc('\n', out);
        for (b = 0; b < run->backends && b < 20; b++) {
            fputs("  - ", out);
            ug_print_md(out, run->backend[b].backend);
            for (f = 0; f < run->backend[b].facts && f < 20; f++) {
                fputs(f ? ", " : ": ", out);
                ug_print_md(out, run->backend[b].fact[f].key);
                fputc(' ', out);
                ug_print_md(out, run->backend[b].fact[f].value);
            }
            fputc('\n', out);
        }
    }
    fputs("\n</details>\n", out);
}

/* Head (kernels, variances) and tail (environment) first, in memory: failures get what is left. */
static int render_parts(const ug_results *results, const ug_summary *summary, int limit, FILE *out)
{
    char *head = NULL, *tail = NULL;
    size_t head_size = 0, tail_size = 0;
    FILE *h = open_memstream(&head, &head_size), *t = open_memstream(&tail, &tail_size);
    int rc = h && t ? 0 : -1;
    if (!rc) {
        print_title(results, summary, h);
        if (results->count) {
            rc = print_kernels(summary, h) || print_variances(results, h);
        }
        if (!rc) rc = ug_md_speed(results, summary, SPEED_ROWS, h);
        if (results->count || results->benches) print_where(results, t);
    }
    if (h && fclose(h)) rc = -1;
    if (t && fclose(t)) rc = -1;
    if (!rc) {
        size_t used = head_size + tail_size;
        fwrite(head, 1, head_size, out);
        rc = print_failures(results, summary, limit, used < BUDGET ? BUDGET - used : 0, out);
        if (!rc && used < BUDGET) fwrite(tail, 1, tail_size, out);
    }
    free(head);
    free(tail);
    return rc;
}

static int render(const ug_results *results, const ug_report_options *options, FILE *out, char *err,
                  size_t cap)
{
    ug_summary summary;
    int rc = ug_summarize(results, &summary);
    if (!rc) {
        rc = render_parts(results, &summary, options->failures, out);
        ug_summary_free(&summary);
    }
    if (rc) snprintf(err, cap, "out of memory");
    return rc;
}

const ug_format ug_format_md = {"md", "Markdown for a pull request, worst first", render};
