/* SPDX-License-Identifier: Apache-2.0 */
/* Every command, one file each. */
#ifndef ULPGATE_CLI_COMMANDS_H
#define ULPGATE_CLI_COMMANDS_H

#include "cli/cli.h"

extern const ug_command ug_command_run;
extern const ug_command ug_command_export;
extern const ug_command ug_command_check;
extern const ug_command ug_command_bench;
extern const ug_command ug_command_report;
extern const ug_command ug_command_diff;
extern const ug_command ug_command_merge;
extern const ug_command ug_command_advise;
extern const ug_command ug_command_list;
extern const ug_command ug_command_explain;
extern const ug_command ug_command_shrink;
extern const ug_command ug_command_doctor;
extern const ug_command ug_command_mutants;
extern const ug_command ug_command_new;
extern const ug_command ug_command_help;

#endif
