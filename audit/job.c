/* SPDX-License-Identifier: Apache-2.0 */
/* One judge: its workers, one for each backend, and the cases it takes up. */
#include "audit/job.h"

#include <stdlib.h>
#include <string.h>

#include "audit/exchange_parts.h"
#include "audit/record.h"
#include "audit/tile.h"
#include "audit/twin.h"

typedef struct judge {
    ug_run_state *run;
    ug_rig rig;
    ug_client *clients;    /* one a plugin */
    void *state;           /* of the reference */
    ug_subject subject[2]; /* the case with all its rows; what of it repeats */
    char broken[2][512];   /* why a subject could not be made; "" when it was */
    ug_pair yard;          /* of the yardstick for this case */
    int has_yard;
    ug_twins twins; /* of this case */
} judge;

static void fail(ug_run_state *run, const char *text)
{
    pthread_mutex_lock(&run->lock);
    if (!run->error[0]) snprintf(run->error, sizeof run->error, "%s", text);
    run->stop = 1;
    pthread_mutex_unlock(&run->lock);
}

void ug_slot_free(ug_slot *slot, size_t kernels)
{
    for (size_t k = 0; slot->line && k < kernels; k++) free(slot->line[k]);
    free(slot->line);
    free(slot->verdict);
    *slot = (ug_slot){0};
}

static int open_judge(judge *j, char *err, size_t cap)
{
    const ug_selection *s = j->run->selection;
    j->rig.arena.fd = -1;
    j->state = j->run->reference->create();
    j->clients = calloc(s->plugin_count + 1, sizeof *j->clients);
    if (!j->state || !j->clients) return snprintf(err, cap, "out of memory"), -1;
    for (size_t i = 0; i < s->plugin_count; i++) j->clients[i].control = -1;
    if (ug_rig_open(&j->rig, err, cap)) return -1;
    for (size_t i = 0; i < s->plugin_count; i++)
        if (ug_client_open(&j->clients[i], s->plugins[i], j->rig.arena.fd, err, cap)) return -1;
    return 0;
}

static void close_judge(judge *j)
{
    for (size_t i = 0; j->clients && i < j->run->selection->plugin_count; i++)
        ug_client_close(&j->clients[i]);
    free(j->clients);
    ug_rig_close(&j->rig);
    if (j->state) j->run->reference->destroy(j->state);
}

/* Which of its subjects a case gives to a plugin. */
static int tiled(const judge *j, const ug_case *c, size_t plugin)
{
    return j->run->selection->cards[plugin].tiles && ug_case_tiled(c);
}

static void judge_pair(judge *j, size_t plugin, uint32_t kernel, const ug_kernel_card *card,
                       const void *yardstick, ug_pair *pair)
{
    const ug_run_options *o = j->run->options;
    const ug_case *c = j->subject[0].c;
    const char *profile = c->profile[0] ? c->profile : o->profile;
    ug_pair_in in = {.s = &j->subject[tiled(j, c, plugin)],
                     .tiled = tiled(j, c, plugin),
                     .card = card,
                     .kernel = kernel,
                     .client = &j->clients[plugin],
                     .rig = &j->rig,
                     .device = j->run->selection->cards[plugin].devices >= 0,
                     .profile = profile ? ug_profile_find(profile) : NULL,
                     .gate = o->gate && *o->gate ? o->gate : NULL,
                     .yardstick = yardstick,
                     .threads = j->run->threads,
                     .time_limit = o->time_limit,
                     .row_digests = o->row_digests,
                     .twins = &j->twins};
    if (plugin == j->run->selection->files)
        ug_pair_judge_files(&in, o->exchange, (size_t)(c - o->cases), pair);
    else
        ug_pair_judge(&in, pair);
}

/* The line of a record, or NULL with err. */
static char *record_line(const judge *j, const ug_case *c, const ug_chosen *k, const ug_pair *p,
                         char *err, size_t cap)
{
    ug_record_in in = {.tested = c,
                       .kernel = k->card,
                       .path = p->path[0] ? p->path : NULL,
                       .geometry = p->has_geometry ? &p->geometry : NULL,
                       .verdict = ug_verdict_names[p->verdict],
                       .reason = p->reason[0] ? p->reason : NULL,
                       .measure = p->measured ? &p->measure : NULL,
                       .judged = p->measured ? &p->judged : NULL,
                       .has_digest = p->measured,
                       .digest = p->digest,
                       .inputs = p->inputs,
                       .row_digests = p->row_digest_count ? p->row_digests : NULL,
                       .row_digest_count = p->row_digest_count,
                       .time_us = p->time_us,
                       .not_exchanged = p->not_exchanged[0] ? p->not_exchanged : NULL};
    json_t *record;
    char *line;
    if (j->run->options->keep_outputs && p->measured &&
        ug_keep_output(j->run->options->keep_outputs, j->subject[0].id, k->name, p->outputs.y,
                       p->output_bytes, err, cap))
        return NULL;
    record = ug_record(&in);
    line = record ? ug_record_text(record) : NULL;
    json_decref(record);
    if (!line) snprintf(err, cap, "out of memory");
    return line;
}

/* The yardstick's output comes first; it is reported only where it was chosen. */
static void run_yardstick(judge *j)
{
    const ug_selection *s = j->run->selection;
    j->has_yard = s->yardstick_plugin != SIZE_MAX &&
                  !j->broken[tiled(j, j->subject[0].c, s->yardstick_plugin)][0];
    if (j->has_yard)
        judge_pair(j, s->yardstick_plugin, 0, &s->cards[s->yardstick_plugin].kernels[0], NULL,
                   &j->yard);
    ug_twins_free(&j->twins); /* it was measured without a yardstick */
}

/* One record into the slot. Returns 0, or -1 when the run is to stop. */
static int run_pair(judge *j, const ug_case *c, size_t k, ug_slot *slot)
{
    const ug_selection *s = j->run->selection;
    const ug_chosen *chosen = &s->kernels[k];
    const char *broken = j->broken[tiled(j, c, chosen->plugin)];
    int is_yard = j->has_yard && chosen->plugin == s->yardstick_plugin && chosen->kernel == 0;
    char err[512] = "";
    ug_pair *own = NULL;
    const ug_pair *pair = &j->yard;
    if (!is_yard || *broken) {
        own = calloc(1, sizeof *own);
        if (!own) return fail(j->run, "out of memory"), -1;
        pair = own;
        if (*broken) {
            own->verdict = UG_ERROR;
            own->time_us = -1;
            snprintf(own->reason, sizeof own->reason, "case %.180s", broken);
        } else {
            judge_pair(j, chosen->plugin, chosen->kernel, chosen->card,
                       j->has_yard && j->yard.measured ? j->yard.outputs.y : NULL, own);
        }
    }
    if (!pair->stopped) {
        slot->line[k] = record_line(j, c, chosen, pair, err, sizeof err);
        slot->verdict[k] = (unsigned char)pair->verdict;
        if (!slot->line[k]) fail(j->run, err);
    }
    if (own) ug_pair_free(own);
    free(own);
    return slot->line[k] ? 0 : -1;
}

/* What the kernels of a plugin need: bit 0 for all rows, bit 1 for what repeats, 0 for nothing,
 * since they will be told that the case is too large. */
static unsigned needed(const judge *j, const ug_case *c, size_t plugin)
{
    if (plugin == j->run->selection->files) return 1;
    if (tiled(j, c, plugin)) return ug_case_tile_fits(c) ? 2 : 0;
    return ug_case_fits(c, j->run->selection->cards[plugin].devices >= 0);
}

static void make_subjects(judge *j, const ug_case *c)
{
    const ug_selection *s = j->run->selection;
    int (*const make[2])(ug_subject *, const ug_case *, const ug_reference *, void *, char *,
                         size_t) = {ug_subject_make, ug_subject_make_tile};
    unsigned needs = 0;
    if (s->yardstick_plugin != SIZE_MAX) needs |= needed(j, c, s->yardstick_plugin);
    for (size_t k = 0; k < s->kernel_count; k++) needs |= needed(j, c, s->kernels[k].plugin);
    for (int i = 0; i < 2; i++) {
        char *broken = j->broken[i];
        *broken = 0;
        if (!(needs >> i & 1))
            ug_subject_name(&j->subject[i], c);
        else if (!make[i](&j->subject[i], c, j->run->reference, j->state, broken,
                          sizeof j->broken[i]))
            *broken = 0;
        else if (!*broken)
            snprintf(broken, sizeof j->broken[i], "cannot be made");
    }
}

static void run_case(judge *j, size_t index, ug_slot *slot)
{
    ug_run_state *run = j->run;
    size_t count = run->selection->kernel_count;
    const ug_case *c = &run->options->cases[index];
    size_t first = index == run->first_case ? run->first_kernel : 0;
    slot->line = calloc(count, sizeof *slot->line);
    slot->verdict = calloc(count, 1);
    if (!slot->line || !slot->verdict) {
        fail(run, "out of memory");
        return;
    }
    memset(&j->yard, 0, sizeof j->yard);
    j->has_yard = 0;
    make_subjects(j, c);
    run_yardstick(j);
    for (size_t k = first; k < count && !ug_clients_halted(); k++)
        if (run_pair(j, c, k, slot)) break;
    ug_twins_free(&j->twins);
    ug_pair_free(&j->yard);
    ug_subject_free(&j->subject[0]);
    ug_subject_free(&j->subject[1]);
}

static void publish(ug_run_state *run, size_t index, const ug_slot *slot)
{
    pthread_mutex_lock(&run->lock);
    run->slots[index] = *slot;
    run->slots[index].ready = 1;
    pthread_cond_signal(&run->changed);
    pthread_mutex_unlock(&run->lock);
}

static int take_case(ug_run_state *run, size_t *index)
{
    int got = 0;
    pthread_mutex_lock(&run->lock);
    if (!run->stop && !ug_clients_halted() && run->next_case < run->options->case_count) {
        *index = run->next_case++;
        got = 1;
    }
    pthread_mutex_unlock(&run->lock);
    return got;
}

void *ug_job(void *arg)
{
    ug_run_state *run = arg;
    judge *j = calloc(1, sizeof *j);
    char err[512];
    size_t index;
    if (!j) {
        fail(run, "out of memory");
    } else {
        j->run = run;
        if (open_judge(j, err, sizeof err)) fail(run, err);
        while (take_case(run, &index)) {
            ug_slot slot = {0};
            run_case(j, index, &slot);
            publish(run, index, &slot);
        }
        close_judge(j);
        free(j);
    }
    pthread_mutex_lock(&run->lock);
    run->running--;
    pthread_cond_signal(&run->changed);
    pthread_mutex_unlock(&run->lock);
    return NULL;
}
