/* SPDX-License-Identifier: Apache-2.0 */
/* Launches for the tests of the kernel backends. */
#include "kernel_trial.h"

#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { MARGIN = 1024, PATTERN = 0x5a };

/* A buffer, its image on the host, and where the operand begins in both. */
typedef struct buffer {
    unsigned char *image, *device;
    size_t bytes, start;
} buffer;

static void require(int holds, const char *what, const char *detail)
{
    if (holds) return;
    fprintf(stderr, "%s: %s\n", what, detail);
    exit(1);
}

const ug_plugin *trial_plugin(const char *path)
{
    if (access(path, R_OK) != 0) return NULL;
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    require(library != NULL, "dlopen", library ? "" : dlerror());
    const ug_plugin *(*entry)(void);
    *(void **)&entry = dlsym(library, "ulpgate_plugin");
    require(entry != NULL, path, "no ulpgate_plugin");
    return entry();
}

/* 24 random bits for a place: a 64-bit finaliser over (stream, row, i). */
static double noise(uint64_t stream, int64_t row, int64_t i)
{
    uint64_t z = stream * 0x9e3779b97f4a7c15u + (uint64_t)row * 0xd1b54a32d192ed03u + (uint64_t)i;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    z ^= z >> 31;
    return (double)(z >> 40) * 0x1p-24 - 0.5;
}

float trial_x(const trial *t, int64_t row, int64_t i)
{
    return ug_round_to(t->dtype, (float)(t->mean + t->std * sqrt(12.0) * noise(1, row, i)));
}

float trial_gamma(const trial *t, int64_t i)
{
    return t->gamma ? ug_round_to(t->param, (float)(1 + noise(2, 0, i))) : 1.0f;
}

float trial_beta(const trial *t, int64_t i)
{
    return t->beta ? ug_round_to(t->param, (float)(2 * noise(3, 0, i))) : 0.0f;
}

ug_args trial_args(const trial *t)
{
    ug_args a;
    memset(&a, 0, sizeof a);
    a.size = sizeof a;
    a.op = UG_OP_LAYERNORM;
    a.x = (ug_view){NULL, t->rows, t->n, t->n + t->xgap, 1, t->dtype};
    a.y = (ug_view){NULL, t->rows, t->n, t->n + (t->in_place ? t->xgap : t->ygap), 1, t->dtype};
    a.param_dtype = t->param;
    a.eps = 1e-5f;
    a.profile = t->profile;
    a.variation = t->variation;
    a.threads = t->threads;
    a.block = t->block;
    return a;
}

static buffer reserve(const ug_space *space, size_t bytes, size_t offset)
{
    buffer b = {NULL, NULL, MARGIN + offset + bytes + MARGIN, MARGIN + offset};
    char err[256] = "no memory";
    b.bytes = (b.bytes + 255) / 256 * 256;
    b.image = aligned_alloc(256, b.bytes);
    require(b.image != NULL, "aligned_alloc", "no memory");
    memset(b.image, PATTERN, b.bytes);
    b.device = space ? space->alloc(b.bytes, err, sizeof err) : b.image;
    require(b.device != NULL, "alloc", err);
    return b;
}

static void push(const ug_space *space, buffer *b)
{
    char err[256] = "";
    if (space)
        require(!space->to_device(b->device, b->image, b->bytes, err, sizeof err), "push", err);
}

static void pull(const ug_space *space, buffer *b)
{
    char err[256] = "";
    if (space)
        require(!space->to_host(b->image, b->device, b->bytes, err, sizeof err), "pull", err);
}

static void release(const ug_space *space, buffer *b)
{
    if (space) space->free(b->device);
    free(b->image);
}

static void fill_x(const trial *t, buffer *b, int64_t stride)
{
    for (int64_t r = 0; r < t->rows; r++)
        for (int64_t i = 0; i < t->n; i++)
            ug_store(b->image + b->start, t->dtype, r * stride + i, trial_x(t, r, i));
}

static uint32_t bits_at(const buffer *b, ug_dtype dtype, int64_t i)
{
    uint32_t u = 0;
    memcpy(&u, b->image + b->start + (size_t)i * ug_dtype_size(dtype), ug_dtype_size(dtype));
    return u;
}

/* Takes y out of its buffer; then every byte left must be the pattern. */
static void collect(const trial *t, buffer *b, int64_t stride, outcome *o)
{
    const size_t size = ug_dtype_size(t->dtype);
    o->y = malloc(sizeof *o->y * (size_t)(t->rows * t->n + 1));
    require(o->y != NULL, "malloc", "no memory");
    for (int64_t r = 0; r < t->rows; r++)
        for (int64_t i = 0; i < t->n; i++)
            o->y[r * t->n + i] = bits_at(b, t->dtype, r * stride + i);
    for (int64_t r = 0; r < t->rows; r++)
        memset(b->image + b->start + (size_t)(r * stride) * size, PATTERN, (size_t)t->n * size);
    o->stray = 0;
    for (size_t i = 0; i < b->bytes; i++) o->stray += b->image[i] != PATTERN;
}

static void launch(const ug_plugin *plugin, const ug_kernel *kernel, ug_args *a, outcome *o)
{
    const ug_space *space = plugin->space;
    char err[256] = "";
    buffer w = {NULL, NULL, 0, 0};
    a->workspace_bytes = kernel->workspace_size ? kernel->workspace_size(a) : 0;
    if (a->workspace_bytes) {
        w = reserve(space, a->workspace_bytes, 0);
        a->workspace = w.device + w.start;
    }
    o->status = kernel->launch(a);
    o->path = a->path;
    memcpy(o->message, a->message, sizeof o->message);
    if (space) require(!space->synchronize(err, sizeof err), "synchronize", err);
    if (w.image) release(space, &w);
}

void trial_run(const ug_plugin *plugin, const ug_kernel *kernel, const trial *t, outcome *o)
{
    const ug_space *space = plugin->space;
    const size_t size = ug_dtype_size(t->dtype), param = ug_dtype_size(t->param);
    ug_args a = trial_args(t);
    buffer x = reserve(space, (size_t)(t->rows * a.x.row_stride) * size, (size_t)t->xoff * size);
    buffer y = reserve(space, (size_t)(t->rows * a.y.row_stride) * size, (size_t)t->yoff * size);
    buffer g = reserve(space, (size_t)t->n * param, 0), b = reserve(space, (size_t)t->n * param, 0);
    buffer stats = reserve(space, (size_t)t->rows * 8, 0);
    buffer *out = t->in_place ? &x : &y;
    fill_x(t, &x, a.x.row_stride);
    for (int64_t i = 0; i < t->n; i++) {
        ug_store(g.image + g.start, t->param, i, trial_gamma(t, i));
        ug_store(b.image + b.start, t->param, i, trial_beta(t, i));
    }
    push(space, &x), push(space, &y), push(space, &g), push(space, &b), push(space, &stats);
    a.x.data = x.device + x.start;
    a.y.data = out->device + out->start;
    if (t->gamma) a.gamma = g.device + g.start;
    if (t->beta) a.beta = b.device + b.start;
    if (!t->no_stats) {
        a.mean = (float *)(void *)(stats.device + stats.start);
        a.rstd = a.mean + t->rows;
    }
    launch(plugin, kernel, &a, o);
    pull(space, out), pull(space, &stats);
    collect(t, out, a.y.row_stride, o);
    o->mean = malloc(8 * (size_t)t->rows + 8);
    require(o->mean != NULL, "malloc", "no memory");
    o->rstd = o->mean + t->rows;
    memcpy(o->mean, stats.image + stats.start, 8 * (size_t)t->rows);
    release(space, &x), release(space, &y), release(space, &g), release(space, &b);
    release(space, &stats);
}

void outcome_free(outcome *o)
{
    free(o->y);
    free(o->mean);
}

const char *trial_name(const ug_kernel *kernel, const trial *t)
{
    static char text[512];
    snprintf(text, sizeof text,
             "%s dtype=%s param=%s rows=%lld n=%lld xgap=%lld ygap=%lld xoff=%lld yoff=%lld "
             "gamma=%d beta=%d stats=%d in_place=%d mean=%g std=%g variation=%u threads=%u",
             kernel->name, ug_dtype_name(t->dtype), ug_dtype_name(t->param), (long long)t->rows,
             (long long)t->n, (long long)t->xgap, (long long)t->ygap, (long long)t->xoff,
             (long long)t->yoff, t->gamma, t->beta, !t->no_stats, t->in_place, t->mean, t->std,
             t->variation, t->threads);
    return text;
}
