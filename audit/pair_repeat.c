/* SPDX-License-Identifier: Apache-2.0 */
/* The second and third launch: other lanes first, other places, other scale, other company. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "audit/arrange.h"
#include "audit/digest.h"
#include "audit/pair_parts.h"

enum { REPEATS = 3 }; /* of the first launch, to see that it is not steady */

ug_end ug_work_launch(ug_work *w, int k, uint32_t variation, int in_order, ug_outputs *to)
{
    const ug_shape *shape = w->trial.in.shape;
    ug_launch l = {.number = k,
                   .variation = variation,
                   .places = in_order ? w->places[0] : w->places[k],
                   .row = w->row,
                   .workspace = w->workspace[in_order ? 0 : k],
                   .clean = k == UG_LAUNCHES - 1 && !in_order};
    double us = 0;
    ug_end end;
    if (w->in->card->depends == UG_DEPENDS_ANY) l.clean = 0;
    if (ug_arrange(in_order ? 0 : k, w->in->card->depends, &shape[UG_BUF_X], &shape[UG_BUF_Y],
                   w->in->s->rows, l.places, w->row, w->compared)) {
        snprintf(w->trial.why, sizeof w->trial.why, "out of memory");
        return UG_END_ERROR;
    }
    end = ug_trial_launch(&w->trial, &l, to, &us, &w->out->measure);
    if (end == UG_END_OK && us >= 0 && (k == 0 || us < w->out->time_us)) w->out->time_us = us;
    if (end == UG_END_DECLINED && !ug_trial_untouched(&w->trial, &l, to))
        ug_note(&w->out->measure, "declined", "launch %d but its outputs were written", k + 1);
    return end;
}

void ug_work_note_declined(ug_work *w, int k)
{
    if (w->places[k] == w->places[0])
        ug_note(&w->out->measure, "declined", "launch %d of a shape accepted before: %s", k + 1,
                w->trial.why);
}

int64_t ug_work_difference(const ug_work *w, int64_t places)
{
    const ug_subject *s = w->in->s;
    const ug_outputs *a = &w->out->outputs, *b = &w->again;
    size_t bytes = (size_t)s->n * s->size;
    for (int64_t p = 0; p < places; p++) {
        int64_t r = w->row[p];
        if (!w->compared[p]) continue;
        if (!ug_same_bits((char *)a->y + (size_t)r * bytes, (char *)b->y + (size_t)p * bytes,
                          s->c->dtype, s->n))
            return p;
        if (a->mean && (!ug_same_bits(a->mean + r, b->mean + p, UG_F32, 1) ||
                        !ug_same_bits(a->rstd + r, b->rstd + p, UG_F32, 1)))
            return p;
    }
    return -1;
}

/* Rows that lie there without their special values have other results. */
static void leave_out_clean(ug_work *w, int64_t places)
{
    const ug_subject *s = w->in->s;
    for (int64_t p = 0; p < places; p++)
        if (s->clean_bits[ug_subject_source(s, w->row[p])]) w->compared[p] = 0;
}

/* Launch k differed at a place: does the first launch repeat, does the variation alone do it, or
 * the scaling? */
static ug_end tell_apart(ug_work *w, int k, int scaled, int64_t place)
{
    ug_measure *m = &w->out->measure;
    int64_t row = w->row[place], at;
    uint32_t variation = (uint32_t)k;
    ug_end end;
    for (int i = 0; i < REPEATS; i++) {
        end = ug_work_launch(w, 0, 0, 1, &w->again);
        if (end != UG_END_OK) return end;
        at = ug_work_difference(w, w->places[0]);
        if (at < 0) continue;
        ug_note(m, "repeat", "the same launch again gave row %lld other bits", (long long)at);
        return UG_END_OK;
    }
    end = ug_work_launch(w, 0, variation, 1, &w->again);
    if (end != UG_END_OK) return end;
    at = ug_work_difference(w, w->places[0]);
    if (at >= 0) {
        ug_note(m, "order", "lane order %d gave row %lld other bits", k, (long long)at);
        return UG_END_OK;
    }
    if (scaled) {
        end = ug_work_launch(w, k, variation, 0, &w->again);
        if (end != UG_END_OK) return end;
        if (ug_work_difference(w, w->places[k]) < 0) {
            ug_note(m, "scale", "8 x and 64 eps gave row %lld other bits", (long long)row);
            return UG_END_OK;
        }
    }
    ug_note(m, "rows", "row %lld had other bits at place %lld of %lld rows in launch %d",
            (long long)row, (long long)place, (long long)w->places[k], k + 1);
    return UG_END_OK;
}

ug_end ug_work_repeat(ug_work *w)
{
    int any = w->in->card->depends == UG_DEPENDS_ANY;
    for (int k = 1; k < UG_LAUNCHES; k++) {
        int scaled = k == 1 && ug_work_can_scale(w);
        ug_end end = scaled ? ug_work_launch_scaled(w, k, &w->again)
                            : ug_work_launch(w, k, (uint32_t)k, 0, &w->again);
        int64_t place;
        if (end == UG_END_DECLINED) {
            ug_work_note_declined(w, k);
            continue;
        }
        if (end != UG_END_OK) return end;
        if (k == UG_LAUNCHES - 1 && !any) leave_out_clean(w, w->places[k]);
        place = ug_work_difference(w, w->places[k]);
        if (place < 0) continue;
        if (!w->in->card->repeatable) {
            ug_note(&w->out->measure, "note", "launches differ; the card promises no repeats");
            continue;
        }
        end = tell_apart(w, k, scaled, place);
        if (end != UG_END_OK) return end;
    }
    return UG_END_OK;
}
