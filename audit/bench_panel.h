/* SPDX-License-Identifier: Apache-2.0 */
/* One case and one plugin: everything that is timed side by side. */
#ifndef ULPGATE_BENCH_PANEL_H
#define ULPGATE_BENCH_PANEL_H

#include "audit/pair.h"
#include "audit/select.h"

/* A kernel with a block size, or a way of copying. */
typedef struct ug_bench_item {
    const ug_chosen *chosen; /* NULL: a copy */
    uint32_t copy;           /* 1 + the way */
    int64_t block;           /* 0: the kernel's own choice */
    char name[192];          /* BACKEND:STRUCTURE@BLOCK/VARIANCE */
    int over;                /* it came to an end: verdict and reason are set */
    ug_pair_verdict verdict;
    char reason[UG_REASON_TEXT];
    uint32_t slot;
    char path[64];
    int has_geometry, measured;
    ug_geometry geometry;
    double *us; /* `rounds` times, microseconds a launch */
    int rounds;
    ug_measure measure; /* of the first rows, when measured; so is judged */
    ug_verdict judged;
} ug_bench_item;

typedef struct ug_panel {
    const ug_case *c;
    const ug_subject *subject; /* its first rows */
    const ug_profile *profile; /* or NULL */
    ug_client *client;
    ug_rig *rig;
    ug_bench_item *item;
    size_t count;
    double time_limit; /* seconds a command may take, 0: an allowance for the size */
    int warm, repeats; /* rounds that do not count, rounds that do */
    uint32_t sets;     /* out: sets of x and y that were rotated */
    int device;        /* out: the device's own clock */
    int stopped;       /* out: the run is to stop, nothing else means anything */
} ug_panel;

/* Rows of the case that are made and judged, and repeated to fill the others; 0 with `why` when the
 * case cannot be timed. */
int64_t ug_panel_rows(const ug_case *c, char *why, size_t cap);

/* Times and judges all items; every one has a verdict afterwards. Copies that do not exist in the
 * plugin are `over` without a reason. */
void ug_panel_run(ug_panel *panel);

#endif
