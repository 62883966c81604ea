/* SPDX-License-Identifier: Apache-2.0 */
/* A difference for a terminal, as Markdown and as HTML. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "report/cells.h"
#include "report/diff.h"
#include "report/html.h"
#include "report/screen.h"
#include "report/words.h"

enum { FAILURES = 20, TEXT = 1600 };

/* Where the text goes: the three formats differ in how they print a heading, a line, a table. */
typedef struct sink {
    ug_diff_format format;
    const ug_report_options *options;
    FILE *out;
} sink;

static void print_text(const sink *s, const char *text)
{
    if (s->format == UG_DIFF_TEXT) ug_print_safe(s->out, text);
    if (s->format == UG_DIFF_MD) ug_print_md(s->out, text);
    if (s->format == UG_DIFF_HTML) ug_print_markup(s->out, text);
}

static void print_head(const sink *s, const char *text)
{
    static const char *const before[] = {"\n", "\n**", "<h2>"}, *const after[] = {":\n", "**\n\n",
                                                                                  "</h2>\n"};
    fputs(before[s->format], s->out);
    print_text(s, text);
    fputs(after[s->format], s->out);
}

static void print_line(const sink *s, const char *text)
{
    static const char *const before[] = {"", "", "<p>"}, *const after[] = {"\n", "\n\n", "</p>\n"};
    fputs(before[s->format], s->out);
    print_text(s, text);
    fputs(after[s->format], s->out);
}

static void print_table(const sink *s, ug_table *t, const char *caption)
{
    ug_html page = {s->out, NULL, NULL, NULL};
    size_t i;
    switch (s->format) {
    case UG_DIFF_TEXT:
        ug_table_fit(t, s->options->width);
        ug_table_print(t, s->options->colour, s->out);
        return;
    case UG_DIFF_MD:
        ug_table_print_md_head(t, s->out);
        for (i = 0; i < t->rows; i++) ug_table_print_md_row(t, i, s->out);
        fputc('\n', s->out);
        return;
    case UG_DIFF_HTML:
        ug_html_table(&page, t, caption, NULL);
    }
}

static int print_facts(const ug_diff *d, const sink *s)
{
    ug_table t = {0};
    size_t i;
    if (!d->facts) return 0;
    ug_table_column(&t, "what", 1, 0);
    ug_table_column(&t, "old", 1, 0);
    ug_table_column(&t, "new", 1, 0);
    for (i = 0; i < d->facts; i++) {
        ug_cell *cell = ug_table_row(&t);
        if (!cell) break;
        ug_cell_put(&cell[0], UG_BOLD, "%.90s", d->fact[i].what);
        ug_cell_put(&cell[1], UG_PLAIN, "%.90s", *d->fact[i].was ? d->fact[i].was : "-");
        ug_cell_put(&cell[2], UG_PLAIN, "%.90s", *d->fact[i].is ? d->fact[i].is : "-");
    }
    if (i == d->facts) {
        print_head(s, "Surroundings that differ");
        print_table(s, &t, "Facts of the two runs that differ");
    }
    ug_table_free(&t);
    return i == d->facts ? 0 : -1;
}

static void kernel_row(const ug_diff_kernel *k, ug_cell *cell)
{
    static const unsigned shown[][2] = {
        {UG_DIFF_VERDICT, UG_DIFF_JUDGED},  {UG_DIFF_BITS, UG_DIFF_BITS},
        {UG_DIFF_FREE, UG_DIFF_FREE},       {UG_DIFF_GREW, UG_DIFF_GREW},
        {UG_DIFF_MORE, UG_DIFF_MORE},       {UG_DIFF_LESS, UG_DIFF_BETTER},
        {UG_DIFF_TIGHTER, UG_DIFF_TIGHTER}, {UG_DIFF_LOOSER, UG_DIFF_LOOSER},
        {UG_DIFF_GONE, UG_DIFF_GONE},       {UG_DIFF_NEW, UG_DIFF_NEW}};
    size_t c;
    int bit;
    ug_cell_kernel(&cell[0], k->kernel, k->yardstick);
    ug_cell_put(&cell[1], UG_PLAIN, "%" PRId64, k->cases);
    ug_cell_put(&cell[2], k->worse ? UG_BAD : UG_GOOD, "%" PRId64, k->worse);
    for (c = 0; c < sizeof shown / sizeof *shown; c++) {
        int64_t count = 0;
        for (bit = 0; bit < UG_DIFF_KINDS; bit++) {
            if ((shown[c][0] | shown[c][1]) >> bit & 1) count += k->kind[bit];
        }
        ug_cell_put(&cell[3 + c], count ? UG_PLAIN : UG_DIM, "%" PRId64, count);
    }
}

static int has_any(const ug_diff_kernel *k)
{
    int bit;
    for (bit = 0; bit < UG_DIFF_KINDS; bit++) {
        if (k->kind[bit]) return 1;
    }
    return 0;
}

/* Kernels about which there is something to say. */
static int print_kernels(const ug_diff *d, const sink *s)
{
    static const char *const heads[] = {"cases", "worse", "verdict", "bits",   "bits, free", "grew",
                                        "more",  "less",  "tighter", "looser", "gone",       "new"};
    ug_table t = {0};
    size_t i, c;
    int rc = 0;
    ug_table_column(&t, "kernel", 1, 0);
    for (c = 0; c < sizeof heads / sizeof *heads; c++) {
        ug_table_column(&t, heads[c], 0, c < 2 ? 0 : (int)c);
    }
    for (i = 0; i < d->kernels && !rc; i++) {
        ug_cell *cell = has_any(&d->kernel[i]) ? ug_table_row(&t) : NULL;
        if (cell) kernel_row(&d->kernel[i], cell);
        rc = !cell && has_any(&d->kernel[i]) ? -1 : 0;
    }
    for (c = 3; c < (size_t)t.columns; c++) {
        for (i = 0; i < t.rows && !strcmp(t.cell[i * UG_TABLE_COLUMNS + c].text, "0"); i++) {}
        t.column[c].hidden = i == t.rows;
    }
    if (!rc && t.rows) {
        print_head(s, "Kernels");
        print_table(s, &t, "Cases that differ, by kernel");
    }
    ug_table_free(&t);
    return rc;
}

static void print_item(const ug_diff *d, const ug_diff_item *item, const sink *s)
{
    const ug_rec *rec = item->is ? item->is : item->was;
    static const char *const before[] = {"  ", "- ", "<tr><th scope=\"row\">"};
    static const char *const middle[] = {"  ", ": ", "</th><td class=\"l\">"};
    static const char *const code[] = {"\n    ", "\n  ```\n  ", "</td><td class=\"l\"><code>"};
    static const char *const after[] = {"\n", "\n  ```\n", "</code></td></tr>\n"};
    char text[TEXT], *command = NULL;
    size_t size;
    FILE *line = open_memstream(&command, &size);
    if (line) {
        ug_print_repeat(line, d->results, rec);
        if (fclose(line)) command = NULL;
    }
    ug_diff_text(item, text, sizeof text);
    fputs(before[s->format], s->out);
    print_text(s, rec->kernel);
    fputs(middle[s->format], s->out);
    print_text(s, text);
    fputs(code[s->format], s->out);
    if (s->format == UG_DIFF_HTML) {
        ug_print_markup(s->out, command ? command : "");
    } else {
        fputs(command ? command : "", s->out);
    }
    fputs(after[s->format], s->out);
    free(command);
}

static void print_items(const ug_diff *d, const sink *s)
{
    size_t limit = s->options->failures > 0 ? (size_t)s->options->failures : FAILURES, i;
    char more[64];
    if (!d->worse) return;
    print_head(s, "Worse, the worst first, each with the command that repeats it");
    if (s->format == UG_DIFF_HTML) {
        ug_html_table_open("Cases that got worse", s->out);
        fputs("<th scope=\"col\" class=\"l\">kernel</th><th scope=\"col\" class=\"l\">what</th>"
              "<th scope=\"col\" class=\"l\">repeat</th></tr></thead>\n<tbody>\n",
              s->out);
    }
    for (i = 0; i < d->worse && i < limit; i++) print_item(d, &d->item[i], s);
    if (s->format == UG_DIFF_HTML) ug_html_table_close(s->out);
    snprintf(more, sizeof more, "... %zu more", d->worse - i);
    if (d->worse > i) print_line(s, more);
}

/* "nothing differs" is one line, whatever the format. */
static void print_title(const ug_diff *d, const sink *s)
{
    const ug_rec_run *run = d->results->run;
    char text[TEXT];
    if (d->worse) {
        snprintf(text, sizeof text, "ulpgate diff: %zu results got worse (%" PRId64 " compared)",
                 d->worse, d->matched);
    } else if (d->items) {
        snprintf(text, sizeof text,
                 "ulpgate diff: nothing got worse; %zu results differ (%" PRId64 " compared)",
                 d->items, d->matched);
    } else {
        snprintf(text, sizeof text,
                 "ulpgate diff: no difference in %" PRId64 " results of %" PRId64 " cases",
                 d->matched, d->cases);
    }
    if (s->format == UG_DIFF_HTML) {
        ug_html_head(text, s->out);
        fputs("<body>\n<main>\n<h1>", s->out);
    }
    if (s->format == UG_DIFF_MD) fputs("### ", s->out);
    print_text(s, text);
    fputs(s->format == UG_DIFF_HTML ? "</h1>\n" : s->format == UG_DIFF_MD ? "\n\n" : "\n", s->out);
    if (!d->items && !d->facts) return;
    snprintf(text, sizeof text, "old: %.300s %.40s; new: %.300s %.40s", run[0].file, run[0].started,
             run[1].file, run[1].started);
    print_line(s, text);
}

int ug_diff_print(const ug_diff *d, ug_diff_format format, const ug_report_options *options,
                  FILE *out)
{
    sink s = {format, options, out};
    int rc;
    print_title(d, &s);
    rc = print_facts(d, &s) || print_kernels(d, &s);
    print_items(d, &s);
    if (format == UG_DIFF_HTML) {
        fputs("</main>\n", out);
        ug_html_script(out);
        fputs("</body>\n</html>\n", out);
    }
    return rc ? -1 : 0;
}
