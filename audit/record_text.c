/* SPDX-License-Identifier: Apache-2.0 */
/* JSON values as text: any string survives, any number reads back the same. */
#include "audit/record.h"

#include <ctype.h>
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

/* Writes the number that starts at `in` into `out` in its shortest form; returns how many bytes of
 * `in` it took. `out` holds at least the length of the number plus 32 bytes. */
static size_t shorten_number(const char *in, char *out)
{
    size_t taken = strspn(in, "+-.0123456789eE");
    double value;
    if (!memchr(in, '.', taken) && !memchr(in, 'e', taken) && !memchr(in, 'E', taken)) {
        memcpy(out, in, taken); /* an integer stays as it is */
        out[taken] = 0;
        return taken;
    }
    value = strtod(in, NULL);
    if (value == floor(value) && fabs(value) < 1e15) {
        snprintf(out, 32, "%.1f", value); /* 100.0 reads better than 1e+02 */
        return taken;
    }
    for (int digits = 1; digits <= 17; digits++) {
        snprintf(out, 32, "%.*g", digits, value);
        if (strtod(out, NULL) == value) break;
    }
    if (!strpbrk(out, ".e")) strcat(out, ".0"); /* a real stays a real */
    return taken;
}

char *ug_record_text(const json_t *value)
{
    char *long_form = json_dumps(value, JSON_COMPACT | JSON_ENCODE_ANY);
    char *text, *out;
    int quoted = 0;
    if (!long_form) return NULL;
    /* Room: "1.0" to "1.0" and shorter; the longest growth is 1e22 to 1e+22, below twice. */
    out = text = malloc(2 * strlen(long_form) + 64);
    for (const char *in = long_form; text && *in;) {
        if (!quoted && (isdigit((unsigned char)*in) || *in == '-')) {
            in += shorten_number(in, out);
            out += strlen(out);
            continue;
        }
        if (*in == '\\' && in[1])
            *out++ = *in++;
        else if (*in == '"')
            quoted = !quoted;
        *out++ = *in++;
    }
    if (text) *out = 0;
    free(long_form);
    return text;
}
