/* SPDX-License-Identifier: Apache-2.0 */
/* A pair whose matrices lie on the device alone: a few rows are measured, all others must have
 * their bits. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "audit/digest.h"
#include "audit/image.h"
#include "audit/pair_parts.h"
#include "audit/tile.h"

enum { REPEATS = 3, ROW_DIGESTS_MAX = 4096 };
static const double limit_base = 60, limit_element = 1e-7; /* seconds */

int ug_work_too_large(ug_work *w)
{
    const ug_pair_in *in = w->in;
    const ug_case *c = in->s->c;
    char *why = w->trial.why;
    size_t cap = sizeof w->trial.why;
    if (!in->tiled && ug_case_fits(c, in->device)) return 0;
    if (!in->device)
        snprintf(why, cap, "needs a GPU: more than %lld elements", (long long)UG_HOST_REPETITIONS);
    else if (!in->tiled)
        snprintf(why, cap, "more than %lld elements, and the memory space cannot fill by itself",
                 (long long)UG_HOST_ELEMENTS);
    else if (!ug_case_tile_fits(c))
        snprintf(why, cap, "more than %lld elements to be judged, or 2^32 in a row",
                 (long long)UG_HOST_ELEMENTS / 3);
    else if (in->card->depends == UG_DEPENDS_ANY)
        snprintf(why, cap, "rows cannot be compared: the card lets bits depend on anything");
    else if (!in->card->repeatable)
        snprintf(why, cap, "rows cannot be compared: the card promises no repeats");
    else
        return 0;
    return 1;
}

/* What one launch left, taken from where the worker can write. */
typedef struct seen {
    ug_difference y, mean, rstd;
} seen;

/* The first launch, whose rows are judged; the same again; the others, shifted. */
typedef enum mode { FIRST, AGAIN, SHIFTED } mode;

static ug_end launch(ug_work *w, int k, uint32_t variation, mode how, seen *found)
{
    const ug_wire *wire = w->trial.client->wire;
    ug_launch l = {.number = k,
                   .variation = variation,
                   .places = w->places[how == SHIFTED ? k : 0],
                   .workspace = w->workspace[how == SHIFTED ? k : 0]};
    ug_end end = ug_tile_launch(&w->trial, &l, how != SHIFTED, how == FIRST, &w->out->outputs,
                                &w->out->measure);
    *found = (seen){wire->tile.found[UG_BUF_Y], wire->tile.found[UG_BUF_MEAN],
                    wire->tile.found[UG_BUF_RSTD]};
    if (end == UG_END_OK && (k == 0 || wire->time_us < w->out->time_us))
        w->out->time_us = wire->time_us;
    return end;
}

static ug_end out_of_memory(ug_work *w)
{
    snprintf(w->trial.why, sizeof w->trial.why, "out of memory");
    return UG_END_ERROR;
}

static ug_end set_up(ug_work *w, const ug_tile_plan *plan)
{
    const ug_case *c = w->in->s->c;
    int stats = c->stats && (w->in->card->supports & UG_CAN_STATS);
    int64_t last = c->batch > 0 ? c->batch : c->rows, most = last > c->rows ? last : c->rows;
    int64_t wide = plan->parts * plan->width;
    if (plan->judged * wide > UG_HOST_ELEMENTS) {
        snprintf(w->trial.why, sizeof w->trial.why, "more than %lld elements to be judged",
                 (long long)UG_HOST_ELEMENTS);
        return UG_END_DECLINED;
    }
    w->places[0] = w->places[1] = c->rows;
    w->places[2] = last;
    w->out->output_bytes = (size_t)(plan->judged * wide) * w->in->s->size;
    if (ug_outputs_make(&w->out->outputs, plan->judged, wide, w->in->s->size, stats))
        return out_of_memory(w);
    memset(w->out->outputs.y, 0, w->out->output_bytes);
    if (stats) {
        memset(w->out->outputs.mean, 0, (size_t)plan->judged * sizeof(float));
        memset(w->out->outputs.rstd, 0, (size_t)plan->judged * sizeof(float));
    }
    if (!w->trial.time_limit)
        w->trial.time_limit = limit_base + limit_element * (double)most * (double)c->n;
    w->trial.tile = plan;
    ug_tile_shapes(&w->trial, most, stats);
    return ug_work_prepare(w);
}

/* Columns of a judged row, side by side as in outputs.y. */
typedef struct wide_row {
    float *x, *gamma, *beta;
    double *head, *tail;
    uint32_t *want;
    char *room;
} wide_row;

static int make_wide(wide_row *v, int64_t wide)
{
    size_t n = (size_t)wide;
    v->room = malloc(n * (2 * sizeof(double) + 4 * sizeof(float)) + 1);
    if (!v->room) return -1;
    v->head = (double *)v->room;
    v->tail = v->head + n;
    v->x = (float *)(v->tail + n);
    v->gamma = v->x + n;
    v->beta = v->gamma + n;
    v->want = (uint32_t *)(v->beta + n);
    return 0;
}

/* One period `parts` times over: input and answer of every judged column. */
static void widen(const ug_work *w, const wide_row *v, int64_t row, ug_row_in *in,
                  ug_row_out *truth)
{
    const ug_tile_plan *plan = w->trial.tile;
    size_t n = (size_t)plan->width;
    ug_subject_row(w->in->s, row, in, truth);
    for (int64_t p = 0; p < plan->parts; p++) {
        size_t at = (size_t)p * n;
        memcpy(v->x + at, in->x, n * sizeof *v->x);
        if (in->gamma) memcpy(v->gamma + at, in->gamma, n * sizeof *v->gamma);
        if (in->beta) memcpy(v->beta + at, in->beta, n * sizeof *v->beta);
        memcpy(v->head + at, truth->head, n * sizeof *v->head);
        memcpy(v->tail + at, truth->tail, n * sizeof *v->tail);
        memcpy(v->want + at, truth->want, n * sizeof *v->want);
    }
    *in = (ug_row_in){v->x,
                      in->gamma ? v->gamma : NULL,
                      in->beta ? v->beta : NULL,
                      plan->parts * plan->width,
                      in->eps,
                      in->out};
    *truth = (ug_row_out){v->head, v->tail, v->want};
}

static ug_end measure_rows(ug_work *w)
{
    const ug_subject *s = w->in->s;
    const ug_tile_plan *plan = w->trial.tile;
    const ug_outputs *o = &w->out->outputs;
    const int64_t wide = plan->parts * plan->width, n = s->c->n;
    const char *yard = n == plan->width ? w->in->yardstick : NULL;
    const size_t bytes = (size_t)wide * s->size;
    wide_row v;
    if (make_wide(&v, wide)) return out_of_memory(w);
    for (int64_t r = 0; r < plan->judged; r++) {
        ug_row_in in;
        ug_row_out truth;
        widen(w, &v, r, &in, &truth);
        ug_measure_row(&w->out->measure, r, &in, &s->stats[ug_subject_source(s, r)], &truth,
                       (char *)o->y + (size_t)r * bytes, ug_poison_bits(s->c->dtype),
                       o->mean ? o->mean + r : NULL, o->rstd ? o->rstd + r : NULL,
                       yard ? yard + (size_t)r * bytes : NULL);
    }
    free(v.room);
    if (plan->parts == 3) ug_measure_move(&w->out->measure, 2 * plan->width, n - wide);
    w->out->measure.compared = w->places[0];
    return UG_END_OK;
}

/* What was not written at all, wherever it lies. */
static void note_unwritten(ug_work *w, int k, const seen *f)
{
    ug_measure *m = &w->out->measure;
    const ug_difference *stats = f->mean.marked ? &f->mean : &f->rstd;
    if (f->y.marked > (k ? 0 : m->classes[UG_CLASS_UNWRITTEN]))
        ug_note(m, "unwritten", "%lld elements of y in launch %d, first at row %lld col %lld",
                (long long)f->y.marked, k + 1, (long long)f->y.marked_row,
                (long long)f->y.marked_col);
    if (stats->marked)
        ug_note(m, "unwritten", "%s of %lld rows in launch %d, first row %lld",
                f->mean.marked ? "mean" : "rstd", (long long)stats->marked, k + 1,
                (long long)stats->marked_row);
}

static int differs(const seen *f) { return f->y.count || f->mean.count || f->rstd.count; }

/* Rows of the launch that have the values of a judged row and not its bits. */
static void note_rows(ug_work *w, int k, const seen *f)
{
    ug_measure *m = &w->out->measure;
    const ug_difference *stats = f->mean.count ? &f->mean : &f->rstd;
    if (f->y.count)
        ug_note(m, "rows",
                "%lld elements of y in launch %d differ from judged ones of the same values, first "
                "at row %lld col %lld",
                (long long)f->y.count, k + 1, (long long)f->y.row, (long long)f->y.col);
    else if (differs(f))
        ug_note(m, "rows",
                "%s of %lld rows in launch %d differs from that of equal rows, first "
                "row %lld",
                f->mean.count ? "mean" : "rstd", (long long)stats->count, k + 1,
                (long long)stats->row);
}

static int64_t first_row(const seen *f)
{
    return f->y.count ? f->y.row : f->mean.count ? f->mean.row : f->rstd.row;
}

/* Launch k differed where the first one did not: does the first launch repeat, and does the
 * variation alone do it? */
static ug_end tell_apart(ug_work *w, int k, const seen *found)
{
    ug_measure *m = &w->out->measure;
    seen again;
    ug_end end;
    for (int i = 0; i <= REPEATS; i++) {
        uint32_t variation = i < REPEATS ? 0 : (uint32_t)k;
        end = launch(w, 0, variation, AGAIN, &again);
        if (end != UG_END_OK) return end;
        if (!differs(&again)) continue;
        if (i < REPEATS)
            ug_note(m, "repeat", "the same launch again gave row %lld other bits",
                    (long long)first_row(&again));
        else
            ug_note(m, "order", "lane order %d gave row %lld other bits", k,
                    (long long)first_row(&again));
        return UG_END_OK;
    }
    note_rows(w, k, found);
    return UG_END_OK;
}

static ug_end repeat(ug_work *w, int first_differed)
{
    for (int k = 1; k < UG_LAUNCHES; k++) {
        seen found;
        ug_end end = launch(w, k, (uint32_t)k, SHIFTED, &found);
        if (end == UG_END_DECLINED) {
            ug_work_note_declined(w, k);
            continue;
        }
        if (end != UG_END_OK) return end;
        note_unwritten(w, k, &found);
        if (first_differed || !differs(&found)) continue;
        end = tell_apart(w, k, &found);
        if (end != UG_END_OK) return end;
    }
    return UG_END_OK;
}

/* That of all rows in order, as if they had travelled: equal rows were seen to be equal. */
static void digest_rows(ug_work *w)
{
    const ug_tile_plan *plan = w->trial.tile;
    const ug_subject *s = w->in->s;
    const ug_outputs *o = &w->out->outputs;
    const int64_t wide = plan->parts * plan->width, rows = w->places[0];
    int64_t keep = !w->in->row_digests ? 0 : rows < ROW_DIGESTS_MAX ? rows : ROW_DIGESTS_MAX;
    uint64_t *d = malloc((size_t)plan->judged * sizeof *d + 1);
    w->out->row_digests = keep ? malloc((size_t)keep * sizeof *d) : NULL;
    if (!w->out->row_digests) keep = 0;
    for (int64_t r = 0; d && r < plan->judged; r++)
        d[r] = ug_digest_repeated((char *)o->y + (size_t)(r * wide) * s->size, s->c->dtype, s->c->n,
                                  plan->width, (int)plan->parts, o->mean ? o->mean + r : NULL,
                                  o->rstd ? o->rstd + r : NULL);
    for (int64_t r = 0, j = 0; d && r < rows; r++, j = j + 1 < plan->judged ? j + 1 : 0) {
        w->out->digest = ug_digest_join(w->out->digest, d[j]);
        if (r < keep) w->out->row_digests[w->out->row_digest_count++] = d[j];
    }
    free(d);
}

/* A kernel that declines must have left its outputs alone. */
static ug_end declined(ug_work *w, const seen *f)
{
    const ug_case *c = w->in->s->c;
    int untouched = c->alias == UG_ALIAS_INPLACE || f->y.marked == c->rows * c->n;
    if (untouched && !w->out->measure.reason_count) return UG_END_DECLINED;
    w->out->verdict = UG_FAIL;
    if (!untouched) ug_note(&w->out->measure, "declined", "launch 1 but its outputs were written");
    snprintf(w->out->reason, sizeof w->out->reason, "%s", w->out->measure.reasons[0]);
    return UG_END_OK;
}

static ug_end judge(ug_work *w, const ug_tile_plan *plan)
{
    char err[256] = "";
    seen found;
    ug_end end = set_up(w, plan);
    if (end != UG_END_OK) return end;
    ug_pair_begin(w->in, w->out);
    end = launch(w, 0, 0, FIRST, &found);
    if (end == UG_END_DECLINED) return declined(w, &found);
    if (end != UG_END_OK) return end;
    ug_work_check_card(w);
    ug_work_check_path(w);
    end = measure_rows(w);
    if (end != UG_END_OK) return end;
    note_unwritten(w, 0, &found);
    note_rows(w, 0, &found);
    end = repeat(w, differs(&found));
    if (end != UG_END_OK) return end;
    digest_rows(w);
    if (!ug_pair_finish(w->in, w->out, err, sizeof err)) return UG_END_OK;
    snprintf(w->trial.why, sizeof w->trial.why, "%s", err);
    return UG_END_ERROR;
}

ug_end ug_work_tiled(ug_work *w)
{
    ug_tile_plan plan;
    ug_end end;
    ug_tile_plan_make(w->in->s->c, w->in->card->depends, &plan);
    end = judge(w, &plan);
    ug_trial_release(&w->trial);
    w->trial.tile = NULL;
    return end;
}
