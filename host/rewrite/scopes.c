/* SPDX-License-Identifier: Apache-2.0 */
/* Which tokens are in the body of a function, and of a device function. */
#include "host/rewrite/rewrite.h"

enum { NESTED = 256 };

typedef struct scope {
    int inside, device;
} scope;

/* What the brace at token i opens, by the words of its statement, which starts at `first`. */
static scope opened(const source *s, size_t first, size_t i, scope around)
{
    int type = 0, space = 0, calls = 0, device = 0;
    for (size_t k = first; k < i; k++) {
        if (s->tok[k].directive) continue;
        space |= is(s, k, "namespace") || (is(s, k, "extern") && k + 1 < i &&
                                           s->tok[k + 1].kind == TOKEN_STRING && k + 2 == i);
        type |= is(s, k, "struct") || is(s, k, "class") || is(s, k, "union") || is(s, k, "enum");
        calls |= is(s, k, "(");
        device |= is(s, k, "__global__") || is(s, k, "__device__");
    }
    if (space || (type && !calls)) return around;
    return (scope){1, around.device || device};
}

void scopes(source *s)
{
    scope stack[NESTED] = {{0, 0}};
    size_t first = 0;
    int depth = 0;
    for (size_t i = 0; i < s->count; i++) {
        scope now = stack[depth < NESTED ? depth : NESTED - 1];
        token *t = &s->tok[i];
        t->depth = depth;
        t->inside = now.inside || t->directive; /* a macro is for use anywhere */
        t->device = now.device;
        if (t->directive || t->kind != TOKEN_SIGN) continue;
        if (is(s, i, "{")) {
            if (depth + 1 < NESTED) stack[depth + 1] = opened(s, first, i, now);
            depth++;
        } else if (is(s, i, "}") && depth > 0) {
            depth--;
        }
        if (is(s, i, "{") || is(s, i, "}") || is(s, i, ";")) first = i + 1;
    }
}
