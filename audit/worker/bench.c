/* SPDX-License-Identifier: Apache-2.0 */
/* Launches over all sets: tried once, recorded, replayed. */
#include "audit/worker/bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "audit/worker/catch.h"
#include "audit/worker/plugin.h"

static double now_us(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e6 + (double)t.tv_nsec * 1e-3;
}

static void fill_args(const ug_bench *b, const ug_wire *w, ug_bench_slot *slot)
{
    const ug_wire_launch *l = &w->launch;
    ug_args *a = &slot->args;
    *a = (ug_args){.size = sizeof *a, .op = l->op, .param_dtype = l->param_dtype, .eps = l->eps};
    a->x = (ug_view){b->x[0] + b->x_skew, w->bench.rows, l->cols, l->xstride, l->xcol, l->dtype};
    a->y = (ug_view){b->y[0] + b->y_skew, w->bench.rows, l->cols, l->ystride, l->ycol, l->dtype};
    a->gamma = b->gamma ? b->gamma + b->gamma_skew : NULL;
    a->beta = b->beta ? b->beta + b->beta_skew : NULL;
    a->mean = (float *)b->mean;
    a->rstd = (float *)b->rstd;
    a->stream = b->stream;
    a->threads = l->threads;
    a->block = w->bench.block;
    if (!l->has_profile) return;
    memcpy(slot->profile_name, l->profile_name, sizeof slot->profile_name);
    slot->profile =
        (ug_profile){slot->profile_name, l->max_grid, l->max_block, l->max_shared, l->warp};
    a->profile = &slot->profile;
}

/* The slot's launch on one set. Returns a ug_status; on anything but UG_OK with a message. */
static int launch(ug_bench *b, ug_bench_slot *slot, uint32_t set, ug_wire *w)
{
    char *x = b->x[set] + b->x_skew, *y = b->y[set] + b->y_skew;
    int status;
    if (!slot->kernel) {
        if (b->timing)
            return b->timing->copy(slot->way, y, x, b->copy_bytes, b->stream, w->message,
                                   sizeof w->message)
                       ? UG_FAILED
                       : UG_OK;
        memcpy(y, x, b->copy_bytes);
        return UG_OK;
    }
    slot->args.x.data = x;
    slot->args.y.data = y;
    status = (int)slot->kernel->launch(&slot->args);
    slot->args.message[sizeof slot->args.message - 1] = 0;
    if (status != UG_OK)
        snprintf(w->message, sizeof w->message, "%s",
                 slot->args.message[0] ? slot->args.message : "no message");
    return status;
}

/* Prepares what the launch needs and tries it once: kernels are loaded on their first launch, which
 * a recording must not contain. */
static int try_once(ug_bench *b, ug_bench_slot *slot, ug_wire *w)
{
    const ug_kernel *k = slot->kernel;
    if (k) {
        w->stage = UG_STAGE_WORKSPACE;
        w->workspace_bytes = k->workspace_size ? k->workspace_size(&slot->args) : 0;
        w->stage = UG_STAGE_GEOMETRY;
        w->geometry = (ug_geometry){0};
        w->has_geometry = k->geometry != NULL;
        if (k->geometry) k->geometry(&slot->args, &w->geometry);
        if (w->workspace_bytes) {
            slot->workspace = ug_bench_take(b, w->workspace_bytes, w->message, sizeof w->message);
            if (!slot->workspace) return -1;
            slot->args.workspace = slot->workspace;
            slot->args.workspace_bytes = w->workspace_bytes;
        }
    }
    w->stage = UG_STAGE_LAUNCH;
    w->status = launch(b, slot, 0, w);
    snprintf(w->path, sizeof w->path, "%s", slot->args.path ? slot->args.path : "");
    w->stage = UG_STAGE_SYNC;
    return b->space && b->space->synchronize(w->message, sizeof w->message) ? -1 : 0;
}

/* All sets as one graph. Returns 0, or -1 with a message. */
static int record(ug_bench *b, ug_bench_slot *slot, ug_wire *w)
{
    int status = UG_OK;
    char why[sizeof w->message] = "";
    w->stage = UG_STAGE_LAUNCH;
    if (!b->timing) return 0;
    if (b->timing->capture(b->stream, w->message, sizeof w->message)) return -1;
    for (uint32_t i = 0; i < b->sets && status == UG_OK; i++) status = launch(b, slot, i, w);
    if (status != UG_OK) snprintf(why, sizeof why, "%s", w->message);
    slot->graph = b->timing->captured(b->stream, w->message, sizeof w->message);
    if (status == UG_OK && slot->graph)
        return b->space->synchronize(w->message, sizeof w->message) ? -1 : 0;
    if (status == UG_OK) return -1;
    snprintf(w->message, sizeof w->message, "while it was recorded: %.400s", why);
    return -1;
}

static ug_answer add(ug_bench *b, ug_server *s)
{
    ug_wire *w = s->wire;
    ug_bench_slot *slot = &b->slot[b->slots];
    const char *name = NULL;
    w->bench.copy_name[0] = 0;
    if (b->slots == UG_BENCH_SLOTS) {
        snprintf(w->message, sizeof w->message, "more than %d slots", UG_BENCH_SLOTS);
        return UG_ANSWER_UNFIT;
    }
    memset(slot, 0, sizeof *slot);
    if (w->bench.copy) {
        slot->way = (int)w->bench.copy - 1;
        if (b->timing) name = b->timing->copy_name(slot->way);
        if (!b->timing && !b->space && slot->way == 0) name = "memcpy";
        snprintf(w->bench.copy_name, sizeof w->bench.copy_name, "%s", name ? name : "");
        if (!name) return UG_ANSWER_DONE;
    } else {
        if (w->launch.kernel >= s->plugin->count) return UG_ANSWER_UNFIT;
        slot->kernel = ug_plugin_kernel(s->plugin, w->launch.kernel);
        fill_args(b, w, slot);
    }
    w->bench.slot = b->slots++;
    if (try_once(b, slot, w))
        return slot->workspace || !slot->kernel || !w->workspace_bytes ? UG_ANSWER_DEVICE
                                                                       : UG_ANSWER_MEMORY;
    if (w->status != UG_OK) return UG_ANSWER_DONE;
    return record(b, slot, w) ? UG_ANSWER_DEVICE : UG_ANSWER_DONE;
}

static ug_answer replay(ug_bench *b, ug_server *s)
{
    ug_wire *w = s->wire;
    ug_bench_slot *slot = &b->slot[w->bench.slot];
    double us = 0, start;
    w->stage = UG_STAGE_LAUNCH;
    if (slot->graph) {
        if (b->timing->replay(slot->graph, b->stream, &us, w->message, sizeof w->message))
            return UG_ANSWER_DEVICE;
    } else {
        start = now_us();
        for (uint32_t i = 0; i < b->sets; i++) {
            w->status = launch(b, slot, i, w);
            if (w->status != UG_OK) return UG_ANSWER_DONE;
        }
        if (b->space && b->space->synchronize(w->message, sizeof w->message))
            return UG_ANSWER_DEVICE;
        us = now_us() - start;
    }
    w->status = UG_OK;
    w->bench.us = us / b->sets;
    return UG_ANSWER_DONE;
}

static ug_answer fetch(ug_bench *b, ug_server *s)
{
    ug_wire *w = s->wire;
    w->stage = UG_STAGE_COPY;
    if (ug_bench_push(b, s)) return UG_ANSWER_DEVICE;
    w->stage = UG_STAGE_LAUNCH;
    w->status = launch(b, &b->slot[w->bench.slot], 0, w);
    w->stage = UG_STAGE_SYNC;
    if (b->space && b->space->synchronize(w->message, sizeof w->message)) return UG_ANSWER_DEVICE;
    w->stage = UG_STAGE_COPY;
    return ug_bench_pull(b, s) ? UG_ANSWER_DEVICE : UG_ANSWER_DONE;
}

static ug_answer open_bench(ug_server *s)
{
    ug_wire *w = s->wire;
    if (!s->bench) s->bench = calloc(1, sizeof *s->bench);
    if (!s->bench) {
        snprintf(w->message, sizeof w->message, "out of memory");
        return UG_ANSWER_MEMORY;
    }
    ug_bench_close(s->bench);
    s->generation = 0; /* launches map their own layout again */
    w->stage = UG_STAGE_COPY;
    if (!ug_arena_map(&s->arena, &w->layout, w->windows, 0, w->message, sizeof w->message) &&
        !ug_bench_open(s->bench, s))
        return UG_ANSWER_DONE;
    ug_bench_close(s->bench);
    return UG_ANSWER_MEMORY;
}

typedef struct command {
    ug_server *server;
    ug_answer answer;
} command;

static void serve(void *what)
{
    command *c = what;
    ug_server *s = c->server;
    ug_wire *w = s->wire;
    c->answer = UG_ANSWER_UNFIT;
    if (w->command == UG_CMD_BENCH_OPEN)
        c->answer = open_bench(s);
    else if (!s->bench || !s->bench->sets)
        snprintf(w->message, sizeof w->message, "no bench is open");
    else if (w->command == UG_CMD_BENCH_ADD)
        c->answer = add(s->bench, s);
    else if (w->bench.slot >= s->bench->slots)
        snprintf(w->message, sizeof w->message, "there is no slot %u", w->bench.slot);
    else
        c->answer = w->command == UG_CMD_BENCH_REPLAY ? replay(s->bench, s) : fetch(s->bench, s);
}

ug_answer ug_bench_serve(ug_server *server)
{
    command c = {server, UG_ANSWER_UNFIT};
    if (ug_catch(serve, &c, server->wire->message, sizeof server->wire->message))
        return UG_ANSWER_THROWN;
    return c.answer;
}
