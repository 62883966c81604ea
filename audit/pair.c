/* SPDX-License-Identifier: Apache-2.0 */
/* One pair from the first command to the verdict. */
#include "audit/pair.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "audit/pair_parts.h"

static const double limit_base = 30, limit_element = 4e-6; /* seconds; emulators are slow */

const char *const ug_verdict_names[UG_VERDICT_COUNT] = {"PASS",  "FAIL", "DECLINED",
                                                        "CRASH", "HANG", "ERROR"};

int ug_outputs_make(ug_outputs *o, int64_t places, int64_t n, size_t size, int stats)
{
    *o = (ug_outputs){.y = malloc((size_t)places * (size_t)n * size + 1)};
    if (stats) {
        o->mean = malloc((size_t)places * sizeof *o->mean + 1);
        o->rstd = malloc((size_t)places * sizeof *o->rstd + 1);
    }
    return o->y && (!stats || (o->mean && o->rstd)) ? 0 : -1;
}

void ug_outputs_free(ug_outputs *o)
{
    free(o->y);
    free(o->mean);
    free(o->rstd);
    *o = (ug_outputs){0};
}

static void set_verdict(ug_pair *out, ug_pair_verdict verdict, const char *tag, const char *why)
{
    out->verdict = verdict;
    snprintf(out->reason, sizeof out->reason, "%s %.180s", tag, why);
}

/* An end that leaves nothing to measure. */
static void conclude(ug_work *w, ug_end end)
{
    switch (end) {
    case UG_END_CRASH:
        set_verdict(w->out, UG_CRASH, "crash", w->trial.why);
        break;
    case UG_END_HANG:
        set_verdict(w->out, UG_HANG, "hang", w->trial.why);
        break;
    case UG_END_STOPPED:
        w->out->stopped = 1;
        break;
    case UG_END_DECLINED:
        set_verdict(w->out, UG_DECLINE, "declined", w->trial.why);
        break;
    default:
        set_verdict(w->out, UG_ERROR, "error", w->trial.why);
    }
}

/* Sizes of the three launches, their buffers, and the answers of workspace_size and geometry. */
static ug_end set_up(ug_work *w)
{
    const ug_subject *s = w->in->s;
    const ug_kernel_card *card = w->in->card;
    int stats = s->c->stats && (card->supports & UG_CAN_STATS);
    int64_t last = s->c->batch > 0 && card->depends != UG_DEPENDS_ANY ? s->c->batch : s->rows;
    int64_t most = last > s->rows ? last : s->rows;
    w->places[0] = w->places[1] = s->rows;
    w->places[2] = last;
    w->row = malloc((size_t)most * sizeof *w->row + 1);
    w->compared = malloc((size_t)most + 1);
    if (!w->row || !w->compared || ug_outputs_make(&w->again, most, s->n, s->size, stats) ||
        ug_outputs_make(&w->out->outputs, s->rows, s->n, s->size, stats)) {
        snprintf(w->trial.why, sizeof w->trial.why, "out of memory");
        return UG_END_ERROR;
    }
    if (!w->trial.time_limit)
        w->trial.time_limit = limit_base + limit_element * (double)most * (double)s->n;
    ug_trial_shapes(&w->trial, most, stats);
    return ug_work_prepare(w);
}

ug_end ug_work_prepare(ug_work *w)
{
    uint64_t room;
    ug_geometry ignored;
    int has;
    ug_end end = ug_trial_prepare(&w->trial, w->places[0], &w->workspace[0], &w->out->geometry,
                                  &w->out->has_geometry);
    if (end != UG_END_OK) return end;
    w->workspace[1] = w->workspace[2] = room = w->workspace[0];
    if (w->places[2] != w->places[0]) {
        end = ug_trial_prepare(&w->trial, w->places[2], &w->workspace[2], &ignored, &has);
        if (end != UG_END_OK) return end;
        if (w->workspace[2] > room) room = w->workspace[2];
    }
    return ug_trial_workspace(&w->trial, room);
}

/* The reported path must be one that the card lists; with nothing to compute none is taken. */
void ug_work_check_path(ug_work *w)
{
    const ug_kernel_card *card = w->in->card;
    const char *p = card->paths, *path = w->trial.client->wire->path;
    size_t n = strlen(path);
    snprintf(w->out->path, sizeof w->out->path, "%s", path);
    if (!*p || (!n && (w->in->s->rows == 0 || w->in->s->n == 0))) return;
    while (n && (p = strstr(p, path))) {
        if ((p == card->paths || p[-1] == ',') && (p[n] == ',' || !p[n])) return;
        p += n;
    }
    ug_note(&w->out->measure, "path", "'%s' is none of the card's paths (%.100s)", path,
            card->paths);
}

static ug_end judge(ug_work *w)
{
    char err[256] = "";
    ug_end end = set_up(w);
    if (end != UG_END_OK) return end;
    ug_pair_begin(w->in, w->out);
    end = ug_work_launch(w, 0, 0, 1, &w->out->outputs);
    if (end == UG_END_DECLINED) return ug_work_declined(w);
    if (end != UG_END_OK) return end;
    ug_work_check_card(w);
    ug_work_check_path(w);
    end = ug_work_repeat(w);
    if (end == UG_END_OK) end = ug_work_layout(w);
    if (end != UG_END_OK) return end;
    if (!ug_pair_measure(w->in, w->out, err, sizeof err)) return UG_END_OK;
    snprintf(w->trial.why, sizeof w->trial.why, "%s", err);
    return UG_END_ERROR;
}

void ug_pair_judge(const ug_pair_in *in, ug_pair *out)
{
    ug_work w = {.in = in, .out = out};
    ug_end end;
    memset(out, 0, sizeof *out);
    out->time_us = -1;
    w.trial = (ug_trial){.s = in->s,
                         .card = in->card,
                         .kernel = in->kernel,
                         .client = in->client,
                         .rig = in->rig,
                         .device = in->device,
                         .profile = in->profile,
                         .threads = in->threads,
                         .time_limit = in->time_limit};
    end = ug_work_too_large(&w) ? UG_END_DECLINED : in->tiled ? ug_work_tiled(&w) : judge(&w);
    ug_trial_release(&w.trial);
    if (end != UG_END_OK) conclude(&w, end);
    if (in->card->no_times || !out->measured) out->time_us = -1;
    free(w.row);
    free(w.compared);
    ug_outputs_free(&w.again);
}

void ug_pair_free(ug_pair *pair)
{
    ug_outputs_free(&pair->outputs);
    free(pair->row_digests);
    pair->row_digests = NULL;
}
