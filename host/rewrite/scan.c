/* SPDX-License-Identifier: Apache-2.0 */
/* From text to tokens. Comments, strings and what the preprocessor is known to drop hold none. */
#include <ctype.h>
#include <string.h>

#include "host/rewrite/rewrite.h"

enum { NESTED = 64 };

typedef struct scanner {
    source *s;
    size_t at;
    int line, directive, fresh; /* fresh: nothing but blanks on this line yet */
    int level;                  /* of #if */
    int dropped[NESTED];        /* 1: this branch is known to be dropped, -1: known to be kept */
} scanner;

static int dropped_now(const scanner *c)
{
    for (int i = 0; i < c->level && i < NESTED; i++)
        if (c->dropped[i] == 1) return 1;
    return 0;
}

static void emit(scanner *c, token_kind kind, size_t length)
{
    source *s = c->s;
    if (!dropped_now(c)) {
        if (!(s->count & (s->count + 1))) /* 2^k - 1: room for as many again */
            s->tok = grow(s->tok, 2 * (s->count + 1) * sizeof *s->tok);
        s->tok[s->count++] = (token){.kind = kind,
                                     .at = c->at,
                                     .length = length,
                                     .line = c->line,
                                     .directive = c->directive};
    }
    for (size_t i = 0; i < length; i++) c->line += s->text[c->at + i] == '\n';
    c->at += length;
}

/* Bytes of a comment at p, 0 when there is none. */
static size_t comment(const char *p)
{
    const char *end;
    if (p[0] != '/' || (p[1] != '/' && p[1] != '*')) return 0;
    if (p[1] == '*') {
        end = strstr(p + 2, "*/");
        return end ? (size_t)(end - p) + 2 : strlen(p);
    }
    for (end = p; *end && *end != '\n'; end++)
        if (*end == '\\' && end[1] == '\n') end++;
    return (size_t)(end - p);
}

/* Bytes of a string or character constant at p with its prefix, 0 when there is none. */
static size_t quoted(const char *p)
{
    const char *q = p;
    int raw = 0;
    while (q - p < 3 && *q && strchr("uUL8R", *q)) raw = *q++ == 'R';
    if (*q != '"' && *q != '\'') return 0;
    if (raw && *q == '"') { /* R"mark( ... )mark" */
        char end[32] = ")";
        const char *open = strchr(q, '('), *close;
        if (!open || open - q - 1 > 16) return 0;
        strncat(end, q + 1, (size_t)(open - q - 1));
        strcat(end, "\"");
        close = strstr(open, end);
        return close ? (size_t)(close - p) + strlen(end) : strlen(p);
    }
    for (char end = *q++; *q && *q != end && *q != '\n'; q++)
        if (*q == '\\' && q[1]) q++;
    return (size_t)(q - p) + (*q != 0 && *q != '\n');
}

static int word_char(char c) { return isalnum((unsigned char)c) || c == '_'; }

static size_t word(const char *p)
{
    size_t n = 0;
    if (isdigit((unsigned char)*p)) return 0;
    while (word_char(p[n])) n++;
    return n;
}

/* A pp-number: digits, letters, periods, signs after an exponent, separators between digits. */
static size_t number(const char *p)
{
    size_t n = 0;
    if (!isdigit((unsigned char)p[0]) && !(p[0] == '.' && isdigit((unsigned char)p[1]))) return 0;
    while (word_char(p[n]) || p[n] == '.' || (p[n] == '\'' && word_char(p[n + 1])) ||
           ((p[n] == '+' || p[n] == '-') && n && strchr("eEpP", p[n - 1])))
        n++;
    return n;
}

/* Does the directive's text, blanks aside, start with `head` as whole words? */
static int says(const char *p, const char *head)
{
    for (; *head; head++) {
        if (*head == ' ') {
            if (!isblank((unsigned char)*p)) return 0;
            while (isblank((unsigned char)*p)) p++;
        } else if (*p++ != *head) {
            return 0;
        }
    }
    return !word_char(*p);
}

/* 1: what follows is dropped here, -1: kept, 0: it depends. */
static int verdict(const char *p)
{
    if (says(p, "if 0") || says(p, "ifndef ULPGATE_HOST_CUDA") || says(p, "ifdef __CUDA_ARCH__") ||
        says(p, "if defined(__CUDA_ARCH__)") || says(p, "if !defined(ULPGATE_HOST_CUDA)"))
        return 1;
    if (says(p, "if 1") || says(p, "ifdef ULPGATE_HOST_CUDA") ||
        says(p, "if defined(ULPGATE_HOST_CUDA)") || says(p, "ifndef __CUDA_ARCH__") ||
        says(p, "if !defined(__CUDA_ARCH__)"))
        return -1;
    return 0;
}

/* At the word behind #: keeps the branches. Compound conditions count as "it depends". */
static void branch(scanner *c, const char *p)
{
    const char *end = strchr(p, '\n');
    size_t length = end ? (size_t)(end - p) : strlen(p);
    int compound = memchr(p, '&', length) || memchr(p, '|', length);
    int *top = c->level > 0 && c->level <= NESTED ? &c->dropped[c->level - 1] : NULL;
    if (says(p, "if") || says(p, "ifdef") || says(p, "ifndef")) {
        if (c->level < NESTED) c->dropped[c->level] = compound ? 0 : verdict(p);
        c->level++;
    } else if (says(p, "endif") && c->level > 0) {
        c->level--;
    } else if (says(p, "else") && top) {
        *top = -*top;
    } else if (says(p, "elif") && top) {
        *top = *top == -1;
    }
}

static void step(scanner *c)
{
    const char *p = c->s->text + c->at;
    size_t n;
    if (*p == '\n' || (*p == '\\' && p[1] == '\n')) {
        if (*p == '\n') c->directive = 0, c->fresh = 1;
        c->line++;
        c->at += *p == '\n' ? 1 : 2;
        return;
    }
    if (isspace((unsigned char)*p)) {
        c->at++;
        return;
    }
    if ((n = comment(p))) {
        for (size_t i = 0; i < n; i++) c->line += p[i] == '\n';
        c->at += n;
        return;
    }
    if (*p == '#' && c->fresh) {
        const char *q = p + 1;
        while (isblank((unsigned char)*q)) q++;
        branch(c, q);
        c->directive = 1;
    }
    c->fresh = 0;
    if ((n = quoted(p)))
        emit(c, TOKEN_STRING, n);
    else if ((n = number(p)))
        emit(c, TOKEN_NUMBER, n);
    else if ((n = word(p)))
        emit(c, TOKEN_WORD, n);
    else
        emit(c, TOKEN_SIGN, 1);
}

void scan(source *s)
{
    scanner c = {.s = s, .line = 1, .fresh = 1};
    while (c.at < s->size) step(&c);
}
