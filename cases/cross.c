/* SPDX-License-Identifier: Apache-2.0 */
/* {a,b,c} in a suite line stands for each of its values in turn. */
#include <string.h>

#include "cases/suite.h"

enum { BRACES = 16 };

typedef struct brace {
    int open, close; /* places of { and } in the text */
    int count, chosen;
} brace;

/* Bytes of value `which` of a brace: from *first on, its length is returned. Commas inside
 * parentheses do not separate. */
static int value_of(ug_span text, const brace *b, int which, int *first)
{
    ug_span rest = {text.s + b->open + 1, b->close - b->open - 1, 1}, value;
    do value = ug_span_cut(&rest, ',');
    while (which-- > 0);
    *first = (int)(value.s - text.s);
    return value.len;
}

static int count_values(ug_span text, const brace *b)
{
    ug_span rest = {text.s + b->open + 1, b->close - b->open - 1, 1};
    int count = 0;
    for (; rest.len >= 0; count++) ug_span_cut(&rest, ',');
    return count;
}

static int find_braces(ug_span text, brace b[BRACES], int *count, ug_case_error *error)
{
    int open = -1;
    *count = 0;
    for (int i = 0; i < text.len; i++) {
        if (text.s[i] == '{') {
            if (open >= 0) return ug_case_fail(error, text.column + i, "'{' inside '{'");
            if (*count == BRACES)
                return ug_case_fail(error, text.column + i, "more than %d crosses in a line",
                                    BRACES);
            open = i;
        } else if (text.s[i] == '}') {
            if (open < 0) return ug_case_fail(error, text.column + i, "'}' without '{'");
            b[*count] = (brace){open, i, 0, 0};
            b[*count].count = count_values(text, &b[*count]);
            ++*count;
            open = -1;
        }
    }
    if (open >= 0) return ug_case_fail(error, text.column + open, "'{' without '}'");
    return 0;
}

static int copy(ug_span text, int first, int length, char *line, int *column, int *used)
{
    if (*used + length >= UG_CASE_TEXT) return -1;
    for (int i = 0; i < length; i++) {
        line[*used] = text.s[first + i];
        column[(*used)++] = text.column + first + i;
    }
    return 0;
}

static int build(ug_span text, const brace *b, int count, char *line, int *column)
{
    int used = 0, at = 0;
    for (int k = 0; k <= count; k++) {
        int first, length, stop = k < count ? b[k].open : text.len;
        if (copy(text, at, stop - at, line, column, &used)) return -1;
        if (k == count) break;
        length = value_of(text, &b[k], b[k].chosen, &first);
        if (copy(text, first, length, line, column, &used)) return -1;
        at = b[k].close + 1;
    }
    line[used] = 0;
    column[used] = text.column + text.len; /* what lacks at the end of the line */
    return 0;
}

int ug_cross(ug_span text, int most,
             int (*each)(void *context, const char *line, const int *column), void *context,
             ug_case_error *error)
{
    brace b[BRACES];
    char line[UG_CASE_TEXT];
    int column[UG_CASE_TEXT + 1], count, k;
    int64_t lines = 1;
    if (find_braces(text, b, &count, error)) return -1;
    for (k = 0; k < count; k++) {
        lines *= b[k].count;
        if (lines > most)
            return ug_case_fail(error, text.column + b[k].open, "more than %d cases in a line",
                                most);
    }
    do {
        if (build(text, b, count, line, column))
            return ug_case_fail(error, text.column, "a case is longer than %d bytes",
                                UG_CASE_TEXT - 1);
        if (each(context, line, column)) return -1;
        for (k = count - 1; k >= 0 && ++b[k].chosen == b[k].count; k--) b[k].chosen = 0;
    } while (k >= 0);
    return 0;
}
