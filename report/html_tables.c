/* SPDX-License-Identifier: Apache-2.0 */
/* The tables of the HTML page: kernels, failures, variances, cited cases. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/html.h"
#include "report/screen.h"
#include "report/words.h"

enum { TEXT = 1600 };

static void print_link(ug_html *page, const ug_rec *rec, const char *text)
{
    char id[24];
    fprintf(page->out, "<a href=\"#%s\">", ug_html_cite(page, rec, id));
    ug_print_markup(page->out, text);
    fputs("</a>", page->out);
}

/* The worst verdict of a kernel, as one word. */
static ug_rec_verdict verdict_of(const ug_kernel_sum *k)
{
    static const ug_rec_verdict order[] = {UG_REC_CRASH, UG_REC_HANG, UG_REC_ERROR, UG_REC_FAIL,
                                           UG_REC_PASS};
    size_t i;
    for (i = 0; i < sizeof order / sizeof *order; i++) {
        if (k->verdict[order[i]]) return order[i];
    }
    return UG_REC_DECLINED;
}

static void kernel_more(ug_html *page, const void *context, size_t row)
{
    const ug_kernel_sum *k = ((const ug_kernel_sum *const *)context)[row];
    if (!k->worst_case) return;
    print_link(page, k->worst_case, ug_rec_verdict_name(k->worst_case->verdict));
    fputc(' ', page->out);
    ug_html_command(page, k->worst_case);
}

/* Kernels that failed first, then in the order of the run; yardsticks last. */
static int by_verdict(const void *a, const void *b)
{
    const ug_kernel_sum *x = *(const ug_kernel_sum *const *)a;
    const ug_kernel_sum *y = *(const ug_kernel_sum *const *)b;
    int bad_x = verdict_of(x) != UG_REC_PASS && verdict_of(x) != UG_REC_DECLINED;
    int bad_y = verdict_of(y) != UG_REC_PASS && verdict_of(y) != UG_REC_DECLINED;
    if (x->yardstick != y->yardstick) return x->yardstick - y->yardstick;
    if (bad_x != bad_y) return bad_y - bad_x;
    return (x > y) - (x < y);
}

/* The table of the terminal with the verdict as a word after the name. */
static int make_kernel_table(const ug_kernel_sum *const *order, size_t count, ug_table *t)
{
    size_t i;
    int v;
    if (ug_kernel_table(order, count, t)) return -1;
    for (v = UG_REC_PASS; v < UG_REC_VERDICTS; v++) t->column[2 + v].hidden = 1;
    t->column[1].head = "verdict";
    t->column[1].left = 1;
    for (i = 0; i < count; i++) {
        ug_cell *cell = &t->cell[i * UG_TABLE_COLUMNS];
        char counts[UG_CELL_TEXT];
        v = (int)verdict_of(order[i]);
        ug_count_text(order[i]->verdict, counts, sizeof counts);
        snprintf(cell[1].text, sizeof cell[1].text, "%.90s", counts);
        cell[1].tint = v == UG_REC_PASS ? UG_GOOD : v == UG_REC_DECLINED ? UG_DIM : UG_BAD;
    }
    return 0;
}

int ug_html_kernels(ug_html *page)
{
    const ug_summary *s = page->summary;
    const ug_kernel_sum **order = malloc((s->kernels + 1) * sizeof *order);
    ug_table t = {0};
    char text[TEXT];
    size_t i;
    int rc;
    if (!order) return -1;
    for (i = 0; i < s->kernels; i++) order[i] = &s->kernel[i];
    qsort(order, s->kernels, sizeof *order, by_verdict);
    rc = make_kernel_table(order, s->kernels, &t);
    if (!rc) {
        fputs("<h2>Kernels</h2>\n", page->out);
        ug_html_table(
            page, &t,
            "Cases by verdict, worst case, cases that would pass bound and sound, largest "
            "errors of all cases",
            &(ug_html_more){"worst case", 1, kernel_more, order});
        for (i = 0; ug_summary_note(s, i, text, sizeof text); i++) {
            fputs("<p class=\"dim\">", page->out);
            ug_print_markup(page->out, text);
            fputs("</p>\n", page->out);
        }
    }
    ug_table_free(&t);
    free(order);
    return rc;
}

int ug_html_failures(ug_html *page, size_t limit)
{
    const ug_summary *s = page->summary;
    const ug_rec **picked;
    FILE *out = page->out;
    char text[TEXT];
    size_t i, count;
    if (!s->failures) return 0;
    if (limit > s->failures) limit = s->failures;
    picked = malloc((limit + 1) * sizeof *picked);
    if (!picked) return -1;
    count = ug_pick_failures(s, limit, picked);
    fprintf(out, "<h2>Failures, worst first</h2>\n");
    ug_html_table_open("Failed cases with their reasons and the command that repeats each", out);
    fputs("<th scope=\"col\" class=\"l\">kernel</th><th scope=\"col\" class=\"l\">verdict</th>"
          "<th scope=\"col\" class=\"l\">reason</th><th scope=\"col\" class=\"l\">repeat</th></tr>"
          "</thead>\n<tbody>\n",
          out);
    for (i = 0; i < count; i++) {
        ug_reason_text(picked[i], text, sizeof text);
        fputs("<tr><th scope=\"row\">", out);
        ug_print_markup(out, picked[i]->kernel);
        fputs("</th><td class=\"l\">", out);
        print_link(page, picked[i], ug_rec_verdict_name(picked[i]->verdict));
        fputs("</td><td class=\"l\">", out);
        ug_print_markup(out, text);
        fputs("</td><td class=\"l\">", out);
        ug_html_command(page, picked[i]);
        fputs("</td></tr>\n", out);
    }
    ug_html_table_close(out);
    if (s->failures > count) fprintf(out, "<p>... %zu more</p>\n", s->failures - count);
    free(picked);
    return 0;
}

static void variance_more(ug_html *page, const void *context, size_t row)
{
    const ug_rec *breaking = ((const ug_variances *)context)->item[row].breaking;
    if (breaking) print_link(page, breaking, "case");
}

int ug_html_variances(ug_html *page)
{
    ug_variances variances;
    ug_table t = {0};
    char text[TEXT];
    int rc;
    ug_sum_variances(page->results, &variances);
    if (!variances.count) return 0;
    rc = ug_variance_table(&variances, &t);
    if (!rc) {
        ug_variance_advice(&variances, text, sizeof text);
        fputs("<h2>Which variance</h2>\n<p>", page->out);
        ug_print_markup(page->out, text);
        fputs("</p>\n", page->out);
        ug_html_table(page, &t, "Worst cond by kappa; sound allows 8 + c/4",
                      &(ug_html_more){"first to break", 3, variance_more, &variances});
    }
    ug_table_free(&t);
    return rc;
}

static void print_number(FILE *out, double v, int present)
{
    char text[UG_NUMBER_TEXT];
    fprintf(out, "<td>%s", present && !isnan(v) ? ug_number_short(v, text) : present ? "nan" : "");
}

/* Closing tags of rows and cells are left out, as HTML allows: there are many rows. */
static void print_case(ug_html *page, const ug_rec *rec)
{
    static const ug_rec_metric shown[] = {UG_REC_max_cond, UG_REC_max_bound, UG_REC_max_abs,
                                          UG_REC_max_ulp, UG_REC_kappa_max};
    FILE *out = page->out;
    char text[TEXT];
    size_t i;
    ug_reason_text(rec, text, sizeof text);
    fprintf(out, "<tr id=\"r%zu\"><th scope=\"row\">", (size_t)(rec - page->results->rec));
    ug_print_markup(out, rec->kernel);
    fprintf(out, "<td class=\"l%s\">%s", rec->verdict == UG_REC_PASS ? "" : " bad",
            ug_rec_verdict_name(rec->verdict));
    fputs("<td class=\"l\">", out);
    ug_print_markup(out, rec->family);
    for (i = 0; i < sizeof shown / sizeof *shown; i++) {
        print_number(out, rec->metric[shown[i]], (rec->has & 1u << shown[i]) != 0);
    }
    fputs("<td class=\"l\">", out);
    ug_html_command(page, rec);
    if (*text) {
        fputc(' ', out);
        ug_print_markup(out, text);
    }
    fputc('\n', out);
}

static int by_weight(const void *a, const void *b)
{
    const ug_rec *x = *(const ug_rec *const *)a, *y = *(const ug_rec *const *)b;
    int order = ug_rec_compare(x, y);
    return order ? order : (x > y) - (x < y);
}

int ug_html_cases(ug_html *page)
{
    static const char *const heads[] = {"kernel", "verdict", "family", "cond",  "bound",
                                        "abs",    "ulp",     "kappa",  "repeat"};
    const ug_results *results = page->results;
    const ug_rec **order = malloc((results->count + 1) * sizeof *order);
    size_t i, count = 0;
    if (!order) return -1;
    for (i = 0; i < results->count; i++) {
        if (page->cited[i]) order[count++] = &results->rec[i];
    }
    qsort(order, count, sizeof *order, by_weight);
    fprintf(page->out,
            "<h2 id=\"case-rows\">Cases</h2>\n<p>The %zu of %zu results that tables and "
            "plots lead to, worst first.</p>\n",
            count, results->count);
    ug_html_table_open("Cases that marks and tables lead to", page->out);
    for (i = 0; i < sizeof heads / sizeof *heads; i++) {
        fprintf(page->out, "<th scope=\"col\"%s>%s</th>", i < 3 || i == 8 ? " class=\"l\"" : "",
                heads[i]);
    }
    fputs("</tr></thead>\n<tbody>\n", page->out);
    for (i = 0; i < count; i++) print_case(page, order[i]);
    ug_html_table_close(page->out);
    free(order);
    return 0;
}
