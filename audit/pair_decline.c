/* SPDX-License-Identifier: Apache-2.0 */
/* Refusals against what the kernel's card says. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "audit/needs.h"
#include "audit/pair_parts.h"
#include "ulpgate/dtype.h"

static void needs_of(const ug_work *w, ug_needs *needs)
{
    const ug_subject *s = w->in->s;
    ug_needs_of(s->c, w->in->card, s->gamma != NULL, s->beta != NULL, needs);
}

void ug_work_check_card(ug_work *w)
{
    ug_needs needs;
    char text[128];
    needs_of(w, &needs);
    if (needs.foreign)
        ug_note(&w->out->measure, "declined", "nothing, though its card lists no %s",
                w->in->card->ops >> w->in->s->c->op & 1u ? ug_dtype_name(w->in->s->c->dtype)
                                                         : "such operation");
    needs.must &= ~w->in->card->supports;
    if (!needs.must) return;
    ug_needs_text(needs.must, text, sizeof text);
    ug_note(&w->out->measure, "declined", "nothing, though its card does not list: %s", text);
}

/* Does the kernel accept a plain launch of the same size? Then it is the properties of this one
 * that it refuses. */
static ug_end accepts_plain(ug_work *w, int *accepts)
{
    const ug_subject *s = w->in->s;
    ug_geometry geometry;
    ug_launch l = {.places = s->rows, .row = w->row};
    ug_measure ignored = w->out->measure;
    int has;
    double us;
    ug_end end;
    char *ones = malloc((size_t)s->n * s->param_size + 1);
    if (!ones) return UG_END_ERROR;
    for (int64_t i = 0; i < s->n; i++) ug_store(ones, s->c->wdtype, i, 1.0f);
    for (int64_t p = 0; p < s->rows; p++) w->row[p] = p;
    ug_trial_plain(&w->trial, ones);
    end = ug_trial_prepare(&w->trial, s->rows, &l.workspace, &geometry, &has);
    if (end == UG_END_OK) end = ug_trial_workspace(&w->trial, l.workspace);
    if (end == UG_END_OK) end = ug_trial_launch(&w->trial, &l, &w->again, &us, &ignored);
    free(ones);
    *accepts = end == UG_END_OK;
    return end == UG_END_STOPPED ? end : UG_END_OK;
}

ug_end ug_work_declined(ug_work *w)
{
    ug_pair *out = w->out;
    ug_needs needs;
    uint32_t all;
    int accepts = 0;
    char why[UG_REASON_TEXT], text[128];
    ug_end end;
    snprintf(why, sizeof why, "%s", w->trial.why[0] ? w->trial.why : "without a reason");
    snprintf(out->reason, sizeof out->reason, "declined %.180s", why);
    out->verdict = UG_DECLINE;
    if (out->measure.reason_count) { /* it wrote all the same */
        out->verdict = UG_FAIL;
        snprintf(out->reason, sizeof out->reason, "%s", out->measure.reasons[0]);
        return UG_END_OK;
    }
    needs_of(w, &needs);
    all = needs.must | needs.may;
    if (needs.foreign || (all & ~w->in->card->supports) || !all ||
        w->trial.client->wire->answer == UG_ANSWER_MEMORY)
        return UG_END_OK;
    end = accepts_plain(w, &accepts);
    if (!accepts) return end;
    out->verdict = UG_FAIL;
    ug_needs_text(all, text, sizeof text);
    snprintf(out->reason, sizeof out->reason, "declined what its card lists (%.70s): %.80s", text,
             why);
    return UG_END_OK;
}
