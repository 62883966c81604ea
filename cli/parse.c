/* SPDX-License-Identifier: Apache-2.0 */
/* From the environment and argv to ug_cli, by the option table. */
#include <errno.h>
#include <getopt.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"

enum { OPTIONS_MAX = 64, FIRST_VALUE = 256 };

/* The options of one command, and their getopt form. */
typedef struct option_set {
    const ug_command *command;
    const ug_option *row[OPTIONS_MAX];
    int from_line[OPTIONS_MAX]; /* given on the command line: what the environment said is gone */
    struct option longs[OPTIONS_MAX + 1];
    char shorts[2 * OPTIONS_MAX + 2];
    size_t count;
} option_set;

int ug_list_add(ug_list *list, const char *item)
{
    const char **grown = realloc(list->item, (list->count + 1) * sizeof *grown);
    if (!grown) return -1;
    list->item = grown;
    list->item[list->count++] = item;
    return 0;
}

static void collect(const ug_command *command, option_set *set)
{
    const ug_option *row;
    char *shorts = set->shorts;
    size_t i;
    memset(set, 0, sizeof *set);
    set->command = command;
    *shorts++ = ':';
    for (i = 0; (row = ug_option_at(i)) && set->count < OPTIONS_MAX; i++) {
        int takes = row->kind != UG_OPT_FLAG && row->kind != UG_OPT_COUNT;
        if (!(row->commands & command->bit)) continue;
        set->longs[set->count] = (struct option){row->name, takes ? required_argument : no_argument,
                                                 NULL, FIRST_VALUE + (int)set->count};
        set->row[set->count++] = row;
        if (!row->letter) continue;
        *shorts++ = row->letter;
        if (takes) *shorts++ = ':';
    }
}

static int is_choice(const char *choices, const char *value)
{
    size_t length = strlen(value);
    while (*choices) {
        size_t next = strcspn(choices, "|");
        if (next == length && !strncmp(choices, value, length)) return 1;
        choices += next + (choices[next] == '|');
    }
    return 0;
}

/* Appends the parts of value to the list. */
static int add_parts(ug_cli *cli, ug_list *list, const char *value, char separator,
                     const char *from)
{
    char *part = strdup(value);
    if (!part || ug_list_add(&cli->owned, part)) {
        free(part);
        ug_error("out of memory");
        return -1;
    }
    while (part) {
        char *end = separator ? strchr(part, separator) : NULL;
        if (end) *end++ = 0;
        if (!*part) {
            ug_error("%s has an empty part in '%s'", from, value);
            return -1;
        }
        if (ug_list_add(list, part)) {
            ug_error("out of memory");
            return -1;
        }
        part = end;
    }
    return 0;
}

void ug_cli_free(ug_cli *cli)
{
    size_t i;
    for (i = 0; i < cli->owned.count; i++) free((char *)cli->owned.item[i]);
    free(cli->owned.item);
    free(cli->operands.item);
    free(cli->suites.item);
    free(cli->cases.item);
    free(cli->kernels.item);
    free(cli->plugins.item);
    free(cli->shapes.item);
    free(cli->dtypes.item);
    free(cli->any_bits.item);
    free(cli->outputs.item);
    free(cli->blocks.item);
    free(cli->line);
    memset(cli, 0, sizeof *cli);
}

static int set_number(const ug_option *row, void *to, const char *value, const char *from)
{
    char *end;
    errno = 0;
    if (row->kind == UG_OPT_INTEGER) {
        long long v = strtoll(value, &end, 10);
        if (*value && !*end && !errno && v >= row->least) {
            *(int64_t *)to = v;
            return 0;
        }
        ug_error("%s is '%s', expected an integer of at least %lld", from, value,
                 (long long)row->least);
        return -1;
    } else {
        double v = strtod(value, &end);
        if (*value && !*end && !errno && v > 0 && isfinite(v)) {
            *(double *)to = v;
            return 0;
        }
        ug_error("%s is '%s', expected a number above 0", from, value);
        return -1;
    }
}

/* from: how messages name the option. value is NULL for a flag on the command line. */
static int set_option(const ug_option *row, ug_cli *cli, const char *value, const char *from)
{
    void *to = (char *)cli + row->offset;
    switch (row->kind) {
    case UG_OPT_FLAG:
    case UG_OPT_COUNT:
        if (!value) {
            ++*(int *)to;
        } else if (is_choice("0|no|off|false|", value) || !*value) {
            *(int *)to = 0;
        } else if (is_choice("1|yes|on|true", value)) {
            *(int *)to = 1;
        } else {
            ug_error("%s is '%s', expected 1 or 0", from, value);
            return -1;
        }
        return 0;
    case UG_OPT_CHOICE:
        if (!is_choice(ug_option_choices(row), value)) {
            ug_error("%s is '%s', expected %s", from, value, ug_option_choices(row));
            return -1;
        }
        *(const char **)to = value;
        return 0;
    case UG_OPT_TEXT:
        *(const char **)to = value;
        return 0;
    case UG_OPT_LIST:
        return add_parts(cli, to, value, row->separator, from);
    default:
        return set_number(row, to, value, from);
    }
}

static int take_environment(const option_set *set, ug_cli *cli)
{
    char name[64];
    size_t i;
    for (i = 0; i < set->count; i++) {
        const ug_option *row = set->row[i];
        const char *value;
        if (!row->twin) continue;
        value = getenv(ug_option_twin(row, name, sizeof name));
        if (!value || !*value) continue;
        if (set_option(row, cli, value, name)) return -1;
    }
    return 0;
}

/* The command line wins: its first mention of an option drops what the environment gave. */
static int take_option(option_set *set, size_t index, ug_cli *cli, const char *value)
{
    const ug_option *row = set->row[index];
    char from[64];
    snprintf(from, sizeof from, "--%s", row->name);
    if (!set->from_line[index]) {
        if (row->kind == UG_OPT_LIST) ((ug_list *)((char *)cli + row->offset))->count = 0;
        if (row->kind == UG_OPT_COUNT) *(int *)((char *)cli + row->offset) = 0;
        set->from_line[index] = 1;
    }
    return set_option(row, cli, value, from);
}

static const char *next_name(const void *context, size_t index)
{
    const option_set *set = context;
    return index < set->count ? set->row[index]->name : NULL;
}

static void say_unknown(const option_set *set, const char *word)
{
    const char *dashes = strncmp(word, "--", 2) ? "" : "--";
    char name[256];
    const char *near;
    size_t i, length, matches = 0;
    snprintf(name, sizeof name, "%s", word + strlen(dashes));
    name[strcspn(name, "=")] = 0;
    length = strlen(name);
    for (i = 0; *dashes && i < set->count; i++) {
        matches += !strncmp(set->row[i]->name, name, length);
        if (strcmp(set->row[i]->name, name)) continue;
        ug_error("option --%s takes no value", name);
        return;
    }
    if (matches > 1) {
        ug_error("option --%s is ambiguous; spell it out", name);
        return;
    }
    near = *dashes ? ug_nearest(name, next_name, set) : NULL;
    if (near) {
        ug_error("unknown option '--%s' of %s; did you mean --%s?", name, set->command->name, near);
    } else {
        ug_error("unknown option '%s%s' of %s", dashes, name, set->command->name);
    }
}

static int find_option(const option_set *set, int value)
{
    size_t i;
    if (value >= FIRST_VALUE) return value - FIRST_VALUE;
    for (i = 0; i < set->count; i++) {
        if (set->row[i]->letter == value) return (int)i;
    }
    return -1;
}

static int take_options(option_set *set, int argc, char **argv, ug_cli *cli)
{
    int value, index;
    opterr = 0;
    optind = 1;
    while ((value = getopt_long(argc, argv, set->shorts, set->longs, NULL)) != -1) {
        if (value == ':') {
            index = find_option(set, optopt);
            ug_error("option --%s needs a value", index < 0 ? "?" : set->row[index]->name);
            return -1;
        }
        if (value == '?') {
            char letter[3] = {'-', (char)optopt, 0};
            int is_letter = optopt && optopt < FIRST_VALUE;
            say_unknown(set, is_letter ? letter : argv[optind - 1]);
            return -1;
        }
        index = find_option(set, value);
        if (index < 0 || take_option(set, (size_t)index, cli, optarg)) return -1;
    }
    return 0;
}

int ug_parse(const ug_command *command, int argc, char **argv, ug_cli *cli)
{
    option_set set;
    int i;
    collect(command, &set);
    cli->jobs = cli->row = cli->failures = cli->repeats = -1;
    cli->time_limit = cli->abs = cli->ulp = cli->cond = -1;
    if (take_environment(&set, cli) || take_options(&set, argc, argv, cli)) return -1;
    if (cli->help) return 0;
    for (i = optind; i < argc; i++) {
        if (ug_list_add(&cli->operands, argv[i])) return -1;
    }
    if ((int)cli->operands.count < command->least) {
        ug_error("%s needs %s", command->name, command->operands);
        return -1;
    }
    if (command->most >= 0 && (int)cli->operands.count > command->most) {
        ug_error("%s: unexpected argument '%s'", command->name, cli->operands.item[command->most]);
        return -1;
    }
    return 0;
}
