/* SPDX-License-Identifier: Apache-2.0 */
/* Reads and writes generator calls: NAME, NAME(arg=value,...), file(PATH,tensor=NAME), nist(NAME).
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cases/generate.h"
#include "cases/nist.h"
#include "cases/syntax.h"

static const char *const place_names[] = {"first", "middle", "last"}; /* UG_AT_FIRST - i */

static void name_list(unsigned allowed, char *text, size_t cap)
{
    size_t used = 0;
    const ug_gen_kind *kind;
    text[0] = 0;
    for (int i = 0; (kind = ug_gen_kind_at(i)); i++)
        if (kind->flags & allowed && used < cap)
            used += (size_t)snprintf(text + used, cap - used, "%s%s", used ? ", " : "", kind->name);
}

static int bad_argument(ug_span v, const ug_gen_kind *kind, const ug_gen_arg *arg,
                        ug_case_error *error)
{
    char least[UG_NUMBER_TEXT], most[UG_NUMBER_TEXT];
    ug_double_text(arg->least, least);
    ug_double_text(arg->most, most);
    return ug_case_fail(error, v.column, "%s of %s is '%.*s', expected %s from %s to %s%s%s",
                        arg->name, kind->name, v.len, v.s,
                        arg->flags & UG_ARG_INT ? "an integer" : "a number", least, most,
                        arg->flags & UG_ARG_NONFINITE ? ", nan, inf or -inf" : "",
                        arg->flags & UG_ARG_PLACE ? ", first, middle or last" : "");
}

static int parse_value(ug_span v, const ug_gen_kind *kind, const ug_gen_arg *arg, double *value,
                       ug_case_error *error)
{
    if (arg->flags & UG_ARG_PLACE)
        for (int i = 0; i < 3; i++)
            if (ug_span_is(v, place_names[i])) return *value = UG_AT_FIRST - i, 0;
    if (ug_span_double(v, arg->flags & UG_ARG_NONFINITE, value))
        return bad_argument(v, kind, arg, error);
    if (arg->flags & UG_ARG_NONFINITE && !isfinite(*value)) return 0;
    if (!(*value >= arg->least && *value <= arg->most) ||
        (arg->flags & UG_ARG_INT && *value != floor(*value)))
        return bad_argument(v, kind, arg, error);
    return 0;
}

static int parse_argument(ug_span item, const ug_gen_kind *kind, unsigned *seen, ug_gen *gen,
                          ug_case_error *error)
{
    ug_span value = item, name = ug_span_cut(&value, '=');
    char known[256] = "";
    size_t used = 0;
    int i;
    if (kind->flags & UG_GEN_FILE && ug_span_is(name, "tensor")) {
        if (*seen & 1) return ug_case_fail(error, name.column, "tensor stands here twice");
        *seen |= 1;
        if (value.len < 1 || ug_span_copy(value, gen->tensor, sizeof gen->tensor))
            return ug_case_fail(error, item.column, "expected tensor=NAME, of 1 to %d bytes",
                                UG_CASE_TENSOR - 1);
        return 0;
    }
    for (i = 0; i < UG_CASE_ARGS && kind->arg[i].name; i++) {
        if (ug_span_is(name, kind->arg[i].name)) break;
        used += (size_t)snprintf(known + used, sizeof known - used, "%s%s", used ? ", " : "",
                                 kind->arg[i].name);
    }
    if (i == UG_CASE_ARGS || !kind->arg[i].name)
        return ug_case_fail(error, name.column, "%s has no argument '%.*s', expected %s",
                            kind->name, name.len, name.s,
                            kind->flags & UG_GEN_FILE ? "tensor"
                            : used                    ? known
                                                      : "none at all");
    if (*seen & 2u << i)
        return ug_case_fail(error, name.column, "%s stands here twice", kind->arg[i].name);
    *seen |= 2u << i;
    if (value.len < 0)
        return ug_case_fail(error, name.column, "expected %s=VALUE", kind->arg[i].name);
    return parse_value(value, kind, &kind->arg[i], &gen->arg[i], error);
}

static int parse_path(ug_span item, const ug_gen_kind *kind, ug_gen *gen, ug_case_error *error)
{
    if (item.len < 1 || ug_span_copy(item, gen->path, sizeof gen->path))
        return ug_case_fail(error, item.column, "%s needs %s first, of 1 to %d bytes", kind->name,
                            kind->flags & UG_GEN_FILE ? "a path" : "the name of a set",
                            UG_CASE_PATH - 1);
    if (kind->flags & UG_GEN_NIST && ug_nist_count(gen->path) < 0)
        return ug_case_fail(error, item.column, "unknown set '%s', expected one of %s", gen->path,
                            ug_nist_names());
    return 0;
}

static int check_together(ug_span text, const ug_gen *gen, const ug_gen_kind *kind,
                          ug_case_error *error)
{
    const double *a = gen->arg;
    if (!strcmp(kind->name, "almost") && a[1] != 0 && a[2] != 0)
        return ug_case_fail(error, text.column, "almost has both delta and ulps, expected one");
    if ((!strcmp(kind->name, "uniform") || !strcmp(kind->name, "integers") ||
         !strcmp(kind->name, "scales")) &&
        !(a[0] <= a[1]))
        return ug_case_fail(error, text.column, "%s of %s is above %s, expected at most",
                            kind->arg[0].name, kind->name, kind->arg[1].name);
    return 0;
}

int ug_gen_parse(ug_span text, unsigned allowed, ug_gen *gen, ug_case_error *error)
{
    ug_span inside = text, name = ug_span_cut(&inside, '('), item;
    const ug_gen_kind *kind;
    char word[32], known[256];
    unsigned seen = 0;
    int index, need_path;
    if (ug_span_is(text, "ones") || ug_span_is(text, "zeros")) {
        *gen = ug_gen_default(ug_gen_kind_find("constant"));
        gen->arg[0] = ug_span_is(text, "ones");
        return 0;
    }
    index = ug_span_copy(name, word, sizeof word) ? -1 : ug_gen_kind_find(word);
    kind = ug_gen_kind_at(index);
    if (!kind || !(kind->flags & allowed)) {
        name_list(allowed, known, sizeof known);
        return ug_case_fail(error, name.column, "unknown generator '%.*s', expected one of %s",
                            name.len, name.s, known);
    }
    *gen = ug_gen_default(index);
    need_path = (kind->flags & (UG_GEN_FILE | UG_GEN_NIST)) != 0;
    if (inside.len < 0 && need_path)
        inside.len = 0, inside.column = text.column + text.len;
    else if (inside.len < 0)
        return 0;
    else if (inside.len == 0 || inside.s[--inside.len] != ')')
        return ug_case_fail(error, text.column + text.len, "'%.*s' lacks its ')'", text.len,
                            text.s);
    while (inside.len >= 0) {
        item = ug_span_cut(&inside, ',');
        if (need_path ? parse_path(item, kind, gen, error)
                      : parse_argument(item, kind, &seen, gen, error))
            return -1;
        need_path = 0;
    }
    return check_together(text, gen, kind, error);
}

int ug_gen_same(const ug_gen *a, const ug_gen *b)
{
    return a->kind == b->kind && !memcmp(a->arg, b->arg, sizeof a->arg) &&
           !strcmp(a->path, b->path) && !strcmp(a->tensor, b->tensor);
}

static void value_text(const ug_gen_arg *arg, double value, char text[UG_NUMBER_TEXT])
{
    if (arg->flags & UG_ARG_PLACE && value < 0)
        snprintf(text, UG_NUMBER_TEXT, "%s", place_names[UG_AT_FIRST - (int)value]);
    else
        ug_double_text(value, text);
}

int ug_gen_format(const ug_gen *gen, char *text, size_t cap)
{
    const ug_gen_kind *kind = ug_gen_kind_at(gen->kind);
    ug_gen plain = ug_gen_default(gen->kind);
    char all[UG_CASE_TEXT], value[UG_NUMBER_TEXT];
    int used, parts = 0;
    used = snprintf(all, sizeof all, "%s", kind->name);
    if (*gen->path)
        used += snprintf(all + used, sizeof all - (size_t)used, "(%s", gen->path), parts++;
    if (*gen->tensor)
        used += snprintf(all + used, sizeof all - (size_t)used, ",tensor=%s", gen->tensor);
    for (int i = 0; i < UG_CASE_ARGS && kind->arg[i].name; i++) {
        if (!memcmp(&gen->arg[i], &plain.arg[i], sizeof plain.arg[i])) continue;
        value_text(&kind->arg[i], gen->arg[i], value);
        used += snprintf(all + used, sizeof all - (size_t)used, "%s%s=%s", parts++ ? "," : "(",
                         kind->arg[i].name, value);
    }
    if (parts) used += snprintf(all + used, sizeof all - (size_t)used, ")");
    if ((size_t)used >= cap) return -1;
    memcpy(text, all, (size_t)used + 1);
    return used;
}
