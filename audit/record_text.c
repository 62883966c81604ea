/* SPDX-License-Identifier: Apache-2.0 */
/* JSON values as text: any string survives, any number reads back the same. */
#include "audit/record.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

json_t *ug_record_number(double value)
{
    if (isnan(value)) return json_string("nan");
    if (isinf(value)) return json_string(value > 0 ? "inf" : "-inf");
    return json_real(value);
}

json_t *ug_record_string(const char *text)
{
    json_t *value = json_string(text);
    char *copy;
    if (value || !text) return value;
    copy = strdup(text);
    if (!copy) return NULL;
    for (char *p = copy; *p; p++)
        if ((unsigned char)*p >= 0x80) *p = '?';
    value = json_string(copy);
    free(copy);
    return value;
}

json_t *ug_record_list(const char *text)
{
    json_t *list = json_array();
    while (*text) {
        size_t length = strcspn(text, ",");
        json_array_append_new(list, json_stringn(text, length));
        text += length + strspn(text + length, ", ");
    }
    return list;
}

/* Text that grows; `text` is NULL once memory ran out. */
typedef struct buffer {
    char *text;
    size_t used, room;
} buffer;

static void add(buffer *b, const char *bytes, size_t count)
{
    if (b->text && b->used + count > b->room) {
        size_t room = 2 * (b->used + count);
        char *more = realloc(b->text, room);
        if (!more) free(b->text);
        b->text = more;
        b->room = room;
    }
    if (!b->text) return;
    memcpy(b->text + b->used, bytes, count);
    b->used += count;
}

static void add_integer(buffer *b, json_int_t value)
{
    char text[32];
    add(b, text, (size_t)snprintf(text, sizeof text, "%" JSON_INTEGER_FORMAT, value));
}

/* The shortest decimal that reads back as `value`. A decimal of 15 digits or fewer that reads as a
 * normal number comes back from it in 15 digits (DBL_DIG), where %g leaves out its zeros: what 15
 * digits do not hold takes 16 or 17. Subnormal numbers hold fewer. */
static void add_real(buffer *b, double value)
{
    char text[40];
    int digits = fabs(value) < DBL_MIN ? 1 : DBL_DIG;
    if (value == floor(value) && fabs(value) < 1e15) {
        snprintf(text, sizeof text, "%.1f", value); /* 100.0 reads better than 1e+02 */
    } else {
        for (; digits <= 17; digits++) {
            snprintf(text, sizeof text, "%.*g", digits, value);
            if (digits == 17 || strtod(text, NULL) == value) break;
        }
        if (!strpbrk(text, ".e")) strcat(text, ".0"); /* a real stays a real */
    }
    add(b, text, strlen(text));
}

static void add_string(buffer *b, const char *text, size_t length)
{
    size_t plain = 0;
    json_t *string;
    char *escaped;
    while (plain < length && (unsigned char)text[plain] >= 0x20 && !strchr("\"\\", text[plain]))
        plain++;
    if (plain == length) {
        add(b, "\"", 1);
        add(b, text, length);
        add(b, "\"", 1);
        return;
    }
    string = json_stringn(text, length);
    escaped = json_dumps(string, JSON_COMPACT | JSON_ENCODE_ANY);
    if (escaped) {
        add(b, escaped, strlen(escaped));
    } else {
        free(b->text);
        b->text = NULL;
    }
    free(escaped);
    json_decref(string);
}

static void add_value(buffer *b, const json_t *value);

static void add_object(buffer *b, const json_t *object)
{
    json_t *all = (json_t *)object; /* iterators of jansson take no const */
    const char *before = "{";
    for (void *at = json_object_iter(all); at; at = json_object_iter_next(all, at)) {
        const char *key = json_object_iter_key(at);
        add(b, before, 1);
        add_string(b, key, strlen(key));
        add(b, ":", 1);
        add_value(b, json_object_iter_value(at));
        before = ",";
    }
    add(b, *before == '{' ? "{}" : "}", *before == '{' ? 2 : 1);
}

static void add_array(buffer *b, const json_t *array)
{
    add(b, "[", 1);
    for (size_t i = 0; i < json_array_size(array); i++) {
        if (i) add(b, ",", 1);
        add_value(b, json_array_get(array, i));
    }
    add(b, "]", 1);
}

static void add_value(buffer *b, const json_t *value)
{
    static const char *const words[] = {"true", "false", "null"};
    const char *word;
    switch (json_typeof(value)) {
    case JSON_OBJECT:
        add_object(b, value);
        break;
    case JSON_ARRAY:
        add_array(b, value);
        break;
    case JSON_STRING:
        add_string(b, json_string_value(value), json_string_length(value));
        break;
    case JSON_INTEGER:
        add_integer(b, json_integer_value(value));
        break;
    case JSON_REAL:
        add_real(b, json_real_value(value));
        break;
    default:
        word = words[json_is_true(value) ? 0 : json_is_false(value) ? 1 : 2];
        add(b, word, strlen(word));
    }
}

char *ug_record_text(const json_t *value)
{
    buffer b = {.text = malloc(4096), .room = 4096};
    if (value)
        add_value(&b, value);
    else
        free(b.text), b.text = NULL;
    add(&b, "", 1);
    return b.text;
}
