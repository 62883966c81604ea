/* SPDX-License-Identifier: Apache-2.0 */
/* Reads results files line by line. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/record.h"

/* A record with 4096 row digests takes some 80 kB; a line beyond this is no record. */
enum { LINE_LIMIT = 16 << 20 };

typedef struct line_buffer {
    char *text;
    size_t length, room;
    int whole; /* ended by a newline */
} line_buffer;

/* Returns 1 with a line, 0 at the end of the file, -1 for no memory, -2 for a line too long. */
static int read_line(FILE *in, line_buffer *line)
{
    int c;
    line->length = 0;
    line->whole = 0;
    while ((c = getc_unlocked(in)) != EOF) {
        if (c == '\n') {
            line->whole = 1;
            return 1;
        }
        if (line->length == line->room) {
            size_t room = line->room ? 2 * line->room : 4096;
            char *text = room > LINE_LIMIT ? NULL : realloc(line->text, room);
            if (!text) return room > LINE_LIMIT ? -2 : -1;
            line->text = text;
            line->room = room;
        }
        line->text[line->length++] = (char)c;
    }
    return line->length > 0;
}

static int is_blank(const line_buffer *line)
{
    size_t i;
    for (i = 0; i < line->length; i++) {
        if (!strchr(" \t\r", line->text[i]) || !line->text[i]) return 0;
    }
    return 1;
}

static ug_rec *new_record(ug_results *results)
{
    /* Room is a power of two from 256 on, so that it follows from the count. */
    if (!results->count || (results->count >= 256 && !(results->count & (results->count - 1)))) {
        size_t room = results->count ? 2 * results->count : 256;
        ug_rec *rec = realloc(results->rec, room * sizeof *rec);
        if (!rec) return NULL;
        results->rec = rec;
    }
    memset(&results->rec[results->count], 0, sizeof(ug_rec));
    return &results->rec[results->count];
}

/* The record that new_record gave belongs to the run that is being read. */
static void keep_record(ug_results *results)
{
    ug_rec_run *run = &results->run[results->runs - 1];
    results->rec[results->count++].run = (int)(results->runs - 1);
    run->count++;
}

/* like: index of a record of the same case, whose fields of the case count and are not in `object`;
 * -1: they are. */
static int take_result(ug_reading *at, const json_t *object, ug_results *results, long like)
{
    ug_rec_run *run = &results->run[results->runs - 1];
    ug_rec *rec = new_record(results);
    int rc;
    if (!rec) {
        ug_reading_fail(at, "out of memory after %zu results", results->count);
        return -1;
    }
    if (like >= 0) {
        const ug_rec *same = &results->rec[like];
        rec->line = same->line;
        rec->id = same->id;
        rec->suite = same->suite;
        rec->family = same->family;
        rec->tier = same->tier;
        rec->dtype = same->dtype;
        rec->n = same->n;
        rec->rows = same->rows;
    }
    rc = like >= 0 ? ug_record_outcome(at, object, rec) : ug_record_result(at, object, rec);
    if (rc) return -1;
    keep_record(results);
    run->complete = 0;
    return 0;
}

/* A line of a baseline stands for one result a kernel. */
static int take_baseline(ug_reading *at, const json_t *object, ug_results *results)
{
    size_t i;
    for (i = 0;; i++) {
        ug_rec *rec = new_record(results);
        int rc;
        if (!rec) {
            ug_reading_fail(at, "out of memory after %zu results", results->count);
            return -1;
        }
        rc = ug_record_baseline(at, object, i, rec);
        if (rc) return rc < 0 ? -1 : 0;
        keep_record(results);
    }
}

static int take_bench(ug_reading *at, const json_t *object, ug_results *results, ug_rec_run *run)
{
    size_t n = results->benches;
    /* Grown at powers of two. */
    if (!(n & (n - 1))) {
        ug_rec_bench *grown = realloc(results->bench, (n ? 2 * n : 1) * sizeof *grown);
        if (!grown) {
            ug_reading_fail(at, "out of memory after %zu timed kernels", n);
            return -1;
        }
        results->bench = grown;
    }
    memset(&results->bench[n], 0, sizeof results->bench[n]);
    if (ug_record_bench(at, object, &results->bench[n])) return -1;
    results->bench[n].rec.run = (int)(results->runs - 1);
    results->benches++;
    run->benches++;
    run->complete = 0;
    return 0;
}

static int take_object(ug_reading *at, const json_t *object, ug_results *results, int *headers)
{
    ug_rec_run *run = &results->run[results->runs - 1];
    const char *type = json_string_value(json_object_get(object, "type"));
    if (!json_is_object(object) || !type) {
        ug_reading_fail(at, "expected a JSON object with a \"type\"");
        return -1;
    }
    if (!strcmp(type, "run")) {
        /* A resumed run may head its part of the file again; the newest header counts. */
        run->backends = 0;
        (*headers)++;
        return ug_record_run(at, object, run);
    }
    if (!*headers) {
        ug_reading_fail(at, "the first record has type \"%.40s\", expected \"run\"", type);
        return -1;
    }
    if (!strcmp(type, "result")) return take_result(at, object, results, -1);
    if (!strcmp(type, "baseline")) return take_baseline(at, object, results);
    if (!strcmp(type, "bench")) return take_bench(at, object, results, run);
    if (!strcmp(type, "end")) return ug_record_end(at, object, run);
    return 0;
}

/* Records of a case follow each other and begin alike, up to the kernel. What the line before said
 * up to there is not taken apart again. */
typedef struct alike {
    char *text; /* of the line before, with the comma in front of "kernel"; length 0: none */
    size_t length, room;
    long record;
} alike;

/* Where `,"kernel":` stands among the members of the outermost object; 0: nowhere. */
static size_t find_kernel(const line_buffer *line)
{
    static const char wanted[] = ",\"kernel\":";
    const size_t length = sizeof wanted - 1;
    size_t i;
    int depth = 0, quoted = 0;
    for (i = 0; i + length < line->length; i++) {
        char c = line->text[i];
        if (quoted) {
            i += c == '\\';
            quoted = c != '"';
            continue;
        }
        if (c == ',' && depth == 1 && !memcmp(line->text + i, wanted, length)) return i;
        depth += (c == '{' || c == '[') - (c == '}' || c == ']');
        quoted = c == '"';
    }
    return 0;
}

static void remember(alike *before, const line_buffer *line, const ug_results *results)
{
    size_t length = find_kernel(line) + 1;
    before->length = 0;
    if (length == 1) return;
    if (length > before->room) {
        char *text = realloc(before->text, length);
        if (!text) return;
        before->text = text;
        before->room = length;
    }
    memcpy(before->text, line->text, length);
    before->length = length;
    before->record = (long)results->count - 1;
}

/* Returns 1 when the line began like the one before and was taken, 0 when it is to be taken whole:
 * another case, or anything unusual. */
static int take_alike(ug_reading *at, const line_buffer *line, ug_results *results,
                      const alike *before)
{
    char *rest = line->text + before->length - 1;
    json_error_t why;
    json_t *object;
    int usual;
    if (!before->length || line->length <= before->length || !line->whole) return 0;
    if (memcmp(line->text, before->text, before->length)) return 0;
    *rest = '{';
    object = json_loadb(rest, line->length - before->length + 1, JSON_REJECT_DUPLICATES, &why);
    *rest = ',';
    usual = object && !ug_record_has_case(object);
    if (usual) take_result(at, object, results, before->record);
    json_decref(object);
    return usual;
}

static int take_line(ug_reading *at, const line_buffer *line, ug_results *results, int *headers,
                     alike *before)
{
    size_t count = results->count;
    json_error_t why;
    json_t *object;
    int rc;
    if (take_alike(at, line, results, before)) return at->failed ? -1 : 0;
    object = json_loadb(line->text, line->length, JSON_REJECT_DUPLICATES, &why);
    if (!object) {
        if (!line->whole) {
            results->run[results->runs - 1].cut = 1;
            return 0;
        }
        ug_reading_fail(at, "not a JSON object: column %d: %s", why.column, why.text);
        return -1;
    }
    rc = take_object(at, object, results, headers);
    json_decref(object);
    before->length = 0;
    if (!rc && results->count > count) remember(before, line, results);
    return rc;
}

static int read_lines(FILE *in, ug_reading *at, ug_results *results)
{
    line_buffer line = {0};
    alike before = {0};
    int got, headers = 0;
    while ((got = read_line(in, &line)) > 0) {
        at->line++;
        if (is_blank(&line)) continue;
        results->run[results->runs - 1].empty = 0;
        if (take_line(at, &line, results, &headers, &before)) break;
    }
    if (got == -1) ug_reading_fail(at, "out of memory");
    if (got == -2) ug_reading_fail(at, "the line is longer than %d bytes", LINE_LIMIT);
    if (got == 0 && ferror(in)) ug_reading_fail(at, "cannot read on: %s", strerror(errno));
    free(line.text);
    free(before.text);
    return at->failed ? -1 : 0;
}

static ug_rec_run *new_run(ug_results *results, const char *file)
{
    static const ug_rec_run none = {"", "", "", "", "", "", "", "", "",   "", "", "", "", "",
                                    -1, -1, -1, 0,  0,  0,  1,  -1, NULL, 0,  0,  0,  0};
    ug_rec_run *run = realloc(results->run, (results->runs + 1) * sizeof *run);
    if (!run) return NULL;
    results->run = run;
    if (!results->strings) results->strings = ug_strings_new();
    if (!results->strings) return NULL;
    run += results->runs;
    *run = none;
    run->seconds = NAN;
    run->first = results->count;
    run->file = ug_strings_keep(results->strings, file);
    if (!run->file) return NULL;
    results->runs++;
    return run;
}

int ug_results_read(ug_results *results, const char *file, char *err, size_t cap)
{
    int from_stdin = !strcmp(file, "-"), rc;
    FILE *in = from_stdin ? stdin : fopen(file, "r");
    ug_reading at = {from_stdin ? "standard input" : file, 0, NULL, err, cap, 0};
    if (!in) {
        snprintf(err, cap, "cannot open '%s': %s", file, strerror(errno));
        return -1;
    }
    if (new_run(results, at.file)) {
        at.strings = results->strings;
        rc = read_lines(in, &at, results);
    } else {
        snprintf(err, cap, "out of memory");
        rc = -1;
    }
    if (!from_stdin) fclose(in);
    return rc;
}

void ug_results_free(ug_results *results)
{
    free(results->run);
    free(results->rec);
    free(results->bench);
    ug_strings_free(results->strings);
    memset(results, 0, sizeof *results);
}
