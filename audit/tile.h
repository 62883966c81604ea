/* SPDX-License-Identifier: Apache-2.0 */
/* Launches on matrices too large for the host, which repeat a few judged rows.
 *
 * The judge makes and judges K rows (of one period of columns); the worker's memory space fills x
 * by repeating them, and compares every element of y, mean and rstd with the judged rows of the
 * first launch, where the data lie. Only these rows, counts and places travel.
 */
#ifndef ULPGATE_TILE_H
#define ULPGATE_TILE_H

#include "audit/trial.h"

/* Elements of x up to which a case whose rows or columns repeat lies in host memory, some 48 bytes
 * each; and up to which a host kernel is given it, as an emulator would take minutes. */
#define UG_HOST_ELEMENTS    ((int64_t)1 << 27)
#define UG_HOST_REPETITIONS ((int64_t)1 << 24)

typedef struct ug_tile_plan {
    int64_t rows, width; /* of different data; columns of one period */
    int64_t parts;       /* 1 to 3: stretches of a row that are judged, see ug_tile_part */
    int64_t judged;      /* rows of y: one for each row of data at each alignment that may matter */
    int64_t step;        /* rows by which the pattern is shifted from launch to launch */
} ug_tile_plan;

/* 1 when rows or columns of the case repeat and there is an element. */
int ug_case_tiled(const ug_case *c);

/* 1 when the host takes the case with all its rows; device: for a kernel of a device. Where nothing
 * repeats there is no other way: the machine's memory decides. */
int ug_case_fits(const ug_case *c, int device);

/* 1 when it takes what of the case repeats: few enough elements, and rows that the reference can
 * sum. */
int ug_case_tile_fits(const ug_case *c);

/* The plan for a kernel whose bits depend on the row, or on its alignment as well. */
void ug_tile_plan_make(const ug_case *c, ug_depends depends, ug_tile_plan *plan);

/* Shapes of a tiled trial (t->tile is set), for at most `places` rows; stats: mean and rstd are
 * asked for. */
void ug_tile_shapes(ug_trial *t, int64_t places, int stats);

/* One launch. l->row and l->clean mean nothing here; l->number times the plan's step is the shift
 * unless in_order. capture: the judged rows are taken from this launch into `judged`, else compared
 * with it. What changed outside the outputs becomes a reason of m. */
ug_end ug_tile_launch(ug_trial *t, const ug_launch *l, int in_order, int capture,
                      ug_outputs *judged, ug_measure *m);

#endif
