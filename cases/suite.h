/* SPDX-License-Identifier: Apache-2.0 */
/* Crossing the values of a suite line. Internal to the room. */
#ifndef ULPGATE_CASES_SUITE_H
#define ULPGATE_CASES_SUITE_H

#include "cases/text.h"

/* Calls each(context, line, column) for every line that `text` stands for, {a,b,c} being replaced
 * by one of its values, the leftmost brace changing slowest. column[i] is the column of line[i] in
 * the file. Stops at the first call that returns nonzero. 0, or -1 with *error. */
int ug_cross(ug_span text, int most,
             int (*each)(void *context, const char *line, const int *column), void *context,
             ug_case_error *error);

#endif
