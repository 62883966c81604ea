/* SPDX-License-Identifier: Apache-2.0 */
/* What the help, its page, the man pages and the completion have in common. */
#ifndef ULPGATE_CLI_USAGE_H
#define ULPGATE_CLI_USAGE_H

#include "cli/cli.h"

extern const char ug_tagline[], ug_exits[];

/* The name of an option's value as usage shows it, NULL for a flag. */
const char *ug_option_value(const ug_option *row);

/* "-o, --out FILE" */
void ug_option_usage(const ug_option *row, char *text, size_t cap);

/* The next option of a command from *index on, which moves past it; NULL past the last. */
const ug_option *ug_option_next(const ug_command *command, size_t *index);

#endif
