/* SPDX-License-Identifier: Apache-2.0 */
/* Matches two sides by case and kernel and judges each pair. */
#include "report/diff.h"

#include <fnmatch.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What an error may grow by before it counts: a quarter of what it was, and this much. */
static const double cond_slack = 0.5, bound_slack = 0.05, growth = 1.25;

static const char *key_of(const ug_rec *rec) { return *rec->id ? rec->id : rec->line; }

/* By kernel, then case; names are kept once, so that equal ones are the same pointer. */
static int by_pair(const void *a, const void *b)
{
    const ug_rec *x = *(const ug_rec *const *)a, *y = *(const ug_rec *const *)b;
    int order;
    if (x->kernel != y->kernel) return x->kernel < y->kernel ? -1 : 1;
    order = key_of(x) == key_of(y) ? 0 : strcmp(key_of(x), key_of(y));
    return order ? order : (x > y) - (x < y);
}

static int compare_pair(const ug_rec *x, const ug_rec *y)
{
    if (x->kernel != y->kernel) return x->kernel < y->kernel ? -1 : 1;
    return key_of(x) == key_of(y) ? 0 : strcmp(key_of(x), key_of(y));
}

static int rank(ug_rec_verdict v)
{
    static const int order[UG_REC_VERDICTS] = {0, 2, 1, 5, 4, 3}; /* of the enumeration */
    return order[v];
}

static double metric(const ug_rec *rec, ug_rec_metric m)
{
    if (!(rec->has & 1u << m)) return 0;
    return isnan(rec->metric[m]) ? INFINITY : rec->metric[m];
}

static int grew(const ug_rec *was, const ug_rec *is, ug_rec_metric m, double slack)
{
    double before = metric(was, m), after = metric(is, m);
    return isfinite(before) && !(after <= before * growth + slack);
}

static unsigned compare_errors(const ug_rec *was, const ug_rec *is)
{
    static const ug_rec_metric all[] = {UG_REC_max_ulp, UG_REC_max_abs, UG_REC_max_term,
                                        UG_REC_max_cond, UG_REC_max_bound};
    unsigned what = 0;
    size_t i;
    if (grew(was, is, UG_REC_max_cond, cond_slack) ||
        grew(was, is, UG_REC_max_bound, bound_slack)) {
        what |= UG_DIFF_GREW;
    }
    for (i = 0; i < sizeof all / sizeof *all; i++) {
        /* A baseline keeps four digits of some metrics. */
        double before = metric(was, all[i]), after = metric(is, all[i]);
        if (!(was->has & is->has & 1u << all[i])) continue;
        if (after > before * 1.001) what |= UG_DIFF_MORE;
        if (after < before * 0.999) what |= UG_DIFF_LESS;
    }
    return what & UG_DIFF_GREW ? what & ~(unsigned)UG_DIFF_MORE : what;
}

/* Bounds of the same element only: another one has another bound. */
static unsigned compare_bounds(const ug_rec *was, const ug_rec *is)
{
    const ug_rec_place *a = &was->worst[4], *b = &is->worst[4];
    if (!a->known || !b->known || a->row != b->row || a->col != b->col) return 0;
    if (is->bound_abs < was->bound_abs) return UG_DIFF_TIGHTER;
    return is->bound_abs > was->bound_abs ? UG_DIFF_LOOSER : 0;
}

static int may_differ(const ug_diff_options *o, const char *kernel)
{
    size_t i;
    if (!o->any_bits_count) return !fnmatch("*rsqrtf*", kernel, 0);
    for (i = 0; i < o->any_bits_count; i++) {
        if (!fnmatch(o->any_bits[i], kernel, 0)) return 1;
    }
    return 0;
}

static int differ(const char *a, const char *b) { return *a && *b && a != b; }

static unsigned compare(const ug_rec *was, const ug_rec *is, const ug_diff_options *o)
{
    unsigned what = compare_bounds(was, is);
    if (rank(is->verdict) > rank(was->verdict)) what |= UG_DIFF_VERDICT;
    if (rank(is->verdict) < rank(was->verdict)) what |= UG_DIFF_BETTER;
    if ((was->bound == 1 && is->bound != 1) || (was->sound == 1 && is->sound != 1)) {
        what |= UG_DIFF_JUDGED;
    }
    if ((was->bound == 0 && is->bound == 1) || (was->sound == 0 && is->sound == 1)) {
        what |= UG_DIFF_BETTER;
    }
    if (differ(was->inputs, is->inputs)) what |= UG_DIFF_INPUTS;
    if (differ(was->digest, is->digest)) {
        what |= may_differ(o, is->kernel) ? UG_DIFF_FREE : UG_DIFF_BITS;
    }
    /* Where nothing was measured on one side, the verdict says it. */
    if (was->has && is->has) what |= compare_errors(was, is);
    return what;
}

static ug_diff_kernel *kernel_of(ug_diff *d, const ug_rec *rec)
{
    ug_diff_kernel *grown;
    size_t k;
    for (k = d->kernels; k-- > 0;) {
        if (d->kernel[k].kernel == rec->kernel) return &d->kernel[k];
    }
    grown = realloc(d->kernel, (d->kernels + 1) * sizeof *grown);
    if (!grown) return NULL;
    d->kernel = grown;
    grown += d->kernels++;
    *grown = (ug_diff_kernel){rec->kernel, rec->yardstick, 0, 0, {0}};
    return grown;
}

static int take(ug_diff *d, const ug_rec *was, const ug_rec *is, const ug_diff_options *o)
{
    ug_diff_item item = {was, is, 0, 1, -1, -1, NAN, NAN};
    ug_diff_kernel *k = kernel_of(d, was ? was : is);
    int bit;
    if (!k) return -1;
    if (was && is) {
        item.what = compare(was, is, o);
        d->matched++;
        k->cases++;
    } else if (o->common) {
        return 0;
    } else {
        item.what = was ? UG_DIFF_GONE : UG_DIFF_NEW;
    }
    item.counts = !(was ? was : is)->yardstick;
    if (!item.what) return 0;
    for (bit = 0; bit < UG_DIFF_KINDS; bit++) k->kind[bit] += item.what >> bit & 1;
    if (item.counts && item.what & UG_DIFF_WORSE) {
        k->worse++;
        d->worse++;
    }
    if (item.what & (UG_DIFF_BITS | UG_DIFF_FREE)) ug_diff_locate(o, &item);
    d->item[d->items++] = item;
    return 0;
}

/* Size of a difference, for the order of the list. */
static double weight(const ug_diff_item *i)
{
    if (!i->counts || !(i->what & UG_DIFF_WORSE)) return -1;
    if (i->what & UG_DIFF_VERDICT) return 1e30 * (1 + rank(i->is->verdict));
    if (i->what & UG_DIFF_GONE) return 1e29;
    if (i->what & (UG_DIFF_JUDGED | UG_DIFF_INPUTS)) return 1e28;
    if (i->what & UG_DIFF_GREW) {
        return 1 + fmin(1e20, metric(i->is, UG_REC_max_cond) /
                                  fmax(1e-3, metric(i->was, UG_REC_max_cond)));
    }
    return 0;
}

static int by_weight(const void *a, const void *b)
{
    const ug_diff_item *x = a, *y = b;
    double wx = weight(x), wy = weight(y);
    const ug_rec *rx = x->is ? x->is : x->was, *ry = y->is ? y->is : y->was;
    if (wx != wy) return wx > wy ? -1 : 1;
    return (rx > ry) - (rx < ry);
}

static const ug_rec **side(const ug_results *results, size_t run, size_t *count)
{
    const ug_rec **list;
    size_t i, kept = 0;
    *count = results->run[run].count;
    list = malloc((*count + 1) * sizeof *list);
    if (!list) return NULL;
    for (i = 0; i < *count; i++) list[i] = &results->rec[results->run[run].first + i];
    qsort(list, *count, sizeof *list, by_pair);
    for (i = 0; i < *count; i++) {
        if (!kept || compare_pair(list[kept - 1], list[i])) list[kept++] = list[i];
    }
    *count = kept;
    return list;
}

static int by_case(const void *a, const void *b)
{
    return strcmp(key_of(*(const ug_rec *const *)a), key_of(*(const ug_rec *const *)b));
}

static int64_t count_cases(const ug_rec **list, size_t count)
{
    int64_t cases = 0;
    size_t i;
    qsort(list, count, sizeof *list, by_case);
    for (i = 0; i < count; i++) cases += i == 0 || strcmp(key_of(list[i - 1]), key_of(list[i]));
    return cases;
}

static int merge(const ug_rec **was, size_t olds, const ug_rec **is, size_t news,
                 const ug_diff_options *o, ug_diff *d)
{
    size_t i = 0, j = 0, both = 0;
    int rc = 0;
    d->item = malloc((olds + news + 1) * sizeof *d->item);
    if (!d->item) return -1;
    while (!rc && (i < olds || j < news)) {
        int order = i == olds ? 1 : j == news ? -1 : compare_pair(was[i], is[j]);
        rc = take(d, order <= 0 ? was[i] : NULL, order >= 0 ? is[j] : NULL, o);
        if (order == 0) is[both++] = is[j];
        i += order <= 0;
        j += order >= 0;
    }
    d->cases = rc ? 0 : count_cases(is, both);
    qsort(d->item, d->items, sizeof *d->item, by_weight);
    return rc;
}

/* Kernels in the order of the files, not of addresses. */
static int order_kernels(const ug_results *results, ug_diff *d)
{
    size_t i;
    for (i = results->count; i-- > 0;) {
        const ug_rec *rec = &results->rec[i];
        if (i > 0 && results->rec[i - 1].kernel == rec->kernel) continue;
        if (!kernel_of(d, rec)) return -1;
    }
    return 0;
}

int ug_diff_make(const ug_results *results, const ug_diff_options *o, ug_diff *d)
{
    const ug_rec **was, **is;
    size_t olds, news;
    int rc;
    memset(d, 0, sizeof *d);
    d->results = results;
    was = side(results, 0, &olds);
    is = side(results, 1, &news);
    rc = was && is ? order_kernels(results, d) : -1;
    if (!rc) rc = merge(was, olds, is, news, o, d);
    if (!rc) rc = ug_diff_surroundings(results, d);
    free(was);
    free(is);
    return rc;
}

void ug_diff_free(ug_diff *d)
{
    free(d->item);
    free(d->kernel);
    free(d->fact);
    memset(d, 0, sizeof *d);
}
