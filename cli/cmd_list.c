/* SPDX-License-Identifier: Apache-2.0 */
/* ulpgate list: what there is to run, to name and to pass. */
#include <string.h>

#include "cli/commands.h"
#include "cli/list.h"

static const struct {
    const char *name;
    int (*list)(const ug_cli *cli, int json, FILE *out);
} lists[] = {{"kernels", ug_list_kernels},   {"cases", ug_list_cases},
             {"suites", ug_list_suites},     {"backends", ug_list_backends},
             {"profiles", ug_list_profiles}, {"gates", ug_list_gates}};

enum { LISTS = sizeof lists / sizeof *lists };

int ug_list_json(json_t *value, FILE *out)
{
    int rc = value ? json_dumpf(value, out, JSON_INDENT(2)) : -1;
    json_decref(value);
    if (rc) {
        ug_error("cannot write JSON");
        return UG_EXIT_USAGE;
    }
    fputc('\n', out);
    return 0;
}

static const char *next_list(const void *context, size_t index)
{
    (void)context;
    return index < LISTS ? lists[index].name : NULL;
}

static int run(const ug_cli *cli)
{
    const char *what = cli->operands.item[0], *near;
    int json = cli->format && !strcmp(cli->format, "json"), rc;
    ug_output output;
    size_t i;
    for (i = 0; i < LISTS && strcmp(lists[i].name, what); i++) {}
    if (i == LISTS) {
        near = ug_nearest(what, next_list, NULL);
        ug_error("cannot list '%s', expected %s%s%s%s", what, ug_command_list.operands,
                 near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
        return UG_EXIT_USAGE;
    }
    if (ug_output_open(&output, cli->out)) return UG_EXIT_USAGE;
    rc = lists[i].list(cli, json, output.stream);
    return ug_output_close(&output) ? UG_EXIT_USAGE : rc;
}

const ug_command ug_command_list = {
    "list",
    UG_CMD_LIST,
    "kernels|cases|suites|backends|profiles|gates",
    1,
    1,
    "List kernels, cases, suites, backends, device profiles or gates.",
    "Kernels are selected by --kernel, cases by --suite, --tier and --case; cases are printed in "
    "their canonical form, one a line, as `run --case` takes them.",
    "ulpgate list cases --suite condition --tier smoke\n"
    "ulpgate list kernels --kernel 'host:*' --format json",
    run};
