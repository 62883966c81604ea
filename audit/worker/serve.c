/* SPDX-License-Identifier: Apache-2.0 */
/* One command: arguments from the wire, the call into the plugin, the answer back. */
#include "audit/worker/serve.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "audit/device_lock.h"
#include "audit/worker/bench.h"
#include "audit/worker/catch.h"
#include "audit/worker/plugin.h"
#include "audit/worker/tile.h"

double ug_now_us(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e6 + (double)t.tv_nsec * 1e-3;
}

static void answer(ug_server *s, ug_answer a)
{
    s->wire->answer = (uint32_t)a;
    s->wire->stage = UG_STAGE_IDLE;
}

/* Where a buffer lies for the kernel: on the device or here; NULL when absent. */
static void *at(const ug_server *s, ug_buffer b)
{
    const ug_wire_tile *tile = &s->wire->tile;
    const ug_region *r = tile->used ? &tile->layout.region[b] : &s->wire->layout.region[b];
    char *base = tile->used ? s->large.base : s->plugin->space ? s->device.base : s->arena.base;
    return r->present ? base + r->base : NULL;
}

static void fill_args(ug_server *s, ug_args *a)
{
    const ug_wire_launch *l = &s->wire->launch;
    *a = (ug_args){.size = sizeof *a, .op = l->op, .param_dtype = l->param_dtype, .eps = l->eps};
    a->x = (ug_view){at(s, UG_BUF_X), l->rows, l->cols, l->xstride, l->xcol, l->dtype};
    a->y = (ug_view){at(s, UG_BUF_Y), l->rows, l->cols, l->ystride, l->ycol, l->dtype};
    a->gamma = at(s, UG_BUF_GAMMA);
    a->beta = at(s, UG_BUF_BETA);
    a->mean = at(s, UG_BUF_MEAN);
    a->rstd = at(s, UG_BUF_RSTD);
    a->workspace = l->workspace_bytes ? at(s, UG_BUF_WORKSPACE) : NULL;
    a->workspace_bytes = l->workspace_bytes;
    a->variation = l->variation;
    a->threads = l->threads;
    if (l->has_profile) {
        memcpy(s->profile_name, l->profile_name, sizeof s->profile_name);
        s->profile =
            (ug_profile){s->profile_name, l->max_grid, l->max_block, l->max_shared, l->warp};
        a->profile = &s->profile;
    }
}

static int map_arena(ug_server *s)
{
    ug_wire *w = s->wire;
    if (w->generation == s->generation) return 0;
    s->generation = 0;
    if (ug_arena_map(&s->arena, &w->layout, w->windows, s->plugin->space == NULL, w->message,
                     sizeof w->message))
        return -1;
    if (s->plugin->space &&
        ug_device_reserve(&s->device, w->layout.span, w->message, sizeof w->message))
        return -1;
    s->generation = w->generation;
    return 0;
}

/* A device that has no room still answers. One that is gone is no reason to decline a case: adds to
 * wire->message what it says instead. */
static int device_lost(ug_server *s)
{
    const ug_space *space = s->plugin->space;
    char *message = s->wire->message, err[256] = "there is no device any more";
    size_t used = strnlen(message, sizeof s->wire->message - 1);
    if (!space || (space->device_count() > 0 && !space->synchronize(err, sizeof err))) return 0;
    snprintf(message + used, sizeof s->wire->message - used, "; the device is lost: %s", err);
    return 1;
}

/* Windows and device memory as the layout says. Returns 0, or -1 with the answer given. */
static int map_layout(ug_server *s)
{
    if (!map_arena(s) && (!s->wire->tile.used || !ug_tile_reserve(s))) return 0;
    answer(s, device_lost(s) ? UG_ANSWER_DEVICE : UG_ANSWER_MEMORY);
    return -1;
}

static void call_prepare(void *what)
{
    ug_call *c = what;
    ug_wire *w = c->server->wire;
    w->stage = UG_STAGE_WORKSPACE;
    w->workspace_bytes = c->kernel->workspace_size ? c->kernel->workspace_size(&c->args) : 0;
    w->stage = UG_STAGE_GEOMETRY;
    w->geometry = (ug_geometry){0};
    w->has_geometry = c->kernel->geometry != NULL;
    if (c->kernel->geometry) c->kernel->geometry(&c->args, &w->geometry);
}

void ug_call_launch(void *what)
{
    ug_call *c = what;
    ug_wire *w = c->server->wire;
    w->stage = UG_STAGE_LAUNCH;
    w->status = (int32_t)c->kernel->launch(&c->args);
    c->args.message[sizeof c->args.message - 1] = 0;
    snprintf(w->message, sizeof w->message, "%s", c->args.message);
    snprintf(w->path, sizeof w->path, "%s", c->args.path ? c->args.path : "");
}

/* The launch on a device: images in, kernel, synchronise, images out. */
static void device_launch(ug_server *s, ug_call *c)
{
    ug_wire *w = s->wire;
    const ug_space *space = s->plugin->space;
    char err[sizeof w->message] = "";
    double start;
    int thrown, broken;
    w->stage = UG_STAGE_COPY;
    if (ug_device_push(&s->device, &s->arena, w->windows, w->layout.window_count, err,
                       sizeof err) ||
        space->synchronize(err, sizeof err)) {
        snprintf(w->message, sizeof w->message, "%s", err);
        answer(s, UG_ANSWER_DEVICE);
        return;
    }
    start = ug_now_us();
    thrown = ug_catch(ug_call_launch, c, w->message, sizeof w->message);
    w->stage = UG_STAGE_SYNC;
    broken = space->synchronize(err, sizeof err);
    w->time_us = ug_now_us() - start;
    w->stage = UG_STAGE_COPY;
    if (!broken && !thrown)
        broken = ug_device_pull(&s->device, &s->arena, w->windows, w->layout.window_count, err,
                                sizeof err);
    if (broken) snprintf(w->message, sizeof w->message, "%s", err);
    answer(s, thrown ? UG_ANSWER_THROWN : broken ? UG_ANSWER_DEVICE : UG_ANSWER_DONE);
}

static void host_launch(ug_server *s, ug_call *c)
{
    ug_wire *w = s->wire;
    double start = ug_now_us();
    int thrown = ug_catch(ug_call_launch, c, w->message, sizeof w->message);
    w->time_us = ug_now_us() - start;
    answer(s, thrown ? UG_ANSWER_THROWN : UG_ANSWER_DONE);
}

void ug_serve(ug_server *s)
{
    ug_wire *w = s->wire;
    ug_call c = {.server = s};
    w->answer = UG_ANSWER_NONE;
    w->status = -1;
    w->message[0] = w->path[0] = 0;
    if (w->command == UG_CMD_RELEASE) {
        ug_device_release(&s->large);
        if (s->device.bytes >= UG_DEVICE_LARGE) {
            ug_device_release(&s->device);
            s->generation = 0;
        }
        answer(s, UG_ANSWER_DONE);
        return;
    }
    if (w->command >= UG_CMD_BENCH_OPEN) {
        answer(s, ug_bench_serve(s));
        return;
    }
    if (w->launch.kernel >= s->plugin->count) {
        snprintf(w->message, sizeof w->message, "there is no kernel %u", w->launch.kernel);
        answer(s, UG_ANSWER_UNFIT);
        return;
    }
    c.kernel = ug_plugin_kernel(s->plugin, w->launch.kernel);
    if (map_layout(s)) return;
    fill_args(s, &c.args);
    if (w->command == UG_CMD_LAUNCH) {
        if (w->tile.used)
            answer(s, ug_tile_serve(s, &c));
        else if (s->plugin->space)
            device_launch(s, &c);
        else
            host_launch(s, &c);
        return;
    }
    answer(s, ug_catch(call_prepare, &c, w->message, sizeof w->message) ? UG_ANSWER_THROWN
                                                                        : UG_ANSWER_DONE);
}
