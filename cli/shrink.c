/* SPDX-License-Identifier: Apache-2.0 */
/* Trials of smaller cases, each through the ordinary judge, and the loop over steps. */
#include "cli/shrink.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "audit/audit.h"

enum { FIRST_BATCH = 4, LARGEST_BATCH = 256, CRASH_BATCH = 32, HANG_BATCH = 2 };

/* A launch that hangs costs this long, every time. */
static const double hang_limit = 1, whole_limit = 40;

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Text without digits: messages that differ in numbers only are alike. */
static void without_digits(const char *text, char *why, size_t cap)
{
    size_t used = 0;
    for (; *text && used + 1 < cap; text++)
        if (!isdigit((unsigned char)*text)) why[used++] = *text;
    why[used] = 0;
}

/* Of a crash: the signal, and the buffer at which it struck. */
static void crash_of(const char *text, char *why, size_t cap)
{
    const char *signal = strstr(text, "signal "), *at = strstr(text, " at ");
    int number = signal ? atoi(signal + 7) : 0;
    snprintf(why, cap, "crash %d%.*s", number, at ? (int)strcspn(at, ",") : 0, at ? at : "");
    if (at && !strncmp(at, " at address", 11)) snprintf(why, cap, "crash %d outside", number);
}

/* The check that a reason is of: its first word, more where that stands for several. */
static void check_of(ug_rec_verdict verdict, const char *reason, char *why, size_t cap)
{
    size_t length = strcspn(reason, " ");
    switch (verdict) {
    case UG_REC_CRASH:
        crash_of(reason, why, cap);
        return;
    case UG_REC_ERROR:
        without_digits(reason, why, cap);
        return;
    default:
        if (!strncmp(reason, "class ", 6) && strstr(reason, "finite values")) {
            snprintf(why, cap, "class finite");
            return;
        }
        for (int word = 0; word < 2 && !strncmp(reason, "class ", 6) && reason[length]; word++)
            length += 1 + strcspn(reason + length + 1, " ");
        snprintf(why, cap, "%.*s", (int)length, reason);
    }
}

static int is_failure(const ug_rec *rec)
{
    return rec->verdict != UG_REC_PASS && rec->verdict != UG_REC_DECLINED;
}

/* 1 when the record fails, and by the check `why` (NULL: by any); *at: the reason. */
static int fails(const ug_rec *rec, ug_rec_verdict verdict, const char *why, int *at)
{
    char check[UG_SHRINK_TEXT];
    if (!is_failure(rec) || (why && rec->verdict != verdict)) return 0;
    for (int i = 0; i < rec->reasons; i++) {
        if (!strncmp(rec->reason[i], "note", 4)) continue;
        check_of(rec->verdict, rec->reason[i], check, sizeof check);
        *at = i;
        if (!why || !strcmp(check, why)) return 1;
    }
    return 0;
}

static void take(ug_shrink *s, const ug_case *c, const ug_rec *rec, int at)
{
    ug_shrink_failure *f = &s->best;
    memset(f, 0, sizeof *f);
    f->c = *c;
    f->verdict = rec->verdict;
    check_of(rec->verdict, rec->reason[at], f->why, sizeof f->why);
    snprintf(f->gate, sizeof f->gate, "%s", rec->gate);
    for (int i = at; i < rec->reasons && f->reasons < UG_SHRINK_REASONS; i++) {
        if (!strncmp(rec->reason[i], "note", 4)) continue;
        snprintf(f->reason[f->reasons++], UG_SHRINK_TEXT, "%s", rec->reason[i]);
    }
    f->threads = rec->threads;
    f->chain = rec->chain;
    f->levels = rec->levels;
    for (int m = 0; m < UG_REC_PLACES; m++) {
        f->metric[m] = rec->has & 1u << m ? rec->metric[m] : NAN;
        f->worst[m] = rec->worst[m];
    }
}

/* Judges all of them. Returns 0, or an exit code with a message. */
static int judge(ug_shrink *s, const ug_case *cases, size_t count, ug_results *results)
{
    const ug_cli *cli = s->cli;
    const char *only[] = {s->kernel};
    char err[512] = "";
    ug_run_summary summary;
    ug_run_options o = {.cases = cases,
                        .case_count = count,
                        .plugins = cli->plugins.item,
                        .plugin_count = cli->plugins.count,
                        .kernels = *s->kernel ? only : cli->kernels.item,
                        .kernel_count = *s->kernel ? 1 : cli->kernels.count,
                        .gate = cli->gate,
                        .reference = cli->reference,
                        .profile = cli->profile,
                        .time_limit = s->time_limit,
                        .jobs = cli->jobs > 0 ? (int)cli->jobs : 0,
                        .log = stderr};
    int rc = ug_run(&o, &summary);
    s->trials += count;
    s->runs++;
    if (rc == UG_EXIT_NOTHING && !summary.results && !summary.shown) {
        ug_error("nothing was tested: %s", summary.skipped);
    } else if (rc != UG_EXIT_USAGE) {
        rc = ug_results_read(results, summary.out, err, sizeof err) ? UG_EXIT_USAGE : 0;
        if (err[0]) ug_error("%s", err);
    }
    if (summary.out[0]) unlink(summary.out);
    return rc;
}

int ug_shrink_begin(ug_shrink *s, const ug_cli *cli, const ug_case *c)
{
    ug_results results = {0};
    int rc, at = 0;
    *s = (ug_shrink){.cli = cli, .until = now() + whole_limit};
    s->time_limit = cli->time_limit > 0 ? cli->time_limit : 0;
    rc = judge(s, c, 1, &results);
    if (!rc && results.count != 1) {
        ug_error("--kernel selects %zu kernels, one is needed%s%s", results.count,
                 results.count ? ", such as " : "", results.count ? results.rec[0].kernel : "");
        rc = UG_EXIT_USAGE;
    } else if (!rc && !fails(&results.rec[0], 0, NULL, &at)) {
        ug_error("%s on this case: there is nothing to shrink",
                 ug_rec_verdict_name(results.rec[0].verdict));
        rc = UG_EXIT_NOTHING;
    } else if (!rc) {
        snprintf(s->kernel, sizeof s->kernel, "%s", results.rec[0].kernel);
        take(s, c, &results.rec[0], at);
        if (s->best.verdict == UG_REC_HANG && !s->time_limit) s->time_limit = hang_limit;
        s->until = now() + whole_limit;
    }
    ug_results_free(&results);
    return rc;
}

/* Adds a hash; returns 1 when it was there, -1 when out of memory. */
static int was_tried(ug_shrink *s, uint64_t hash)
{
    size_t i;
    hash += !hash;
    if (2 * s->trials + 2 * LARGEST_BATCH >= s->room) {
        size_t room = s->room ? 4 * s->room : 8 * LARGEST_BATCH;
        uint64_t *old = s->tried, *grown = calloc(room, sizeof *grown);
        if (!grown) return -1;
        for (size_t k = 0; k < s->room; k++) {
            if (!old[k]) continue;
            for (i = old[k] % room; grown[i]; i = (i + 1) % room) {}
            grown[i] = old[k];
        }
        free(old);
        s->tried = grown;
        s->room = room;
    }
    for (i = hash % s->room; s->tried[i]; i = (i + 1) % s->room)
        if (s->tried[i] == hash) return 1;
    s->tried[i] = hash;
    return 0;
}

/* Judges a batch and takes the first that fails alike: 1, or 0; -1 with *rc. */
static int try_batch(ug_shrink *s, const ug_case *cases, size_t count, int *rc)
{
    ug_results results = {0};
    int taken = 0, at = 0;
    *rc = judge(s, cases, count, &results);
    for (size_t i = 0; !*rc && !taken && i < results.count && i < count; i++) {
        if (!fails(&results.rec[i], s->best.verdict, s->best.why, &at)) continue;
        take(s, &cases[i], &results.rec[i], at);
        taken = 1;
    }
    ug_results_free(&results);
    return *rc ? -1 : taken;
}

/* Batches grow: most steps succeed early or not at all. A crash costs a worker, a launch that hangs
 * holds up its batch. */
static int try_all(ug_shrink *s, const ug_tries *t, int *rc)
{
    size_t done = 0, size = FIRST_BATCH, count;
    size_t most = s->best.verdict == UG_REC_CRASH  ? CRASH_BATCH
                  : s->best.verdict == UG_REC_HANG ? HANG_BATCH
                                                   : LARGEST_BATCH;
    int taken = 0;
    ug_case *batch = malloc(LARGEST_BATCH * sizeof *batch);
    *rc = batch && !t->failed ? 0 : UG_EXIT_USAGE;
    while (!*rc && !taken && done < t->count) {
        if (size > most) size = most;
        for (count = 0; done < t->count && count < size; done++) {
            int known = was_tried(s, ug_case_hash(&t->item[done]));
            if (known < 0) *rc = UG_EXIT_USAGE;
            if (!known) batch[count++] = t->item[done];
        }
        if (!count || *rc) break;
        if (now() > s->until) {
            s->stopped = 1;
            break;
        }
        taken = try_batch(s, batch, count, rc);
        size *= 4;
    }
    if (*rc && (!batch || t->failed)) ug_error("out of memory");
    free(batch);
    return taken;
}

/* All steps from `first` to `last` as one list; 0 when there is none. */
static int try_steps(ug_shrink *s, int first, int last, int *taken, int *rc)
{
    ug_tries t = {0};
    int step = first;
    while (step <= last && ug_shrink_step(step, &s->best.c, &t)) step++;
    *taken = step > first && try_all(s, &t, rc) > 0;
    free(t.item);
    return step > first;
}

int ug_shrink_reduce(ug_shrink *s)
{
    int step = 0, taken, rc = 0;
    while (!rc && !s->stopped && try_steps(s, step, step, &taken, &rc)) step += !taken;
    /* Then all at once: what one step made possible for another is little by now. */
    for (taken = 1; taken && !rc && !s->stopped;) try_steps(s, 0, step, &taken, &rc);
    return rc;
}

void ug_shrink_free(ug_shrink *s)
{
    free(s->tried);
    s->tried = NULL;
}
