/* SPDX-License-Identifier: Apache-2.0 */
/* The memory side of a launch: rows in, poison, rows out, and everything else still canary. */
#include <stdio.h>
#include <string.h>

#include "audit/digest.h"
#include "audit/image.h"
#include "audit/trial.h"
#include "audit/trial_parts.h"

const void *ug_trial_bits(const ug_trial *t, const ug_launch *l, int64_t place)
{
    const ug_subject *s = t->s;
    int64_t source = ug_subject_source(s, l->row[place]);
    if (l->clean && s->clean_bits[source]) return s->clean_bits[source];
    return (const char *)s->x_bits + (size_t)(source * s->n) * s->size;
}

static char *at(const ug_trial *t, ug_buffer b) { return ug_rig_at(t->rig, b); }
static int present(const ug_trial *t, ug_buffer b) { return t->in.present[b]; }

/* The shape of a vector buffer with `count` elements in use. */
static ug_shape vector(const ug_trial *t, ug_buffer b, int64_t count)
{
    ug_shape s = t->in.shape[b];
    s.cols = count;
    return s;
}

/* Places of x in memory: one where all rows are one. */
static int64_t x_places(const ug_trial *t, const ug_launch *l)
{
    return t->in.shape[UG_BUF_X].stride == 0 && l->places > 1 ? 1 : l->places;
}

static void load(const ug_trial *t, const ug_launch *l)
{
    const ug_layout_in *in = &t->in;
    int64_t used = (int64_t)((l->workspace + 3) & ~3ull);
    for (int64_t p = 0; p < x_places(t, l); p++)
        ug_image_put(at(t, UG_BUF_X), &in->shape[UG_BUF_X], p, ug_trial_bits(t, l, p));
    if (t->gamma_bits)
        ug_image_put(at(t, UG_BUF_GAMMA), &in->shape[UG_BUF_GAMMA], 0, t->gamma_bits);
    if (t->beta_bits) ug_image_put(at(t, UG_BUF_BETA), &in->shape[UG_BUF_BETA], 0, t->beta_bits);
    for (int64_t p = 0; p < l->places && !in->in_place; p++)
        ug_image_poison(at(t, UG_BUF_Y), &in->shape[UG_BUF_Y], p);
    for (ug_buffer b = UG_BUF_MEAN; b <= UG_BUF_WORKSPACE; b++) {
        ug_shape s = vector(t, b, b == UG_BUF_WORKSPACE ? used : l->places);
        if (present(t, b)) ug_image_poison(at(t, b), &s, 0);
    }
}

/* Compares inputs with the private copy and puts the canary back. */
static void unload_inputs(const ug_trial *t, const ug_launch *l, ug_measure *m)
{
    const ug_layout_in *in = &t->in;
    const void *bits[2] = {t->gamma_bits, t->beta_bits};
    for (int64_t p = 0; p < x_places(t, l) && !in->in_place; p++) {
        if (!ug_image_same(at(t, UG_BUF_X), &in->shape[UG_BUF_X], p, ug_trial_bits(t, l, p)))
            ug_note(m, "input", "launch %d changed x in row %lld", l->number + 1, (long long)p);
        ug_image_take(at(t, UG_BUF_X), &in->shape[UG_BUF_X], p, NULL);
    }
    for (int k = 0; k < 2; k++) {
        ug_buffer b = k ? UG_BUF_BETA : UG_BUF_GAMMA;
        if (!bits[k]) continue;
        if (!ug_image_same(at(t, b), &in->shape[b], 0, bits[k]))
            ug_note(m, "input", "launch %d changed %s", l->number + 1, ug_buffer_names[b]);
        ug_image_take(at(t, b), &in->shape[b], 0, NULL);
    }
}

static void unload_outputs(const ug_trial *t, const ug_launch *l, ug_outputs *out)
{
    const ug_shape *y = &t->in.shape[UG_BUF_Y];
    size_t row = (size_t)t->s->n * t->s->size;
    float *stats[2] = {out->mean, out->rstd};
    for (int64_t p = 0; p < l->places; p++)
        ug_image_take(at(t, UG_BUF_Y), y, p, (char *)out->y + (size_t)p * row);
    for (int k = 0; k < 2; k++) {
        ug_buffer b = k ? UG_BUF_RSTD : UG_BUF_MEAN;
        ug_shape s = vector(t, b, l->places);
        if (present(t, b)) ug_image_take(at(t, b), &s, 0, stats[k]);
    }
    if (present(t, UG_BUF_WORKSPACE)) {
        ug_shape s = vector(t, UG_BUF_WORKSPACE, (int64_t)((l->workspace + 3) & ~3ull));
        ug_image_take(at(t, UG_BUF_WORKSPACE), &s, 0, NULL);
    }
}

/* Every byte that is not part of a row must be as it was. */
static void check_guards(const ug_trial *t, const ug_launch *l, ug_measure *m)
{
    const ug_rig *rig = t->rig;
    char where[128];
    uint64_t where_at = ug_image_scan(rig->arena.base, rig->windows, rig->layout.window_count);
    if (where_at == UINT64_MAX) return;
    ug_layout_where(&rig->layout, t->in.shape, where_at, where, sizeof where);
    ug_note(m, "guard", "launch %d wrote outside the rows: %s", l->number + 1, where);
    ug_image_clear(rig->arena.base, rig->windows, rig->layout.window_count);
}

ug_end ug_trial_launch(ug_trial *t, const ug_launch *l, ug_outputs *out, double *time_us,
                       ug_measure *m)
{
    ug_end end;
    load(t, l);
    end = ug_trial_command(t, l);
    if (end != UG_END_OK && end != UG_END_DECLINED) return end;
    *time_us = t->client->wire->time_us;
    unload_inputs(t, l, m);
    unload_outputs(t, l, out);
    check_guards(t, l, m);
    return end;
}

int ug_trial_untouched(const ug_trial *t, const ug_launch *l, const ug_outputs *out)
{
    size_t row = (size_t)t->s->n * t->s->size;
    uint16_t half;
    for (int64_t p = 0; p < l->places; p++) {
        const char *y = (const char *)out->y + (size_t)p * row;
        if (t->in.in_place && memcmp(y, ug_trial_bits(t, l, p), row)) return 0;
        for (size_t i = 0; i < row && !t->in.in_place; i += 2)
            if (memcpy(&half, y + i, 2), half != UG_POISON16) return 0;
        if (out->mean && (ug_float_bits(out->mean[p]) != ug_poison_bits(UG_F32) ||
                          ug_float_bits(out->rstd[p]) != ug_poison_bits(UG_F32)))
            return 0;
    }
    return 1;
}
