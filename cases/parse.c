/* SPDX-License-Identifier: Apache-2.0 */
/* Reads one case from its line. */
#include <ctype.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "cases/generate.h"
#include "cases/syntax.h"

#define INT(name, member, initial, least, most)                                                    \
    {                                                                                              \
        name, UG_KIND_INT, offsetof(ug_case, member), initial, least, most                         \
    }
#define OTHER(name)                                                                                \
    {                                                                                              \
        name, UG_KIND_OTHER, 0, 0, 0, 0                                                            \
    }

const ug_key_info ug_keys[UG_KEY_COUNT] = {
    [UG_KEY_ALIAS] = OTHER("alias"),
    [UG_KEY_BATCH] = INT("batch", batch, 0, 0, UG_EXTENT_MAX),
    [UG_KEY_BETA] = OTHER("beta"),
    [UG_KEY_BOFFSET] = INT("boffset", boffset, 0, 0, 65536),
    [UG_KEY_COLPERIOD] = INT("colperiod", col_period, 0, 0, UG_EXTENT_MAX),
    [UG_KEY_DATA] = OTHER("data"),
    [UG_KEY_DTYPE] = OTHER("dtype"),
    [UG_KEY_EPS] = OTHER("eps"),
    [UG_KEY_GAMMA] = OTHER("gamma"),
    [UG_KEY_GOFFSET] = INT("goffset", goffset, 0, 0, 65536),
    [UG_KEY_N] = INT("n", n, 768, 0, UG_EXTENT_MAX),
    [UG_KEY_PROFILE] = OTHER("profile"),
    [UG_KEY_ROWPERIOD] = INT("rowperiod", row_period, 0, 0, UG_EXTENT_MAX),
    [UG_KEY_ROWS] = INT("rows", rows, 8, 0, UG_EXTENT_MAX),
    [UG_KEY_SEED] = OTHER("seed"),
    [UG_KEY_SPECIAL] = OTHER("special"),
    [UG_KEY_SPECIALROW] = OTHER("specialrow"),
    [UG_KEY_STATS] = OTHER("stats"),
    [UG_KEY_WDTYPE] = OTHER("wdtype"),
    [UG_KEY_XCOL] = INT("xcol", xcol, 1, 1, UG_EXTENT_MAX),
    [UG_KEY_XOFFSET] = INT("xoffset", xoffset, 0, 0, 65536),
    [UG_KEY_XSTRIDE] = INT("xstride", xstride, -1, 0, UG_EXTENT_MAX),
    [UG_KEY_YCOL] = INT("ycol", ycol, 1, 1, UG_EXTENT_MAX),
    [UG_KEY_YOFFSET] = INT("yoffset", yoffset, 0, 0, 65536),
    [UG_KEY_YSTRIDE] = INT("ystride", ystride, -1, 0, UG_EXTENT_MAX),
    [UG_KEY_OFFSET] = INT("offset", xoffset, 0, 0, 65536),
};

typedef struct parser {
    ug_case *c;
    ug_case_error *error;
    int column[UG_KEY_COUNT]; /* of the value, 0: not seen */
    ug_span special;          /* read last: its values depend on the dtype */
} parser;

void ug_case_defaults(ug_case *c)
{
    memset(c, 0, sizeof *c);
    for (int k = 0; k < UG_KEY_OFFSET; k++)
        if (ug_keys[k].kind == UG_KIND_INT)
            memcpy((char *)c + ug_keys[k].at, &ug_keys[k].initial, sizeof(int64_t));
    c->eps = 1e-5f;
    c->gamma = c->beta = ug_gen_default(ug_gen_kind_find("random"));
    c->data = ug_gen_default(ug_gen_kind_find("normal"));
    c->stats = 1;
    memcpy(c->tier, "default", 8);
}

static int unknown_key(ug_span name, ug_case_error *error)
{
    char known[400];
    size_t used = 0;
    for (int k = 0; k < UG_KEY_COUNT; k++)
        used += (size_t)snprintf(known + used, sizeof known - used, "%s%s", k ? ", " : "",
                                 ug_keys[k].name);
    return ug_case_fail(error, name.column, "unknown key '%.*s', expected one of %s", name.len,
                        name.s, known);
}

static int bad_value(ug_span v, ug_key key, const char *expected, ug_case_error *error)
{
    return ug_case_fail(error, v.column, "%s is '%.*s', expected %s", ug_keys[key].name, v.len, v.s,
                        expected);
}

static int parse_int(parser *p, ug_key key, ug_span v)
{
    const ug_key_info *info = &ug_keys[key];
    int64_t value;
    if (ug_span_int(v, &value) || value < info->least || value > info->most) {
        char range[80];
        snprintf(range, sizeof range, "an integer from %lld to %lld", (long long)info->least,
                 (long long)info->most);
        return bad_value(v, key, range, p->error);
    }
    memcpy((char *)p->c + info->at, &value, sizeof value);
    if (key == UG_KEY_OFFSET) p->c->yoffset = value;
    return 0;
}

static int parse_dtype(parser *p, ug_key key, ug_span v, ug_dtype *t)
{
    if (ug_span_is(v, "f32")) return *t = UG_F32, 0;
    if (ug_span_is(v, "f16")) return *t = UG_F16, 0;
    if (ug_span_is(v, "bf16")) return *t = UG_BF16, 0;
    return bad_value(v, key, "f32, f16 or bf16", p->error);
}

static int parse_eps(parser *p, ug_span v)
{
    double wide;
    if (ug_span_float(v, &p->c->eps) || ug_span_double(v, 0, &wide) || !(wide >= 0))
        return bad_value(v, UG_KEY_EPS, "a finite number from 0 to 3.4e38", p->error);
    if (wide > 0 && p->c->eps == 0)
        return bad_value(v, UG_KEY_EPS, "0 or a number that binary32 can hold", p->error);
    if (p->c->eps == 0) p->c->eps = 0; /* -0 is 0 */
    return 0;
}

static int parse_profile(parser *p, ug_span v)
{
    char known[200] = "a profile: ";
    size_t used = strlen(known);
    if (!ug_span_copy(v, p->c->profile, sizeof p->c->profile) && ug_profile_find(p->c->profile))
        return 0;
    for (size_t i = 0; ug_profile_at(i); i++)
        used += (size_t)snprintf(known + used, sizeof known - used, "%s%s", i ? ", " : "",
                                 ug_profile_at(i)->name);
    return bad_value(v, UG_KEY_PROFILE, known, p->error);
}

static int parse_special_row(parser *p, ug_span v)
{
    if (ug_span_is(v, "all")) return p->c->special_row = -1, 0;
    if (!ug_span_int(v, &p->c->special_row) && p->c->special_row >= 0) return 0;
    return bad_value(v, UG_KEY_SPECIALROW, "a row or all", p->error);
}

static int parse_value(parser *p, ug_key key, ug_span v)
{
    ug_case *c = p->c;
    switch (key) {
    case UG_KEY_ALIAS:
        c->alias = ug_span_is(v, "inplace") ? UG_ALIAS_INPLACE : UG_ALIAS_NONE;
        if (c->alias || ug_span_is(v, "none")) return 0;
        return bad_value(v, key, "none or inplace", p->error);
    case UG_KEY_BETA:
        return ug_gen_parse(v, UG_GEN_PARAM, &c->beta, p->error);
    case UG_KEY_GAMMA:
        return ug_gen_parse(v, UG_GEN_PARAM, &c->gamma, p->error);
    case UG_KEY_DATA:
        return ug_gen_parse(v, UG_GEN_DATA, &c->data, p->error);
    case UG_KEY_DTYPE:
        return parse_dtype(p, key, v, &c->dtype);
    case UG_KEY_WDTYPE:
        return parse_dtype(p, key, v, &c->wdtype);
    case UG_KEY_EPS:
        return parse_eps(p, v);
    case UG_KEY_PROFILE:
        return parse_profile(p, v);
    case UG_KEY_SEED:
        return ug_span_u64(v, &c->seed)
                   ? bad_value(v, key, "an integer from 0 to 2^64 - 1", p->error)
                   : 0;
    case UG_KEY_SPECIAL:
        return p->special = v, 0;
    case UG_KEY_SPECIALROW:
        return parse_special_row(p, v);
    case UG_KEY_STATS:
        c->stats = ug_span_is(v, "1");
        return c->stats || ug_span_is(v, "0") ? 0 : bad_value(v, key, "0 or 1", p->error);
    default:
        return parse_int(p, key, v);
    }
}

static int parse_pair(parser *p, ug_span pair)
{
    ug_span value = pair, name = ug_span_cut(&value, '=');
    int k;
    for (k = 0; k < UG_KEY_COUNT && !ug_span_is(name, ug_keys[k].name); k++) continue;
    if (k == UG_KEY_COUNT) return unknown_key(name, p->error);
    if (value.len < 1)
        return ug_case_fail(p->error, value.len < 0 ? name.column : value.column,
                            "%s has no value, expected %s=VALUE", ug_keys[k].name, ug_keys[k].name);
    if (p->column[k])
        return ug_case_fail(p->error, name.column, "%s stands here twice, first at column %d",
                            ug_keys[k].name, p->column[k]);
    if (p->column[UG_KEY_OFFSET] && (k == UG_KEY_XOFFSET || k == UG_KEY_YOFFSET))
        return ug_case_fail(p->error, name.column, "offset has already set %s", ug_keys[k].name);
    if (k == UG_KEY_OFFSET && (p->column[UG_KEY_XOFFSET] || p->column[UG_KEY_YOFFSET]))
        return ug_case_fail(p->error, name.column,
                            "offset sets xoffset and yoffset, one of which stands here already");
    p->column[k] = name.column;
    return parse_value(p, (ug_key)k, value);
}

static ug_span next_word(ug_span *rest)
{
    ug_span word;
    while (rest->len > 0 && isspace((unsigned char)*rest->s))
        rest->s++, rest->len--, rest->column++;
    word = *rest;
    for (word.len = 0; word.len < rest->len && !isspace((unsigned char)word.s[word.len]);)
        word.len++;
    rest->s += word.len;
    rest->len -= word.len;
    rest->column += word.len;
    return word;
}

int ug_case_parse(const char *text, ug_case *c, ug_case_error *error)
{
    parser p = {.c = c, .error = error};
    ug_span rest = {text, (int)strnlen(text, UG_CASE_TEXT), 1}, word;
    char canonical[UG_CASE_TEXT];
    error->column = 0;
    error->text[0] = 0;
    ug_case_defaults(c);
    if (rest.len == UG_CASE_TEXT)
        return ug_case_fail(error, 0, "the line is longer than %d bytes", UG_CASE_TEXT - 1);
    word = next_word(&rest);
    if (!ug_span_is(word, "layernorm"))
        return ug_case_fail(error, word.column, "unknown operation '%.*s', expected layernorm",
                            word.len, word.s);
    while ((word = next_word(&rest)).len > 0)
        if (parse_pair(&p, word)) return -1;
    if (p.column[UG_KEY_SPECIAL] && ug_special_parse(p.special, c, error)) return -1;
    if (ug_case_check(c, p.column, error)) return -1;
    if (ug_case_format(c, canonical, sizeof canonical) < 0)
        return ug_case_fail(error, 0, "the canonical form is longer than %d bytes",
                            UG_CASE_TEXT - 1);
    return 0;
}
