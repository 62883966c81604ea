/* SPDX-License-Identifier: Apache-2.0 */
/* What `ulpgate list` can list; each function writes text or JSON and returns an exit code. */
#ifndef ULPGATE_CLI_LIST_H
#define ULPGATE_CLI_LIST_H

#include <jansson.h>

#include "cli/cli.h"

int ug_list_kernels(const ug_cli *cli, int json, FILE *out);
int ug_list_backends(const ug_cli *cli, int json, FILE *out);
int ug_list_cases(const ug_cli *cli, int json, FILE *out);
int ug_list_suites(const ug_cli *cli, int json, FILE *out);
int ug_list_profiles(const ug_cli *cli, int json, FILE *out);
int ug_list_gates(const ug_cli *cli, int json, FILE *out);

/* Writes and releases a value; 0, or UG_EXIT_USAGE with a message. */
int ug_list_json(json_t *value, FILE *out);

#endif
