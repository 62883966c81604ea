/* SPDX-License-Identifier: Apache-2.0 */
/* Suite files: a case a line, crosses, includes, tiers and families. */
#include "cases/suite.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cases/text.h"

enum { LINE = 4096, DEPTH = 8, COMBINATIONS = 100000 };

static const char *const tiers[] = {"smoke", "default", "full", "huge", "speed"};
enum { TIERS = sizeof tiers / sizeof *tiers };

/* What holds from a line on, in one file. */
typedef struct mode {
    int tier;
    char family[8];
} mode;

typedef struct loader {
    ug_case_list *list;
    ug_case_error *error;
    int tier; /* the highest that is wanted */
    char suite[32];
    uint64_t *seen; /* open addressing over hashes of ids; 0 is free */
    size_t seen_room, seen_count;
} loader;

static int tier_rank(ug_span word)
{
    for (int i = 0; i < TIERS; i++)
        if (ug_span_is(word, tiers[i])) return i;
    return -1;
}

void ug_case_list_free(ug_case_list *list)
{
    free(list->item);
    memset(list, 0, sizeof *list);
}

/* 1 when the hash is new, 0 when it was there, -1 without memory. */
static int remember(loader *l, uint64_t hash)
{
    size_t i;
    if (l->seen_count * 2 >= l->seen_room) {
        size_t room = l->seen_room ? l->seen_room * 2 : 1024;
        uint64_t *old = l->seen, *wide = calloc(room, sizeof *wide);
        if (!wide) return -1;
        for (size_t k = 0; k < l->seen_room; k++) {
            if (!old[k]) continue;
            for (i = old[k] & (room - 1); wide[i]; i = (i + 1) & (room - 1)) continue;
            wide[i] = old[k];
        }
        free(old);
        l->seen = wide;
        l->seen_room = room;
    }
    hash += hash == 0;
    for (i = hash & (l->seen_room - 1); l->seen[i]; i = (i + 1) & (l->seen_room - 1))
        if (l->seen[i] == hash) return 0;
    l->seen[i] = hash;
    l->seen_count++;
    return 1;
}

static int append(loader *l, const ug_case *c)
{
    ug_case_list *list = l->list;
    if (list->count == list->room) {
        size_t room = list->room ? list->room * 2 : 256;
        ug_case *wide = realloc(list->item, room * sizeof *wide);
        if (!wide) return -1;
        list->item = wide;
        list->room = room;
    }
    list->item[list->count++] = *c;
    return 0;
}

static int add_line(void *context, const char *text, const int *column)
{
    loader *l = ((void **)context)[0];
    const mode *m = ((void **)context)[1];
    ug_case c;
    int fresh;
    if (ug_case_parse(text, &c, l->error)) {
        if (l->error->column > 0) l->error->column = column[l->error->column - 1];
        return -1;
    }
    snprintf(c.suite, sizeof c.suite, "%s", l->suite);
    snprintf(c.tier, sizeof c.tier, "%s", tiers[m->tier]);
    snprintf(c.family, sizeof c.family, "%s", m->family);
    if (m->tier > l->tier) return 0; /* checked all the same */
    fresh = remember(l, ug_case_hash(&c));
    if (fresh < 0 || (fresh && append(l, &c))) return ug_case_fail(l->error, 0, "out of memory");
    return 0;
}

static int load_file(loader *l, const char *path, mode m, int depth);

static int set_family(loader *l, mode *m, ug_span name)
{
    int digits = name.len == 3 && *name.s == 'F' && isdigit((unsigned char)name.s[1]) &&
                 isdigit((unsigned char)name.s[2]);
    if (!digits && !ug_span_is(name, "none"))
        return ug_case_fail(l->error, name.column, "family is '%.*s', expected F00 to F99 or none",
                            name.len, name.s);
    if (!digits) name.len = 0;
    return ug_span_copy(name, m->family, sizeof m->family);
}

static int include(loader *l, const char *path, mode m, ug_span name, int depth)
{
    char inner[LINE];
    ug_case_error *error = l->error;
    const char *slash = strrchr(path, '/');
    int line = error->line;
    if (depth + 1 >= DEPTH)
        return ug_case_fail(error, name.column, "more than %d files include each other", DEPTH);
    if (*name.s == '/' || !slash)
        snprintf(inner, sizeof inner, "%.*s", name.len, name.s);
    else
        snprintf(inner, sizeof inner, "%.*s/%.*s", (int)(slash - path), path, name.len, name.s);
    if (load_file(l, inner, m, depth + 1)) return -1;
    snprintf(error->file, sizeof error->file, "%s", path);
    error->line = line;
    return 0;
}

static ug_span trimmed(char *line)
{
    ug_span text = {line, (int)strcspn(line, "#\r\n"), 1};
    while (text.len && isspace((unsigned char)*text.s)) text.s++, text.len--, text.column++;
    while (text.len && isspace((unsigned char)text.s[text.len - 1])) text.len--;
    return text;
}

static int do_line(loader *l, const char *path, mode *m, char *line, int depth)
{
    ug_span text = trimmed(line), rest = text, word;
    void *context[2] = {l, m};
    if (!text.len) return 0;
    word = ug_span_cut(&rest, ' ');
    while (rest.len > 0 && *rest.s == ' ') rest.s++, rest.len--, rest.column++;
    if (ug_span_is(word, "tier") || ug_span_is(word, "family") || ug_span_is(word, "include")) {
        if (rest.len < 1)
            return ug_case_fail(l->error, word.column, "%.*s needs a word", word.len, word.s);
        if (ug_span_is(word, "include")) return include(l, path, *m, rest, depth);
        if (ug_span_is(word, "family")) return set_family(l, m, rest);
        m->tier = tier_rank(rest);
        if (m->tier >= 0) return 0;
        return ug_case_fail(l->error, rest.column,
                            "tier is '%.*s', expected smoke, default, full, huge or speed",
                            rest.len, rest.s);
    }
    if (!ug_span_is(word, "layernorm"))
        return ug_case_fail(l->error, word.column,
                            "'%.*s', expected a case (layernorm ...), tier, family or include",
                            word.len, word.s);
    return ug_cross(text, COMBINATIONS, add_line, context, l->error);
}

static int load_file(loader *l, const char *path, mode m, int depth)
{
    char *line = NULL;
    size_t room = 0;
    ssize_t length;
    ug_case_error *error = l->error;
    FILE *in = fopen(path, "r");
    int failed = 0;
    snprintf(error->file, sizeof error->file, "%s", path);
    error->line = 0;
    if (!in) return ug_case_fail(error, 0, "cannot open %s: %s", path, strerror(errno));
    while (!failed && (length = getline(&line, &room, in)) >= 0) {
        error->line++;
        if (memchr(line, 0, (size_t)length))
            failed = ug_case_fail(error, 0, "the line has a byte 0: this is no text file");
        else if (length - (line[length - 1] == '\n') > LINE - 2)
            failed = ug_case_fail(error, 0, "the line is longer than %d bytes", LINE - 2);
        else
            failed = do_line(l, path, &m, line, depth);
    }
    if (!failed && !feof(in)) failed = ug_case_fail(error, 0, "cannot read %s", path);
    free(line);
    fclose(in);
    return failed;
}

/* The suite's own name: the file's, without folder and extension. */
static void suite_name(const char *path, char *name, size_t cap)
{
    const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
    size_t length = strlen(base);
    if (length > 6 && !strcmp(base + length - 6, ".cases")) length -= 6;
    snprintf(name, cap, "%.*s", (int)(length < cap ? length : cap - 1), base);
}

/* Of a name that is none of a suite's: says which are. */
static int fail_unknown(ug_case_error *error)
{
    char **names, why[512], known[400] = "";
    size_t count;
    if (ug_suite_names(&names, &count, why, sizeof why)) return ug_case_fail(error, 0, "%s", why);
    for (size_t i = 0; i < count; i++) ug_list_name(known, sizeof known, names[i]);
    ug_suite_names_free(names, count);
    if (count) return ug_case_fail(error, 0, "there is none of this name; known are %s", known);
    ug_data_places(why, sizeof why);
    return ug_case_fail(error, 0, "there are no suites at all; %s", why);
}

int ug_suite_load(const char *name, const char *tier, ug_case_list *list, ug_case_error *error)
{
    ug_span wanted = {tier, (int)strlen(tier), 0};
    loader l = {.list = list, .error = error, .tier = tier_rank(wanted)};
    size_t before = list->count, length = strlen(name);
    mode m = {.tier = 1};
    char path[LINE];
    int failed = 0;
    memset(error, 0, sizeof *error);
    if (l.tier < 0)
        return ug_case_fail(error, 0, "tier is '%s', expected smoke, default, full, huge or speed",
                            tier);
    if (strchr(name, '/') || (length > 6 && !strcmp(name + length - 6, ".cases")))
        snprintf(path, sizeof path, "%s", name);
    else
        snprintf(path, sizeof path, "%s/suites/%s.cases", ug_data_dir(), name);
    if (strcmp(path, name) && access(path, F_OK) && errno == ENOENT) return fail_unknown(error);
    suite_name(path, l.suite, sizeof l.suite);
    for (size_t i = 0; i < list->count && !failed; i++)
        if (remember(&l, ug_case_hash(&list->item[i])) < 0)
            failed = ug_case_fail(error, 0, "out of memory");
    if (!failed) failed = load_file(&l, path, m, 0);
    free(l.seen);
    if (failed) list->count = before;
    return failed;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static int has_suite_name(const struct dirent *entry)
{
    size_t length = strlen(entry->d_name);
    /* a hyphen marks a part that suites include */
    return length > 6 && !strcmp(entry->d_name + length - 6, ".cases") &&
           !strchr(entry->d_name, '-');
}

int ug_suite_names(char ***names, size_t *count, char *err, size_t cap)
{
    char path[LINE];
    struct dirent *entry;
    DIR *dir;
    int failed = 0;
    *names = NULL;
    *count = 0;
    snprintf(path, sizeof path, "%s/suites", ug_data_dir());
    dir = opendir(path);
    if (!dir) {
        size_t used = (size_t)snprintf(err, cap, "cannot open %s: %s; ", path, strerror(errno));
        if (used < cap) ug_data_places(err + used, cap - used);
        return -1;
    }
    while (!failed && (entry = readdir(dir))) {
        char **wide;
        if (!has_suite_name(entry)) continue;
        wide = realloc(*names, (*count + 1) * sizeof *wide);
        if (wide) *names = wide;
        if (!wide || !(wide[*count] = strndup(entry->d_name, strlen(entry->d_name) - 6)))
            failed = 1;
        else
            ++*count;
    }
    closedir(dir);
    if (!failed) {
        if (*count) qsort(*names, *count, sizeof **names, by_name);
        return 0;
    }
    ug_suite_names_free(*names, *count);
    *names = NULL;
    *count = 0;
    return snprintf(err, cap, "out of memory"), -1;
}

void ug_suite_names_free(char **names, size_t count)
{
    for (size_t i = 0; i < count; i++) free(names[i]);
    free(names);
}
