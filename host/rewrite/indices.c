/* SPDX-License-Identifier: Apache-2.0 */
/* threadIdx, blockIdx, blockDim and gridDim become calls, unless a variable of that name is meant.
 */
#include <stdlib.h>

#include "host/rewrite/rewrite.h"

static const char *const names[] = {"threadIdx", "blockIdx", "blockDim", "gridDim"};
enum { NAMES = sizeof names / sizeof *names, NOT_HIDDEN = -1 };

/* Until when a host variable hides a name: the depth of its braces, and for a parameter that of the
 * function, whose body is still to come. */
typedef struct hidden {
    int depth, parameter, entered;
} hidden;

/* Is the word at i declared here: dim3 NAME, dim3 a(1), NAME(2)? */
static int declared(const source *s, size_t i)
{
    size_t k = i;
    if (i == 0) return 0;
    if (is(s, i - 1, "dim3") || is(s, i - 1, "auto") || is(s, i - 1, "uint3") ||
        is(s, i - 1, "unsigned") || is(s, i - 1, "int"))
        return 1;
    if (is(s, i - 1, "&") && i > 1 && is(s, i - 2, "dim3")) return 1;
    if (!is(s, i - 1, ",")) return 0;
    while (k > 0 && !is(s, k - 1, ";") && !is(s, k - 1, "{") && !is(s, k - 1, "}")) {
        k--;
        if (is(s, k, "(")) return 0;
        if (is(s, k, ")")) k = match_backward(s, k);
        if (k == NO_TOKEN) return 0;
        if (is(s, k, "dim3")) return 1;
    }
    return 0;
}

/* Inside of parentheses that are open since the start of the statement: a parameter. */
static int in_parentheses(const source *s, size_t i)
{
    int depth = 0;
    while (i > 0 && !is(s, i - 1, ";") && !is(s, i - 1, "{") && !is(s, i - 1, "}")) {
        i--;
        depth += is(s, i, "(") - is(s, i, ")");
    }
    return depth > 0;
}

static void age(const source *s, size_t i, hidden *h)
{
    int depth = s->tok[i].depth;
    if (h->depth == NOT_HIDDEN || s->tok[i].directive) return;
    if (!h->parameter) {
        if (depth < h->depth) h->depth = NOT_HIDDEN;
        return;
    }
    h->entered |= depth > h->depth;
    if (depth < h->depth || (depth == h->depth && (h->entered || is(s, i, ";"))))
        h->depth = NOT_HIDDEN;
}

static void visit(source *s, size_t i, int n, hidden *h)
{
    char *call;
    if (!is(s, i, names[n])) return;
    if (declared(s, i)) {
        *h = (hidden){s->tok[i].depth, in_parentheses(s, i), 0};
        return;
    }
    if (h->depth != NOT_HIDDEN) return;
    if (i > 0 && (is(s, i - 1, ".") || (is(s, i - 1, ">") && i > 1 && is(s, i - 2, "-")) ||
                  is(s, i - 1, ":") || is(s, i - 1, "define")))
        return;
    call = join("::ug_host::%s()", names[n]);
    replace(s, i, i, call);
    free(call);
}

void rewrite_indices(source *s)
{
    hidden h[NAMES];
    for (int n = 0; n < NAMES; n++) h[n] = (hidden){NOT_HIDDEN, 0, 0};
    for (size_t i = 0; i < s->count; i++)
        for (int n = 0; n < NAMES; n++) {
            age(s, i, &h[n]);
            if (s->tok[i].kind == TOKEN_WORD) visit(s, i, n, &h[n]);
        }
}
