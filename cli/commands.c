/* SPDX-License-Identifier: Apache-2.0 */
/* The table of commands. */
#include <string.h>

#include "cli/commands.h"

/* One a line, in the order of the usage. */
/* clang-format off */
static const ug_command *const commands[] = {
    &ug_command_run,
    &ug_command_export,
    &ug_command_check,
    &ug_command_bench,
    &ug_command_report,
    &ug_command_diff,
    &ug_command_merge,
    &ug_command_advise,
    &ug_command_list,
    &ug_command_explain,
    &ug_command_shrink,
    &ug_command_doctor,
    &ug_command_mutants,
    &ug_command_new,
    &ug_command_help,
};
/* clang-format on */

const ug_command *ug_command_at(size_t index)
{
    return index < sizeof commands / sizeof *commands ? commands[index] : NULL;
}

const ug_command *ug_command_find(const char *name)
{
    size_t i;
    for (i = 0; i < sizeof commands / sizeof *commands; i++) {
        if (!strcmp(commands[i]->name, name)) return commands[i];
    }
    return NULL;
}
