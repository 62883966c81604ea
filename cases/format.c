/* SPDX-License-Identifier: Apache-2.0 */
/* Writes a case: canonical form, hash, resolved parameters. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cases/generate.h"
#include "cases/syntax.h"
#include "ulpgate/dtype.h"

static int64_t int_member(const ug_case *c, int key)
{
    int64_t v;
    memcpy(&v, (const char *)c + ug_keys[key].at, sizeof v);
    return v;
}

/* The value's text; -1 when it does not fit. */
static int value_text(const ug_case *c, int key, char text[UG_CASE_TEXT])
{
    switch (key) {
    case UG_KEY_ALIAS:
        return sprintf(text, "%s", c->alias ? "inplace" : "none");
    case UG_KEY_BETA:
        return ug_gen_format(&c->beta, text, UG_CASE_TEXT);
    case UG_KEY_GAMMA:
        return ug_gen_format(&c->gamma, text, UG_CASE_TEXT);
    case UG_KEY_DATA:
        return ug_gen_format(&c->data, text, UG_CASE_TEXT);
    case UG_KEY_DTYPE:
        return sprintf(text, "%s", ug_dtype_name(c->dtype));
    case UG_KEY_WDTYPE:
        return sprintf(text, "%s", ug_dtype_name(c->wdtype));
    case UG_KEY_EPS:
        ug_float_text(c->eps, text);
        return (int)strlen(text);
    case UG_KEY_PROFILE:
        return sprintf(text, "%s", c->profile);
    case UG_KEY_SEED:
        return sprintf(text, "%" PRIu64, c->seed);
    case UG_KEY_SPECIAL:
        return ug_special_format(c, text, UG_CASE_TEXT);
    case UG_KEY_SPECIALROW:
        return c->special_row < 0 ? sprintf(text, "all")
                                  : sprintf(text, "%" PRId64, c->special_row);
    case UG_KEY_STATS:
        return sprintf(text, "%d", c->stats);
    default:
        return sprintf(text, "%" PRId64, int_member(c, key));
    }
}

static int is_default(const ug_case *c, const ug_case *plain, int key)
{
    switch (key) {
    case UG_KEY_ALIAS:
        return c->alias == plain->alias;
    case UG_KEY_BETA:
        return ug_gen_same(&c->beta, &plain->beta);
    case UG_KEY_GAMMA:
        return ug_gen_same(&c->gamma, &plain->gamma);
    case UG_KEY_DATA:
        return ug_gen_same(&c->data, &plain->data);
    case UG_KEY_DTYPE:
        return c->dtype == plain->dtype;
    case UG_KEY_WDTYPE:
        return c->wdtype == plain->wdtype;
    case UG_KEY_EPS:
        return c->eps == plain->eps;
    case UG_KEY_PROFILE:
        return !*c->profile;
    case UG_KEY_SEED:
        return c->seed == plain->seed;
    case UG_KEY_SPECIAL:
        return !c->specials;
    case UG_KEY_SPECIALROW:
        return c->special_row == plain->special_row;
    case UG_KEY_STATS:
        return c->stats == plain->stats;
    case UG_KEY_XSTRIDE:
        return c->xstride == c->n * c->xcol;
    case UG_KEY_YSTRIDE:
        return c->ystride == c->n * c->ycol;
    default:
        return int_member(c, key) == int_member(plain, key);
    }
}

int ug_case_format(const ug_case *c, char *text, size_t cap)
{
    ug_case plain;
    char value[UG_CASE_TEXT];
    int used = snprintf(text, cap, "layernorm");
    ug_case_defaults(&plain);
    for (int key = 0; key < UG_KEY_OFFSET; key++) {
        if ((size_t)used >= cap) return -1;
        if (is_default(c, &plain, key)) continue;
        if (value_text(c, key, value) < 0) return -1;
        used += snprintf(text + used, cap - (size_t)used, " %s=%s", ug_keys[key].name, value);
    }
    return (size_t)used < cap ? used : -1;
}

uint64_t ug_case_hash(const ug_case *c)
{
    char text[UG_CASE_TEXT];
    uint64_t hash = 0xcbf29ce484222325u;
    int length = ug_case_format(c, text, sizeof text);
    for (int i = 0; i < length; i++) hash = (hash ^ (unsigned char)text[i]) * 0x100000001b3u;
    return hash;
}

int ug_case_param(const ug_case *c, int index, const char **key, char value[UG_CASE_TEXT])
{
    /* `op` sorts between n and profile. */
    if (index < 0 || index > UG_KEY_OFFSET) return 0;
    if (index == UG_KEY_N + 1) {
        *key = "op";
        sprintf(value, "layernorm");
        return 1;
    }
    if (index > UG_KEY_N + 1) index--;
    *key = ug_keys[index].name;
    if (value_text(c, index, value) < 0) value[0] = 0;
    return 1;
}
