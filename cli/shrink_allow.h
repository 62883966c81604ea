/* SPDX-License-Identifier: Apache-2.0 */
/* What a gate allows, element by element. */
#ifndef ULPGATE_CLI_SHRINK_ALLOW_H
#define ULPGATE_CLI_SHRINK_ALLOW_H

#include "audit/audit.h"
#include "audit/subject.h"
#include "cli/shrink.h"
#include "reference/bound.h"

/* What all rows are judged by. */
typedef struct ug_allow {
    const ug_shrink_failure *failure;
    const ug_kernel_card *card;
    ug_bound_model model;
    double sound; /* 8 + c/4 */
    double chain; /* c */
} ug_allow;

void ug_allow_begin(ug_allow *a, const ug_shrink_failure *failure, const ug_kernel_card *card);

/* allowed[n]: |got - y| that passes, INFINITY where nothing is judged; mean, rstd likewise. */
void ug_allow_row(const ug_allow *a, const ug_subject *s, int64_t row, double *allowed,
                  double *mean, double *rstd);

#endif
