/* SPDX-License-Identifier: Apache-2.0 */
/* Reads and writes special=VALUE@PLACE+VALUE@PLACE... */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cases/syntax.h"

/* Largest, smallest normal, and a subnormal half of it, of each dtype. */
static const double dtype_values[UG_DTYPE_COUNT][3] = {
    {0x1.fffffep127, 0x1p-126, 0x1p-127},
    {65504, 0x1p-14, 0x1p-15},
    {0x1.fep127, 0x1p-126, 0x1p-127},
};
static const char *const value_names[3] = {"max", "min", "subnormal"};
static const char *const place_names[5] = {"first", "middle", "last", "tail", "all"};

static int parse_value(ug_span text, ug_dtype dtype, double *value)
{
    ug_span word = text;
    int negative = text.len > 0 && *text.s == '-';
    word.s += negative;
    word.len -= negative;
    for (int i = 0; i < 3; i++)
        if (ug_span_is(word, value_names[i])) {
            *value = negative ? -dtype_values[dtype][i] : dtype_values[dtype][i];
            return 0;
        }
    return ug_span_double(text, 1, value);
}

static int parse_place(ug_span text, int64_t *place)
{
    for (int i = 0; i < 5; i++)
        if (ug_span_is(text, place_names[i])) return *place = UG_AT_FIRST - i, 0;
    return ug_span_int(text, place) || *place < 0 ? -1 : 0;
}

/* The number before '@' may hold a '+' of its own, so the first cut is at '@'. */
int ug_special_parse(ug_span text, ug_case *c, ug_case_error *error)
{
    c->specials = 0;
    while (text.len >= 0) {
        ug_span value = ug_span_cut(&text, '@'), place;
        ug_special *s = &c->special[c->specials];
        if (c->specials == UG_CASE_SPECIALS)
            return ug_case_fail(error, value.column, "more than %d special values",
                                UG_CASE_SPECIALS);
        if (parse_value(value, c->dtype, &s->value))
            return ug_case_fail(error, value.column,
                                "special value '%.*s', expected nan, inf, max, min, subnormal "
                                "(each also with -) or a number, then @PLACE",
                                value.len, value.s);
        if (text.len < 0)
            return ug_case_fail(error, value.column + value.len,
                                "special value without a place, expected VALUE@PLACE");
        place = ug_span_cut(&text, '+');
        if (place.len < 1 || parse_place(place, &s->column))
            return ug_case_fail(error, place.column,
                                "place '%.*s' of a special value, expected a column, first, "
                                "middle, last, tail or all",
                                place.len, place.s);
        c->specials++;
    }
    return 0;
}

static void value_text(double value, ug_dtype dtype, char text[UG_NUMBER_TEXT])
{
    for (int i = 0; i < 3; i++)
        if (fabs(value) == dtype_values[dtype][i]) {
            snprintf(text, UG_NUMBER_TEXT, "%s%s", value < 0 ? "-" : "", value_names[i]);
            return;
        }
    ug_double_text(value, text);
}

int ug_special_format(const ug_case *c, char *text, size_t cap)
{
    int used = 0;
    text[0] = 0;
    for (int i = 0; i < c->specials; i++) {
        char value[UG_NUMBER_TEXT], place[24];
        value_text(c->special[i].value, c->dtype, value);
        if (c->special[i].column < 0)
            snprintf(place, sizeof place, "%s", place_names[UG_AT_FIRST - c->special[i].column]);
        else
            snprintf(place, sizeof place, "%lld", (long long)c->special[i].column);
        used += snprintf(text + used, cap - (size_t)used, "%s%s@%s", i ? "+" : "", value, place);
        if ((size_t)used >= cap) return -1;
    }
    return used;
}
