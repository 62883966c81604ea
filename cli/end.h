/* SPDX-License-Identifier: Apache-2.0 */
/* What commands that write results files share: the progress line and the report at the end. */
#ifndef ULPGATE_CLI_END_H
#define ULPGATE_CLI_END_H

#include "cli/cli.h"

/* Whether a progress line is wanted, by --progress, --quiet and what standard error is. */
int ug_wants_progress(const ug_cli *cli);

/* Renders a results file in --format (default: table). Returns 0, or -1 with a message on standard
 * error. */
int ug_show(const ug_cli *cli, const char *file, FILE *out);

#endif
