/* SPDX-License-Identifier: Apache-2.0 */
/* From bench records to medians over runs and means over cases. */
#include "report/speed.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { RUNS = 64 };

typedef struct entry {
    const ug_rec_bench *bench;
    size_t case_at, order;
} entry;

static int by_case_and_kernel(const void *a, const void *b)
{
    const entry *x = a, *y = b;
    int order;
    if (x->case_at != y->case_at) return x->case_at < y->case_at ? -1 : 1;
    order = strcmp(x->bench->rec.kernel, y->bench->rec.kernel);
    return order ? order : x->order < y->order ? -1 : 1;
}

static int by_size(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Of the values that are numbers; NaN for none. */
static double median(double *v, int count)
{
    int kept = 0;
    for (int i = 0; i < count; i++)
        if (!isnan(v[i])) v[kept++] = v[i];
    if (!kept) return NAN;
    qsort(v, (size_t)kept, sizeof *v, by_size);
    return kept % 2 ? v[kept / 2] : (v[kept / 2 - 1] + v[kept / 2]) / 2;
}

/* The worse of two errors; a NaN that is a measured error is the worst, an absent one is NaN too:
 * `has` tells them apart. */
static void raise_error(double *worst, const ug_rec *rec, ug_rec_metric m)
{
    if (!(rec->has & 1u << m)) return;
    if (isnan(rec->metric[m]))
        *worst = INFINITY;
    else if (!(*worst >= rec->metric[m]))
        *worst = rec->metric[m];
}

static void sum_errors(ug_speed *s, const ug_rec *rec)
{
    raise_error(&s->abs, rec, UG_REC_max_abs);
    raise_error(&s->ulp, rec, UG_REC_max_ulp);
    raise_error(&s->cond, rec, UG_REC_max_cond);
    if (rec->has & 1u << UG_REC_cr_share && !(s->cr <= rec->metric[UG_REC_cr_share]))
        s->cr = rec->metric[UG_REC_cr_share];
    if (rec->sound >= 0 && (s->sound < 0 || !rec->sound)) s->sound = rec->sound;
}

/* All records of one kernel on one case. */
static ug_speed sum_group(const entry *e, size_t count)
{
    ug_speed s = {.first = e->bench, .case_at = e->case_at, .sound = -1};
    double us[RUNS], gbps[RUNS], share[RUNS];
    s.spread = s.abs = s.ulp = s.cond = s.cr = NAN;
    for (size_t i = 0; i < count && i < RUNS; i++) {
        const ug_rec_bench *b = e[i].bench;
        us[i] = b->us;
        gbps[i] = b->gbps;
        share[i] = b->copy_share;
        s.runs += !isnan(b->us);
        if (!isnan(b->us_spread) && !(s.spread >= b->us_spread)) s.spread = b->us_spread;
        sum_errors(&s, &b->rec);
    }
    count = count < RUNS ? count : RUNS;
    s.us = median(us, (int)count);
    s.gbps = median(gbps, (int)count);
    s.share = median(share, (int)count);
    return s;
}

static int by_speed(const void *a, const void *b)
{
    const ug_speed *x = a, *y = b;
    if (x->case_at != y->case_at) return x->case_at < y->case_at ? -1 : 1;
    if (x->first->rec.yardstick != y->first->rec.yardstick)
        return y->first->rec.yardstick - x->first->rec.yardstick;
    if (isnan(x->us) != isnan(y->us)) return isnan(x->us) ? 1 : -1;
    if (x->us != y->us && !isnan(x->us)) return x->us < y->us ? -1 : 1;
    return strcmp(x->first->rec.kernel, y->first->rec.kernel);
}

static size_t find_case(const char **ids, size_t *count, const char *line)
{
    for (size_t i = *count; i-- > 0;)
        if (ids[i] == line) return i; /* kept once: equal lines are equal pointers */
    ids[*count] = line;
    return (*count)++;
}

static int group(const ug_results *r, ug_speeds *speeds)
{
    entry *e = calloc(r->benches + 1, sizeof *e);
    const char **ids = calloc(r->benches + 1, sizeof *ids);
    speeds->item = calloc(r->benches + 1, sizeof *speeds->item);
    if (!e || !ids || !speeds->item) {
        free(e);
        free(ids);
        return -1;
    }
    for (size_t i = 0; i < r->benches; i++)
        e[i] = (entry){&r->bench[i], find_case(ids, &speeds->cases, r->bench[i].rec.line), i};
    qsort(e, r->benches, sizeof *e, by_case_and_kernel);
    for (size_t i = 0, next; i < r->benches; i = next) {
        for (next = i + 1; next < r->benches && e[next].case_at == e[i].case_at &&
                           !strcmp(e[next].bench->rec.kernel, e[i].bench->rec.kernel);
             next++) {}
        speeds->item[speeds->count++] = sum_group(&e[i], next - i);
    }
    free(e);
    free(ids);
    return 0;
}

/* The kernel's name without @BLOCK. */
static int same_kernel(const char *timed, const char *judged)
{
    const char *at = strchr(timed, '@');
    size_t head = at ? (size_t)(at - timed) : strlen(timed);
    return !strncmp(timed, judged, head) && !strcmp(judged + head, at ? at + strcspn(at, "/") : "");
}

static ug_speed_sum *sum_of(ug_speeds *s, const ug_rec_bench *b, const ug_summary *summary)
{
    ug_speed_sum *k;
    for (size_t i = 0; i < s->kernels; i++)
        if (s->kernel[i].kernel == b->rec.kernel) return &s->kernel[i];
    k = &s->kernel[s->kernels++];
    *k = (ug_speed_sum){.kernel = b->rec.kernel,
                        .yardstick = b->rec.yardstick,
                        .emulated = b->emulated,
                        .share_least = NAN,
                        .cond = NAN,
                        .cr = NAN};
    for (size_t i = 0; summary && i < summary->kernels; i++)
        if (same_kernel(b->rec.kernel, summary->kernel[i].kernel)) k->judged = &summary->kernel[i];
    return k;
}

/* share_geo holds the sum of logarithms until the end. */
static void add_case(ug_speed_sum *k, const ug_speed *s)
{
    k->cases++;
    k->fastest += s->fastest;
    k->unsound += s->sound == 0;
    if (!isnan(s->cond) && !(k->cond >= s->cond)) k->cond = s->cond;
    if (!isnan(s->cr) && !(k->cr <= s->cr)) k->cr = s->cr;
    if (isnan(s->us)) return;
    k->timed++;
    k->share_geo += log(s->share);
    if (k->share_least <= s->share) return;
    k->share_least = s->share;
    k->least = s;
}

static int by_share(const void *a, const void *b)
{
    const ug_speed_sum *x = a, *y = b;
    if (x->yardstick != y->yardstick) return y->yardstick - x->yardstick;
    if (isnan(x->share_geo) != isnan(y->share_geo)) return isnan(x->share_geo) ? 1 : -1;
    if (x->share_geo != y->share_geo && !isnan(x->share_geo))
        return x->share_geo > y->share_geo ? -1 : 1;
    return strcmp(x->kernel, y->kernel);
}

static void mark_fastest(ug_speeds *s)
{
    size_t marked = SIZE_MAX;
    for (size_t i = 0; i < s->count; i++) {
        ug_speed *item = &s->item[i];
        if (item->case_at == marked || item->first->rec.yardstick || isnan(item->us)) continue;
        item->fastest = 1;
        marked = item->case_at;
    }
}

int ug_speed_sums(const ug_results *results, const ug_summary *summary, ug_speeds *s)
{
    memset(s, 0, sizeof *s);
    if (group(results, s)) return -1;
    s->kernel = calloc(s->count + 1, sizeof *s->kernel);
    if (!s->kernel) return -1;
    qsort(s->item, s->count, sizeof *s->item, by_speed);
    mark_fastest(s);
    for (size_t i = 0; i < s->count; i++) {
        add_case(sum_of(s, s->item[i].first, summary), &s->item[i]);
        if (s->item[i].runs > s->runs) s->runs = s->item[i].runs;
        s->emulated |= s->item[i].first->emulated;
    }
    for (size_t k = 0; k < s->kernels; k++) {
        ug_speed_sum *sum = &s->kernel[k];
        sum->share_geo = sum->timed ? exp(sum->share_geo / (double)sum->timed) : NAN;
    }
    qsort(s->kernel, s->kernels, sizeof *s->kernel, by_share);
    return 0;
}

void ug_speeds_free(ug_speeds *s)
{
    free(s->item);
    free(s->kernel);
    memset(s, 0, sizeof *s);
}
