/* SPDX-License-Identifier: Apache-2.0 */
/* Which kernels of which plugins a run uses. */
#ifndef ULPGATE_SELECT_H
#define ULPGATE_SELECT_H

#include "audit/audit.h"

typedef struct ug_chosen {
    size_t plugin;   /* index of the backend's card */
    uint32_t kernel; /* index in its table */
    const ug_kernel_card *card;
    int counted; /* its verdicts rule the exit code */
    char name[128];
} ug_chosen;

typedef struct ug_selection {
    const char **plugins; /* paths: the built-in ones, then the caller's */
    size_t plugin_count;
    size_t builtin_count;
    ug_backend_card *cards; /* one a plugin */
    ug_chosen *kernels;
    size_t kernel_count;
    size_t files; /* the card that stands for the exchange's outputs; SIZE_MAX: there is none */
    size_t yardstick_plugin; /* SIZE_MAX: none; its kernel 0 is the yardstick */
} ug_selection;

/* Returns 0; 2 with err when a plugin given by the caller cannot be used or for want of memory; 77
 * with `skipped` when no kernel is left. ug_selection_free is allowed in all cases. */
int ug_select(const ug_run_options *options, ug_selection *selection, char *skipped, size_t cap,
              char *err, size_t err_cap);
void ug_selection_free(ug_selection *selection);

#endif
