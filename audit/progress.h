/* SPDX-License-Identifier: Apache-2.0 */
/* A line that says how far a run is, for people who wait for it. */
#ifndef ULPGATE_PROGRESS_H
#define ULPGATE_PROGRESS_H

#include <stdio.h>

typedef struct ug_progress {
    FILE *log; /* NULL: silent */
    int terminal;
    double start, last; /* seconds of the clock */
    size_t first, total;
} ug_progress;

double ug_clock(void);

/* first: cases that were done before this run began. */
void ug_progress_begin(ug_progress *p, FILE *log, size_t first, size_t total);

/* Writes when it is time: twice a second on a terminal, every ten seconds elsewhere. */
void ug_progress_show(ug_progress *p, size_t done, size_t failed);

/* Removes the line from a terminal. */
void ug_progress_end(ug_progress *p);

#endif
