/* SPDX-License-Identifier: Apache-2.0 */
/* Times as figures, and a timed kernel as a record. */
#ifndef ULPGATE_BENCH_RECORD_H
#define ULPGATE_BENCH_RECORD_H

#include <jansson.h>

#include "audit/bench_panel.h"

/* Median and interquartile range of `count` times, both interpolated linearly between the sorted
 * ones; NaN for none. Sorts us. */
typedef struct ug_bench_time {
    double median, spread;
} ug_bench_time;

ug_bench_time ug_bench_median(double *us, int count);

/* Bytes that a launch has to move: x read once, y written once, gamma and beta once each where they
 * are there, mean and rstd where they are asked for. */
double ug_bench_bytes(const ug_case *c, int has_gamma, int has_beta);

/* The yardstick: the fastest copy of the panel; NULL when none was timed. Call it after
 * ug_bench_times, which fills time[i] for each item. */
void ug_bench_times(const ug_panel *panel, ug_bench_time *time);
const ug_bench_item *ug_bench_yardstick(const ug_panel *panel, const ug_bench_time *time);

/* The record of one item; the caller owns it, NULL when out of memory. */
json_t *ug_bench_record(const ug_panel *panel, const ug_bench_item *item, const ug_bench_time *time,
                        int emulated);

#endif
