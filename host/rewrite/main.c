/* SPDX-License-Identifier: Apache-2.0 */
/* ulpgate-rewrite: writes a CUDA source, and the headers of the same project that it includes, as
 * C++ for the CPU executor. Lines keep their numbers; what is not supported is refused by name. */
#include <getopt.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "host/rewrite/rewrite.h"

enum { DEEP = 100 };

/* A file that was met. `out` is where its rewritten text lies, NULL where it is good as it is. */
typedef struct unit {
    char *path, *out;
    int done;
} unit;

typedef struct job {
    const char **folders; /* of -I */
    size_t folder_count;
    const char *out, *depfile;
    unit *units;
    size_t unit_count;
    int bad;
} job;

static int compare(const void *a, const void *b)
{
    const edit *x = a, *y = b;
    if (x->at != y->at) return x->at < y->at ? -1 : 1;
    return x->length < y->length ? -1 : x->length > y->length;
}

static int write_out(source *s, const char *path)
{
    FILE *out = fopen(path, "w");
    size_t at = 0;
    if (!out) {
        perror(path);
        return -1;
    }
    if (s->edit_count) qsort(s->edits, s->edit_count, sizeof *s->edits, compare);
    fputs("#line 1 \"", out);
    for (const char *p = s->path; *p; p++) fprintf(out, "%s%c", strchr("\\\"", *p) ? "\\" : "", *p);
    fputs("\"\n", out);
    for (size_t i = 0; i < s->edit_count; i++) {
        const edit *e = &s->edits[i];
        if (e->at < at) continue;
        fwrite(s->text + at, 1, e->at - at, out);
        fputs(e->text, out);
        at = e->at + e->length;
    }
    fwrite(s->text + at, 1, s->size - at, out);
    if (fclose(out)) {
        perror(path);
        return -1;
    }
    return 0;
}

/* The whole path of a file, NULL where there is none: a folder may have a header's name. */
static char *real_file(const char *path)
{
    struct stat st;
    return !stat(path, &st) && S_ISREG(st.st_mode) ? realpath(path, NULL) : NULL;
}

/* The file that #include "name" in `from` means, in its own folder or one of -I; NULL: neither.
 * from NULL: -I only, as for <name>. */
static char *find_header(const job *j, const char *from, const char *name, int *beside)
{
    const char *slash = from ? strrchr(from, '/') : NULL;
    char *path = NULL, *real = NULL;
    if (slash) {
        path = join("%.*s%s", (int)(slash - from + 1), from, name);
        real = real_file(path);
        free(path);
    }
    *beside = real != NULL;
    for (size_t i = 0; !real && i < j->folder_count; i++) {
        path = join("%s/%s", j->folders[i], name);
        real = real_file(path);
        free(path);
    }
    return real;
}

static size_t process(job *j, const char *path, const char *out, int depth);

/* The name in #include at token i (its #), and the last token of it. Returns 0, or -1: a macro. */
static int header_name(const source *s, size_t i, char *header, size_t cap, size_t *last)
{
    const token *name = &s->tok[i + 2];
    size_t length;
    *last = i + 2;
    if (is(s, i + 2, "<")) {
        length = strcspn(s->text + name->at + 1, ">\n");
        while (*last + 1 < s->count && s->tok[*last + 1].at <= name->at + 1 + length) ++*last;
    } else if (name->kind == TOKEN_STRING && name->length >= 3) {
        length = name->length - 2;
    } else {
        return -1;
    }
    if (length >= cap) return -1;
    memcpy(header, s->text + name->at + 1, length);
    header[length] = 0;
    return 0;
}

/* The include at token i (its #): rewritten where its file is; *needed is set then. Where only this
 * file moves, a header beside it is named by its whole path: into `late`. */
static void include(job *j, source *s, size_t i, int depth, int *needed, edit *late)
{
    char header[PATH_MAX], *real, *with;
    int beside, angles = is(s, i + 2, "<");
    size_t k, last;
    if (header_name(s, i, header, sizeof header, &last)) return;
    real = find_header(j, angles ? NULL : s->path, header, &beside);
    if (!real) {
        refuse_header(s, i, header);
        return;
    }
    k = process(j, real, NULL, depth + 1);
    if (k != NO_TOKEN && j->units[k].out) {
        with = join("\"%s\"", j->units[k].out);
        replace(s, i + 2, last, with);
        free(with);
        *needed = 1;
    } else if (beside) {
        *late = (edit){i + 2, 0, join("\"%s\"", real)};
    }
    free(real);
}

static void includes(job *j, source *s, int depth, int main_file)
{
    edit *late = take(1);
    size_t count = 0;
    int needed = main_file || s->edit_count > 0;
    for (size_t i = 0; i + 2 < s->count; i++) {
        edit one = {0, 0, NULL};
        if (!s->tok[i].directive || !is(s, i, "#") || !is(s, i + 1, "include")) continue;
        include(j, s, i, depth, &needed, &one);
        if (!one.text) continue;
        late = grow(late, (count + 1) * sizeof *late);
        late[count++] = one;
    }
    for (size_t k = 0; k < count; k++) {
        if (needed) replace(s, late[k].at, late[k].at, late[k].text);
        free(late[k].text);
    }
    free(late);
}

/* Rewrites a file, to `out` or beside it; returns its unit, or NO_TOKEN where it cannot be read. */
static size_t process(job *j, const char *path, const char *out, int depth)
{
    source s;
    size_t k;
    for (k = 0; k < j->unit_count; k++)
        if (!strcmp(j->units[k].path, path)) return j->units[k].done ? k : NO_TOKEN;
    if (depth > DEEP) return NO_TOKEN;
    j->units = grow(j->units, (j->unit_count + 1) * sizeof *j->units);
    j->units[j->unit_count++] = (unit){join("%s", path), NULL, 0};
    if (source_read(&s, path)) {
        source_free(&s);
        j->bad = 1;
        return NO_TOKEN;
    }
    s.path = j->units[k].path;
    refuse_words(&s);
    rewrite_launches(&s);
    rewrite_shared(&s);
    rewrite_indices(&s);
    includes(j, &s, depth, out != NULL);
    j->bad |= s.refusals > 0;
    if (out || s.edit_count) {
        j->units[k].out = out ? join("%s", out) : join("%s.%zu.h", j->out, k);
        j->bad |= write_out(&s, j->units[k].out) != 0;
    }
    j->units[k].done = 1;
    source_free(&s);
    return k;
}

static int write_deps(const job *j)
{
    FILE *out = fopen(j->depfile, "w");
    if (!out) {
        perror(j->depfile);
        return -1;
    }
    fprintf(out, "%s:", j->out);
    for (size_t k = 0; k < j->unit_count; k++) {
        fputs(" \\\n ", out);
        for (const char *p = j->units[k].path; *p; p++)
            fprintf(out, "%s%c", *p == ' ' ? "\\" : "", *p);
    }
    fputc('\n', out);
    return fclose(out);
}

static int usage(FILE *to)
{
    fputs("usage: ulpgate-rewrite [-I FOLDER]... [-d DEPFILE] -o OUT.cpp FILE.cu\n"
          "Writes a CUDA source as C++ for ulpgate's CPU executor; CMake's ulpgate_host_cuda() "
          "calls it.\n\n"
          "  -I FOLDER    where headers of the project are looked for, in this order\n"
          "  -d DEPFILE   write the files that were read, as make takes them\n"
          "  -o OUT.cpp   the C++; headers that have to be written lie beside it\n"
          "  -h, --help   print this\n",
          to);
    return -1;
}

/* Fills in *j. Returns 0, 1 after help, or -1 with usage or a message on standard error. */
static int arguments(job *j, int argc, char **argv, char **path)
{
    static const struct option options[] = {{"help", no_argument, NULL, 'h'}, {NULL, 0, NULL, 0}};
    int c;
    while ((c = getopt_long(argc, argv, "I:d:o:h", options, NULL)) != -1) {
        if (c == 'h') return usage(stdout), 1;
        if (c == 'I')
            j->folders[j->folder_count++] = optarg;
        else if (c == 'd')
            j->depfile = optarg;
        else if (c == 'o')
            j->out = optarg;
        else
            return usage(stderr);
    }
    if (!j->out || argc - optind != 1) return usage(stderr);
    *path = realpath(argv[optind], NULL);
    if (*path) return 0;
    perror(argv[optind]);
    return -1;
}

int main(int argc, char **argv)
{
    job j = {.folders = take(sizeof *j.folders * (size_t)(argc + 1))};
    char *path = NULL;
    const int asked = arguments(&j, argc, argv, &path);
    int rc = asked > 0 ? 0 : 2;
    if (!asked) {
        process(&j, path, j.out, 0);
        if (j.depfile && write_deps(&j)) j.bad = 1;
        if (j.bad) remove(j.out);
        rc = j.bad ? 1 : 0;
    }
    for (size_t k = 0; k < j.unit_count; k++) {
        free(j.units[k].path);
        free(j.units[k].out);
    }
    free(j.units);
    free(j.folders);
    free(path);
    return rc;
}
