/* SPDX-License-Identifier: Apache-2.0 */
/* Every command, one file each. */
#ifndef ULPGATE_CLI_COMMANDS_H
#define ULPGATE_CLI_COMMANDS_H

#include "cli/cli.h"

extern const ug_command ug_command_run, ug_command_bench, ug_command_report, ug_command_list,
    ug_command_explain, ug_command_doctor, ug_command_help, ug_command_mutants, ug_command_diff,
    ug_command_advise, ug_command_new;

#endif
