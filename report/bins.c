/* SPDX-License-Identifier: Apache-2.0 */
/* Sorts the points of results into bins. */
#include "report/bins.h"

#include <math.h>
#include <string.h>

ug_span ug_span_results(const ug_results *results)
{
    return (ug_span){results->rec, results->count, sizeof *results->rec};
}

ug_span ug_span_benches(const ug_results *results)
{
    return (ug_span){results->bench, results->benches, sizeof *results->bench};
}

const ug_rec *ug_span_at(const ug_span *span, size_t index)
{
    return (const ug_rec *)((const char *)span->first + index * span->stride);
}

static const char *name_of(const ug_series *s, const ug_rec *rec)
{
    if (rec->yardstick || s->by_kernel) return rec->kernel;
    return *rec->variance ? rec->variance : "unknown variance";
}

static void add_names(const ug_span *span, ug_series *s, int yardsticks)
{
    size_t i;
    for (i = 0; i < span->count; i++) {
        const ug_rec *rec = ug_span_at(span, i);
        int at = s->count;
        if (rec->yardstick != yardsticks) continue;
        while (at-- > 0 && strcmp(s->name[at], name_of(s, rec))) {}
        if (at < 0 && s->count < UG_PLOT_SERIES) s->name[s->count++] = name_of(s, rec);
    }
}

void ug_series_find(const ug_span *spans, size_t count, ug_series *s)
{
    size_t i;
    memset(s, 0, sizeof *s);
    for (i = 0; i < count; i++) add_names(&spans[i], s, 0);
    if (s->count == 1) {
        s->by_kernel = 1;
        s->count = 0;
        for (i = 0; i < count; i++) add_names(&spans[i], s, 0);
    }
    if (spans->count) add_names(spans, s, 1);
}

int ug_series_of(const ug_series *s, const ug_rec *rec)
{
    const char *name = name_of(s, rec);
    int at = s->count;
    while (at-- > 0 && strcmp(s->name[at], name)) {}
    return at;
}

static void widen(ug_axis *a, double v)
{
    if (!isfinite(v) || (a->log && !(v > 0))) return;
    if (!(v >= a->lo)) a->lo = v;
    if (!(v <= a->hi)) a->hi = v;
}

static int bin_of(const ug_bins *b, double x)
{
    double share =
        b->x.log ? log(x / b->x.lo) / log(b->x.hi / b->x.lo) : (x - b->x.lo) / (b->x.hi - b->x.lo);
    int at = (int)(share * b->bins);
    if (!(share > 0)) return 0;
    return at < b->bins ? at : b->bins - 1;
}

/* NaN is worse than every number. */
static int is_worse(double a, double b) { return isnan(a) ? !isnan(b) : a > b; }

static void take(ug_bins *b, const ug_rec *rec, int series, ug_point at)
{
    ug_bin *bin = &b->bin[series * b->bins + bin_of(b, at.x)];
    if (bin->rec && !is_worse(at.y, bin->at.y)) return;
    bin->rec = rec;
    bin->at = at;
}

void ug_bins_fill(ug_bins *b, const ug_span *span, const ug_series *series, ug_point_of point)
{
    size_t i;
    int at;
    memset(b->bin, 0, sizeof b->bin);
    b->series = series->count;
    b->bins = series->count ? UG_PLOT_MARKS / series->count : 0;
    if (b->bins > 60) b->bins = 60;
    b->x.lo = b->x.hi = b->y.lo = b->y.hi = NAN;
    for (i = 0; i < span->count; i++) widen(&b->x, point(ug_span_at(span, i)).x);
    for (i = 0; i < span->count; i++) {
        const ug_rec *rec = ug_span_at(span, i);
        ug_point p = point(rec);
        at = ug_series_of(series, rec);
        if (!isfinite(p.x) || (b->x.log && !(p.x > 0)) || at < 0) continue;
        take(b, rec, at, p);
    }
    for (at = 0; at < b->series * b->bins; at++) {
        if (!b->bin[at].rec) continue;
        widen(&b->y, b->bin[at].at.y);
        widen(&b->y, b->bin[at].at.limit);
    }
    /* A few vanishing errors must not squeeze the rest. */
    if (b->y.log && b->y.lo < b->y.hi * 1e-14) b->y.lo = b->y.hi * 1e-14;
}
