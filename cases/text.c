/* SPDX-License-Identifier: Apache-2.0 */
/* Spans, strict numbers, shortest round-trip decimals. */
#include "cases/text.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int ug_case_fail(ug_case_error *error, int column, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    error->column = column;
    vsnprintf(error->text, sizeof error->text, format, args);
    va_end(args);
    return -1;
}

void ug_list_name(char *text, size_t cap, const char *name)
{
    static const char more[] = ", ...";
    size_t used = strlen(text), length = strlen(name);
    if (used >= sizeof more - 1 && !strcmp(text + used - (sizeof more - 1), more)) return;
    if (used + 2 + length + sizeof more > cap) {
        snprintf(text + used, cap - used, "%s", used ? more : "...");
        return;
    }
    snprintf(text + used, cap - used, "%s%s", used ? ", " : "", name);
    for (; text[used]; used++)
        if (iscntrl((unsigned char)text[used])) text[used] = '?';
}

int ug_span_is(ug_span a, const char *word)
{
    return a.len == (int)strlen(word) && !memcmp(a.s, word, (size_t)a.len);
}

ug_span ug_span_cut(ug_span *rest, char stop)
{
    ug_span part = *rest;
    int depth = 0, i;
    for (i = 0; i < rest->len; i++) {
        char ch = rest->s[i];
        if (ch == stop && depth == 0) break;
        depth += ch == '(';
        depth -= ch == ')' && depth > 0;
    }
    part.len = i;
    rest->s += i + (i < rest->len);
    rest->column += i + 1;
    rest->len -= i + 1;
    return part;
}

int ug_span_copy(ug_span a, char *out, size_t cap)
{
    if (a.len < 0 || (size_t)a.len >= cap) return -1;
    memcpy(out, a.s, (size_t)a.len);
    out[a.len] = 0;
    return 0;
}

static const char *skip_digits(const char *s, int hex, int *count)
{
    while (hex ? isxdigit((unsigned char)*s) : isdigit((unsigned char)*s)) s++, ++*count;
    return s;
}

/* [+-] digits [. digits] [e [+-] digits], or the same after 0x with p for e. Stricter than strtod,
 * which also takes blanks, "infinity" and "nan(...)". */
static int number_shape(const char *s)
{
    int digits = 0, exponent = 0, hex = 0;
    if (*s == '+' || *s == '-') s++;
    if (s[0] == '0' && (s[1] == 'x' || s[1] == 'X')) hex = 1, s += 2;
    s = skip_digits(s, hex, &digits);
    if (*s == '.') s = skip_digits(s + 1, hex, &digits);
    if (!digits) return 0;
    if (hex ? *s == 'p' || *s == 'P' : *s == 'e' || *s == 'E') {
        s++;
        if (*s == '+' || *s == '-') s++;
        s = skip_digits(s, 0, &exponent);
        if (!exponent) return 0;
    }
    return *s == 0;
}

int ug_span_double(ug_span a, int special, double *value)
{
    char text[128];
    double v;
    if (special && ug_span_is(a, "nan")) return *value = NAN, 0;
    if (special && (ug_span_is(a, "inf") || ug_span_is(a, "-inf"))) {
        *value = *a.s == '-' ? -INFINITY : INFINITY;
        return 0;
    }
    if (ug_span_copy(a, text, sizeof text) || !number_shape(text)) return -1;
    v = strtod(text, NULL);
    if (!isfinite(v)) return -1;
    *value = v;
    return 0;
}

int ug_span_float(ug_span a, float *value)
{
    char text[128];
    float v;
    if (ug_span_copy(a, text, sizeof text) || !number_shape(text)) return -1;
    v = strtof(text, NULL);
    if (!isfinite(v)) return -1;
    *value = v;
    return 0;
}

int ug_span_u64(ug_span a, uint64_t *value)
{
    uint64_t v = 0;
    int i;
    if (a.len < 1) return -1;
    for (i = 0; i < a.len; i++) {
        unsigned digit = (unsigned)(unsigned char)a.s[i] - '0';
        if (digit > 9 || __builtin_mul_overflow(v, 10u, &v) || __builtin_add_overflow(v, digit, &v))
            return -1;
    }
    *value = v;
    return 0;
}

int ug_span_int(ug_span a, int64_t *value)
{
    int negative = a.len > 0 && a.s[0] == '-';
    uint64_t v;
    a.s += negative;
    a.len -= negative;
    if (ug_span_u64(a, &v) || v > (uint64_t)INT64_MAX) return -1;
    *value = negative ? -(int64_t)v : (int64_t)v;
    return 0;
}

/* Writes digits d1 d2 .. dk times 10^(exponent-k+1) in the shorter of the plain and the scientific
 * form, plain when they are equally long. */
static void shorter_form(const char *digits, int exponent, int negative, char *text)
{
    char plain[48], science[48];
    int k = (int)strlen(digits);
    int p = 0;
    if (k > 1)
        snprintf(science, sizeof science, "%c.%.16se%d", digits[0], digits + 1, exponent);
    else
        snprintf(science, sizeof science, "%.17se%d", digits, exponent);
    if (exponent > 20 || exponent < -8) {
        snprintf(text, UG_NUMBER_TEXT, "%s%s", negative ? "-" : "", science);
        return;
    }
    if (exponent < 0) {
        p = snprintf(plain, sizeof plain, "0.%.*s%.17s", -exponent - 1, "00000000", digits);
    } else {
        for (int i = 0; i < k || i <= exponent; i++) {
            if (i == exponent + 1) plain[p++] = '.';
            plain[p++] = i < k ? digits[i] : '0';
        }
        plain[p] = 0;
    }
    snprintf(text, UG_NUMBER_TEXT, "%s%s", negative ? "-" : "",
             strlen(plain) <= strlen(science) ? plain : science);
}

/* `same` says whether a text reads back as the value. */
static void shortest(double value, int most, int single, char text[UG_NUMBER_TEXT])
{
    char try[UG_NUMBER_TEXT], digits[UG_NUMBER_TEXT];
    int n = 0, count;
    const char *s;
    if (isnan(value) || isinf(value) || value == 0) {
        const char *word = isnan(value) ? "nan" : value == 0 ? "0" : "inf";
        snprintf(text, UG_NUMBER_TEXT, "%s%s", !isnan(value) && signbit(value) ? "-" : "", word);
        return;
    }
    for (count = 0; count <= most; count++) {
        snprintf(try, sizeof try, "%.*e", count, value);
        if (single ? strtof(try, NULL) == (float)value : strtod(try, NULL) == value) break;
    }
    for (s = try + (*try == '-'); *s != 'e'; s++)
        if (*s != '.') digits[n++] = *s;
    while (n > 1 && digits[n - 1] == '0') n--;
    digits[n] = 0;
    shorter_form(digits, (int)strtol(s + 1, NULL, 10), value < 0, text);
}

void ug_double_text(double value, char text[UG_NUMBER_TEXT]) { shortest(value, 16, 0, text); }

void ug_float_text(float value, char text[UG_NUMBER_TEXT]) { shortest(value, 8, 1, text); }
