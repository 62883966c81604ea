/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of the HTML page. */
#ifndef ULPGATE_REPORT_HTML_H
#define ULPGATE_REPORT_HTML_H

#include "report/report.h"
#include "report/summary.h"
#include "report/table.h"

typedef struct ug_html {
    FILE *out;
    const ug_results *results;
    const ug_summary *summary;
    unsigned char *cited; /* by index of the record: something on the page leads to it; benches
                             come after results */
} ug_html;

/* The name of a record's row on the page, which is printed at the end because it is cited. */
const char *ug_html_cite(ug_html *page, const ug_rec *rec, char text[24]);

/* The command that repeats a record, as code. */
void ug_html_command(ug_html *page, const ug_rec *rec);

/* Up to the end of <head>, and the optional script at the end of the page. */
void ug_html_head(const char *title, FILE *out);
void ug_html_script(FILE *out);

/* An extra column after the column `after`, counted without hidden ones. */
typedef struct ug_html_more {
    const char *head;
    int after;
    void (*cell)(ug_html *page, const void *context, size_t row);
    const void *context;
} ug_html_more;

/* A table that scrolls within the page; `caption` names it for everyone. more: or NULL. */
void ug_html_table_open(const char *caption, FILE *out);
void ug_html_table_close(FILE *out);
void ug_html_table(ug_html *page, const ug_table *table, const char *caption,
                   const ug_html_more *more);

/* Sections, in the order of the page. Each returns 0, or -1 when out of memory. */
void ug_html_where(ug_html *page);
int ug_html_kernels(ug_html *page);
int ug_html_failures(ug_html *page, size_t limit);
int ug_html_variances(ug_html *page);
int ug_html_plots(ug_html *page);
int ug_html_heat(ug_html *page);
int ug_html_speed(ug_html *page);
int ug_html_cases(ug_html *page);
void ug_html_environment(ug_html *page);

#endif
