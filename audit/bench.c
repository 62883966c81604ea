/* SPDX-License-Identifier: Apache-2.0 */
/* A bench: case by case, plugin by plugin, one panel each. */
#include "audit/bench.h"

#include <stdlib.h>
#include <string.h>

#include "audit/bench_record.h"
#include "audit/progress.h"
#include "audit/record.h"
#include "audit/results.h"
#include "audit/signals.h"

enum { WARM = 3, REPEATS = 30, COPIES = 2 };

typedef struct bench {
    const ug_bench_options *options;
    ug_run_options run; /* the same, for what a run and a bench share */
    ug_run_summary *summary;
    ug_selection selection;
    ug_results results;
    const ug_reference *reference;
    void *state; /* of the reference */
    ug_rig rig;
    ug_client *clients; /* one a plugin */
    char err[1536];
    double start;
} bench;

static int environment(const bench *b, const char *text)
{
    if (b->options->log) fprintf(b->options->log, "ulpgate: %s\n", text);
    return 2;
}

static void share_options(bench *b)
{
    const ug_bench_options *o = b->options;
    b->run = (ug_run_options){.cases = o->cases,
                              .case_count = o->case_count,
                              .plugins = o->plugins,
                              .plugin_count = o->plugin_count,
                              .kernels = o->kernels,
                              .kernel_count = o->kernel_count,
                              .reference = o->reference,
                              .profile = o->profile,
                              .out = o->out,
                              .jobs = 1,
                              .command = o->command,
                              .log = o->log};
}

static int is_emulated(const bench *b, size_t plugin)
{
    const ug_backend_card *card = &b->selection.cards[plugin];
    return card->kernel_count && card->kernels[0].no_times;
}

/* Leaves out kernels whose times mean nothing. Returns 0, or 77 when no other is left. */
static int drop_emulated(bench *b)
{
    static const char text[] = "times of the CPU executor mean nothing; --force takes them anyway";
    ug_selection *s = &b->selection;
    size_t kept = 0, counted = 0;
    s->yardstick_plugin = SIZE_MAX; /* a bench has a yardstick of its own */
    if (b->options->force) return 0;
    for (size_t k = 0; k < s->kernel_count; k++)
        if (!is_emulated(b, s->kernels[k].plugin)) s->kernels[kept++] = s->kernels[k];
    if (kept == s->kernel_count) return 0;
    s->kernel_count = kept;
    for (size_t k = 0; k < kept; k++) counted += (size_t)s->kernels[k].counted;
    for (size_t k = 0; k < kept && !counted; k++) s->kernels[k].counted = 1;
    if (kept) {
        if (b->options->log) fprintf(b->options->log, "ulpgate: left out: %s\n", text);
        return 0;
    }
    snprintf(b->summary->skipped, sizeof b->summary->skipped, "%s", text);
    return 77;
}

static int open_all(bench *b)
{
    ug_selection *s = &b->selection;
    json_t *header;
    int rc;
    b->state = b->reference->create();
    b->clients = calloc(s->plugin_count + 1, sizeof *b->clients);
    if (!b->state || !b->clients) return environment(b, "out of memory");
    for (size_t i = 0; i < s->plugin_count; i++) b->clients[i].control = -1;
    if (ug_rig_open(&b->rig, b->err, sizeof b->err)) return environment(b, b->err);
    for (size_t i = 0; i < s->plugin_count; i++)
        if (ug_client_open(&b->clients[i], s->plugins[i], b->rig.arena.fd, b->err, sizeof b->err))
            return environment(b, b->err);
    header = ug_results_header(&b->run, s, b->reference->name, 1);
    rc = header ? ug_results_open(&b->results, &b->run, s, header, b->err, sizeof b->err) : -1;
    json_decref(header);
    if (rc) return environment(b, b->err[0] ? b->err : "out of memory");
    snprintf(b->summary->out, sizeof b->summary->out, "%s", b->results.path);
    return 0;
}

static void close_all(bench *b)
{
    for (size_t i = 0; b->clients && i < b->selection.plugin_count; i++)
        ug_client_close(&b->clients[i]);
    free(b->clients);
    ug_rig_close(&b->rig);
    if (b->state) b->reference->destroy(b->state);
    ug_results_close(&b->results);
    ug_selection_free(&b->selection);
}

/* BACKEND:STRUCTURE@BLOCK/VARIANCE */
static void name_item(ug_bench_item *item)
{
    const char *slash = strchr(item->chosen->name, '/');
    const int head = (int)(slash ? slash - item->chosen->name : (long)strlen(item->chosen->name));
    if (item->block)
        snprintf(item->name, sizeof item->name, "%.*s@%lld%s", head, item->chosen->name,
                 (long long)item->block, slash ? slash : "");
    else
        snprintf(item->name, sizeof item->name, "%s", item->chosen->name);
}

static void add_item(ug_panel *p, const ug_chosen *chosen, uint32_t copy, int64_t block)
{
    ug_bench_item *item = &p->item[p->count++];
    item->chosen = chosen;
    item->copy = copy;
    item->block = block;
    if (chosen) name_item(item);
}

/* Copies first, then the plugin's kernels in their order. Returns 0, or -1: no memory. */
static int fill_items(const bench *b, size_t plugin, ug_panel *p)
{
    const ug_bench_options *o = b->options;
    const ug_selection *s = &b->selection;
    const size_t blocks = o->block_count ? o->block_count : 1;
    p->item = calloc(COPIES + s->kernel_count * blocks, sizeof *p->item);
    if (!p->item) return -1;
    for (uint32_t way = 1; way <= COPIES; way++) add_item(p, NULL, way, 0);
    for (size_t k = 0; k < s->kernel_count; k++) {
        const ug_chosen *chosen = &s->kernels[k];
        const int choice = o->block_count && chosen->card->supports & UG_CAN_BLOCK;
        if (chosen->plugin != plugin) continue;
        for (size_t i = 0; i < (choice ? blocks : 1); i++)
            add_item(p, chosen, 0, choice ? o->blocks[i] : 0);
    }
    for (size_t i = 0; i < p->count; i++)
        if (!(p->item[i].us = calloc((size_t)p->repeats, sizeof(double)))) return -1;
    return 0;
}

static void free_items(ug_panel *p)
{
    for (size_t i = 0; p->item && i < p->count; i++) free(p->item[i].us);
    free(p->item);
}

/* Returns 0, or -1 with b->err. */
static int write_panel(bench *b, const ug_panel *p, int emulated)
{
    ug_bench_time *time = calloc(p->count, sizeof *time);
    int rc = 0;
    if (!time) return snprintf(b->err, sizeof b->err, "out of memory"), -1;
    ug_bench_times(p, time);
    for (size_t i = 0; i < p->count && !rc; i++) {
        const ug_bench_item *item = &p->item[i];
        json_t *record;
        char *line;
        if (item->copy && !item->rounds) continue;
        record = ug_bench_record(p, item, time, emulated);
        line = record ? ug_record_text(record) : NULL;
        json_decref(record);
        if (!line) snprintf(b->err, sizeof b->err, "out of memory");
        rc = line ? ug_results_append(&b->results, line, b->err, sizeof b->err) : -1;
        free(line);
        if (!rc)
            ug_results_count(&b->results, item->verdict, item->chosen && item->chosen->counted);
    }
    free(time);
    return rc;
}

/* Returns 0, 2 (told), or -1 when the run is to stop. */
static int bench_plugin(bench *b, const ug_case *c, const ug_subject *subject, const char *broken,
                        size_t plugin)
{
    const char *profile = c->profile[0] ? c->profile : b->options->profile;
    ug_panel p = {.c = c,
                  .subject = subject,
                  .profile = profile ? ug_profile_find(profile) : NULL,
                  .client = &b->clients[plugin],
                  .rig = &b->rig,
                  .time_limit = b->options->time_limit,
                  .warm = WARM,
                  .repeats = b->options->repeats > 0 ? b->options->repeats : REPEATS};
    int rc = 0;
    if (fill_items(b, plugin, &p)) {
        free_items(&p);
        return environment(b, "out of memory");
    }
    for (size_t i = 0; i < p.count && broken; i++) {
        p.item[i].over = 1;
        p.item[i].verdict = UG_DECLINE;
        snprintf(p.item[i].reason, sizeof p.item[i].reason, "declined %.180s", broken);
    }
    if (!broken) ug_panel_run(&p);
    if (p.stopped)
        rc = -1;
    else if (write_panel(b, &p, is_emulated(b, plugin)))
        rc = environment(b, b->err);
    free_items(&p);
    return rc;
}

static int bench_case(bench *b, const ug_case *c)
{
    char why[512];
    ug_subject subject = {0};
    ug_case sample = *c;
    int broken, rc = 0;
    sample.rows = ug_panel_rows(c, why, sizeof why);
    sample.batch = 0;
    broken = sample.rows < 1 ||
             ug_subject_make(&subject, &sample, b->reference, b->state, why, sizeof why);
    for (size_t i = 0; i < b->selection.plugin_count && !rc; i++) {
        int used = 0;
        for (size_t k = 0; k < b->selection.kernel_count; k++)
            used |= b->selection.kernels[k].plugin == i;
        if (used) rc = bench_plugin(b, c, &subject, broken ? why : NULL, i);
    }
    ug_subject_free(&subject);
    return rc;
}

static int bench_cases(bench *b)
{
    const ug_bench_options *o = b->options;
    ug_progress progress;
    int rc = 0;
    ug_progress_begin(&progress, o->progress ? o->log : NULL, 0, o->case_count);
    for (size_t i = 0; i < o->case_count && !rc; i++) {
        rc = bench_case(b, &o->cases[i]);
        ug_progress_show(&progress, i + 1, b->results.counted[UG_FAIL]);
    }
    ug_progress_end(&progress);
    return rc;
}

static int conclude(bench *b)
{
    const size_t *c = b->results.counted;
    ug_run_summary *m = b->summary;
    *m = (ug_run_summary){.passed = c[UG_PASS],
                          .failed = c[UG_FAIL],
                          .declined = c[UG_DECLINE],
                          .crashed = c[UG_CRASH],
                          .hung = c[UG_HANG],
                          .errors = c[UG_ERROR],
                          .shown = b->results.shown};
    snprintf(m->out, sizeof m->out, "%s", b->results.path);
    m->results = m->passed + m->failed + m->declined + m->crashed + m->hung + m->errors;
    if (m->failed + m->crashed + m->hung + m->errors) return 1;
    if (m->passed) return 0;
    snprintf(m->skipped, sizeof m->skipped, "every kernel declined every case (%zu results)",
             m->results);
    return 77;
}

static int bench_all(bench *b)
{
    const ug_bench_options *o = b->options;
    ug_signals signals;
    int rc;
    b->reference = ug_reference_find(o->reference && *o->reference ? o->reference : NULL);
    if (!b->reference) return environment(b, "there is no such reference");
    if (!o->case_count) {
        snprintf(b->summary->skipped, sizeof b->summary->skipped, "no case was selected");
        return 77;
    }
    rc = ug_select(&b->run, &b->selection, b->summary->skipped, sizeof b->summary->skipped, b->err,
                   sizeof b->err);
    if (rc == 2) return environment(b, b->err);
    if (!rc) rc = drop_emulated(b);
    if (!rc) rc = open_all(b);
    if (rc) return rc;
    ug_signals_watch(&signals);
    rc = bench_cases(b);
    ug_signals_restore(&signals);
    if (rc < 0) return environment(b, "stopped");
    if (rc) return rc;
    if (ug_results_finish(&b->results, ug_clock() - b->start, b->err, sizeof b->err))
        return environment(b, b->err);
    return conclude(b);
}

int ug_bench(const ug_bench_options *options, ug_run_summary *summary)
{
    bench b = {.options = options, .summary = summary, .results = {.fd = -1}};
    int rc;
    *summary = (ug_run_summary){0};
    b.rig.arena.fd = -1;
    b.start = ug_clock();
    share_options(&b);
    rc = bench_all(&b);
    close_all(&b);
    return rc;
}
