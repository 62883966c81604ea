/* SPDX-License-Identifier: Apache-2.0 */
/* One more launch where rows lie apart, off the vector or under their own output: the same rows
 * contiguous, aligned and with y elsewhere must give the same bits, unless the card says that bits
 * depend on more than the row. */
#include <string.h>

#include "audit/pair_parts.h"

static int same_shapes(const ug_layout_in *a, const ug_layout_in *b)
{
    return a->in_place == b->in_place &&
           !memcmp(a->shape, b->shape, UG_BUF_MEAN * sizeof *a->shape);
}

ug_end ug_work_layout(ug_work *w)
{
    const ug_subject *s = w->in->s;
    ug_layout_in before = w->trial.in;
    ug_launch l = {.number = UG_LAUNCHES, .places = s->rows, .row = w->row};
    ug_geometry ignored;
    double us;
    int has;
    int64_t place;
    ug_end end;
    if (w->in->card->depends != UG_DEPENDS_ROW || !w->in->card->repeatable || !s->rows || !s->n ||
        w->out->measure.reason_count)
        return UG_END_OK;
    ug_trial_contiguous(&w->trial);
    if (same_shapes(&before, &w->trial.in)) return UG_END_OK;
    for (int64_t p = 0; p < s->rows; p++) {
        w->row[p] = p;
        w->compared[p] = 1;
    }
    end = ug_trial_prepare(&w->trial, s->rows, &l.workspace, &ignored, &has);
    if (end == UG_END_OK) end = ug_trial_workspace(&w->trial, l.workspace);
    if (end == UG_END_OK) end = ug_trial_launch(&w->trial, &l, &w->again, &us, &w->out->measure);
    if (end == UG_END_DECLINED) return UG_END_OK; /* it is asked for nothing here */
    if (end != UG_END_OK) return end;
    place = ug_work_difference(w, s->rows);
    if (place >= 0)
        ug_note(&w->out->measure, "layout",
                "row %lld had other bits when rows lay contiguous, aligned and apart from y",
                (long long)place);
    return UG_END_OK;
}
