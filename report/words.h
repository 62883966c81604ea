/* SPDX-License-Identifier: Apache-2.0 */
/* Small pieces of text that several formats share. */
#ifndef ULPGATE_REPORT_WORDS_H
#define ULPGATE_REPORT_WORDS_H

#include "report/report.h"

enum { UG_NUMBER_TEXT = 32 };

/* v in at most seven characters for people: 3 digits, or 1.2e5; "nan", "inf". */
const char *ug_number_short(double v, char text[UG_NUMBER_TEXT]);

/* The shortest decimal that reads back as v; "nan", "inf", "-inf". */
const char *ug_number_exact(double v, char text[UG_NUMBER_TEXT]);

/* Writes the command that repeats a result, quoted for a POSIX shell. */
void ug_print_repeat(FILE *out, const ug_results *results, const ug_rec *rec);

/* Likewise of a timed case. */
void ug_print_repeat_bench(FILE *out, const ug_results *results, const ug_rec_bench *bench);

/* Text of a results file on its way to a terminal: control characters become '?'. */
void ug_print_safe(FILE *out, const char *text);

/* Text of a results file inside HTML or XML, attribute values included. */
void ug_print_markup(FILE *out, const char *text);

/* What a reader has to know before any number: interrupted runs, lost and cut lines, nothing
 * tested. One sentence a call, index from 0; returns 0 past the last. */
int ug_results_notice(const ug_results *results, size_t index, char *text, size_t cap);

#endif
