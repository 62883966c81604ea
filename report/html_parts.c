/* SPDX-License-Identifier: Apache-2.0 */
/* Where it ran, and how tables become HTML. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/html.h"
#include "report/words.h"

const char *ug_html_cite(ug_html *page, const ug_rec *rec, char text[24])
{
    const ug_results *r = page->results;
    const char *at = (const char *)rec, *bench = (const char *)r->bench;
    size_t index;
    if (r->benches && at >= bench && at < (const char *)(r->bench + r->benches)) {
        index = (size_t)(at - bench) / sizeof *r->bench;
        page->cited[r->count + index] = 1;
        snprintf(text, 24, "b%zu", index);
    } else {
        index = (size_t)(rec - r->rec);
        page->cited[index] = 1;
        snprintf(text, 24, "r%zu", index);
    }
    return text;
}

void ug_html_command(ug_html *page, const ug_rec *rec)
{
    char *line = NULL;
    size_t size;
    FILE *to = open_memstream(&line, &size);
    if (!to) return;
    ug_print_repeat(to, page->results, rec);
    if (!fclose(to)) {
        fputs("<code>", page->out);
        ug_print_markup(page->out, line);
        fputs("</code>", page->out);
    }
    free(line);
}

void ug_html_table_open(const char *caption, FILE *out)
{
    fputs("<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"", out);
    ug_print_markup(out, caption);
    fputs("\"><table><caption>", out);
    ug_print_markup(out, caption);
    fputs("</caption>\n<thead><tr>", out);
}

void ug_html_table_close(FILE *out) { fputs("</tbody></table></div>\n", out); }

static void print_cell(const ug_table *t, size_t row, int c, int first, FILE *out)
{
    static const char *const tint[] = {"", "good", "bad", "dim", "bold"};
    const ug_cell *cell = &t->cell[row * UG_TABLE_COLUMNS + (size_t)c];
    fputs(first ? "<th scope=\"row\"" : "<td", out);
    if (t->column[c].left && !first) {
        fprintf(out, " class=\"l %s\"", tint[cell->tint]);
    } else if (cell->tint != UG_PLAIN && !first) {
        fprintf(out, " class=\"%s\"", tint[cell->tint]);
    }
    fputc('>', out);
    ug_print_markup(out, cell->text);
    fputs(first ? "</th>" : "</td>", out);
}

static void print_head(const ug_table *t, const ug_html_more *more, FILE *out)
{
    int c, at = 0;
    for (c = 0; c < t->columns; c++) {
        if (t->column[c].hidden) continue;
        fprintf(out, "<th scope=\"col\"%s>", t->column[c].left ? " class=\"l\"" : "");
        ug_print_markup(out, t->column[c].head);
        fputs("</th>", out);
        if (more && at++ == more->after) {
            fprintf(out, "<th scope=\"col\" class=\"l\">%s</th>", more->head);
        }
    }
}

void ug_html_table(ug_html *page, const ug_table *t, const char *caption, const ug_html_more *more)
{
    FILE *out = page->out;
    size_t row;
    int c, at;
    ug_html_table_open(caption, out);
    print_head(t, more, out);
    fputs("</tr></thead>\n<tbody>\n", out);
    for (row = 0; row < t->rows; row++) {
        fputs("<tr>", out);
        for (c = at = 0; c < t->columns; c++) {
            if (t->column[c].hidden) continue;
            print_cell(t, row, c, at == 0, out);
            if (more && at == more->after) {
                fputs("<td class=\"l\">", out);
                more->cell(page, more->context, row);
                fputs("</td>", out);
            }
            at++;
        }
        fputs("</tr>\n", out);
    }
    ug_html_table_close(out);
}

static void print_part(FILE *out, const char *before, const char *text)
{
    if (!*text) return;
    fputs(before, out);
    ug_print_markup(out, text);
}

/* What tells one device from another, of the many facts that a backend gives. */
static void print_device(const ug_rec_backend *b, FILE *out)
{
    static const char *const telling[] = {"device", "config",  "capability",
                                          "driver", "runtime", "compiler"};
    size_t i, f;
    print_part(out, "<b>", b->backend);
    fputs("</b>", out);
    for (i = 0; i < sizeof telling / sizeof *telling; i++) {
        for (f = 0; f < b->facts; f++) {
            if (strcmp(b->fact[f].key, telling[i])) continue;
            print_part(out, " ", i < 2 ? "" : telling[i]);
            print_part(out, " ", b->fact[f].value);
        }
    }
}

void ug_html_where(ug_html *page)
{
    FILE *out = page->out;
    size_t r, b;
    for (r = 0; r < page->results->runs && r < 10; r++) {
        const ug_rec_run *run = &page->results->run[r];
        print_part(out, "<p class=\"where\">ulpgate ", run->version);
        print_part(out, " ", run->git);
        print_part(out, ", ", run->started);
        print_part(out, ", ", run->cpu);
        print_part(out, ", ", run->compiler);
        print_part(out, ", profile ", run->profile);
        for (b = 0; b < run->backends && b < 20; b++) {
            fputs("; ", out);
            print_device(&run->backend[b], out);
        }
        fputs("</p>\n", out);
    }
    if (page->results->runs > 10) {
        fprintf(out, "<p>... and %zu more files</p>\n", page->results->runs - 10);
    }
}

static void print_row(FILE *out, const char *key, const char *value)
{
    if (!*value) return;
    fputs("<tr><th scope=\"row\">", out);
    ug_print_markup(out, key);
    fputs("</th><td class=\"l\">", out);
    ug_print_markup(out, value);
    fputs("</td></tr>\n", out);
}

static void print_run(const ug_rec_run *run, FILE *out)
{
    const char *const row[][2] = {
        {"version", run->version},   {"source", run->git},      {"started", run->started},
        {"finished", run->finished}, {"command", run->command}, {"profile", run->profile},
        {"host", run->host},         {"system", run->os},       {"processor", run->cpu},
        {"compiler", run->compiler}, {"flags", run->flags},     {"reference", run->reference}};
    size_t i, b, f;
    char key[128];
    ug_html_table_open(run->file, out);
    fputs("<th scope=\"col\" class=\"l\">fact</th><th scope=\"col\" class=\"l\">value</th></tr>"
          "</thead>\n<tbody>\n",
          out);
    for (i = 0; i < sizeof row / sizeof *row; i++) print_row(out, row[i][0], row[i][1]);
    for (b = 0; b < run->backends; b++) {
        for (f = 0; f < run->backend[b].facts; f++) {
            snprintf(key, sizeof key, "%.60s %.60s", run->backend[b].backend,
                     run->backend[b].fact[f].key);
            print_row(out, key, run->backend[b].fact[f].value);
        }
    }
    ug_html_table_close(out);
}

void ug_html_environment(ug_html *page)
{
    size_t r;
    fputs("<h2>Where it ran</h2>\n", page->out);
    for (r = 0; r < page->results->runs && r < 10; r++) {
        print_run(&page->results->run[r], page->out);
    }
}
