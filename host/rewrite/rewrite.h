/* SPDX-License-Identifier: Apache-2.0 */
/* Rewrites CUDA sources for a C++ compiler: a file as text, tokens, and edits that keep its lines.
 *
 * Only what C++ has no word for is rewritten: launches, __shared__, and the built-in indices. All
 * else is left to the headers in host/cuda. What the executor cannot do is refused by name.
 */
#ifndef ULPGATE_REWRITE_H
#define ULPGATE_REWRITE_H

#include <stddef.h>

typedef enum token_kind { TOKEN_WORD, TOKEN_NUMBER, TOKEN_STRING, TOKEN_SIGN } token_kind;

/* A sign is one character. Comments and what is between tokens is in the text alone. */
typedef struct token {
    token_kind kind;
    size_t at, length;
    int line;
    int directive; /* part of a line that starts with # */
    int inside;    /* in the body of a function */
    int device;    /* in the body of a __global__ or __device__ function */
    int depth;     /* open braces before it */
} token;

/* text in place of the bytes [at, at + length) */
typedef struct edit {
    size_t at, length;
    char *text;
} edit;

typedef struct source {
    const char *path; /* as messages name it */
    char *text;
    size_t size;
    token *tok;
    size_t count;
    edit *edits;
    size_t edit_count;
    int refusals;
} source;

/* Reads and scans a file. Returns 0, or -1 with a message on standard error; to be freed either
 * way. */
int source_read(source *s, const char *path);
void source_free(source *s);

/* Fills in tok and count; scopes() the last three fields of each. */
void scan(source *s);
void scopes(source *s);

/* Token i is the word or sign `text`; false past the ends. */
int is(const source *s, size_t i, const char *text);
/* The three signs from i on stand side by side and are `text`. */
int is_triple(const source *s, size_t i, const char *text);
/* Index of the bracket that closes or opens the one at i, or (size_t)-1. */
size_t match_forward(const source *s, size_t i);
size_t match_backward(const source *s, size_t i);
#define NO_TOKEN ((size_t)-1)

/* Replaces tokens [first, last], or inserts before a token; the text is copied. */
void replace(source *s, size_t first, size_t last, const char *text);
void insert_before(source *s, size_t i, const char *text);
/* The text of tokens [first, last] on one line, comments left out; to be freed. */
char *text_of(const source *s, size_t first, size_t last);

/* "path:line: error: ..." on standard error; counted. */
void refuse(source *s, int line, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* What is rewritten and what is refused, a file each. */
void rewrite_launches(source *s);
void rewrite_shared(source *s);
void rewrite_indices(source *s);
void refuse_words(source *s);
void refuse_header(source *s, size_t i, const char *header);

void *take(size_t bytes);          /* malloc or exit */
void *grow(void *p, size_t bytes); /* realloc or exit */
char *join(const char *format, ...) __attribute__((format(printf, 1, 2), nonnull(1)));

#endif
