/* SPDX-License-Identifier: Apache-2.0 */
/* Steps towards fewer rows, shorter rows and plainer data. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/shrink.h"

/* All sizes up to here are tried, from 1 on; and as many as keep the elements of all below this. */
enum { ALL_ROWS = 16, SHORT = 64, MOST_ELEMENTS = 1 << 21 };

/* Simplest first; the later ones have kappa of 1e3 and more, for faults that need it. */
static const char *const simple[] = {"zeros",
                                     "ones",
                                     "ramp",
                                     "alternating",
                                     "alternating(a=1001,b=999)",
                                     "alternating(a=10001,b=9999)",
                                     "ramp(start=10000)",
                                     "constant(c=1000.1)",
                                     "uniform",
                                     "normal",
                                     "normal(mean=1000)",
                                     "normal(mean=10000)"};
enum { SIMPLE = sizeof simple / sizeof *simple };

static int set_data(ug_case *c, const char *text)
{
    char line[UG_CASE_TEXT];
    ug_case_error error;
    ug_case other;
    snprintf(line, sizeof line, "layernorm data=%s", text);
    if (ug_case_parse(line, &other, &error)) return -1;
    c->data = other.data;
    return 0;
}

/* The text behind data= in the canonical form. */
static void data_text(const ug_case *c, char text[UG_CASE_TEXT])
{
    const char *key;
    for (int i = 0; ug_case_param(c, i, &key, text); i++)
        if (!strcmp(key, "data")) return;
    text[0] = 0;
}

static int rank_of(const ug_case *c)
{
    char text[UG_CASE_TEXT], other[UG_CASE_TEXT];
    int i;
    data_text(c, text);
    for (i = 0; i < SIMPLE; i++) {
        ug_case plain = *c;
        if (set_data(&plain, simple[i])) continue;
        data_text(&plain, other);
        if (!strcmp(text, other)) break;
    }
    return i;
}

void ug_try_each_data(const ug_case *from, ug_tries *tries)
{
    for (int i = 0; i < SIMPLE; i++) {
        ug_case c = *from;
        c.seed = 0;
        if (!set_data(&c, simple[i])) ug_try(tries, &c);
    }
}

/* Arguments one at a time: 0, 1, and a single digit. The shorter text is the simpler one. */
static void try_arguments(const ug_case *from, ug_tries *tries)
{
    char before[UG_CASE_TEXT], after[UG_CASE_TEXT], digit[32];
    data_text(from, before);
    for (int i = 0; i < UG_CASE_ARGS; i++) {
        snprintf(digit, sizeof digit, "%.0e", from->data.arg[i]);
        for (int k = 0; k < 3; k++) {
            ug_case c = *from;
            c.data.arg[i] = k < 2 ? k : strtod(digit, NULL);
            data_text(&c, after);
            if (strlen(after) < strlen(before)) ug_try(tries, &c);
        }
    }
}

void ug_try_data(const ug_case *from, ug_tries *tries)
{
    int rank = rank_of(from);
    ug_case c = *from;
    for (int i = 0; i < rank; i++) {
        c = *from;
        if (!set_data(&c, simple[i])) ug_try(tries, &c);
    }
    c = *from;
    c.seed = 0;
    ug_try(tries, &c);
    if (rank == SIMPLE) try_arguments(from, tries);
}

/* The same case at a smaller size, then with what brings other paths within reach, then with other
 * values of the same kind. */
static void try_with_company(const ug_case *small, ug_tries *tries)
{
    ug_case c = *small;
    ug_try(tries, &c);
    if (c.rows > ALL_ROWS || c.n > 4 * SHORT) return;
    snprintf(c.profile, sizeof c.profile, "tiny");
    ug_try(tries, &c);
    c = *small;
    for (uint64_t seed = 1; seed <= 2 && c.rows <= 4; seed++) {
        c.seed = small->seed + seed;
        ug_try(tries, &c);
    }
}

static void try_row_count(const ug_case *from, int64_t rows, ug_tries *tries)
{
    ug_case c = *from;
    c.rows = rows;
    if (c.row_period > rows) c.row_period = 0;
    if (c.special_row >= rows) c.special_row = rows - 1;
    try_with_company(&c, tries);
    if (c.special_row <= 0) return;
    c.special_row = 0;
    ug_try(tries, &c);
}

/* Between what is tried one by one and `value`: nearer and nearer to it. */
static int64_t approach(int64_t value, int halvings, int64_t step)
{
    int64_t left = value >> halvings;
    return value - (left < step ? step : left / step * step);
}

void ug_try_rows(const ug_case *from, ug_tries *tries)
{
    int64_t rows, last = ALL_ROWS;
    for (rows = 1; rows <= ALL_ROWS && rows < from->rows; rows++) try_row_count(from, rows, tries);
    for (int halvings = 1; halvings < 63 && last < from->rows - 1; halvings++) {
        rows = approach(from->rows, halvings, 1);
        if (rows > last) try_row_count(from, last = rows, tries);
    }
}

/* Row strides keep their padding, or themselves. */
static void try_length(const ug_case *from, int64_t n, ug_tries *tries)
{
    ug_case c = *from;
    int64_t xpad = from->xstride - from->n * from->xcol;
    int64_t ypad = from->ystride - from->n * from->ycol;
    c.n = n;
    if (c.col_period && n % c.col_period) c.col_period = 0;
    for (int i = 0; i < c.specials; i++)
        if (c.special[i].column >= n) c.special[i].column = UG_AT_LAST;
    if (xpad >= 0) c.xstride = n * c.xcol + xpad;
    if (ypad >= 0) c.ystride = n * c.ycol + ypad;
    try_with_company(&c, tries);
    if (n <= SHORT) ug_try_each_data(&c, tries);
    if (xpad <= 0 && ypad <= 0) return;
    c.xstride = xpad > 0 ? from->xstride : c.xstride;
    c.ystride = ypad > 0 ? from->ystride : c.ystride;
    ug_try(tries, &c);
}

void ug_try_n(const ug_case *from, ug_tries *tries)
{
    int64_t n, last = 0;
    for (n = 1; n < from->n && (n <= SHORT || n * n / 2 * from->rows <= MOST_ELEMENTS); n++)
        try_length(from, last = n, tries);
    /* Beyond, steps of 8 and of 1: faults of tails need the same remainder. */
    for (int halvings = 1; halvings < 63 && last < from->n - 1; halvings++) {
        n = approach(from->n, halvings, from->n >> halvings >= 8 ? 8 : 1);
        if (n > last) try_length(from, last = n, tries);
    }
}
