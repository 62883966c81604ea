/* SPDX-License-Identifier: Apache-2.0 */
/* Draws plots and heat maps as SVG. */
#include "report/plot.h"

#include <math.h>
#include <string.h>

#include "report/words.h"

enum { LEFT = 64, RIGHT = 24, TOP = 12, BOTTOM = 48, CELL_WIDTH = 46, CELL_HEIGHT = 22, HEAD = 22 };

/* Step of an even grid: 1, 2 or 5 times a power of ten, for about five intervals. */
static double step_of(const ug_axis *a)
{
    double raw = (a->hi - a->lo) / 5, power = pow(10, floor(log10(raw)));
    if (raw <= power) return power;
    if (raw <= 2 * power) return 2 * power;
    return raw <= 5 * power ? 5 * power : 10 * power;
}

void ug_axis_round(ug_axis *a)
{
    if (a->log) {
        if (!(a->lo > 0) || !isfinite(a->lo)) a->lo = 1;
        if (!(a->hi >= a->lo) || !isfinite(a->hi)) a->hi = a->lo;
        a->lo = pow(10, floor(log10(a->lo) + 1e-9));
        a->hi = pow(10, ceil(log10(a->hi) - 1e-9));
        if (!(a->hi > a->lo)) a->hi = 10 * a->lo;
    } else {
        double step;
        if (!isfinite(a->lo)) a->lo = 0;
        if (!(a->hi > a->lo) || !isfinite(a->hi)) a->hi = a->lo + 1;
        step = step_of(a);
        a->lo = step * floor(a->lo / step);
        a->hi = step * ceil(a->hi / step);
    }
}

/* Share of the axis, 0 at lo and 1 at hi. */
static double share(const ug_axis *a, double v)
{
    double s;
    if (isnan(v)) return 1;
    if (a->log && !(v > 0)) return 0;
    s = a->log ? log(v / a->lo) / log(a->hi / a->lo) : (v - a->lo) / (a->hi - a->lo);
    return s < 0 ? 0 : s > 1 ? 1 : s;
}

static double at_x(const ug_plot *p, double v)
{
    return LEFT + share(&p->x, v) * (UG_PLOT_WIDTH - LEFT - RIGHT);
}

static double at_y(const ug_plot *p, double v)
{
    return UG_PLOT_HEIGHT - BOTTOM - share(&p->y, v) * (UG_PLOT_HEIGHT - TOP - BOTTOM);
}

/* The grid's next value after v, or the first for NaN; NaN past the end. */
static double next_tick(const ug_axis *a, double v)
{
    double step;
    if (a->log) {
        step = pow(10, ceil(log10(a->hi / a->lo) / 8 - 1e-9));
        v = isnan(v) ? a->lo : v * step;
        return v <= a->hi * 1.001 ? v : NAN;
    }
    step = step_of(a);
    v = isnan(v) ? a->lo : v + step;
    if (fabs(v) < step / 1000) v = 0;
    return v <= a->hi + step / 1000 ? v : NAN;
}

/* Powers of ten without a fraction, other values as everywhere. */
static const char *tick_text(const ug_axis *a, double v, char text[UG_NUMBER_TEXT])
{
    if (!a->log || (v > 0.0005 && v < 9000)) return ug_number_short(v, text);
    snprintf(text, UG_NUMBER_TEXT, "1e%d", (int)lround(log10(v)));
    return text;
}

static void draw_axes(const ug_plot *p, FILE *out)
{
    const double right = UG_PLOT_WIDTH - RIGHT, bottom = UG_PLOT_HEIGHT - BOTTOM;
    char text[UG_NUMBER_TEXT];
    double v;
    fputs("<g class=\"grid\">", out);
    for (v = next_tick(&p->x, NAN); !isnan(v); v = next_tick(&p->x, v)) {
        fprintf(out, "<path d=\"M%.1f %d V%g\"/><text x=\"%.1f\" y=\"%g\">%s</text>", at_x(p, v),
                TOP, bottom, at_x(p, v), bottom + 18, tick_text(&p->x, v, text));
    }
    fputs("</g>\n<g class=\"grid y\">", out);
    for (v = next_tick(&p->y, NAN); !isnan(v); v = next_tick(&p->y, v)) {
        fprintf(out, "<path d=\"M%d %.1f H%g\"/><text x=\"%d\" y=\"%.1f\">%s</text>", LEFT,
                at_y(p, v), right, LEFT - 6, at_y(p, v) + 4, tick_text(&p->y, v, text));
    }
    fprintf(out, "</g>\n<text class=\"axis\" x=\"%g\" y=\"%d\">", (LEFT + right) / 2,
            UG_PLOT_HEIGHT - 8);
    ug_print_markup(out, p->x.label);
    fprintf(out, "</text><text class=\"axis\" transform=\"translate(14 %g) rotate(-90)\">",
            (TOP + bottom) / 2);
    ug_print_markup(out, p->y.label);
    fputs("</text>\n", out);
}

static void open_svg(const char *label, int width, int height, FILE *out)
{
    fprintf(out, "<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"");
    ug_print_markup(out, label);
    fprintf(out,
            "\"><svg viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\" role=\"group\" "
            "aria-label=\"",
            width, height, width, height);
    ug_print_markup(out, label);
    fputs("\">\n", out);
}

void ug_plot_open(const ug_plot *p, FILE *out)
{
    open_svg(p->label, UG_PLOT_WIDTH, UG_PLOT_HEIGHT, out);
    draw_axes(p, out);
}

void ug_plot_close(FILE *out) { fputs("</svg></div>\n", out); }

void ug_plot_line(const ug_plot *p, const double *x, const double *y, size_t count, int series,
                  FILE *out)
{
    size_t i;
    char command = 'M';
    fprintf(out, "<path class=\"line s%d\" d=\"", series % UG_PLOT_SERIES);
    for (i = 0; i < count; i++) {
        if (isnan(x[i]) || isnan(y[i])) {
            command = 'M';
            continue;
        }
        fprintf(out, "%c%.1f %.1f", command, at_x(p, x[i]), at_y(p, y[i]));
        command = 'L';
    }
    fputs("\"/>\n", out);
}

static void open_link(const char *href, const char *title, FILE *out)
{
    fprintf(out, "<a href=\"#%s\"><title>", href);
    ug_print_markup(out, title);
    fputs("</title>", out);
}

void ug_plot_mark(const ug_plot *p, double x, double y, int series, const char *href,
                  const char *title, FILE *out)
{
    series %= UG_PLOT_SERIES;
    open_link(href, title, out);
    fprintf(out, "<use href=\"#m%d\" x=\"%.1f\" y=\"%.1f\" class=\"s%d\"/></a>\n", series,
            at_x(p, x), at_y(p, y), series);
}

/* Shapes differ as well as colours, for those who see few colours. */
void ug_plot_shapes(FILE *out)
{
    static const char *const shape[UG_PLOT_SERIES] = {
        "M-4 0a4 4 0 1 0 8 0a4 4 0 1 0-8 0z",
        "M-4-4H4V4H-4z",
        "M0-5L5 4H-5z",
        "M0-5.5L5.5 0L0 5.5L-5.5 0z",
        "M0 5L5-4H-5z",
        "M-1.5-5h3v3.5H5v3H1.5V5h-3V1.5H-5v-3h3.5z",
        "M-5-3L-3-5L0-2L3-5L5-3L2 0L5 3L3 5L0 2L-3 5L-5 3L-2 0z",
        "M-5-2H5V2H-5z",
    };
    int s;
    fputs("<svg width=\"0\" height=\"0\" aria-hidden=\"true\" class=\"defs\"><defs>", out);
    for (s = 0; s < UG_PLOT_SERIES; s++) {
        fprintf(out, "<path id=\"m%d\" d=\"%s\"/>", s, shape[s]);
    }
    fputs("</defs></svg>\n", out);
}

void ug_plot_sample(int series, int dashed, FILE *out)
{
    series %= UG_PLOT_SERIES;
    fputs("<svg width=\"28\" height=\"14\" aria-hidden=\"true\">", out);
    if (dashed) {
        fprintf(out, "<path class=\"line s%d\" d=\"M0 7H28\"/>", series);
    } else {
        fprintf(out, "<use href=\"#m%d\" x=\"14\" y=\"7\" class=\"s%d\"/>", series, series);
    }
    fputs("</svg>", out);
}

void ug_grid_open(const ug_grid *g, FILE *out)
{
    open_svg(g->label, g->head + (int)g->columns * CELL_WIDTH + 2,
             HEAD + (int)g->rows * CELL_HEIGHT + 2, out);
}

void ug_grid_name(const ug_grid *g, size_t row, const char *name, FILE *out)
{
    fprintf(out, "<text class=\"name\" x=\"%d\" y=\"%d\">", g->head - 6,
            HEAD + (int)row * CELL_HEIGHT + 15);
    ug_print_markup(out, name);
    fputs("</text>\n", out);
}

void ug_grid_head(const ug_grid *g, size_t column, const char *name, FILE *out)
{
    fprintf(out, "<text class=\"axis\" x=\"%d\" y=\"15\">",
            g->head + (int)column * CELL_WIDTH + CELL_WIDTH / 2);
    ug_print_markup(out, name);
    fputs("</text>\n", out);
}

void ug_grid_cell(const ug_grid *g, size_t row, size_t column, int level, const char *text,
                  const char *href, const char *title, FILE *out)
{
    int x = g->head + (int)column * CELL_WIDTH, y = HEAD + (int)row * CELL_HEIGHT;
    open_link(href, title, out);
    fprintf(out,
            "<rect class=\"h%d\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\"/>"
            "<text class=\"cell\" x=\"%d\" y=\"%d\">",
            level, x, y, CELL_WIDTH - 1, CELL_HEIGHT - 1, x + CELL_WIDTH / 2, y + 15);
    ug_print_markup(out, text);
    fputs("</text></a>\n", out);
}
