/* SPDX-License-Identifier: Apache-2.0 */
/* ulpgate help: the help of the program, of a command, or the whole as one page. */
#include <string.h>

#include "cli/commands.h"

static int run(const ug_cli *cli)
{
    const ug_command *command = NULL;
    ug_output output;
    if (cli->operands.count) {
        command = ug_command_find(cli->operands.item[0]);
        if (!command) {
            ug_error("there is no command '%s'", cli->operands.item[0]);
            return UG_EXIT_USAGE;
        }
    }
    if (ug_output_open(&output, cli->out)) return UG_EXIT_USAGE;
    if (cli->format && !strcmp(cli->format, "md")) {
        ug_help_md(output.stream);
    } else if (cli->format && !strcmp(cli->format, "man")) {
        ug_help_man(command, output.stream);
    } else if (cli->format && !strcmp(cli->format, "bash")) {
        ug_help_bash(output.stream);
    } else if (command) {
        ug_help(command, output.stream);
    } else {
        ug_usage(output.stream);
    }
    return ug_output_close(&output) ? UG_EXIT_USAGE : UG_EXIT_PASS;
}

const ug_command ug_command_help = {"help",
                                    UG_CMD_HELP,
                                    "[COMMAND]",
                                    0,
                                    1,
                                    "Print the help of the program or of a command.",
                                    "The same as `ulpgate --help` and `ulpgate COMMAND --help`.",
                                    "ulpgate help run\n"
                                    "eval \"$(ulpgate help --format bash)\"",
                                    run};
