/* SPDX-License-Identifier: Apache-2.0 */
/* Lays the buffers of a case out in the arena. */
#include "audit/layout.h"

#include <stdio.h>

const char *const ug_buffer_names[UG_BUF_COUNT] = {"x",    "gamma", "beta",     "y",
                                                   "mean", "rstd",  "workspace"};

/* The shape as an outer and an inner loop, the larger stride outside. */
typedef struct loops {
    int64_t outer, outer_step, inner, inner_step;
} loops;

static loops loops_of(const ug_shape *s)
{
    int64_t rows = s->stride == 0 && s->rows > 1 ? 1 : s->rows;
    if (s->stride >= s->col) return (loops){rows, s->stride, s->cols, s->col};
    if (rows <= 1) return (loops){rows, s->stride, s->cols, s->col};
    return (loops){s->cols, s->col, rows, s->stride};
}

int ug_shape_extent(const ug_shape *s, uint64_t *bytes, char *err, size_t cap)
{
    loops l = loops_of(s);
    __int128 inner, all;
    *bytes = 0;
    if (s->rows < 0 || s->cols < 0 || s->stride < 0 || s->col < 0) {
        snprintf(err, cap, "negative shape or stride");
        return -1;
    }
    if (s->rows == 0 || s->cols == 0) return 0;
    inner = (__int128)(l.inner - 1) * l.inner_step + 1;
    all = (__int128)(l.outer - 1) * l.outer_step + inner;
    if ((l.inner > 1 && l.inner_step < 1) || (l.outer > 1 && l.outer_step < inner)) {
        snprintf(err, cap, "strides %lld and %lld let elements share a place", (long long)s->stride,
                 (long long)s->col);
        return -1;
    }
    all *= (__int128)s->size;
    if (all > (__int128)1 << 46) {
        snprintf(err, cap, "a buffer spans more than 2^46 bytes");
        return -1;
    }
    *bytes = (uint64_t)all;
    return 0;
}

static uint64_t up(uint64_t v, uint64_t unit) { return (v + unit - 1) / unit * unit; }

/* Adds the window around [lo, hi), joined to the one before where they meet. */
static int add_window(ug_layout *layout, ug_window *windows, const ug_region *r, uint32_t buffer,
                      uint64_t lo, uint64_t hi)
{
    uint64_t a = lo < r->start + UG_AROUND ? r->start : (lo - UG_AROUND) / UG_PAGE * UG_PAGE;
    uint64_t b = hi + UG_AROUND > r->end ? r->end : up(hi + UG_AROUND, UG_PAGE);
    ug_window *last = layout->window_count ? &windows[layout->window_count - 1] : NULL;
    if (last && last->buffer == buffer && a <= last->at + last->bytes) {
        if (b > last->at + last->bytes) last->bytes = b - last->at;
        return 0;
    }
    if (layout->window_count == UG_WINDOWS_MAX) return -1;
    windows[layout->window_count++] = (ug_window){a, b - a, r->writable, buffer};
    return 0;
}

/* The windows of one buffer: all of it where the rows lie close together. */
static int add_windows(ug_layout *layout, ug_window *windows, uint32_t buffer, const ug_shape *s,
                       int whole)
{
    const ug_region *r = &layout->region[buffer];
    loops l = loops_of(s);
    uint64_t size = s->size, step = (uint64_t)l.outer_step * size;
    uint64_t inner_step = (uint64_t)l.inner_step * size;
    uint64_t inner = r->bytes ? (uint64_t)(l.inner - 1) * inner_step + size : 0;
    int apart = inner_step > 2 * UG_AROUND && l.inner > 1;
    int rc = 0;
    if (whole || !r->bytes || (!apart && (l.outer <= 1 || step <= inner + 2 * UG_AROUND)))
        return add_window(layout, windows, r, buffer, r->base, r->base + r->bytes);
    for (int64_t o = 0; o < l.outer && !rc; o++) {
        uint64_t at = r->base + (uint64_t)o * step;
        if (!apart) rc = add_window(layout, windows, r, buffer, at, at + inner);
        for (int64_t i = 0; apart && i < l.inner && !rc; i++, at += inner_step)
            rc = add_window(layout, windows, r, buffer, at, at + size);
    }
    return rc;
}

/* Places a buffer behind `at`: its data end as close to a page end as the base's place allows. */
static uint64_t place(ug_region *r, const ug_shape *s, uint64_t at, uint64_t bytes)
{
    uint64_t skew = (uint64_t)s->offset * s->size % UG_GRID;
    uint64_t lead = up(at + UG_GRID, UG_GRID) + skew; /* a lead guard of 256 bytes at least */
    r->end = up(lead + bytes, UG_PAGE);
    r->base = (r->end - bytes - skew) / UG_GRID * UG_GRID + skew;
    r->start = at;
    r->bytes = bytes;
    return r->end;
}

static void make_solid(ug_layout *layout, ug_window *windows)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < layout->window_count; i++) {
        ug_window *w = &windows[i], *last = kept ? &windows[kept - 1] : NULL;
        if (last && w->at - (last->at + last->bytes) <= UG_PAGE)
            last->bytes = w->at + w->bytes - last->at;
        else
            windows[kept++] = *w;
    }
    layout->window_count = kept;
}

int ug_layout_make(const ug_layout_in *in, ug_layout *layout, ug_window *windows, char *err,
                   size_t cap)
{
    uint64_t at = UG_PAGE;
    *layout = (ug_layout){.in_place = (uint32_t)in->in_place};
    for (uint32_t b = 0; b < UG_BUF_COUNT; b++) {
        ug_region *r = &layout->region[b];
        uint64_t bytes;
        if (!in->present[b]) continue;
        if (b == UG_BUF_Y && in->in_place) {
            *r = layout->region[UG_BUF_X];
            continue;
        }
        if (ug_shape_extent(&in->shape[b], &bytes, err, cap)) return -1;
        r->present = 1;
        r->writable = b >= UG_BUF_Y || (b == UG_BUF_X && in->in_place);
        at = place(r, &in->shape[b], at, bytes) + UG_PAGE;
        if (add_windows(layout, windows, b, &in->shape[b], in->whole)) {
            snprintf(err, cap, "%s lies in more than %d places more than %d bytes apart",
                     ug_buffer_names[b], UG_WINDOWS_MAX, 2 * UG_AROUND);
            return -1;
        }
    }
    layout->span = at;
    if (in->solid) make_solid(layout, windows);
    return 0;
}

/* Where in its buffer: nearest row start before it for row layouts, bytes from the ends else. */
static void where_in(const ug_region *r, const ug_shape *s, const char *name, uint64_t at,
                     char *text, size_t cap)
{
    uint64_t step = (uint64_t)s->stride * s->size;
    if (at < r->base) {
        snprintf(text, cap, "%s, %llu bytes before its start", name,
                 (unsigned long long)(r->base - at));
    } else if (at >= r->base + r->bytes) {
        snprintf(text, cap, "%s, %llu bytes behind its end", name,
                 (unsigned long long)(at - (r->base + r->bytes)));
    } else if (s->rows > 1 && step && s->stride >= s->cols * s->col) {
        uint64_t row = (at - r->base) / step, in_row = (at - r->base) % step;
        snprintf(text, cap, "%s, row %llu, %llu bytes from its start (a row has %lld)", name,
                 (unsigned long long)row, (unsigned long long)in_row,
                 (long long)((s->cols - 1) * s->col + 1) * (long long)s->size);
    } else {
        snprintf(text, cap, "%s, %llu bytes from its start", name,
                 (unsigned long long)(at - r->base));
    }
}

void ug_layout_where(const ug_layout *layout, const ug_shape shape[UG_BUF_COUNT], uint64_t at,
                     char *text, size_t cap)
{
    /* The buffer itself, else the nearest one. */
    uint32_t best = UG_BUF_COUNT;
    uint64_t least = UINT64_MAX;
    for (uint32_t b = 0; b < UG_BUF_COUNT; b++) {
        const ug_region *r = &layout->region[b];
        uint64_t far = at < r->start ? r->start - at : at >= r->end ? at - r->end + 1 : 0;
        if (!r->present || (b == UG_BUF_Y && layout->in_place) || far >= least) continue;
        least = far;
        best = b;
    }
    if (best == UG_BUF_COUNT) {
        snprintf(text, cap, "outside all buffers");
        return;
    }
    where_in(&layout->region[best], &shape[best],
             best == UG_BUF_X && layout->in_place ? "x and y" : ug_buffer_names[best], at, text,
             cap);
}
