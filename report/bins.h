/* SPDX-License-Identifier: Apache-2.0 */
/* The few points of a plot that stand for many results: the worst of each bin. */
#ifndef ULPGATE_REPORT_BINS_H
#define ULPGATE_REPORT_BINS_H

#include "report/plot.h"
#include "report/report.h"

enum { UG_PLOT_MARKS = 300 };

/* Records in an array of results, or of larger things that begin with one. */
typedef struct ug_span {
    const void *first;
    size_t count, stride;
} ug_span;

ug_span ug_span_results(const ug_results *results);
ug_span ug_span_benches(const ug_results *results);
const ug_rec *ug_span_at(const ug_span *span, size_t index);

/* Which series of a plot a result belongs to: its variance where results differ in that, else its
 * kernel; yardsticks by name. What comes after the eighth stands in none. */
typedef struct ug_series {
    const char *name[UG_PLOT_SERIES];
    int count, by_kernel;
} ug_series;

/* Of the first span and then the others; yardsticks of the first one only. */
void ug_series_find(const ug_span *spans, size_t count, ug_series *series);
int ug_series_of(const ug_series *series, const ug_rec *rec); /* -1: none */

/* A point of a result: what is plotted at which place, and the limit there (NaN: none). */
typedef struct ug_point {
    double x, y, limit;
} ug_point;

typedef struct ug_bin {
    const ug_rec *rec; /* NULL: empty */
    ug_point at;
} ug_bin;

/* Bins of equal width along x (of equal ratio when log), each with its worst point of a series. */
typedef struct ug_bins {
    int series, bins; /* series * bins is at most UG_PLOT_MARKS */
    ug_axis x, y;     /* ranges of what was found, not rounded */
    ug_bin bin[UG_PLOT_MARKS];
} ug_bins;

/* x NaN or infinite: no such point. */
typedef ug_point (*ug_point_of)(const ug_rec *rec);

/* x and y say by `log` how they are scaled; lo and hi are set here. */
void ug_bins_fill(ug_bins *bins, const ug_span *span, const ug_series *series, ug_point_of point);

#endif
