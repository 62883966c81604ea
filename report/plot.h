/* SPDX-License-Identifier: Apache-2.0 */
/* Inline SVG: axes, lines and marks that are links. Colours are CSS classes (html_style.c), so that
 * a plot follows the page's theme without scripts. */
#ifndef ULPGATE_REPORT_PLOT_H
#define ULPGATE_REPORT_PLOT_H

#include <stdio.h>

enum { UG_PLOT_SERIES = 8, UG_PLOT_WIDTH = 760, UG_PLOT_HEIGHT = 400 };

/* One axis, on a logarithmic scale or an even one; lo < hi, both above 0 when logarithmic. */
typedef struct ug_axis {
    const char *label;
    int log;
    double lo, hi;
} ug_axis;

typedef struct ug_plot {
    const char *label; /* what a screen reader calls the drawing */
    ug_axis x, y;
} ug_plot;

/* Widens [lo, hi] to whole powers of ten, or to a step of the grid; repairs an empty range. */
void ug_axis_round(ug_axis *axis);

/* Draws frame, grid and labels; the caller then draws lines and marks, and closes. */
void ug_plot_open(const ug_plot *plot, FILE *out);
void ug_plot_close(FILE *out);

/* A line through points in order; points with a NaN interrupt it. */
void ug_plot_line(const ug_plot *plot, const double *x, const double *y, size_t count, int series,
                  FILE *out);

/* A mark that links to #href; what lies beyond the axes is drawn at their ends, NaN at the top.
 * The title is escaped here. */
void ug_plot_mark(const ug_plot *plot, double x, double y, int series, const char *href,
                  const char *title, FILE *out);

/* The shapes of all series, once a page, and the sample of one beside its name in a legend. */
void ug_plot_shapes(FILE *out);
void ug_plot_sample(int series, int dashed, FILE *out);

/* One cell of a grid of `columns` cells: level 0..5 gives the colour. Cells are counted from 0. */
typedef struct ug_grid {
    const char *label;
    size_t columns, rows;
    int head; /* room for names at the left */
} ug_grid;

void ug_grid_open(const ug_grid *grid, FILE *out);
void ug_grid_name(const ug_grid *grid, size_t row, const char *name, FILE *out);
void ug_grid_head(const ug_grid *grid, size_t column, const char *name, FILE *out);
void ug_grid_cell(const ug_grid *grid, size_t row, size_t column, int level, const char *text,
                  const char *href, const char *title, FILE *out);

#endif
