/* SPDX-License-Identifier: Apache-2.0 */
/* Typed access to the fields of a JSON object, with messages that name file, line and field. */
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "report/record.h"

void ug_reading_fail(ug_reading *at, const char *format, ...)
{
    va_list ap;
    int used;
    if (at->failed) return;
    at->failed = 1;
    used = snprintf(at->err, at->cap, "%s:%ld: ", at->file, at->line);
    if (used < 0 || (size_t)used >= at->cap) return;
    va_start(ap, format);
    vsnprintf(at->err + used, at->cap - (size_t)used, format, ap);
    va_end(ap);
}

static const char *kind_of(const json_t *value)
{
    static const char *const names[] = {"an object", "an array", "a string", "an integer",
                                        "a number",  "true",     "false",    "null"};
    return names[json_typeof(value)];
}

static void mismatch(ug_reading *at, const char *where, const char *key, const char *expected,
                     const json_t *value)
{
    if (json_is_string(value)) {
        ug_reading_fail(at, "%s%s is the string \"%.40s\", expected %s", where, key,
                        json_string_value(value), expected);
    } else {
        ug_reading_fail(at, "%s%s is %s, expected %s", where, key, kind_of(value), expected);
    }
}

const char *ug_field_text(ug_reading *at, const json_t *object, const char *where, const char *key)
{
    const json_t *value = json_object_get(object, key);
    const char *kept;
    if (!value) return "";
    if (!json_is_string(value)) {
        mismatch(at, where, key, "a string", value);
        return "";
    }
    kept = ug_strings_keep(at->strings, json_string_value(value));
    if (!kept) ug_reading_fail(at, "out of memory");
    return kept ? kept : "";
}

int64_t ug_field_integer(ug_reading *at, const json_t *object, const char *where, const char *key)
{
    const json_t *value = json_object_get(object, key);
    if (!value) return -1;
    if (!json_is_integer(value) || json_integer_value(value) < 0) {
        mismatch(at, where, key, "an integer of at least 0", value);
        return -1;
    }
    return (int64_t)json_integer_value(value);
}

double ug_field_number(ug_reading *at, const json_t *object, const char *where, const char *key,
                       int *present)
{
    const json_t *value = json_object_get(object, key);
    if (present) *present = value != NULL;
    if (!value) return NAN;
    if (json_is_number(value)) return json_number_value(value);
    if (json_is_string(value)) {
        const char *text = json_string_value(value);
        if (!strcmp(text, "nan")) return NAN;
        if (!strcmp(text, "inf")) return INFINITY;
        if (!strcmp(text, "-inf")) return -INFINITY;
    }
    mismatch(at, where, key, "a number, \"nan\", \"inf\" or \"-inf\"", value);
    return NAN;
}

const json_t *ug_field_object(ug_reading *at, const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);
    if (value && !json_is_object(value)) {
        mismatch(at, "", key, "an object", value);
        return NULL;
    }
    return value;
}
