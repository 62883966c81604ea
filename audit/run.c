/* SPDX-License-Identifier: Apache-2.0 */
/* A run: judges side by side, their records written in order, the footer last. */
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "audit/job.h"
#include "audit/progress.h"
#include "audit/shard.h"
#include "audit/signals.h"

enum { WAKE_MS = 200 };

typedef struct run {
    const ug_run_options *whole, *options; /* over the plan; over the cases of this shard */
    ug_run_options own;
    ug_case *cases; /* of this shard, in a sharded run */
    ug_run_summary *summary;
    ug_selection selection;
    ug_results results;
    ug_run_state state;
    pthread_t *threads;
    int jobs, started;
    double start;
} run;

static int cores(void)
{
    cpu_set_t set;
    int n = sched_getaffinity(0, sizeof set, &set) ? 1 : CPU_COUNT(&set);
    return n > 0 ? n : 1;
}

static int environment(const run *r, const char *text)
{
    if (r->options->log) fprintf(r->options->log, "ulpgate: %s\n", text);
    return 2;
}

/* Whatever can be refused before anything runs. Returns 0, 2 (told) or 77 (summary->skipped). */
static int check_options(run *r)
{
    const ug_run_options *o = r->options;
    char err[512];
    r->state.reference = ug_reference_find(o->reference && *o->reference ? o->reference : NULL);
    if (!r->state.reference) {
        snprintf(err, sizeof err, "there is no reference '%.100s'", o->reference);
        return environment(r, err);
    }
    if (o->gate && *o->gate && ug_gate_check(o->gate, err, sizeof err)) return environment(r, err);
    for (size_t i = 0; i <= o->case_count; i++) {
        const char *name = i < o->case_count ? o->cases[i].profile : o->profile;
        if (!name || !*name || ug_profile_find(name)) continue;
        snprintf(err, sizeof err, "there is no device profile '%.100s'", name);
        return environment(r, err);
    }
    if (o->keep_outputs && mkdir(o->keep_outputs, 0777)) {
        struct stat st;
        if (stat(o->keep_outputs, &st) || !S_ISDIR(st.st_mode)) {
            snprintf(err, sizeof err, "cannot make the folder %.300s", o->keep_outputs);
            return environment(r, err);
        }
    }
    if (o->case_count) return 0;
    snprintf(r->summary->skipped, sizeof r->summary->skipped, "no case was selected");
    return 77;
}

/* From the plan to the cases of the shard. Returns 0, 2 (told) or 77 (summary->skipped). */
static int take_shard(run *r)
{
    const ug_run_options *o = r->whole;
    char err[512];
    if (!o->shards) return 0;
    if (o->shard < 1 || o->shard > o->shards) {
        snprintf(err, sizeof err, "there is no shard %zu of %zu", o->shard, o->shards);
        return environment(r, err);
    }
    r->own = *o;
    r->own.cases = r->cases = ug_shard_cases(o, &r->own.case_count);
    if (!r->cases) return environment(r, "out of memory");
    r->options = &r->own;
    if (r->own.case_count) return 0;
    snprintf(r->summary->skipped, sizeof r->summary->skipped,
             "shard %zu of %zu holds no case, there are %zu", o->shard, o->shards, o->case_count);
    return 77;
}

static int open_results(run *r)
{
    char err[1536] = "";
    json_t *header =
        ug_results_header(r->options, &r->selection, r->state.reference->name, r->jobs);
    int rc = header && !ug_shard_describe(header, r->whole)
                 ? ug_results_open(&r->results, r->options, &r->selection, header, err, sizeof err)
                 : -1;
    json_decref(header);
    if (rc) return environment(r, err[0] ? err : "out of memory");
    snprintf(r->summary->out, sizeof r->summary->out, "%s", r->results.path);
    return 0;
}

static void size_jobs(run *r)
{
    const ug_run_options *o = r->options;
    int most = cores();
    r->jobs = o->jobs > 0 ? o->jobs : most;
    if ((size_t)r->jobs > o->case_count) r->jobs = (int)o->case_count;
    r->state.threads = (uint32_t)(most / r->jobs > 1 ? most / r->jobs : 1);
}

static int start_jobs(run *r)
{
    ug_run_state *s = &r->state;
    s->options = r->options;
    s->selection = &r->selection;
    s->first_case = s->next_case = r->results.kept / r->selection.kernel_count;
    s->first_kernel = r->results.kept % r->selection.kernel_count;
    s->slots = calloc(r->options->case_count, sizeof *s->slots);
    r->threads = calloc((size_t)r->jobs, sizeof *r->threads);
    if (!s->slots || !r->threads) return environment(r, "out of memory");
    for (; r->started < r->jobs; r->started++) {
        pthread_mutex_lock(&s->lock);
        s->running++;
        pthread_mutex_unlock(&s->lock);
        if (pthread_create(&r->threads[r->started], NULL, ug_job, s)) {
            pthread_mutex_lock(&s->lock);
            s->running--;
            s->stop = 1;
            pthread_mutex_unlock(&s->lock);
            return environment(r, "cannot start a thread");
        }
    }
    return 0;
}

/* Writes what a case left. Returns 0 when the case is complete. */
static int write_slot(run *r, ug_slot *slot, size_t first)
{
    char err[1536];
    for (size_t k = first; k < r->selection.kernel_count; k++) {
        if (!slot->line || !slot->line[k]) return -1;
        if (ug_results_append(&r->results, slot->line[k], err, sizeof err)) {
            pthread_mutex_lock(&r->state.lock);
            snprintf(r->state.error, sizeof r->state.error, "%.500s", err);
            r->state.stop = 1;
            pthread_mutex_unlock(&r->state.lock);
            return -1;
        }
        ug_results_count(&r->results, slot->verdict[k], r->selection.kernels[k].counted);
    }
    return 0;
}

static size_t failures(const ug_results *results)
{
    return results->counted[UG_FAIL] + results->counted[UG_CRASH] + results->counted[UG_HANG] +
           results->counted[UG_ERROR];
}

static void wait_a_while(ug_run_state *s)
{
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += WAKE_MS * 1000000L;
    until.tv_sec += until.tv_nsec / 1000000000L;
    until.tv_nsec %= 1000000000L;
    pthread_cond_timedwait(&s->changed, &s->lock, &until);
}

/* Records in the order of the run until all are written or the judges are gone. Returns the number
 * of complete cases in the file. */
static size_t write_in_order(run *r)
{
    ug_run_state *s = &r->state;
    size_t at = s->first_case, end = r->options->case_count;
    ug_progress progress;
    ug_progress_begin(&progress, r->options->progress ? r->options->log : NULL, at, end);
    pthread_mutex_lock(&s->lock);
    while (at < end) {
        ug_slot slot;
        int rc;
        if (!s->slots[at].ready) {
            if (!s->running) break;
            wait_a_while(s);
            ug_progress_show(&progress, at, failures(&r->results));
            continue;
        }
        slot = s->slots[at];
        s->slots[at] = (ug_slot){0};
        pthread_mutex_unlock(&s->lock);
        rc = write_slot(r, &slot, at == s->first_case ? s->first_kernel : 0);
        ug_slot_free(&slot, r->selection.kernel_count);
        ug_progress_show(&progress, at, failures(&r->results));
        pthread_mutex_lock(&s->lock);
        if (rc) {
            s->stop = 1;
            break;
        }
        at++;
    }
    pthread_mutex_unlock(&s->lock);
    ug_progress_end(&progress);
    return at;
}

static void summarise(run *r)
{
    ug_run_summary *m = r->summary;
    const size_t *c = r->results.counted;
    m->passed = c[UG_PASS];
    m->failed = c[UG_FAIL];
    m->declined = c[UG_DECLINE];
    m->crashed = c[UG_CRASH];
    m->hung = c[UG_HANG];
    m->errors = c[UG_ERROR];
    m->results = m->passed + failures(&r->results) + m->declined;
    m->shown = r->results.shown;
}

/* Ends the judges and says how the run went. */
static int finish(run *r, size_t complete)
{
    char err[1536];
    for (int i = 0; i < r->started; i++) pthread_join(r->threads[i], NULL);
    summarise(r);
    if (r->state.error[0]) return environment(r, r->state.error);
    if (complete < r->options->case_count) {
        snprintf(err, sizeof err, "stopped after %zu of %zu cases; --resume goes on", complete,
                 r->options->case_count);
        return environment(r, err);
    }
    if (ug_results_finish(&r->results, ug_clock() - r->start, err, sizeof err))
        return environment(r, err);
    if (failures(&r->results)) return 1;
    if (r->summary->passed) return 0;
    snprintf(r->summary->skipped, sizeof r->summary->skipped,
             "every kernel declined every case (%zu results)", r->summary->results);
    return 77;
}

static int run_all(run *r)
{
    ug_signals old;
    char err[1536] = "";
    int rc = check_options(r);
    if (!rc) rc = take_shard(r);
    if (rc) return rc;
    rc = ug_select(r->options, &r->selection, r->summary->skipped, sizeof r->summary->skipped, err,
                   sizeof err);
    if (rc == 2) return environment(r, err);
    if (rc) return rc;
    size_jobs(r);
    rc = open_results(r);
    if (rc) return rc;
    ug_signals_watch(&old);
    rc = r->results.complete ? 0 : start_jobs(r);
    rc = finish(r, rc ? 0 : r->results.complete ? r->options->case_count : write_in_order(r));
    ug_signals_restore(&old);
    return rc;
}

int ug_run(const ug_run_options *options, ug_run_summary *summary)
{
    run r = {.whole = options,
             .options = options,
             .summary = summary,
             .results = {.fd = -1},
             .start = ug_clock()};
    int rc;
    *summary = (ug_run_summary){0};
    pthread_mutex_init(&r.state.lock, NULL);
    pthread_cond_init(&r.state.changed, NULL);
    rc = run_all(&r);
    for (size_t i = 0; r.state.slots && i < r.options->case_count; i++)
        ug_slot_free(&r.state.slots[i], r.selection.kernel_count);
    free(r.state.slots);
    free(r.threads);
    free(r.cases);
    ug_results_close(&r.results);
    ug_selection_free(&r.selection);
    pthread_mutex_destroy(&r.state.lock);
    pthread_cond_destroy(&r.state.changed);
    return rc;
}
