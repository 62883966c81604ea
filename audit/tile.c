/* SPDX-License-Identifier: Apache-2.0 */
/* Which rows a tiled case is judged by, and its launches. */
#include "audit/tile.h"

#include <stdio.h>
#include <string.h>

#include "audit/image.h"
#include "audit/trial_parts.h"
#include "ulpgate/dtype.h"

enum { VECTOR = 16 }; /* bytes: alignment that a kernel's bits may depend on */

int ug_case_tiled(const ug_case *c)
{
    int repeats =
        (c->row_period && c->row_period < c->rows) || (c->col_period && c->col_period < c->n);
    return repeats && c->rows > 0 && c->n > 0;
}

int ug_case_fits(const ug_case *c, int device)
{
    int64_t rows = c->batch > c->rows ? c->batch : c->rows, all;
    int64_t most = device ? UG_HOST_ELEMENTS : UG_HOST_REPETITIONS;
    return !ug_case_tiled(c) || (!__builtin_mul_overflow(rows, c->n, &all) && all <= most);
}

int ug_case_tile_fits(const ug_case *c)
{
    const int64_t longest_row = 0xffffffff;
    ug_tile_plan plan;
    int64_t all;
    ug_tile_plan_make(c, UG_DEPENDS_ROW, &plan);
    return c->n <= longest_row && !__builtin_mul_overflow(plan.rows, plan.width, &all) &&
           all <= UG_HOST_ELEMENTS / 3;
}

/* Rows after which the address of a row has the same remainder modulo 16 again: 16 / gcd. */
static int64_t alignments(int64_t stride, size_t size)
{
    int64_t step = stride % VECTOR * (int64_t)size % VECTOR, count = 1;
    while (count * step % VECTOR) count *= 2;
    return count;
}

void ug_tile_plan_make(const ug_case *c, ug_depends depends, ug_tile_plan *p)
{
    size_t size = ug_dtype_size(c->dtype);
    int64_t x = alignments(c->xstride, size), y = alignments(c->ystride, size);
    int64_t places = depends == UG_DEPENDS_ROW ? 1 : x > y ? x : y, common = places;
    p->rows = c->xstride == 0 && c->rows > 1 ? 1 : c->row_period ? c->row_period : c->rows;
    p->width = ug_case_width(c);
    p->parts = c->n / p->width < 3 ? c->n / p->width : 3;
    /* The least common multiple: places is a power of two. A shift by `places` rows leaves every
     * row's alignment as it is and moves its data. */
    while (p->rows % common) common /= 2;
    p->judged = p->rows / common * places;
    p->step = places;
    if (p->judged <= c->rows) return;
    p->judged = c->rows;
    p->step = 0;
}

static void set_shapes(ug_layout_in *in, const ug_trial *t, int stats)
{
    const ug_case *c = t->s->c;
    const ug_tile_plan *p = t->tile;
    const int64_t wide = p->parts * p->width;
    memset(in, 0, sizeof *in); /* padding too: layouts are compared as bytes */
    in->solid = 1;
    in->present[UG_BUF_X] = in->present[UG_BUF_Y] = 1;
    in->shape[UG_BUF_X] = (ug_shape){p->rows, p->width, p->width, 1, t->s->size, 0};
    in->shape[UG_BUF_Y] = (ug_shape){p->judged, wide, wide, 1, t->s->size, 0};
    ug_trial_vector(in, UG_BUF_GAMMA, t->s->gamma != NULL, p->width, ug_dtype_size(c->wdtype), 0);
    ug_trial_vector(in, UG_BUF_BETA, t->s->beta != NULL, p->width, ug_dtype_size(c->wdtype), 0);
    ug_trial_vector(in, UG_BUF_MEAN, stats, p->judged, sizeof(float), 0);
    ug_trial_vector(in, UG_BUF_RSTD, stats, p->judged, sizeof(float), 0);
}

void ug_tile_shapes(ug_trial *t, int64_t places, int stats)
{
    ug_trial_shapes(t, places, stats);
    t->large = t->in;
    t->large.solid = t->large.whole = 1;
    set_shapes(&t->in, t, stats);
}

int ug_trial_lay_tile(ug_trial *t, char *err, size_t cap)
{
    ug_window windows[UG_BUF_COUNT];
    return ug_layout_make(&t->large, &t->large_layout, windows, err, cap);
}

void ug_trial_show_tile(const ug_trial *t)
{
    const ug_tile_plan *p = t->tile;
    t->client->wire->tile = (ug_wire_tile){.used = 1,
                                           .capture = t->capture,
                                           .rows = p->rows,
                                           .width = p->width,
                                           .parts = p->parts,
                                           .judged = p->judged,
                                           .shift = t->shift,
                                           .layout = t->large_layout,
                                           .stray = UINT64_MAX};
}

static void put(const ug_trial *t, ug_buffer b, const void *bits)
{
    const ug_shape *s = &t->in.shape[b];
    if (bits && t->in.present[b])
        memcpy(ug_rig_at(t->rig, b), bits, (size_t)(s->rows * s->cols) * s->size);
}

static void take(const ug_trial *t, ug_buffer b, void *bits)
{
    const ug_shape *s = &t->in.shape[b];
    if (bits && t->in.present[b])
        memcpy(bits, ug_rig_at(t->rig, b), (size_t)(s->rows * s->cols) * s->size);
}

static void note_inputs(const ug_trial *t, const ug_launch *l, ug_measure *m)
{
    const ug_wire_tile *w = &t->client->wire->tile;
    for (ug_buffer b = UG_BUF_X; b <= UG_BUF_BETA; b++) {
        const ug_difference *d = &w->found[b];
        if (!d->count && !d->marked) continue;
        if (b == UG_BUF_X)
            ug_note(m, "input", "launch %d changed x in row %lld", l->number + 1,
                    (long long)(d->count ? d->row : d->marked_row));
        else
            ug_note(m, "input", "launch %d changed %s", l->number + 1, ug_buffer_names[b]);
    }
}

static void note_stray(const ug_trial *t, const ug_launch *l, ug_measure *m)
{
    const ug_wire_tile *w = &t->client->wire->tile;
    char where[128];
    if (w->stray == UINT64_MAX) return;
    ug_layout_where(&t->large_layout, t->large.shape, w->stray, where, sizeof where);
    ug_note(m, "guard", "launch %d wrote outside the rows: %s", l->number + 1, where);
}

ug_end ug_tile_launch(ug_trial *t, const ug_launch *l, int in_order, int capture,
                      ug_outputs *judged, ug_measure *m)
{
    ug_end end;
    put(t, UG_BUF_X, t->s->x_bits);
    put(t, UG_BUF_GAMMA, t->s->gamma_bits);
    put(t, UG_BUF_BETA, t->s->beta_bits);
    put(t, UG_BUF_Y, judged->y);
    put(t, UG_BUF_MEAN, judged->mean);
    put(t, UG_BUF_RSTD, judged->rstd);
    t->rig->dirty = 1; /* rows stay where they lie */
    t->capture = capture != 0;
    t->shift = in_order ? 0 : l->number * t->tile->step;
    end = ug_trial_command(t, l);
    if (end != UG_END_OK && end != UG_END_DECLINED) return end;
    if (capture) {
        take(t, UG_BUF_Y, judged->y);
        take(t, UG_BUF_MEAN, judged->mean);
        take(t, UG_BUF_RSTD, judged->rstd);
    }
    note_inputs(t, l, m);
    note_stray(t, l, m);
    return end;
}
