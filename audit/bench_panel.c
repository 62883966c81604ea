/* SPDX-License-Identifier: Apache-2.0 */
/* Slots are opened, replayed round by round, and judged. A worker that dies takes all slots with
 * it: they are opened again without the one that killed it. */
#include "audit/bench_panel.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "audit/image.h"

enum { SAMPLE = 1 << 17 };                                 /* elements that are made and judged */
static const double limit_base = 60, limit_element = 4e-6; /* seconds */

int64_t ug_panel_rows(const ug_case *c, char *why, size_t cap)
{
    int64_t rows;
    why[0] = 0;
    if (c->rows < 1 || c->n < 1)
        snprintf(why, cap, "there is nothing to time in %lld rows of %lld", (long long)c->rows,
                 (long long)c->n);
    else if (c->alias != UG_ALIAS_NONE)
        snprintf(why, cap, "launches in place are not timed: each would change the next one's x");
    else if (c->xstride < (c->n - 1) * c->xcol + 1 || c->ystride < (c->n - 1) * c->ycol + 1)
        snprintf(why, cap, "only rows that lie one after another are timed");
    if (why[0]) return 0;
    rows = SAMPLE / c->n;
    return rows < 1 ? 1 : rows < c->rows ? rows : c->rows;
}

static void finish(ug_bench_item *item, ug_pair_verdict verdict, const char *tag, const char *why)
{
    if (item->over) return;
    item->over = 1;
    item->verdict = verdict;
    snprintf(item->reason, sizeof item->reason, "%s %.180s", tag, why);
}

static void finish_all(ug_panel *p, ug_pair_verdict verdict, const char *tag, const char *why)
{
    for (size_t i = 0; i < p->count; i++) finish(&p->item[i], verdict, tag, why);
}

static void finish_as(ug_bench_item *item, ug_end end, const char *why)
{
    static const struct {
        ug_pair_verdict verdict;
        const char *tag;
    } ends[] = {[UG_END_DECLINED] = {UG_DECLINE, "declined"},
                [UG_END_ERROR] = {UG_ERROR, "error"},
                [UG_END_CRASH] = {UG_CRASH, "crash"},
                [UG_END_HANG] = {UG_HANG, "hang"}};
    finish(item, ends[end].verdict, ends[end].tag, why);
}

static void fill_launch(const ug_panel *p, const ug_bench_item *item)
{
    const ug_case *c = p->c;
    const ug_profile *limits = p->profile;
    ug_wire *w = p->client->wire;
    w->launch = (ug_wire_launch){.kernel = item && item->chosen ? item->chosen->kernel : 0,
                                 .op = c->op,
                                 .dtype = c->dtype,
                                 .param_dtype = c->wdtype,
                                 .rows = p->subject->rows,
                                 .cols = c->n,
                                 .xstride = c->xstride,
                                 .ystride = c->ystride,
                                 .xcol = c->xcol,
                                 .ycol = c->ycol,
                                 .eps = c->eps};
    if (limits) {
        w->launch.has_profile = 1;
        snprintf(w->launch.profile_name, sizeof w->launch.profile_name, "%s", limits->name);
        w->launch.max_grid = limits->max_grid;
        w->launch.max_block = limits->max_block;
        w->launch.max_shared = limits->max_shared;
        w->launch.warp = limits->warp;
    }
    w->bench = (ug_wire_bench){.rows = c->rows,
                               .block = item ? item->block : 0,
                               .slot = item ? item->slot : 0,
                               .copy = item ? item->copy : 0};
    ug_rig_show(p->rig, w);
}

/* One command for an item, NULL for the whole panel. */
static ug_end command(ug_panel *p, ug_command what, const ug_bench_item *item, char *why,
                      size_t cap)
{
    const double sets = p->sets ? p->sets : 2;
    const double elements = sets * (double)p->c->rows * (double)p->c->n;
    const double seconds =
        p->time_limit > 0 ? p->time_limit : limit_base + limit_element * elements;
    ug_wire *w = p->client->wire;
    fill_launch(p, item);
    switch (ug_client_call(p->client, what, seconds, why, cap)) {
    case UG_REPLY_OK:
        break;
    case UG_REPLY_CRASH:
        return UG_END_CRASH;
    case UG_REPLY_HANG:
        return UG_END_HANG;
    case UG_REPLY_STOPPED:
        return UG_END_STOPPED;
    default:
        return UG_END_ERROR;
    }
    snprintf(why, cap, "%.199s", w->message);
    if (w->answer == UG_ANSWER_MEMORY) return UG_END_DECLINED;
    if (w->answer != UG_ANSWER_DONE) {
        ug_client_stop(p->client);
        return UG_END_ERROR;
    }
    if (what == UG_CMD_BENCH_OPEN || w->status == UG_OK) return UG_END_OK;
    return w->status == UG_DECLINED ? UG_END_DECLINED : UG_END_ERROR;
}

/* Inputs into the arena. Returns 0, or -1 with why. */
static int lay(ug_panel *p, char *why, size_t cap)
{
    const ug_subject *s = p->subject;
    ug_trial t = {.s = s};
    ug_trial_shapes(&t, s->rows, s->c->stats);
    if (ug_rig_lay(p->rig, &t.in, why, cap)) return -1;
    for (int64_t r = 0; r < s->rows; r++)
        ug_image_put(ug_rig_at(p->rig, UG_BUF_X), &t.in.shape[UG_BUF_X], r,
                     (const char *)s->x_bits + (size_t)(r * s->n) * s->size);
    if (s->gamma_bits)
        ug_image_put(ug_rig_at(p->rig, UG_BUF_GAMMA), &t.in.shape[UG_BUF_GAMMA], 0, s->gamma_bits);
    if (s->beta_bits)
        ug_image_put(ug_rig_at(p->rig, UG_BUF_BETA), &t.in.shape[UG_BUF_BETA], 0, s->beta_bits);
    p->rig->dirty = 1;
    return 0;
}

/* Starts a worker and opens the sets. */
static ug_end open_sets(ug_panel *p, char *why, size_t cap)
{
    ug_end end;
    if (!p->client->pid && ug_client_start(p->client, why, cap))
        return ug_clients_halted() ? UG_END_STOPPED : UG_END_ERROR;
    p->sets = 0;
    end = command(p, UG_CMD_BENCH_OPEN, NULL, why, cap);
    p->sets = p->client->wire->bench.sets;
    p->device = p->client->wire->bench.device != 0;
    return end;
}

/* Returns UG_END_OK also for an item that came to its end without harm to the others. */
static ug_end open_item(ug_panel *p, ug_bench_item *item, char *why, size_t cap)
{
    const ug_wire *w = p->client->wire;
    ug_end end = command(p, UG_CMD_BENCH_ADD, item, why, cap);
    if (end == UG_END_STOPPED) return end;
    if (end == UG_END_OK && item->copy && !w->bench.copy_name[0]) {
        item->over = 1;
        return UG_END_OK;
    }
    if (end != UG_END_OK) {
        finish_as(item, end, why);
        return p->client->pid ? UG_END_OK : end;
    }
    item->slot = w->bench.slot;
    if (item->copy)
        snprintf(item->name, sizeof item->name, "%s:copy/%.31s", w->card.backend,
                 w->bench.copy_name);
    snprintf(item->path, sizeof item->path, "%s", w->path);
    item->has_geometry = w->has_geometry && !item->copy && w->geometry.threads > 0;
    item->geometry = w->geometry;
    return UG_END_OK;
}

/* Opens everything that is not over. */
static ug_end open_all(ug_panel *p, char *why, size_t cap)
{
    for (;;) {
        ug_end end = open_sets(p, why, cap);
        if (end != UG_END_OK) return end;
        for (size_t i = 0; i < p->count && end == UG_END_OK; i++)
            if (!p->item[i].over) end = open_item(p, &p->item[i], why, cap);
        if (end == UG_END_OK || end == UG_END_STOPPED) return end;
    }
}

/* One round over all items, each time from another one on. */
static ug_end play_round(ug_panel *p, int round, char *why, size_t cap)
{
    for (size_t k = 0; k < p->count; k++) {
        ug_bench_item *item = &p->item[(k + (size_t)round) % p->count];
        ug_end end;
        if (item->over) continue;
        end = command(p, UG_CMD_BENCH_REPLAY, item, why, cap);
        if (end == UG_END_STOPPED) return end;
        if (end != UG_END_OK) {
            finish_as(item, end, why);
            if (!p->client->pid) return end;
            continue;
        }
        if (round >= p->warm && item->rounds < p->repeats)
            item->us[item->rounds++] = p->client->wire->bench.us;
    }
    return UG_END_OK;
}

/* Takes the judged rows out of the arena and measures them. */
static void measure(ug_panel *p, ug_bench_item *item, void *row)
{
    const ug_subject *s = p->subject;
    const ug_kernel_card *card = item->chosen->card;
    const ug_layout_in *in = &p->rig->in;
    const float *mean = (float *)ug_rig_at(p->rig, UG_BUF_MEAN);
    const float *rstd = (float *)ug_rig_at(p->rig, UG_BUF_RSTD);
    const int stats = in->present[UG_BUF_MEAN] && (card->supports & UG_CAN_STATS);
    ug_bound_model model = {card->variance, {0}, card->rsqrt_error};
    char err[256] = "";
    if (item->has_geometry) model.geometry = item->geometry;
    ug_measure_begin(&item->measure, s->c->dtype, &model);
    item->measure.rounding = card->rounding;
    item->measure.promise = card->promise;
    for (int64_t r = 0; r < s->rows; r++) {
        ug_row_in x;
        ug_row_out truth;
        ug_subject_row(s, r, &x, &truth);
        ug_image_take(ug_rig_at(p->rig, UG_BUF_Y), &in->shape[UG_BUF_Y], r, row);
        ug_measure_row(&item->measure, r, &x, &s->stats[r], &truth, row,
                       ug_poison_bits(s->c->dtype), stats ? mean + r : NULL,
                       stats ? rstd + r : NULL, NULL);
    }
    if (ug_gate_judge(NULL, &item->measure, &item->judged, err, sizeof err)) {
        finish(item, UG_ERROR, "error", err);
        return;
    }
    item->measured = item->over = 1;
    item->verdict = item->judged.pass ? UG_PASS : UG_FAIL;
}

static ug_end judge_item(ug_panel *p, ug_bench_item *item, void *row, char *why, size_t cap)
{
    const ug_layout_in *in = &p->rig->in;
    ug_end end;
    for (int64_t r = 0; r < p->subject->rows; r++)
        ug_image_poison(ug_rig_at(p->rig, UG_BUF_Y), &in->shape[UG_BUF_Y], r);
    for (ug_buffer b = UG_BUF_MEAN; b <= UG_BUF_RSTD; b++)
        if (in->present[b]) ug_image_poison(ug_rig_at(p->rig, b), &in->shape[b], 0);
    end = command(p, UG_CMD_BENCH_FETCH, item, why, cap);
    if (end == UG_END_STOPPED) return end;
    if (end != UG_END_OK) {
        finish_as(item, end, why);
        return p->client->pid ? UG_END_OK : end;
    }
    measure(p, item, row);
    return UG_END_OK;
}

static ug_end judge_all(ug_panel *p, void *row, char *why, size_t cap)
{
    for (size_t i = 0; i < p->count; i++) {
        ug_bench_item *item = &p->item[i];
        ug_end end;
        if (item->over) continue;
        if (item->copy) {
            item->over = 1;
            item->verdict = UG_PASS;
            continue;
        }
        end = judge_item(p, item, row, why, cap);
        if (end != UG_END_OK) return end;
    }
    return UG_END_OK;
}

static ug_end play(ug_panel *p, void *row, char *why, size_t cap)
{
    for (;;) {
        ug_end end = open_all(p, why, cap);
        int again = 0;
        if (end != UG_END_OK) return end;
        for (int round = 0; round < p->warm + p->repeats && !again; round++) {
            end = play_round(p, round, why, cap);
            if (end == UG_END_STOPPED) return end;
            again = end != UG_END_OK;
        }
        if (!again) end = judge_all(p, row, why, cap);
        if (end == UG_END_OK || end == UG_END_STOPPED) return end;
        /* An item died. What the others have counted so far stays and is not added to. */
    }
}

void ug_panel_run(ug_panel *p)
{
    char why[512] = "", *row = malloc((size_t)p->c->n * p->subject->size);
    ug_end end = UG_END_ERROR;
    if (!row)
        snprintf(why, sizeof why, "out of memory");
    else if (!lay(p, why, sizeof why))
        end = play(p, row, why, sizeof why);
    free(row);
    p->stopped = end == UG_END_STOPPED;
    if (end == UG_END_DECLINED) finish_all(p, UG_DECLINE, "declined", why);
    if (end != UG_END_OK) finish_all(p, UG_ERROR, "error", why);
}
