/* SPDX-License-Identifier: Apache-2.0 */
/* The heat map of the HTML page: kernels by families of known faults. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/bins.h"
#include "report/html.h"
#include "report/plot.h"
#include "report/words.h"

enum { FAMILIES = 40, PANELS = 4, TITLE = 400, NAME_WIDTH = 7 };

typedef struct heat {
    const char *family[FAMILIES];
    size_t families;
    const ug_rec **worst; /* by kernel and family */
} heat;

/* Share of what the gate `sound` allows; NaN is the worst. */
static double share_of(const ug_rec *rec)
{
    double cond = rec->metric[UG_REC_max_cond];
    return isnan(cond) ? INFINITY : cond / ug_rec_sound_limit(rec);
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

/* The same worst cases with the same errors, as kernels have that give the same bits. */
static int is_twin(const heat *h, size_t a, size_t b)
{
    size_t f;
    for (f = 0; f < h->families; f++) {
        const ug_rec *x = h->worst[a * h->families + f], *y = h->worst[b * h->families + f];
        if (!x != !y) return 0;
        if (x && (x->line != y->line || share_of(x) != share_of(y))) return 0;
    }
    return 1;
}

/* The first kernel of each kind into first[], how many more are like it into more[]. */
static size_t find_rows(const heat *h, size_t kernels, size_t *first, size_t *more)
{
    size_t k, r, rows = 0;
    for (k = 0; k < kernels; k++) {
        for (r = 0; r < rows && !is_twin(h, first[r], k); r++) {}
        if (r < rows) {
            more[r]++;
            continue;
        }
        first[rows] = k;
        more[rows++] = 0;
    }
    return rows;
}

static void row_name(const ug_summary *s, size_t kernel, size_t more, char name[TITLE])
{
    if (more) {
        snprintf(name, TITLE, "%.100s +%zu", s->kernel[kernel].kernel, more);
    } else {
        snprintf(name, TITLE, "%.100s", s->kernel[kernel].kernel);
    }
}

static void draw_panel(ug_html *page, const heat *h, const size_t *first, const size_t *more,
                       size_t rows, const char *label)
{
    ug_grid grid = {label, h->families, rows, 0};
    char name[TITLE], title[TITLE], id[24], number[UG_NUMBER_TEXT];
    size_t r, f;
    for (r = 0; r < rows; r++) {
        int width;
        row_name(page->summary, first[r], more[r], name);
        width = (int)strlen(name) * NAME_WIDTH + 12;
        if (width > grid.head) grid.head = width;
    }
    ug_grid_open(&grid, page->out);
    for (f = 0; f < h->families; f++) ug_grid_head(&grid, f, h->family[f], page->out);
    for (r = 0; r < rows; r++) {
        row_name(page->summary, first[r], more[r], name);
        ug_grid_name(&grid, r, name, page->out);
        for (f = 0; f < h->families; f++) {
            const ug_rec *rec = h->worst[first[r] * h->families + f];
            if (!rec) continue;
            snprintf(title, sizeof title, "%.100s, %.20s", name, h->family[f]);
            ug_number_short(share_of(rec), number);
            ug_grid_cell(&grid, r, f, level_of(share_of(rec)),
                         isinf(share_of(rec)) ? "inf" : number, ug_html_cite(page, rec, id), title,
                         page->out);
        }
    }
    ug_plot_close(page->out);
}

/* Panels of at most UG_PLOT_MARKS cells each. */
static int draw_panels(ug_html *page, const heat *h)
{
    size_t kernels = page->summary->kernels, high = UG_PLOT_MARKS / h->families, at = 0, panel;
    size_t *first = malloc((2 * kernels + 1) * sizeof *first), *more = first + kernels, rows;
    if (!first) return -1;
    rows = find_rows(h, kernels, first, more);
    for (panel = 0; at < rows && panel < PANELS; panel++) {
        size_t count = rows - at < high ? rows - at : high;
        char label[64];
        snprintf(label, sizeof label, "Kernels by families, rows %zu to %zu", at + 1, at + count);
        draw_panel(page, h, first + at, more + at, count, label);
        at += count;
    }
    if (at < rows) fprintf(page->out, "<p>... %zu more kernels</p>\n", rows - at);
    free(first);
    return 0;
}

int ug_html_heat(ug_html *page)
{
    heat h = {{NULL}, 0, NULL};
    int rc;
    find_families(page->results, &h);
    if (!h.families) return 0;
    if (fill(page->results, page->summary, &h)) return -1;
    fputs(
        "<h3>Kernels by families of known faults</h3>\n"
        "<a class=\"skip\" href=\"#after-heat\">Skip the cells of this plot</a>\n"
        "<figure class=\"heat\"><figcaption>Largest cond as a share of what the gate sound "
        "allows: up to 1 passes. Empty: nothing was judged. Each cell is its worst case and leads "
        "to its row. +n: so many more kernels have the same cells."
        "</figcaption>\n",
        page->out);
    rc = draw_panels(page, &h);
    fputs("</figure><div id=\"after-heat\"></div>\n", page->out);
    free(h.worst);
    return rc;
}
