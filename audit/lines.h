/* SPDX-License-Identifier: Apache-2.0 */
/* A results file read line by line, each line one JSON object. */
#ifndef ULPGATE_LINES_H
#define ULPGATE_LINES_H

#include <jansson.h>
#include <stdio.h>
#include <sys/types.h>

typedef struct ug_lines {
    FILE *f;
    char *line; /* the one read last, with its end */
    size_t room;
    ssize_t last;           /* its bytes, -1 at the end of the file */
    long long number, good; /* lines read; bytes up to the end of the last good one: the caller's */
} ug_lines;

/* Reads from the start of a duplicate of fd. Returns 0, or -1 with err; ug_lines_close is allowed
 * either way, and leaves the counts. */
int ug_lines_open(ug_lines *in, int fd, const char *path, char *err, size_t cap);
void ug_lines_close(ug_lines *in);

/* Reads the next line; 1 when it is there and whole. */
int ug_lines_whole(ug_lines *in);

/* The next whole line as JSON, which the caller owns: NULL at the end, at a cut line, or where
 * there is no JSON object (*bad). */
json_t *ug_lines_next(ug_lines *in, int *bad);

/* A text of an object, "" where there is none. */
const char *ug_text_of(const json_t *object, const char *key);

#endif
