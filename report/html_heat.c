/* SPDX-License-Identifier: Apache-2.0 */
/* The heat map of the HTML page: kernels by families of known faults. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/bins.h"
#include "report/html.h"
#include "report/plot.h"
#include "report/words.h"

enum { FAMILIES = 40, PANELS = 6, TITLE = 400, NAME_WIDTH = 7 };

typedef struct heat {
    const char *family[FAMILIES];
    size_t families;
    const ug_rec **worst; /* by kernel and family */
} heat;

/* Share of what the gate `sound` allows; NaN is the worst. */
static double share_of(const ug_rec *rec)
{
    double cond = rec->metric[UG_REC_max_cond];
    return isnan(cond) ? INFINITY : cond / (8 + ug_rec_chain(rec) / 4);
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static size_t family_of(heat *h, const char *family)
{
    size_t f = 0;
    while (f < h->families && h->family[f] != family) f++;
    return f;
}

static void find_families(const ug_results *results, heat *h)
{
    size_t i;
    for (i = 0; i < results->count; i++) {
        const ug_rec *rec = &results->rec[i];
        if (rec->sound < 0 || !*rec->family || h->families == FAMILIES) continue;
        if (family_of(h, rec->family) == h->families) h->family[h->families++] = rec->family;
    }
    qsort(h->family, h->families, sizeof *h->family, by_name);
}

static int fill(const ug_results *results, const ug_summary *summary, heat *h)
{
    size_t i, f, k;
    h->worst = calloc(summary->kernels * h->families + 1, sizeof *h->worst);
    if (!h->worst) return -1;
    for (i = 0; i < results->count; i++) {
        const ug_rec *rec = &results->rec[i], **cell;
        if (rec->sound < 0 || !(rec->has & 1u << UG_REC_max_cond)) continue;
        f = family_of(h, rec->family);
        if (f == h->families) continue;
        for (k = 0; summary->kernel[k].kernel != rec->kernel; k++) {}
        cell = &h->worst[k * h->families + f];
        if (!*cell || share_of(rec) > share_of(*cell)) *cell = rec;
    }
    return 0;
}

static int level_of(double share)
{
    static const double top[] = {0.125, 0.5, 1, 10, 1000};
    int level = 0;
    while (level < 5 && !(share <= top[level])) level++;
    return level;
}

static void draw_panel(ug_html *page, const heat *h, size_t first, size_t rows, const char *label)
{
    const ug_summary *s = page->summary;
    ug_grid grid = {label, h->families, rows, 0};
    char title[TITLE], id[24], number[UG_NUMBER_TEXT];
    size_t r, f;
    for (r = 0; r < rows; r++) {
        int width = (int)strlen(s->kernel[first + r].kernel) * NAME_WIDTH + 12;
        if (width > grid.head) grid.head = width;
    }
    ug_grid_open(&grid, page->out);
    for (f = 0; f < h->families; f++) ug_grid_head(&grid, f, h->family[f], page->out);
    for (r = 0; r < rows; r++) {
        const char *kernel = s->kernel[first + r].kernel;
        ug_grid_name(&grid, r, kernel, page->out);
        for (f = 0; f < h->families; f++) {
            const ug_rec *rec = h->worst[(first + r) * h->families + f];
            if (!rec) continue;
            snprintf(title, sizeof title, "%.60s, %s: %.250s", kernel, h->family[f], rec->line);
            ug_number_short(share_of(rec), number);
            ug_grid_cell(&grid, r, f, level_of(share_of(rec)),
                         isinf(share_of(rec)) ? "inf" : number, ug_html_cite(page, rec, id), title,
                         page->out);
        }
    }
    ug_plot_close(page->out);
}

/* Panels of at most UG_PLOT_MARKS cells each. */
static void draw_panels(ug_html *page, const heat *h)
{
    size_t rows = UG_PLOT_MARKS / h->families, first, panel;
    for (first = panel = 0; first < page->summary->kernels && panel < PANELS; panel++) {
        size_t count = page->summary->kernels - first;
        char label[64];
        if (count > rows) count = rows;
        snprintf(label, sizeof label, "Kernels by families, kernels %zu to %zu", first + 1,
                 first + count);
        draw_panel(page, h, first, count, label);
        first += count;
    }
    if (first < page->summary->kernels) {
        fprintf(page->out, "<p>... %zu more kernels</p>\n", page->summary->kernels - first);
    }
}

int ug_html_heat(ug_html *page)
{
    heat h = {{NULL}, 0, NULL};
    find_families(page->results, &h);
    if (!h.families) return 0;
    if (fill(page->results, page->summary, &h)) return -1;
    fputs(
        "<h3>Kernels by families of known faults</h3>\n"
        "<a class=\"skip\" href=\"#after-heat\">Skip the cells of this plot</a>\n"
        "<figure class=\"heat\"><figcaption>Largest cond as a share of what the gate sound "
        "allows: up to 1 passes. Empty: nothing was judged. Each cell is its worst case and leads "
        "to its row."
        "</figcaption>\n",
        page->out);
    draw_panels(page, &h);
    fputs("</figure><div id=\"after-heat\"></div>\n", page->out);
    free(h.worst);
    return 0;
}
