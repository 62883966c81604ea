/* SPDX-License-Identifier: Apache-2.0 */
/* Blocks that the formats share: the table of kernels, failures, notes, which variance. */
#ifndef ULPGATE_REPORT_SCREEN_H
#define ULPGATE_REPORT_SCREEN_H

#include "report/report.h"
#include "report/summary.h"
#include "report/table.h"

/* One row a kernel in the order given; 0, or -1 when out of memory. The caller frees the table. */
int ug_kernel_table(const ug_kernel_sum *const *kernels, size_t count, ug_table *table);

/* One row a variance. */
int ug_variance_table(const ug_variances *variances, ug_table *table);

/* "12 PASS, 1 FAIL", verdicts that occur only. */
void ug_count_text(const int64_t verdict[UG_REC_VERDICTS], char *text, size_t cap);

/* Remarks under the table of kernels (rows out of range, blind rows): index from 0, 0 past the
 * last. */
int ug_summary_note(const ug_summary *summary, size_t index, char *text, size_t cap);

/* Reasons of a result in one line, at most two of them. */
void ug_reason_text(const ug_rec *rec, char *text, size_t cap);

/* Prints words in lines of at most width columns (0: one line), each after `indent` blanks. */
void ug_screen_wrapped(FILE *out, const char *text, int indent, int width);

/* Notices as quotes of Markdown, ten at most. */
void ug_print_md_notices(const ug_results *results, FILE *out);

/* Terminal blocks, each followed by no blank line. */
void ug_screen_notices(const ug_results *results, const ug_report_options *options, FILE *out);
int ug_screen_kernels(const ug_summary *summary, const ug_report_options *options, FILE *out);
int ug_screen_failures(const ug_results *results, const ug_summary *summary, size_t limit,
                       const ug_report_options *options, FILE *out);
int ug_screen_variances(const ug_results *results, const ug_report_options *options, FILE *out);

#endif
