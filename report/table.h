/* SPDX-License-Identifier: Apache-2.0 */
/* A table of short texts, printed for a terminal or as Markdown. */
#ifndef ULPGATE_REPORT_TABLE_H
#define ULPGATE_REPORT_TABLE_H

#include <stdio.h>

enum { UG_TABLE_COLUMNS = 24, UG_CELL_TEXT = 96 };

typedef enum ug_tint { UG_PLAIN = 0, UG_GOOD, UG_BAD, UG_DIM, UG_BOLD } ug_tint;

typedef struct ug_column {
    const char *head;
    int left;     /* nonzero: flush left */
    int optional; /* 0 always shown; else left out when too wide, the highest first */
    int hidden;
} ug_column;

typedef struct ug_cell {
    char text[UG_CELL_TEXT];
    ug_tint tint;
} ug_cell;

typedef struct ug_table {
    ug_column column[UG_TABLE_COLUMNS];
    int columns;
    ug_cell *cell; /* rows x UG_TABLE_COLUMNS */
    size_t rows;
} ug_table;

void ug_cell_put(ug_cell *cell, ug_tint tint, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

void ug_table_column(ug_table *table, const char *head, int left, int optional);

/* A new empty row, NULL when out of memory; valid until the next. */
ug_cell *ug_table_row(ug_table *table);
void ug_table_free(ug_table *table);

/* Hides optional columns until the table fits into width (0: unlimited) and returns the width that
 * it takes. */
int ug_table_fit(ug_table *table, int width);

/* Without a newline, so that the caller may go on in the line. */
void ug_table_print_head(const ug_table *table, int colour, FILE *out);
void ug_table_print_row(const ug_table *table, size_t row, int colour, FILE *out);

/* Head and all rows, each line ended. */
void ug_table_print(const ug_table *table, int colour, FILE *out);

/* Escapes what Markdown would read as markup inside a table cell or a paragraph. */
void ug_print_md(FILE *out, const char *text);
void ug_table_print_md_head(const ug_table *table, FILE *out);
void ug_table_print_md_row(const ug_table *table, size_t row, FILE *out);

/* text in a tint when colour is on. */
void ug_print_tint(FILE *out, int colour, ug_tint tint, const char *text);

#endif
