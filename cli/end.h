/* SPDX-License-Identifier: Apache-2.0 */
/* What commands that write results files share: the progress line and the report at the end. */
#ifndef ULPGATE_CLI_END_H
#define ULPGATE_CLI_END_H

#include "cli/cli.h"

#include "cases/case.h"

struct ug_exchange; /* audit/exchange.h */

/* Judges the cases by the options of run and ends with the report; exchange: the kernels are its
 * outputs, or NULL. Returns the exit code. */
int ug_run_cases(const ug_cli *cli, const ug_case_list *cases, const struct ug_exchange *exchange);

/* Whether a progress line is wanted, by --progress, --quiet and what standard error is. */
int ug_wants_progress(const ug_cli *cli);

/* Renders a results file in --format (default: table). Returns 0, or -1 with a message on standard
 * error. */
int ug_show(const ug_cli *cli, const char *file, FILE *out);

#endif
