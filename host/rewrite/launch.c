/* SPDX-License-Identifier: Apache-2.0 */
/* Launches: KERNEL<<<grid, block, shared, stream>>>(arguments).
 *
 *   ::ug_host::kernel([&](auto &...ug_a) { KERNEL(ug_a...); })(grid, block, shared,
 * stream)(arguments)
 *
 * The order of all parts stays, hence their lines; template arguments that C++ deduces from the
 * arguments are deduced in the lambda.
 */
#include "host/rewrite/rewrite.h"

/* Before template arguments that end at i: their '<', or NO_TOKEN. */
static size_t before_angles(const source *s, size_t i)
{
    for (int depth = 0;; i--) {
        if (is(s, i, ")") || is(s, i, "]") || is(s, i, "}")) {
            i = match_backward(s, i);
            if (i == NO_TOKEN) return NO_TOKEN;
        } else if (is(s, i, ">")) {
            depth++;
        } else if (is(s, i, "<") && --depth == 0) {
            return i;
        } else if (is(s, i, ";") || is(s, i, "{")) {
            return NO_TOKEN;
        }
        if (i == 0) return NO_TOKEN;
    }
}

static int is_keyword(const source *s, size_t i)
{
    return is(s, i, "if") || is(s, i, "while") || is(s, i, "for") || is(s, i, "switch") ||
           is(s, i, "else") || is(s, i, "do") || is(s, i, "return") || is(s, i, "case");
}

/* The first token of the kernel's name, which ends at i: ns::name<...>, (expression), a[i], p->k.
 */
static size_t name_start(const source *s, size_t i)
{
    for (;;) {
        size_t open;
        if (is(s, i, ">")) {
            i = before_angles(s, i);
            if (i == NO_TOKEN || i == 0 || s->tok[--i].kind != TOKEN_WORD) return NO_TOKEN;
        }
        if (is(s, i, ")") || is(s, i, "]")) {
            open = match_backward(s, i);
            if (open == NO_TOKEN) return NO_TOKEN;
            if (open == 0) return open;
            if ((s->tok[open - 1].kind != TOKEN_WORD || is_keyword(s, open - 1)) &&
                !is(s, open - 1, ")") && !is(s, open - 1, "]"))
                return is(s, open, "(") ? open : NO_TOKEN;
            i = open - 1;
            continue;
        }
        if (s->tok[i].kind != TOKEN_WORD || is_keyword(s, i)) return NO_TOKEN;
        if (i > 0 && is(s, i - 1, "template")) i--;
        if (i >= 2 && is(s, i - 1, ":") && is(s, i - 2, ":")) {
            if (i == 2) return 0;
            i -= 3;
            if (s->tok[i].kind != TOKEN_WORD && !is(s, i, ">")) return i + 1;
            if (is_keyword(s, i)) return i + 1;
        } else if (i >= 2 && is(s, i - 1, ".")) {
            i -= 2;
        } else if (i >= 3 && is(s, i - 1, ">") && is(s, i - 2, "-")) {
            i -= 3;
        } else {
            return i;
        }
    }
}

/* The >>> of a launch whose configuration starts at i: the first outside of brackets before '('. */
static size_t config_end(const source *s, size_t i)
{
    for (; i < s->count; i++) {
        if (is(s, i, "(") || is(s, i, "[") || is(s, i, "{")) {
            i = match_forward(s, i);
            if (i == NO_TOKEN) return NO_TOKEN;
        } else if (is(s, i, ";") || is(s, i, ")") || is(s, i, "}")) {
            return NO_TOKEN;
        } else if (is_triple(s, i, ">>>") && is(s, i + 3, "(")) {
            return i;
        }
    }
    return NO_TOKEN;
}

/* NULL as a whole argument would be deduced as a number. */
static void pointers(source *s, size_t open, size_t close)
{
    for (size_t i = open + 1; i < close; i++)
        if (is(s, i, "NULL") && (is(s, i - 1, "(") || is(s, i - 1, ",")) &&
            (is(s, i + 1, ")") || is(s, i + 1, ",")))
            replace(s, i, i, "nullptr");
}

static void rewrite_one(source *s, size_t i)
{
    size_t start = i > 0 ? name_start(s, i - 1) : NO_TOKEN, end = config_end(s, i + 3), close;
    int line = s->tok[i].line;
    if (start == NO_TOKEN) {
        refuse(s, line, "cannot see the kernel's name before <<<");
        return;
    }
    close = end == NO_TOKEN ? NO_TOKEN : match_forward(s, end + 3);
    if (close == NO_TOKEN) {
        refuse(s, line, "this <<< has no >>>(arguments)");
        return;
    }
    if (s->tok[i].device) {
        refuse(s, line, "a launch from device code (dynamic parallelism) is not supported");
        return;
    }
    insert_before(s, start, "::ug_host::kernel([&](auto &...ug_a) { ");
    replace(s, i, i + 2, "(ug_a...); })(");
    replace(s, end, end + 2, ")");
    pointers(s, end + 3, close);
}

void rewrite_launches(source *s)
{
    for (size_t i = 0; i < s->count; i++) {
        if (!is_triple(s, i, "<<<")) continue;
        rewrite_one(s, i);
        i += 2;
    }
}
