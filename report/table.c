/* SPDX-License-Identifier: Apache-2.0 */
/* Tables: widths, alignment, tints, Markdown. */
#include "report/table.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "report/words.h"

void ug_cell_put(ug_cell *cell, ug_tint tint, const char *format, ...)
{
    va_list ap;
    va_start(ap, format);
    vsnprintf(cell->text, sizeof cell->text, format, ap);
    va_end(ap);
    cell->tint = tint;
}

void ug_table_column(ug_table *t, const char *head, int left, int optional)
{
    if (t->columns == UG_TABLE_COLUMNS) return;
    t->column[t->columns++] = (ug_column){head, left, optional, 0};
}

ug_cell *ug_table_row(ug_table *t)
{
    size_t bytes = UG_TABLE_COLUMNS * sizeof *t->cell;
    ug_cell *cell = realloc(t->cell, (t->rows + 1) * bytes);
    if (!cell) return NULL;
    t->cell = cell;
    cell += t->rows++ * UG_TABLE_COLUMNS;
    memset(cell, 0, bytes);
    return cell;
}

void ug_table_free(ug_table *t)
{
    free(t->cell);
    memset(t, 0, sizeof *t);
}

static int column_width(const ug_table *t, int c)
{
    size_t width = strlen(t->column[c].head), r;
    for (r = 0; r < t->rows; r++) {
        size_t length = strlen(t->cell[r * UG_TABLE_COLUMNS + (size_t)c].text);
        if (length > width) width = length;
    }
    return (int)width;
}

static int table_width(const ug_table *t)
{
    int c, width = 0;
    for (c = 0; c < t->columns; c++) {
        if (!t->column[c].hidden) width += column_width(t, c) + 2;
    }
    return width ? width - 2 : 0;
}

int ug_table_fit(ug_table *t, int width)
{
    while (width > 0 && table_width(t) > width) {
        int c, drop = -1;
        for (c = 0; c < t->columns; c++) {
            if (t->column[c].hidden || !t->column[c].optional) continue;
            if (drop < 0 || t->column[c].optional > t->column[drop].optional) drop = c;
        }
        if (drop < 0) break;
        t->column[drop].hidden = 1;
    }
    return table_width(t);
}

void ug_print_tint(FILE *out, int colour, ug_tint tint, const char *text)
{
    static const char *const code[] = {"", "32", "31", "2", "1"};
    int on = colour && tint != UG_PLAIN;
    if (on) fprintf(out, "\033[%sm", code[tint]);
    ug_print_safe(out, text);
    if (on) fputs("\033[0m", out);
}

static void print_cell(const ug_table *t, int c, const char *text, ug_tint tint, int colour,
                       FILE *out)
{
    int pad = column_width(t, c) - (int)strlen(text), last = c + 1, first = 0;
    while (last < t->columns && t->column[last].hidden) last++;
    while (first < c && t->column[first].hidden) first++;
    if (first < c) fputs("  ", out);
    if (!t->column[c].left) fprintf(out, "%*s", pad, "");
    ug_print_tint(out, colour, tint, text);
    if (t->column[c].left && last < t->columns) fprintf(out, "%*s", pad, "");
}

void ug_table_print_head(const ug_table *t, int colour, FILE *out)
{
    int c;
    for (c = 0; c < t->columns; c++) {
        if (!t->column[c].hidden) print_cell(t, c, t->column[c].head, UG_BOLD, colour, out);
    }
}

void ug_table_print_row(const ug_table *t, size_t row, int colour, FILE *out)
{
    int c;
    for (c = 0; c < t->columns; c++) {
        const ug_cell *cell = &t->cell[row * UG_TABLE_COLUMNS + (size_t)c];
        if (!t->column[c].hidden) print_cell(t, c, cell->text, cell->tint, colour, out);
    }
}

void ug_table_print(const ug_table *t, int colour, FILE *out)
{
    size_t i;
    ug_table_print_head(t, colour, out);
    fputc('\n', out);
    for (i = 0; i < t->rows; i++) {
        ug_table_print_row(t, i, colour, out);
        fputc('\n', out);
    }
}

void ug_print_md(FILE *out, const char *text)
{
    for (; *text; text++) {
        unsigned char c = (unsigned char)*text;
        if (strchr("\\`*_{}[]<>|#~", c)) fputc('\\', out);
        fputc(c < 0x20 || c == 0x7f ? '?' : c, out);
    }
}

void ug_table_print_md_head(const ug_table *t, FILE *out)
{
    int c;
    for (c = 0; c < t->columns; c++) {
        if (!t->column[c].hidden) fprintf(out, "| %s ", t->column[c].head);
    }
    fputs("|\n", out);
    for (c = 0; c < t->columns; c++) {
        if (!t->column[c].hidden) fputs(t->column[c].left ? "|---" : "|--:", out);
    }
    fputs("|\n", out);
}

void ug_table_print_md_row(const ug_table *t, size_t row, FILE *out)
{
    int c;
    for (c = 0; c < t->columns; c++) {
        if (t->column[c].hidden) continue;
        fputs("| ", out);
        ug_print_md(out, t->cell[row * UG_TABLE_COLUMNS + (size_t)c].text);
        fputc(' ', out);
    }
    fputs("|\n", out);
}
