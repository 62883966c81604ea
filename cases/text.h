/* SPDX-License-Identifier: Apache-2.0 */
/* Pieces of text with their place in a line, numbers in both directions, and error messages.
 *
 * Internal to the room. The program keeps the C locale, so strtod reads a point.
 */
#ifndef ULPGATE_CASES_TEXT_H
#define ULPGATE_CASES_TEXT_H

#include "cases/case.h"

/* len bytes of a line; column counts from 1. Not terminated. */
typedef struct ug_span {
    const char *s;
    int len;
    int column;
} ug_span;

/* Fills error->column and error->text; returns -1. */
int ug_case_fail(ug_case_error *error, int column, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Appends a name to a list of names in text[cap], which starts empty; what does not fit becomes
 * "...". Control characters become '?'. */
void ug_list_name(char *text, size_t cap, const char *name);

int ug_span_is(ug_span a, const char *word);

/* The part of *rest before the first `stop` outside parentheses; *rest moves past it, or to its end
 * (len -1) when there is no `stop`. */
ug_span ug_span_cut(ug_span *rest, char stop);

/* Copies into out[cap], terminated; -1 when it does not fit. */
int ug_span_copy(ug_span a, char *out, size_t cap);

/* Whole span a decimal or hexadecimal number (nan, inf, -inf too when `special`). 0, or -1. */
int ug_span_double(ug_span a, int special, double *value);
int ug_span_float(ug_span a, float *value);
int ug_span_int(ug_span a, int64_t *value);
int ug_span_u64(ug_span a, uint64_t *value);

/* Shortest decimal that reads back as the same value; "nan", "inf", "-inf" for the others. */
enum { UG_NUMBER_TEXT = 64 };
void ug_double_text(double value, char text[UG_NUMBER_TEXT]);
void ug_float_text(float value, char text[UG_NUMBER_TEXT]);

#endif
