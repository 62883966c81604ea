/* SPDX-License-Identifier: Apache-2.0 */
/* Cases and plugins that options name, shared by the commands. */
#ifndef ULPGATE_CLI_GATHER_H
#define ULPGATE_CLI_GATHER_H

#include "cases/case.h"
#include "cli/cli.h"

/* Cases of --case and --suite up to --tier; all suites when neither is given. Repeats of a case are
 * left out. Returns 0, or an exit code with a message on standard error (2: a mistake, 77: there is
 * no case). The caller frees the list. */
int ug_gather_cases(const ug_cli *cli, ug_case_list *list);

/* Parses one case; on failure prints the line with a mark under the mistake and returns -1. */
int ug_gather_case(const char *line, const char *from, ug_case *c);

/* Appends a case unless it is there; 0, or -1 with a message on standard error. */
int ug_gather_add(ug_case_list *list, const ug_case *c);

/* Appends a suite's cases up to a tier; 0, or -1 with a message. */
int ug_gather_suite(const char *name, const char *tier, ug_case_list *list);

/* Tells on standard error why a suite could not be loaded, with file and line where there are any.
 */
void ug_suite_error(const char *name, const ug_case_error *error);

/* Built-in plugins and those of --plugin; 0, or -1 when out of memory. Free plugins->item. */
int ug_gather_plugins(const ug_cli *cli, ug_list *plugins);

/* Whether a kernel's full name is selected by --kernel. */
int ug_kernel_selected(const ug_cli *cli, const char *name);

#endif
