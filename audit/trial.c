/* SPDX-License-Identifier: Apache-2.0 */
/* Commands to the worker for one trial, and what their ends mean. */
#include "audit/trial.h"
#include "audit/trial_parts.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "ulpgate/dtype.h"

static const uint64_t workspace_most = 1ull << 40;

void ug_note(ug_measure *m, const char *tag, const char *format, ...)
{
    char text[UG_REASON_TEXT];
    size_t n = strlen(tag);
    va_list args;
    for (int i = 0; i < m->reason_count; i++)
        if (!strncmp(m->reasons[i], tag, n) && m->reasons[i][n] == ' ') return;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    ug_measure_reason(m, "%s %s", tag, text);
}

void ug_trial_vector(ug_layout_in *in, ug_buffer b, int present, int64_t count, size_t size,
                     int64_t offset)
{
    in->present[b] = present;
    in->shape[b] = (ug_shape){1, count, count, 1, size, offset};
}

void ug_trial_shapes(ug_trial *t, int64_t places, int stats)
{
    const ug_case *c = t->s->c;
    ug_layout_in *in = &t->in;
    memset(in, 0, sizeof *in); /* padding too: layouts are compared as bytes */
    in->solid = t->device;
    in->in_place = c->alias == UG_ALIAS_INPLACE;
    in->present[UG_BUF_X] = in->present[UG_BUF_Y] = 1;
    in->shape[UG_BUF_X] = (ug_shape){places, c->n, c->xstride, c->xcol, t->s->size, c->xoffset};
    in->shape[UG_BUF_Y] = (ug_shape){places, c->n, c->ystride, c->ycol, t->s->size, c->yoffset};
    if (in->in_place) in->shape[UG_BUF_Y] = in->shape[UG_BUF_X];
    ug_trial_vector(in, UG_BUF_GAMMA, t->s->gamma != NULL, c->n, t->s->param_size, c->goffset);
    ug_trial_vector(in, UG_BUF_BETA, t->s->beta != NULL, c->n, t->s->param_size, c->boffset);
    ug_trial_vector(in, UG_BUF_MEAN, stats, places, sizeof(float), 0);
    ug_trial_vector(in, UG_BUF_RSTD, stats, places, sizeof(float), 0);
    t->gamma_bits = t->s->gamma_bits;
    t->beta_bits = t->s->beta_bits;
}

void ug_trial_contiguous(ug_trial *t)
{
    const ug_case *c = t->s->c;
    ug_shape plain = {c->rows, c->n, c->n, 1, t->s->size, 0};
    ug_trial_shapes(t, c->rows, t->in.present[UG_BUF_MEAN]);
    t->in.in_place = 0;
    t->in.shape[UG_BUF_X] = t->in.shape[UG_BUF_Y] = plain;
    t->in.shape[UG_BUF_GAMMA].offset = t->in.shape[UG_BUF_BETA].offset = 0;
}

void ug_trial_plain(ug_trial *t, const void *ones)
{
    const ug_case *c = t->s->c;
    ug_trial_contiguous(t);
    ug_trial_vector(&t->in, UG_BUF_GAMMA, 1, c->n, t->s->param_size, 0);
    ug_trial_vector(&t->in, UG_BUF_BETA, 1, c->n, t->s->param_size, 0);
    if (!t->gamma_bits) t->gamma_bits = ones;
    if (!t->beta_bits) t->beta_bits = ones;
}

static void fill_wire(const ug_trial *t, int64_t places, uint32_t variation, uint64_t workspace)
{
    ug_wire *w = t->client->wire;
    const ug_case *c = t->s->c;
    const ug_layout_in *in = t->tile ? &t->large : &t->in;
    const ug_shape *x = &in->shape[UG_BUF_X], *y = &in->shape[UG_BUF_Y];
    w->launch = (ug_wire_launch){.kernel = t->kernel,
                                 .variation = variation,
                                 .threads = t->threads,
                                 .op = c->op,
                                 .dtype = c->dtype,
                                 .param_dtype = c->wdtype,
                                 .rows = places,
                                 .cols = c->n,
                                 .xstride = x->stride,
                                 .ystride = y->stride,
                                 .xcol = x->col,
                                 .ycol = y->col,
                                 .eps = c->eps,
                                 .workspace_bytes = workspace};
    ug_rig_show(t->rig, w);
    w->tile.used = 0;
    if (t->tile) ug_trial_show_tile(t);
    if (!t->profile) return;
    w->launch.has_profile = 1;
    snprintf(w->launch.profile_name, sizeof w->launch.profile_name, "%s", t->profile->name);
    w->launch.max_grid = t->profile->max_grid;
    w->launch.max_block = t->profile->max_block;
    w->launch.max_shared = t->profile->max_shared;
    w->launch.warp = t->profile->warp;
}

/* Adds where the fault struck, when the worker could still note it. */
static void add_fault(ug_trial *t)
{
    const ug_wire *w = t->client->wire;
    size_t used = strlen(t->why);
    char where[128];
    if (!w->fault_signal || used >= sizeof t->why) return;
    if (!w->fault_inside) {
        snprintf(t->why + used, sizeof t->why - used, " at address %#llx, outside all buffers",
                 (unsigned long long)w->fault_at);
        return;
    }
    ug_layout_where(&t->rig->layout, t->in.shape, w->fault_at, where, sizeof where);
    snprintf(t->why + used, sizeof t->why - used, " at %s", where);
}

/* Sends a command; what the worker itself has to say goes into t->why. */
static ug_end command(ug_trial *t, ug_command what)
{
    ug_wire *w = t->client->wire;
    ug_reply reply = ug_client_call(t->client, what, t->time_limit, t->why, sizeof t->why);
    if (reply != UG_REPLY_OK) t->rig->dirty = 1;
    switch (reply) {
    case UG_REPLY_OK:
        break;
    case UG_REPLY_CRASH:
        add_fault(t);
        return UG_END_CRASH;
    case UG_REPLY_HANG:
        return UG_END_HANG;
    case UG_REPLY_STOPPED:
        return UG_END_STOPPED;
    case UG_REPLY_GARBAGE:
        return UG_END_ERROR;
    }
    snprintf(t->why, sizeof t->why, "%.199s", w->message);
    if (w->answer == UG_ANSWER_DONE) return UG_END_OK;
    if (w->answer == UG_ANSWER_MEMORY) return UG_END_DECLINED;
    /* After an exception or a device error nothing in that process can be trusted. */
    ug_client_stop(t->client);
    t->rig->dirty = 1;
    return UG_END_ERROR;
}

static ug_end judge_failed(ug_trial *t, const char *err)
{
    snprintf(t->why, sizeof t->why, "%.199s", err);
    return UG_END_ERROR;
}

static ug_end lay(ug_trial *t)
{
    char err[512];
    if (ug_rig_lay(t->rig, &t->in, err, sizeof err) ||
        (t->tile && ug_trial_lay_tile(t, err, sizeof err)))
        return judge_failed(t, err);
    if (t->device && (t->tile || t->rig->layout.span >= UG_DEVICE_LARGE) &&
        ug_device_lock(&t->hold))
        return UG_END_STOPPED;
    return UG_END_OK;
}

void ug_trial_release(ug_trial *t)
{
    char why[UG_REASON_TEXT];
    if (!t->hold.held) return;
    if (t->client->pid) ug_client_call(t->client, UG_CMD_RELEASE, t->time_limit, why, sizeof why);
    ug_device_unlock(&t->hold);
}

ug_end ug_trial_prepare(ug_trial *t, int64_t places, uint64_t *workspace, ug_geometry *geometry,
                        int *has_geometry)
{
    ug_wire *w = t->client->wire;
    ug_end end = lay(t);
    if (end != UG_END_OK) return end;
    end = UG_END_CRASH;
    for (int fresh = 0; end == UG_END_CRASH; fresh = 1) {
        char err[512];
        if (!t->client->pid && ug_client_start(t->client, err, sizeof err))
            return ug_clients_halted() ? UG_END_STOPPED : judge_failed(t, err);
        fill_wire(t, places, 0, 0);
        end = command(t, UG_CMD_PREPARE);
        /* A worker that died of an earlier launch never came to this kernel: ask a new one. */
        if (fresh || w->stage != UG_STAGE_IDLE) break;
    }
    if (end != UG_END_OK) return end;
    *workspace = w->workspace_bytes;
    *geometry = w->geometry;
    *has_geometry = w->has_geometry != 0;
    if (*workspace > workspace_most) {
        snprintf(t->why, sizeof t->why, "workspace_size asks for %llu bytes",
                 (unsigned long long)*workspace);
        return UG_END_ERROR;
    }
    if (*has_geometry && (geometry->threads < 1 || geometry->chain < 0 || geometry->levels < 0)) {
        snprintf(t->why, sizeof t->why, "geometry says %lld threads, chain %lld, %lld levels",
                 (long long)geometry->threads, (long long)geometry->chain,
                 (long long)geometry->levels);
        *has_geometry = 0;
        return UG_END_ERROR;
    }
    return UG_END_OK;
}

ug_end ug_trial_workspace(ug_trial *t, uint64_t bytes)
{
    int64_t rounded = (int64_t)((bytes + 3) & ~3ull); /* patterns are whole halves */
    ug_trial_vector(t->tile ? &t->large : &t->in, UG_BUF_WORKSPACE, bytes > 0, rounded, 1, 0);
    if (!bytes) return UG_END_OK;
    return lay(t);
}

ug_end ug_trial_command(ug_trial *t, const ug_launch *l)
{
    const ug_wire *w = t->client->wire;
    ug_end end;
    fill_wire(t, l->places, l->variation, l->workspace);
    end = command(t, UG_CMD_LAUNCH);
    if (end != UG_END_OK) return end;
    switch (w->status) {
    case UG_OK:
        return UG_END_OK;
    case UG_DECLINED:
        return UG_END_DECLINED;
    case UG_FAILED:
        if (!t->why[0]) snprintf(t->why, sizeof t->why, "UG_FAILED without a message");
        break;
    default:
        snprintf(t->why, sizeof t->why, "launch answered %d, which is no ug_status", w->status);
    }
    t->rig->dirty = 1;
    if (t->device) ug_client_stop(t->client); /* the device's state is not known */
    return UG_END_ERROR;
}
