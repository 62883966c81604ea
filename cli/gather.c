/* SPDX-License-Identifier: Apache-2.0 */
/* From options to cases and plugins. */
#include "cli/gather.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "audit/audit.h"

/* The line, and a caret under the column; tabs stay tabs so that the caret lines up. */
static void point_at(const char *line, int column)
{
    int i;
    fprintf(stderr, "  %s\n", line);
    if (column < 1) return;
    fputs("  ", stderr);
    for (i = 0; i < column - 1 && line[i]; i++) fputc(line[i] == '\t' ? '\t' : ' ', stderr);
    fputs("^\n", stderr);
}

int ug_gather_case(const char *line, const char *from, ug_case *c)
{
    ug_case_error error;
    memset(&error, 0, sizeof error);
    if (!ug_case_parse(line, c, &error)) return 0;
    if (error.column > 0) {
        ug_error("%s: column %d: %s", from, error.column, error.text);
    } else {
        ug_error("%s: %s", from, error.text);
    }
    point_at(line, error.column);
    return -1;
}

int ug_gather_add(ug_case_list *list, const ug_case *c)
{
    uint64_t hash = ug_case_hash(c);
    size_t i;
    for (i = 0; i < list->count; i++) {
        if (ug_case_hash(&list->item[i]) == hash) return 0;
    }
    if (list->count == list->room) {
        size_t room = list->room ? 2 * list->room : 16;
        ug_case *item = realloc(list->item, room * sizeof *item);
        if (!item) {
            ug_error("out of memory");
            return -1;
        }
        list->item = item;
        list->room = room;
    }
    list->item[list->count++] = *c;
    return 0;
}

void ug_suite_error(const char *name, const ug_case_error *error)
{
    if (error->line > 0 && error->column > 0) {
        ug_error("%s:%d:%d: %s", error->file, error->line, error->column, error->text);
    } else if (error->line > 0) {
        ug_error("%s:%d: %s", error->file, error->line, error->text);
    } else {
        ug_error("suite '%s': %s", name, error->text);
    }
}

int ug_gather_suite(const char *name, const char *tier, ug_case_list *list)
{
    ug_case_error error;
    size_t before = list->count;
    memset(&error, 0, sizeof error);
    if (ug_suite_load(name, tier, list, &error)) {
        ug_suite_error(name, &error);
        return -1;
    }
    if (list->count == before) ug_error("suite '%s' adds no case in tier %s", name, tier);
    return 0;
}

static int add_all_suites(const char *tier, ug_case_list *list)
{
    char **names, err[512] = "";
    size_t i, count;
    int rc = 0;
    if (ug_suite_names(&names, &count, err, sizeof err)) {
        ug_error("cannot list the suites: %s", err);
        return -1;
    }
    for (i = 0; i < count && !rc; i++) {
        ug_case_error error;
        memset(&error, 0, sizeof error);
        rc = ug_suite_load(names[i], tier, list, &error);
        if (rc) ug_suite_error(names[i], &error);
    }
    ug_suite_names_free(names, count);
    return rc;
}

int ug_gather_cases(const ug_cli *cli, ug_case_list *list)
{
    const char *tier = cli->tier ? cli->tier : "default";
    size_t i;
    memset(list, 0, sizeof *list);
    for (i = 0; i < cli->cases.count; i++) {
        ug_case c;
        if (ug_gather_case(cli->cases.item[i], "--case", &c) || ug_gather_add(list, &c)) {
            return UG_EXIT_USAGE;
        }
    }
    for (i = 0; i < cli->suites.count; i++) {
        if (ug_gather_suite(cli->suites.item[i], tier, list)) return UG_EXIT_USAGE;
    }
    if (!cli->cases.count && !cli->suites.count && add_all_suites(tier, list)) {
        return UG_EXIT_USAGE;
    }
    if (list->count) return 0;
    ug_error("nothing was tested: no case in tier %s", tier);
    return UG_EXIT_NOTHING;
}

int ug_gather_plugins(const ug_cli *cli, ug_list *plugins)
{
    const char *const *builtin;
    size_t i, count = ug_builtin_plugins(&builtin);
    memset(plugins, 0, sizeof *plugins);
    for (i = 0; i < count; i++) {
        if (ug_list_add(plugins, builtin[i])) return -1;
    }
    for (i = 0; i < cli->plugins.count; i++) {
        if (ug_list_add(plugins, cli->plugins.item[i])) return -1;
    }
    return 0;
}

int ug_kernel_selected(const ug_cli *cli, const char *name)
{
    size_t i;
    for (i = 0; i < cli->kernels.count; i++) {
        if (!fnmatch(cli->kernels.item[i], name, 0)) return 1;
    }
    return !cli->kernels.count;
}
