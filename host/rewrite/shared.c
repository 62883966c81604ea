/* SPDX-License-Identifier: Apache-2.0 */
/* Shared memory, which belongs to the executor: a declaration becomes a name for its place there.
 *
 *   extern __shared__ T s[];   T *const s = ::ug_host::dynamic_shared<T>();
 *   __shared__ T a[N], b;      static const char ug_key_a = 0;
 *                              auto &a = ::ug_host::static_shared<T[N]>(&ug_key_a, 0); ...
 */
#include <stdlib.h>

#include "host/rewrite/rewrite.h"

/* Tokens [first, end) are the declaration, `end` its ';'. */
typedef struct declaration {
    size_t first, mark, end;
    int dynamic;
    char *type, *align;
} declaration;

static int qualifies(const source *s, size_t i)
{
    return is(s, i, "extern") || is(s, i, "static") || is(s, i, "volatile") || is(s, i, "const");
}

/* The argument of __align__(N) or alignas(N) at i; *i moves to its last token. */
static int alignment(const source *s, size_t *i, declaration *d)
{
    size_t close;
    if (!is(s, *i, "__align__") && !is(s, *i, "alignas")) return 0;
    close = match_forward(s, *i + 1);
    if (close == NO_TOKEN || close < *i + 3) return 0;
    free(d->align);
    d->align = text_of(s, *i + 2, close - 1);
    *i = close;
    return 1;
}

/* Back over `extern`, `static` and __align__(N) before the word __shared__. */
static void find_first(const source *s, declaration *d)
{
    d->first = d->mark;
    while (d->first > 0) {
        size_t k = d->first - 1, open;
        if (qualifies(s, k)) {
            d->dynamic |= is(s, k, "extern");
            d->first = k;
        } else if (is(s, k, ")") && (open = match_backward(s, k)) != NO_TOKEN && open > 0 &&
                   (is(s, open - 1, "__align__") || is(s, open - 1, "alignas"))) {
            d->first = open - 1;
        } else {
            return;
        }
    }
}

/* From i on, outside of brackets and angles: the first of `a`, `b`, `c` or the end. */
static size_t find(const source *s, size_t i, size_t end, const char *signs)
{
    int angles = 0;
    for (; i < end; i++) {
        char c = s->tok[i].kind == TOKEN_SIGN ? s->text[s->tok[i].at] : 0;
        if (!angles && c)
            for (const char *p = signs; *p; p++)
                if (*p == c) return i;
        angles += c == '<';
        angles -= c == '>';
        if (c == '(' || c == '[' || c == '{') {
            i = match_forward(s, i);
            if (i == NO_TOKEN) return end;
        }
    }
    return end;
}

/* Appends text to *list. */
static void append(char **list, char *text)
{
    char *longer = join("%s%s", *list, text);
    free(*list);
    free(text);
    *list = longer;
}

/* One declarator [name, end): a name and its dimensions. Returns 0, or -1 when it is refused. */
static int declarator(source *s, const declaration *d, size_t name, size_t end, char **out)
{
    char *n, *dims;
    int line = s->tok[d->mark].line;
    if (s->tok[name].kind != TOKEN_WORD || (name + 1 < end && !is(s, name + 1, "["))) {
        refuse(s, line,
               "this __shared__ declaration is not supported: expected TYPE NAME[SIZE]...");
        return -1;
    }
    n = text_of(s, name, name);
    dims = name + 1 < end ? text_of(s, name + 1, end - 1) : join("%s", "");
    if (!d->dynamic) {
        append(out, join("static const char ug_key_%s = 0; auto &%s = "
                         "::ug_host::static_shared<%s%s>(&ug_key_%s, %s); ",
                         n, n, d->type, dims, n, d->align ? d->align : "0"));
    } else if (is(s, name + 1, "[") && name + 3 == end) {
        append(out, join("%s *const %s = ::ug_host::dynamic_shared<%s>();", d->type, n, d->type));
    } else {
        refuse(s, line, "expected extern __shared__ TYPE NAME[]");
    }
    free(n);
    free(dims);
    return 0;
}

static void rewrite_declaration(source *s, declaration *d)
{
    size_t from = d->mark + 1, stop, name;
    char *out = join("%s", "");
    while (from < d->end && alignment(s, &from, d)) from++;
    stop = find(s, from, d->end, "[,=");
    name = stop - 1;
    if (name <= from || find(s, from, d->end, "={") < d->end) {
        refuse(s, s->tok[d->mark].line,
               "this __shared__ declaration is not supported: expected __shared__ TYPE NAME[SIZE]");
        free(out);
        return;
    }
    d->type = text_of(s, from, name - 1);
    for (;;) {
        size_t next = find(s, name, d->end, ",");
        if (declarator(s, d, name, next, &out)) break;
        if (next >= d->end) break;
        name = next + 1;
    }
    replace(s, d->first, d->end, out);
    free(d->type);
    free(out);
}

void rewrite_shared(source *s)
{
    for (size_t i = 0; i < s->count; i++) {
        declaration d = {.mark = i};
        if (!is(s, i, "__shared__") || (i > 1 && s->tok[i].directive && is(s, i - 1, "define")))
            continue;
        d.end = find(s, i, s->count, ";");
        if (d.end == s->count) {
            refuse(s, s->tok[i].line, "this __shared__ declaration has no end");
            continue;
        }
        find_first(s, &d);
        if (!s->tok[i].inside)
            refuse(s, s->tok[i].line,
                   "__shared__ outside of a function is not supported: move it "
                   "into the kernel");
        else if (d.first > 0 && s->tok[d.first - 1].kind == TOKEN_WORD && !s->tok[i].directive)
            refuse(s, s->tok[i].line, "write __shared__ before the type");
        else
            rewrite_declaration(s, &d);
        free(d.align);
        i = d.end;
    }
}
