/* SPDX-License-Identifier: Apache-2.0 */
/* The plots of the HTML page: what is drawn against what, and from which results. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/bins.h"
#include "report/html.h"
#include "report/words.h"

enum { TITLE = 400 };

static const double unit = 0x1p-24;

/* Error in units of u = 2^-24 at the size of the result (at least 1), at the element nearest to its
 * bound, and the bound there: both are exact at that element, whatever the others. Kernels without
 * a bound give the error at the element of the worst cond. */
static ug_point kappa_point(const ug_rec *rec)
{
    const ug_rec_place *bound = &rec->worst[4], *cond = &rec->worst[3];
    double size;
    /* Beyond, a serial sum of c terms may lose every bit: nothing there is judged. */
    if (!(ug_rec_chain(rec) * (bound->known ? bound->kappa : cond->kappa) <= 0x1p26)) {
        return (ug_point){NAN, NAN, NAN};
    }
    if (bound->known && rec->has & 1u << UG_REC_max_bound && !isnan(rec->bound_abs)) {
        size = unit * fmax(1, fabs(bound->want));
        return (ug_point){bound->kappa, rec->metric[UG_REC_max_bound] * rec->bound_abs / size,
                          rec->bound_abs / size};
    }
    if (!cond->known || rec->sound < 0) return (ug_point){NAN, NAN, NAN};
    size = unit * fmax(1, fabs(cond->want));
    return (ug_point){cond->kappa, fabs(cond->got - cond->want) / size, NAN};
}

/* Only rows whose mean is no larger than their spread: the order of summation shows, not the
 * variance's weakness. */
static ug_point n_point(const ug_rec *rec)
{
    double kappa = rec->has & 1u << UG_REC_kappa_max ? rec->metric[UG_REC_kappa_max] : NAN;
    if (!(kappa <= 2) || rec->sound < 0 || !(rec->has & 1u << UG_REC_max_cond) || rec->n < 1) {
        return (ug_point){NAN, NAN, NAN};
    }
    return (ug_point){(double)rec->n, rec->metric[UG_REC_max_cond], ug_rec_sound_limit(rec)};
}

/* Speed is of one kernel only where its times mean something. */
static ug_point share_point(const ug_rec *rec)
{
    const ug_rec_bench *bench = (const ug_rec_bench *)rec; /* rec is its first member */
    if (bench->emulated || rec->yardstick || !(rec->has & 1u << UG_REC_max_cond)) {
        return (ug_point){NAN, NAN, NAN};
    }
    return (ug_point){bench->copy_share, rec->metric[UG_REC_max_cond], NAN};
}

static void mark_title(const ug_rec *rec, double x, double y, char title[TITLE])
{
    char a[UG_NUMBER_TEXT], b[UG_NUMBER_TEXT];
    snprintf(title, TITLE, "%.60s, %s at %s: %.250s", rec->kernel, ug_number_short(y, a),
             ug_number_short(x, b), rec->line);
}

static void print_legend(const ug_series *series, const char *line, FILE *out)
{
    int s;
    fputs("<ul class=\"legend\">", out);
    for (s = 0; s < series->count; s++) {
        fputs("<li>", out);
        ug_plot_sample(s, 0, out);
        ug_print_markup(out, series->name[s]);
        fputs("</li>", out);
    }
    if (line) {
        fputs("<li>", out);
        ug_plot_sample(0, 1, out);
        ug_print_markup(out, line);
        fputs("</li>", out);
    }
    fputs("</ul>\n", out);
}

static void draw_bins(ug_html *page, const ug_plot *plot, const ug_bins *bins)
{
    double x[UG_PLOT_MARKS], limit[UG_PLOT_MARKS];
    char title[TITLE], id[24];
    int s, b, count;
    for (s = 0; s < bins->series; s++) {
        for (b = count = 0; b < bins->bins; b++) {
            const ug_bin *bin = &bins->bin[s * bins->bins + b];
            if (!bin->rec || isnan(bin->at.limit)) continue;
            x[count] = bin->at.x;
            limit[count++] = bin->at.limit;
        }
        if (count > 1) ug_plot_line(plot, x, limit, (size_t)count, s, page->out);
    }
    for (s = 0; s < bins->series * bins->bins; s++) {
        const ug_bin *bin = &bins->bin[s];
        if (!bin->rec) continue;
        mark_title(bin->rec, bin->at.x, bin->at.y, title);
        ug_plot_mark(plot, bin->at.x, bin->at.y, s / bins->bins, ug_html_cite(page, bin->rec, id),
                     title, page->out);
    }
}

typedef struct figure {
    const char *id, *head, *caption, *line;
    ug_plot plot;
} figure;

static void open_figure(const figure *f, const ug_series *series, FILE *out)
{
    fprintf(
        out,
        "<div><h3>%s</h3>\n<a class=\"skip\" href=\"#after-%s\">Skip the marks of this plot</a>\n"
        "<figure><figcaption>%s</figcaption>\n",
        f->head, f->id, f->caption);
    if (series) print_legend(series, f->line, out);
}

static void close_figure(const figure *f, FILE *out)
{
    fprintf(out, "</figure><div id=\"after-%s\"></div></div>\n", f->id);
}

/* A figure of binned points; nothing when no result has one. */
static int draw_figure(ug_html *page, figure *f, const ug_span *span, const ug_series *series,
                       ug_point_of point)
{
    ug_bins *bins = calloc(1, sizeof *bins);
    if (!bins) return -1;
    bins->x.log = f->plot.x.log;
    bins->y.log = f->plot.y.log;
    ug_bins_fill(bins, span, series, point);
    if (!isnan(bins->x.lo)) {
        f->plot.x.lo = bins->x.lo;
        f->plot.x.hi = bins->x.hi;
        f->plot.y.lo = bins->y.lo;
        f->plot.y.hi = bins->y.hi;
        ug_axis_round(&f->plot.x);
        ug_axis_round(&f->plot.y);
        open_figure(f, series, page->out);
        ug_plot_open(&f->plot, page->out);
        draw_bins(page, &f->plot, bins);
        ug_plot_close(page->out);
        close_figure(f, page->out);
    }
    free(bins);
    return 0;
}

/* Elements by error, of one dtype: counts of a series, and the case with most in each bin. */
typedef struct histogram {
    int64_t count[UG_PLOT_SERIES][UG_REC_HIST], total[UG_PLOT_SERIES];
    const ug_rec *most[UG_PLOT_SERIES][UG_REC_HIST];
} histogram;

static void count_elements(const ug_results *results, const ug_series *series, const char *dtype,
                           histogram *h)
{
    size_t i;
    int s, b;
    memset(h, 0, sizeof *h);
    for (i = 0; i < results->count; i++) {
        const ug_rec *rec = &results->rec[i];
        if (strcmp(rec->dtype, dtype) || (s = ug_series_of(series, rec)) < 0) continue;
        for (b = 0; b < UG_REC_HIST; b++) {
            if (rec->hist[b] <= 0) continue;
            h->count[s][b] += rec->hist[b];
            h->total[s] += rec->hist[b];
            if (!h->most[s][b] || rec->hist[b] > h->most[s][b]->hist[b]) h->most[s][b] = rec;
        }
    }
}

static void draw_histogram(ug_html *page, const ug_plot *plot, const histogram *h, int series)
{
    double x[UG_REC_HIST], y[UG_REC_HIST];
    char title[TITLE], id[24];
    int s, b;
    for (s = 0; s < series; s++) {
        if (!h->total[s]) continue;
        for (b = 0; b < UG_REC_HIST; b++) {
            x[b] = ldexp(1, b - 1);
            y[b] = h->count[s][b] ? (double)h->count[s][b] / (double)h->total[s] : NAN;
        }
        ug_plot_line(plot, x, y, UG_REC_HIST, s, page->out);
        for (b = 0; b < UG_REC_HIST; b++) {
            if (!h->most[s][b]) continue;
            mark_title(h->most[s][b], x[b], y[b], title);
            ug_plot_mark(plot, x[b], y[b], s, ug_html_cite(page, h->most[s][b], id), title,
                         page->out);
        }
    }
}

/* NaN when nothing was counted. */
static double least_share(const histogram *h, int series)
{
    double least = NAN;
    int s, b;
    for (s = 0; s < series; s++) {
        for (b = 0; b < UG_REC_HIST; b++) {
            double share = (double)h->count[s][b] / (double)h->total[s];
            if (h->count[s][b] && !(share >= least)) least = share;
        }
    }
    return least;
}

static int draw_histograms(ug_html *page, const ug_series *series)
{
    static const char *const dtypes[] = {"f32", "f16", "bf16"};
    histogram *h = malloc(sizeof *h);
    size_t d;
    if (!h) return -1;
    for (d = 0; d < sizeof dtypes / sizeof *dtypes; d++) {
        char head[64], id[32];
        figure f = {
            id,
            head,
            "Share of elements by error in ulp, each bin up to its value (the last one open). "
            "Elements near the mean reach large ulp with every algorithm. Marks lead to the "
            "case with most elements in the bin.",
            NULL,
            {head, {"error, ulp", 1, 0.5, 0x1p22}, {"share of elements", 1, 1, 1}}};
        snprintf(head, sizeof head, "Elements by error, %s", dtypes[d]);
        snprintf(id, sizeof id, "hist-%s", dtypes[d]);
        count_elements(page->results, series, dtypes[d], h);
        f.plot.y.lo = least_share(h, series->count);
        if (isnan(f.plot.y.lo)) continue;
        ug_axis_round(&f.plot.x);
        ug_axis_round(&f.plot.y);
        open_figure(&f, series, page->out);
        ug_plot_open(&f.plot, page->out);
        draw_histogram(page, &f.plot, h, series->count);
        ug_plot_close(page->out);
        close_figure(&f, page->out);
    }
    free(h);
    return 0;
}

int ug_html_plots(ug_html *page)
{
    figure kappa = {
        "kappa",
        "Error against kappa",
        "Largest error, in units of 2^-24 of the result (of 1 where that is smaller), at "
        "the element nearest to its worst-case bound; the line joins the bounds of the "
        "same elements. kappa is sqrt(1 + mean^2 / variance). Each mark is the worst "
        "case of its bin and leads to its row.",
        "bound of the same element, in each colour",
        {"Error against kappa", {"kappa", 1, 0, 0}, {"error, u", 1, 0, 0}}};
    figure length = {"n",
                     "Error against N",
                     "Largest cond of cases with kappa up to 2; the line is what the gate sound "
                     "allows them, 8 + c/4. A slope of 1 is a serial sum, a flat one a tree.",
                     "limit of sound, in each colour",
                     {"Error against N", {"N", 1, 0, 0}, {"cond, u", 1, 0, 0}}};
    figure share = {
        "share",
        "Error against share of copy",
        "Largest cond of the judged rows of timed cases against the share of a copy's "
        "speed: right and low is best.",
        NULL,
        {"Error against share of copy", {"share of copy", 0, 0, 0}, {"cond, u", 1, 0, 0}}};
    ug_span spans[2] = {ug_span_results(page->results), ug_span_benches(page->results)};
    ug_series series;
    fputs("<h2>Plots</h2>\n<div class=\"plots\">\n", page->out);
    ug_plot_shapes(page->out);
    /* One list for the page: a colour means the same everywhere. */
    ug_series_find(spans, 2, &series);
    if (draw_figure(page, &share, &spans[1], &series, share_point)) return -1;
    if (draw_figure(page, &kappa, &spans[0], &series, kappa_point)) return -1;
    if (draw_figure(page, &length, &spans[0], &series, n_point)) return -1;
    if (draw_histograms(page, &series)) return -1;
    fputs("</div>\n", page->out);
    return 0;
}
