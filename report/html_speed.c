/* SPDX-License-Identifier: Apache-2.0 */
/* Timed kernels on the HTML page. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/html.h"
#include "report/screen.h"
#include "report/speed.h"
#include "report/words.h"

enum { TEXT = 1600 };

static void print_notes(const ug_speeds *speeds, FILE *out)
{
    char text[TEXT];
    size_t i;
    for (i = 0; ug_speed_note(speeds, i, text, sizeof text); i++) {
        fputs("<p class=\"dim\">", out);
        ug_print_markup(out, text);
        fputs("</p>\n", out);
    }
}

static void print_command(ug_html *page, const ug_rec_bench *b)
{
    char *line = NULL;
    size_t size;
    FILE *to = open_memstream(&line, &size);
    if (!to) return;
    ug_print_repeat_bench(to, page->results, b);
    if (!fclose(to)) {
        fputs("<code>", page->out);
        ug_print_markup(page->out, line);
        fputs("</code>", page->out);
    }
    free(line);
}

/* The row that marks lead to; one a timed case of one run, medians over runs stand above. */
static void print_timed(ug_html *page, const ug_rec_bench *b, size_t index)
{
    const double number[] = {b->us, b->gbps, b->copy_share, b->rec.metric[UG_REC_max_cond],
                             b->rec.metric[UG_REC_max_ulp]};
    FILE *out = page->out;
    char text[TEXT];
    size_t i;
    fprintf(out, "<tr id=\"b%zu\"><th scope=\"row\">", index);
    ug_print_markup(out, b->rec.kernel);
    ug_speed_case(&b->rec, text, sizeof text);
    fprintf(out, "<td class=\"l\">%s", text);
    for (i = 0; i < sizeof number / sizeof *number; i++) {
        int has = i < 3 ? !isnan(number[i])
                        : (b->rec.has & 1u << (i == 3 ? UG_REC_max_cond : UG_REC_max_ulp)) != 0;
        fprintf(out, "<td>%s", has ? ug_number_short(number[i], text) : "");
    }
    fprintf(out, "<td class=\"l%s\">%s<td class=\"l\">",
            b->rec.verdict == UG_REC_PASS ? "" : " bad", ug_rec_verdict_name(b->rec.verdict));
    print_command(page, b);
    fputc('\n', out);
}

static void print_cited(ug_html *page)
{
    static const char *const heads[] = {"kernel", "case", "us",      "GB/s",  "of copy",
                                        "cond",   "ulp",  "verdict", "repeat"};
    const ug_results *r = page->results;
    size_t i;
    ug_html_table_open("Timed cases that marks lead to", page->out);
    for (i = 0; i < sizeof heads / sizeof *heads; i++) {
        fprintf(page->out, "<th scope=\"col\"%s>%s</th>", i < 2 || i > 6 ? " class=\"l\"" : "",
                heads[i]);
    }
    fputs("</tr></thead>\n<tbody>\n", page->out);
    for (i = 0; i < r->benches; i++) {
        if (page->cited[r->count + i]) print_timed(page, &r->bench[i], i);
    }
    ug_html_table_close(page->out);
}

int ug_html_speed(ug_html *page)
{
    ug_speeds speeds;
    ug_table t = {0};
    int rc;
    if (!page->results->benches) return 0;
    rc = ug_speed_sums(page->results, page->summary, &speeds) || ug_speed_kernel_table(&speeds, &t);
    if (!rc) {
        fputs("<h2>Speed beside error</h2>\n", page->out);
        ug_html_table(page, &t, "Kernels by share of copy", NULL);
        print_notes(&speeds, page->out);
        print_cited(page);
    }
    ug_table_free(&t);
    ug_speeds_free(&speeds);
    return rc ? -1 : 0;
}
