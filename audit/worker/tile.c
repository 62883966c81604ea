/* SPDX-License-Identifier: Apache-2.0 */
/* A launch on the device's own matrices: rows of the arena repeated into x, y compared with the
 * judged rows where it lies. */
#include "audit/worker/tile.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "audit/image.h"
#include "audit/worker/catch.h"
#include "audit/worker/plugin.h"
#include "ulpgate/dtype.h"

static const double gib = 1073741824.0;

int ug_tile_reserve(ug_server *s)
{
    ug_wire *w = s->wire;
    const uint64_t span = w->tile.layout.span;
    size_t unused = 0, total = 0;
    if (span <= s->large.bytes) return 0;
    if (ug_plugin_tiles(s->plugin)->memory(&unused, &total, w->message, sizeof w->message))
        return -1;
    if (span > unused + s->large.bytes) {
        snprintf(w->message, sizeof w->message, "needs %.1f GiB, the device has %.1f of %.1f free",
                 (double)span / gib, (double)(unused + s->large.bytes) / gib, (double)total / gib);
        return -1;
    }
    return ug_device_reserve(&s->large, span, w->message, sizeof w->message);
}

/* One launch at work. */
typedef struct work {
    ug_server *s;
    ug_wire *w;
    const ug_tiles *tiles;
    const ug_space *space;
    char *err; /* wire->message */
    size_t cap;
} work;

static int present(const work *k, ug_buffer b) { return k->w->tile.layout.region[b].present != 0; }

/* A buffer on the device as the kernel sees it. */
static ug_view view_of(const work *k, ug_buffer b)
{
    const ug_wire_launch *l = &k->w->launch;
    ug_view v = {.data = k->s->large.base + k->w->tile.layout.region[b].base};
    int64_t used = (int64_t)((l->workspace_bytes + 3) & ~3ull);
    switch (b) {
    case UG_BUF_X:
        v = (ug_view){v.data, l->xstride ? l->rows : 1, l->cols, l->xstride, l->xcol, l->dtype};
        break;
    case UG_BUF_Y:
        v = (ug_view){v.data, l->rows, l->cols, l->ystride, l->ycol, l->dtype};
        break;
    case UG_BUF_GAMMA:
    case UG_BUF_BETA:
        v = (ug_view){v.data, 1, l->cols, l->cols, 1, l->param_dtype};
        break;
    case UG_BUF_WORKSPACE:
        v = (ug_view){v.data, 1, used / 2, used / 2, 1, UG_F16};
        break;
    default:
        v = (ug_view){v.data, l->rows, 1, 1, 1, UG_F32};
    }
    return v;
}

/* What the buffer repeats: rows of the arena's copy on the device. */
static ug_tile tile_of(const work *k, ug_buffer b)
{
    const ug_wire_tile *t = &k->w->tile;
    ug_tile tile = {.data = k->s->device.base + k->w->layout.region[b].base};
    int64_t wide = t->parts * t->width;
    if (b == UG_BUF_X)
        tile = (ug_tile){tile.data, t->rows, t->width, t->width, t->shift};
    else if (b == UG_BUF_Y)
        tile = (ug_tile){tile.data, t->judged, t->width, wide, t->shift};
    else if (b == UG_BUF_MEAN || b == UG_BUF_RSTD)
        tile = (ug_tile){tile.data, t->judged, 1, 1, t->shift};
    else
        tile = (ug_tile){tile.data, 1, t->width, t->width, 0};
    return tile;
}

static int fill(const work *k, ug_buffer b, uint32_t half)
{
    const ug_view v = view_of(k, b);
    return present(k, b) ? k->tiles->pattern(&v, half, k->err, k->cap) : 0;
}

static int repeat(const work *k, ug_buffer b)
{
    const ug_view v = view_of(k, b);
    const ug_tile t = tile_of(k, b);
    return present(k, b) ? k->tiles->put(&v, &t, k->err, k->cap) : 0;
}

static int push(const work *k)
{
    return ug_device_push(&k->s->device, &k->s->arena, k->w->windows, k->w->layout.window_count,
                          k->err, k->cap);
}

/* Canary everywhere, then the operands, then poison where results are to come. */
static int load(const work *k)
{
    const ug_view all = {k->s->large.base,
                         1,
                         (int64_t)(k->w->tile.layout.span / 2),
                         (int64_t)(k->w->tile.layout.span / 2),
                         1,
                         UG_F16};
    if (push(k) || k->tiles->pattern(&all, UG_CANARY16, k->err, k->cap)) return -1;
    for (ug_buffer b = UG_BUF_X; b <= UG_BUF_BETA; b++)
        if (repeat(k, b)) return -1;
    for (ug_buffer b = UG_BUF_Y; b < UG_BUF_COUNT; b++)
        if (!(b == UG_BUF_Y && k->w->tile.layout.in_place) && fill(k, b, UG_POISON16)) return -1;
    return k->space->synchronize(k->err, k->cap);
}

/* `count` elements with gaps from the device into compact ones of the arena. */
static int pull(const work *k, char *to, const char *from, int64_t count, int64_t col, size_t size)
{
    char *gaps;
    size_t bytes = ((size_t)(count - 1) * (size_t)col + 1) * size;
    if (col == 1) return k->space->to_host(to, from, bytes, k->err, k->cap);
    gaps = malloc(bytes);
    if (!gaps) return snprintf(k->err, k->cap, "out of memory"), -1;
    if (k->space->to_host(gaps, from, bytes, k->err, k->cap)) {
        free(gaps);
        return -1;
    }
    for (int64_t i = 0; i < count; i++)
        memcpy(to + (size_t)i * size, gaps + (size_t)(i * col) * size, size);
    free(gaps);
    return 0;
}

/* The first rows of the outputs into the arena, and from there to where comparisons want them. */
static int capture(const work *k)
{
    const ug_wire_tile *t = &k->w->tile;
    const ug_view y = view_of(k, UG_BUF_Y);
    const size_t size = ug_dtype_size(y.dtype);
    char *to = k->s->arena.base + k->w->layout.region[UG_BUF_Y].base;
    for (int64_t r = 0; r < t->judged; r++)
        for (int64_t p = 0; p < t->parts; p++, to += (size_t)t->width * size) {
            int64_t first, count;
            ug_tile_part(y.cols, t->width, t->parts, p, &first, &count);
            if (pull(k, to,
                     (char *)y.data + (size_t)(r * y.row_stride + first * y.col_stride) * size,
                     t->width, y.col_stride, size))
                return -1;
        }
    for (ug_buffer b = UG_BUF_MEAN; b <= UG_BUF_RSTD; b++)
        if (present(k, b) &&
            k->space->to_host(k->s->arena.base + k->w->layout.region[b].base, view_of(k, b).data,
                              (size_t)t->judged * sizeof(float), k->err, k->cap))
            return -1;
    return push(k);
}

/* Adds what was found in columns from `first` on; the first place is the first of its row. */
static void join(ug_difference *all, const ug_difference *d, int64_t first)
{
    int earlier = d->count && (!all->count || d->row < all->row);
    int marked = d->marked && (!all->marked || d->marked_row < all->marked_row);
    if (earlier) {
        all->row = d->row;
        all->col = first + d->col;
    }
    if (marked) {
        all->marked_row = d->marked_row;
        all->marked_col = first + d->marked_col;
    }
    all->count += d->count;
    all->marked += d->marked;
}

static int compare_y(const work *k)
{
    const ug_wire_tile *t = &k->w->tile;
    ug_difference *all = &k->w->tile.found[UG_BUF_Y], d;
    const ug_view whole = view_of(k, UG_BUF_Y);
    const size_t size = ug_dtype_size(whole.dtype);
    *all = (ug_difference){.row = -1, .col = -1, .marked_row = -1, .marked_col = -1};
    for (int64_t p = 0; p < t->parts; p++) {
        ug_view part = whole;
        ug_tile tile = tile_of(k, UG_BUF_Y);
        int64_t first;
        ug_tile_part(whole.cols, t->width, t->parts, p, &first, &part.cols);
        part.data = (char *)part.data + (size_t)(first * whole.col_stride) * size;
        tile.data = (const char *)tile.data + (size_t)(p * t->width) * size;
        if (k->tiles->compare(&part, &tile, ug_poison_bits(part.dtype), &d, k->err, k->cap))
            return -1;
        join(all, &d, first);
    }
    return 0;
}

static int compare(const work *k, ug_buffer b)
{
    const ug_view v = view_of(k, b);
    const ug_tile t = tile_of(k, b);
    if (!present(k, b)) return 0;
    return k->tiles->compare(&v, &t, ug_poison_bits(v.dtype), &k->w->tile.found[b], k->err, k->cap);
}

/* Everything in its place? Then canary over it: what is no canary after that was changed. */
static int check(const work *k)
{
    ug_wire_tile *t = &k->w->tile;
    size_t at = SIZE_MAX;
    if (compare_y(k) || compare(k, UG_BUF_MEAN) || compare(k, UG_BUF_RSTD)) return -1;
    for (ug_buffer b = UG_BUF_X; b <= UG_BUF_BETA; b++)
        if (!(b == UG_BUF_X && t->layout.in_place) && compare(k, b)) return -1;
    for (ug_buffer b = UG_BUF_X; b < UG_BUF_COUNT; b++)
        if (fill(k, b, UG_CANARY16)) return -1;
    if (k->tiles->scan(k->s->large.base, t->layout.span, UG_CANARY16, &at, k->err, k->cap))
        return -1;
    t->stray = at == SIZE_MAX ? UINT64_MAX : at;
    return 0;
}

ug_answer ug_tile_serve(ug_server *s, ug_call *call)
{
    ug_wire *w = s->wire;
    char err[sizeof w->message] = "";
    const work k = {s, w, ug_plugin_tiles(s->plugin), s->plugin->space, err, sizeof err};
    int thrown = 0, broken;
    double start;
    w->stage = UG_STAGE_COPY;
    broken = load(&k);
    if (!broken) {
        start = ug_now_us();
        thrown = ug_catch(ug_call_launch, call, w->message, sizeof w->message);
        w->stage = UG_STAGE_SYNC;
        broken = s->plugin->space->synchronize(err, sizeof err);
        w->time_us = ug_now_us() - start;
    }
    w->stage = UG_STAGE_COPY;
    if (!broken && !thrown && w->tile.capture) broken = capture(&k);
    if (!broken && !thrown) broken = check(&k);
    if (broken) snprintf(w->message, sizeof w->message, "%s", err);
    return thrown ? UG_ANSWER_THROWN : broken ? UG_ANSWER_DEVICE : UG_ANSWER_DONE;
}
