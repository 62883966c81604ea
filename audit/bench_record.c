/* SPDX-License-Identifier: Apache-2.0 */
/* The record of a timed kernel: that of a result, with its times and without what a bench does not
 * know. */
#include "audit/bench_record.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "audit/record.h"
#include "ulpgate/dtype.h"

static int by_size(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double quantile(const double *sorted, int count, double share)
{
    const double at = share * (count - 1);
    const int low = (int)at, high = low + 1 < count ? low + 1 : low;
    return sorted[low] + (at - low) * (sorted[high] - sorted[low]);
}

ug_bench_time ug_bench_median(double *us, int count)
{
    if (count < 1) return (ug_bench_time){NAN, NAN};
    qsort(us, (size_t)count, sizeof *us, by_size);
    return (ug_bench_time){quantile(us, count, 0.5),
                           quantile(us, count, 0.75) - quantile(us, count, 0.25)};
}

double ug_bench_bytes(const ug_case *c, int has_gamma, int has_beta)
{
    const double elements = (double)c->rows * (double)c->n;
    double bytes = 2 * elements * (double)ug_dtype_size(c->dtype);
    bytes += (has_gamma + has_beta) * (double)c->n * (double)ug_dtype_size(c->wdtype);
    return bytes + (c->stats ? 8 * (double)c->rows : 0);
}

void ug_bench_times(const ug_panel *p, ug_bench_time *time)
{
    for (size_t i = 0; i < p->count; i++)
        time[i] = ug_bench_median(p->item[i].us, p->item[i].rounds);
}

const ug_bench_item *ug_bench_yardstick(const ug_panel *p, const ug_bench_time *time)
{
    const ug_bench_item *best = NULL;
    for (size_t i = 0; i < p->count; i++) {
        const ug_bench_item *item = &p->item[i];
        if (!item->copy || !(time[i].median > 0)) continue;
        if (!best || time[i].median < time[best - p->item].median) best = item;
    }
    return best;
}

static json_t *base_record(const ug_panel *p, const ug_bench_item *item)
{
    /* A copy has no card of its own. */
    static const ug_kernel_card copies = {.variance = UG_VAR_UNKNOWN, .yardstick = 1};
    ug_record_in in = {.tested = p->c,
                       .kernel = item->chosen ? item->chosen->card : &copies,
                       .path = item->path[0] ? item->path : NULL,
                       .geometry = item->has_geometry ? &item->geometry : NULL,
                       .verdict = ug_verdict_names[item->verdict],
                       .reason = item->reason[0] ? item->reason : NULL,
                       .measure = item->measured ? &item->measure : NULL,
                       .judged = item->measured ? &item->judged : NULL,
                       .time_us = -1};
    json_t *record = ug_record(&in);
    if (!record) return NULL;
    json_object_set_new(record, "type", json_string("bench"));
    json_object_set_new(record, "kernel", ug_record_string(item->name));
    json_object_del(record, "ulp_hist");
    json_object_del(record, "worst");
    json_object_del(record, "range_worst");
    if (!item->chosen) json_object_del(record, "variance");
    return record;
}

static void put_times(json_t *record, const ug_panel *p, const ug_bench_item *item,
                      const ug_bench_time *time)
{
    const ug_bench_item *yard = ug_bench_yardstick(p, time);
    const ug_bench_time *t = &time[item - p->item];
    const double copied =
        2 * (double)p->c->rows * (double)p->c->n * (double)ug_dtype_size(p->c->dtype);
    const double bytes =
        item->copy ? copied
                   : ug_bench_bytes(p->c, p->subject->gamma != NULL, p->subject->beta != NULL);
    json_object_set_new(record, "bytes", ug_record_number(bytes));
    json_object_set_new(record, "sets", json_integer(p->sets));
    json_object_set_new(record, "repeats", json_integer(item->rounds));
    json_object_set_new(record, "clock", json_string(p->device ? "device" : "host"));
    if (!(t->median > 0)) return;
    json_object_set_new(record, "us", ug_record_number(t->median));
    json_object_set_new(record, "us_spread", ug_record_number(t->spread));
    json_object_set_new(record, "gbps", ug_record_number(bytes / t->median * 1e-3));
    if (!yard) return;
    json_object_set_new(record, "copy", ug_record_string(yard->name));
    json_object_set_new(record, "copy_us", ug_record_number(time[yard - p->item].median));
    json_object_set_new(
        record, "copy_share",
        ug_record_number(bytes / t->median / (copied / time[yard - p->item].median)));
}

json_t *ug_bench_record(const ug_panel *p, const ug_bench_item *item, const ug_bench_time *time,
                        int emulated)
{
    json_t *record = base_record(p, item);
    if (!record) return NULL;
    if (item->block) json_object_set_new(record, "block", json_integer(item->block));
    if (emulated) json_object_set_new(record, "emulated", json_true());
    if (item->measured) json_object_set_new(record, "judged_rows", json_integer(p->subject->rows));
    if (item->rounds) put_times(record, p, item, time);
    return record;
}
