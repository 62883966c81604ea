/* SPDX-License-Identifier: Apache-2.0 */
/* Sets of x and y, rotated so that no launch finds its rows in the cache.
 *
 * Every set holds the arena's rows again and again, each time with their elements turned by another
 * number of places: what a kernel does for one row in a thousand would else be done for hundreds,
 * or for none. A turn comes again after as many repetitions as a row has elements, or at once where
 * columns lie apart. Only the first set is filled from the host. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "audit/worker/bench.h"
#include "ulpgate/dtype.h"

/* Sets together span at least REACH times the cache, on a host, whose launches are slower,
 * HOST_REACH times; a cache of unknown size counts as 64 MiB. */
enum { REACH = 6, HOST_REACH = 2 };
enum { TURN = 7919 }; /* a prime: no turn comes again sooner than it must */
static const size_t unknown_cache = 64u << 20;

char *ug_bench_take(const ug_bench *b, size_t bytes, char *err, size_t cap)
{
    const size_t whole = (bytes + 255) / 256 * 256 + 256;
    char *p;
    if (b->space) return b->space->alloc(whole, err, cap);
    p = aligned_alloc(256, whole);
    if (!p)
        snprintf(err, cap, "no memory for %zu bytes", whole);
    else
        memset(p, 0, whole); /* a page that was never touched costs the first launch its fault */
    return p;
}

void ug_bench_give(const ug_bench *b, char *memory)
{
    if (!memory) return;
    if (b->space)
        b->space->free(memory);
    else
        free(memory);
}

static int put(const ug_bench *b, char *to, const char *from, size_t bytes, char *err, size_t cap)
{
    if (b->space) return b->space->to_device(to, from, bytes, err, cap);
    memcpy(to, from, bytes);
    return 0;
}

static int get(const ug_bench *b, char *to, const char *from, size_t bytes, char *err, size_t cap)
{
    if (b->space) return b->space->to_host(to, from, bytes, err, cap);
    memcpy(to, from, bytes);
    return 0;
}

static size_t cache_bytes(const ug_bench *b)
{
    long bytes = 0;
    if (b->timing) return b->timing->cache_bytes();
    if (b->space) return 0;
#ifdef _SC_LEVEL3_CACHE_SIZE
    bytes = sysconf(_SC_LEVEL3_CACHE_SIZE);
    if (bytes <= 0) bytes = sysconf(_SC_LEVEL2_CACHE_SIZE);
#endif
    return bytes > 0 ? (size_t)bytes : 0;
}

static uint32_t count_sets(const ug_bench *b, const ug_plugin *plugin, size_t set_bytes)
{
    const size_t cache = cache_bytes(b), times = b->space ? REACH : HOST_REACH;
    const size_t reach = times * (cache ? cache : unknown_cache);
    const size_t sets = set_bytes ? reach / set_bytes + 1 : UG_BENCH_SETS;
    if (plugin->flags & UG_PLUGIN_NO_TIMES) return 2; /* an emulator: the time means nothing */
    return sets < 2 ? 2 : sets > UG_BENCH_SETS ? UG_BENCH_SETS : (uint32_t)sets;
}

/* Bytes from a matrix's first to its last element. */
static size_t extent(int64_t rows, int64_t stride, int64_t cols, int64_t col, size_t size)
{
    if (rows < 1 || cols < 1) return 0;
    return (size_t)((rows - 1) * stride + (cols - 1) * col + 1) * size;
}

/* A copy from the host may still be on its way when the call returns, and the bench's stream does
 * not wait for it. */
static int settle(const ug_bench *b, char *err, size_t cap)
{
    return b->space ? b->space->synchronize(err, cap) : 0;
}

/* Rows of n elements that follow each other, `by` places to the left, the first ones to the end;
 * what lies between rows goes along. */
static void turn(char *to, const char *from, const ug_wire_launch *l, int64_t by)
{
    const size_t size = ug_dtype_size(l->dtype), head = (size_t)by * size;
    const size_t row = (size_t)l->cols * size, stride = (size_t)l->xstride * size;
    memcpy(to, from, extent(l->rows, l->xstride, l->cols, l->xcol, size));
    for (int64_t r = 0; r < l->rows; r++) {
        memcpy(to + (size_t)r * stride, from + (size_t)r * stride + head, row - head);
        memcpy(to + (size_t)r * stride + row - head, from + (size_t)r * stride, head);
    }
}

/* The first set from the arena, row block by row block. */
static int fill_first(ug_bench *b, ug_server *s, char *err, size_t cap)
{
    const ug_wire_launch *l = &s->wire->launch;
    const char *from = s->arena.base + s->wire->layout.region[UG_BUF_X].base;
    const size_t size = ug_dtype_size(l->dtype);
    char *turned = malloc(extent(l->rows, l->xstride, l->cols, l->xcol, size) + 1);
    int rc = turned ? 0 : -1;
    if (rc) snprintf(err, cap, "out of memory");
    for (int64_t row = 0; row < s->wire->bench.rows && !rc; row += l->rows) {
        const int64_t left = s->wire->bench.rows - row, rows = left < l->rows ? left : l->rows;
        turn(turned, from, l, l->xcol == 1 ? row / l->rows * TURN % l->cols : 0);
        rc = put(b, b->x[0] + b->x_skew + (size_t)(row * l->xstride) * size, turned,
                 extent(rows, l->xstride, l->cols, l->xcol, size), err, cap);
        if (!rc) rc = settle(b, err, cap); /* before the next turn */
    }
    free(turned);
    return rc;
}

static int fill_others(ug_bench *b, ug_server *s, size_t bytes, char *err, size_t cap)
{
    if (settle(b, err, cap)) return -1;
    for (uint32_t i = 1; i < b->sets; i++) {
        char *to = b->x[i] + b->x_skew, *from = b->x[0] + b->x_skew;
        if (b->timing) {
            if (b->timing->copy(0, to, from, bytes, b->stream, err, cap)) return -1;
        } else if (!b->space) {
            memcpy(to, from, bytes);
        } else { /* a device without copies of its own */
            char *first = b->x[0];
            int rc;
            b->x[0] = b->x[i];
            rc = fill_first(b, s, err, cap);
            b->x[0] = first;
            if (rc) return -1;
        }
    }
    return settle(b, err, cap);
}

static char *take_vector(ug_bench *b, ug_server *s, ug_buffer which, size_t *skew, char *err,
                         size_t cap)
{
    const ug_region *r = &s->wire->layout.region[which];
    char *p;
    *skew = r->base % 256;
    p = ug_bench_take(b, r->bytes + *skew, err, cap);
    if (p && put(b, p + *skew, s->arena.base + r->base, r->bytes, err, cap)) {
        ug_bench_give(b, p);
        return NULL;
    }
    return p;
}

static int open_sets(ug_bench *b, ug_server *s, char *err, size_t cap)
{
    const ug_wire *w = s->wire;
    const ug_wire_launch *l = &w->launch;
    const ug_region *region = w->layout.region;
    const size_t size = ug_dtype_size(l->dtype);
    const size_t x = extent(w->bench.rows, l->xstride, l->cols, l->xcol, size);
    const size_t y = extent(w->bench.rows, l->ystride, l->cols, l->ycol, size);
    const size_t stats = (size_t)w->bench.rows * sizeof(float);
    b->x_skew = region[UG_BUF_X].base % 256;
    b->y_skew = region[UG_BUF_Y].base % 256;
    b->copy_bytes = (size_t)(w->bench.rows * l->cols) * size;
    b->sets = count_sets(b, s->plugin, x + y);
    for (uint32_t i = 0; i < b->sets; i++) {
        b->x[i] = ug_bench_take(b, b->x_skew + x, err, cap);
        b->y[i] = b->x[i] ? ug_bench_take(b, b->y_skew + y, err, cap) : NULL;
        if (!b->y[i]) return -1;
    }
    if (region[UG_BUF_GAMMA].present &&
        !(b->gamma = take_vector(b, s, UG_BUF_GAMMA, &b->gamma_skew, err, cap)))
        return -1;
    if (region[UG_BUF_BETA].present &&
        !(b->beta = take_vector(b, s, UG_BUF_BETA, &b->beta_skew, err, cap)))
        return -1;
    if (region[UG_BUF_MEAN].present && (!(b->mean = ug_bench_take(b, stats, err, cap)) ||
                                        !(b->rstd = ug_bench_take(b, stats, err, cap))))
        return -1;
    return fill_first(b, s, err, cap) || fill_others(b, s, x, err, cap) ? -1 : 0;
}

int ug_bench_open(ug_bench *b, ug_server *s)
{
    ug_wire *w = s->wire;
    const ug_space *space = s->plugin->space;
    b->space = space;
    if (space && space->size >= sizeof *space) b->timing = space->timing;
    if (b->timing && !(b->stream = b->timing->stream_make(w->message, sizeof w->message)))
        return -1;
    if (open_sets(b, s, w->message, sizeof w->message)) return -1;
    w->bench.sets = b->sets;
    w->bench.device = b->timing != NULL;
    return 0;
}

void ug_bench_close(ug_bench *b)
{
    for (uint32_t i = 0; i < b->slots; i++) {
        if (b->slot[i].graph) b->timing->graph_free(b->slot[i].graph);
        ug_bench_give(b, b->slot[i].workspace);
    }
    for (uint32_t i = 0; i < b->sets; i++) {
        ug_bench_give(b, b->x[i]);
        ug_bench_give(b, b->y[i]);
    }
    ug_bench_give(b, b->gamma);
    ug_bench_give(b, b->beta);
    ug_bench_give(b, b->mean);
    ug_bench_give(b, b->rstd);
    if (b->stream) b->timing->stream_free(b->stream);
    memset(b, 0, sizeof *b);
}

/* Each pair of the arena's region and the memory of the first set. */
static int move(ug_bench *b, ug_server *s,
                int (*mover)(const ug_bench *, ug_server *, ug_buffer, char *))
{
    const ug_region *r = s->wire->layout.region;
    if (mover(b, s, UG_BUF_Y, b->y[0] + b->y_skew)) return -1;
    if (r[UG_BUF_MEAN].present && mover(b, s, UG_BUF_MEAN, b->mean)) return -1;
    return r[UG_BUF_RSTD].present ? mover(b, s, UG_BUF_RSTD, b->rstd) : 0;
}

static int push_one(const ug_bench *b, ug_server *s, ug_buffer which, char *memory)
{
    const ug_region *r = &s->wire->layout.region[which];
    return put(b, memory, s->arena.base + r->base, r->bytes, s->wire->message,
               sizeof s->wire->message);
}

static int pull_one(const ug_bench *b, ug_server *s, ug_buffer which, char *memory)
{
    const ug_region *r = &s->wire->layout.region[which];
    return get(b, s->arena.base + r->base, memory, r->bytes, s->wire->message,
               sizeof s->wire->message);
}

int ug_bench_push(ug_bench *b, ug_server *s)
{
    if (move(b, s, push_one)) return -1;
    return settle(b, s->wire->message, sizeof s->wire->message);
}

int ug_bench_pull(ug_bench *b, ug_server *s) { return move(b, s, pull_one); }
