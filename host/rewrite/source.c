/* SPDX-License-Identifier: Apache-2.0 */
/* A source file: read, looked at by token, edited. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/rewrite/rewrite.h"

void *grow(void *p, size_t bytes)
{
    p = realloc(p, bytes ? bytes : 1);
    if (p) return p;
    fprintf(stderr, "ulpgate-rewrite: out of memory\n");
    exit(2);
}

void *take(size_t bytes) { return grow(NULL, bytes); }

char *join(const char *format, ...)
{
    va_list list;
    char *text;
    int n;
    va_start(list, format);
    n = vsnprintf(NULL, 0, format, list);
    va_end(list);
    text = take((size_t)n + 1);
    va_start(list, format);
    vsnprintf(text, (size_t)n + 1, format, list);
    va_end(list);
    return text;
}

int source_read(source *s, const char *path)
{
    FILE *in = fopen(path, "rb");
    size_t got;
    char block[1 << 14];
    *s = (source){.path = path, .text = take(1)};
    while (in && (got = fread(block, 1, sizeof block, in)) > 0) {
        s->text = grow(s->text, s->size + got + 1);
        memcpy(s->text + s->size, block, got);
        s->size += got;
    }
    s->text[s->size] = 0;
    if (!in || ferror(in)) {
        fprintf(stderr, "%s: error: %s\n", path, strerror(errno));
        if (in) fclose(in);
        return -1;
    }
    fclose(in);
    if (memchr(s->text, 0, s->size)) {
        fprintf(stderr, "%s: error: holds a zero byte, this is no source text\n", path);
        return -1;
    }
    scan(s);
    scopes(s);
    return 0;
}

void source_free(source *s)
{
    for (size_t i = 0; i < s->edit_count; i++) free(s->edits[i].text);
    free(s->edits);
    free(s->tok);
    free(s->text);
}

int is(const source *s, size_t i, const char *text)
{
    return i < s->count && s->tok[i].length == strlen(text) &&
           !memcmp(s->text + s->tok[i].at, text, s->tok[i].length);
}

int is_triple(const source *s, size_t i, const char *text)
{
    return i + 2 < s->count && s->tok[i].kind == TOKEN_SIGN &&
           s->tok[i + 2].at == s->tok[i].at + 2 && !memcmp(s->text + s->tok[i].at, text, 3);
}

static int opens(const source *s, size_t i)
{
    return s->tok[i].kind == TOKEN_SIGN && strchr("([{", s->text[s->tok[i].at]) != NULL;
}

static int closes(const source *s, size_t i)
{
    return s->tok[i].kind == TOKEN_SIGN && strchr(")]}", s->text[s->tok[i].at]) != NULL;
}

size_t match_forward(const source *s, size_t i)
{
    for (int depth = 0; i < s->count; i++) {
        depth += opens(s, i) - closes(s, i);
        if (depth == 0) return i;
    }
    return NO_TOKEN;
}

size_t match_backward(const source *s, size_t i)
{
    for (int depth = 0;; i--) {
        depth += closes(s, i) - opens(s, i);
        if (depth == 0) return i;
        if (i == 0) return NO_TOKEN;
    }
}

static void add_edit(source *s, size_t at, size_t length, char *text)
{
    s->edits = grow(s->edits, (s->edit_count + 1) * sizeof *s->edits);
    s->edits[s->edit_count++] = (edit){at, length, text};
}

void replace(source *s, size_t first, size_t last, const char *text)
{
    size_t at = s->tok[first].at, length = s->tok[last].at + s->tok[last].length - at;
    char *with = join("%s", text);
    for (size_t i = at; i < at + length; i++) { /* lines stay where they are */
        char *longer;
        if (s->text[i] != '\n') continue;
        longer = join("%s%s\n", with, s->tok[first].directive ? "\\" : "");
        free(with);
        with = longer;
    }
    add_edit(s, at, length, with);
}

void insert_before(source *s, size_t i, const char *text)
{
    add_edit(s, s->tok[i].at, 0, join("%s", text));
}

char *text_of(const source *s, size_t first, size_t last)
{
    char *text = join("%s", "");
    for (size_t i = first; i <= last && i < s->count; i++) {
        const token *t = &s->tok[i];
        int apart = i > first && t[-1].at + t[-1].length != t->at;
        char *longer = join("%s%s%.*s", text, apart ? " " : "", (int)t->length, s->text + t->at);
        free(text);
        text = longer;
    }
    return text;
}

void refuse(source *s, int line, const char *format, ...)
{
    va_list list;
    fprintf(stderr, "%s:%d: error: ", s->path, line);
    va_start(list, format);
    vfprintf(stderr, format, list);
    va_end(list);
    fputc('\n', stderr);
    s->refusals++;
}
