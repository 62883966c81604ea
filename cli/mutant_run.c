/* SPDX-License-Identifier: Apache-2.0 */
/* Runs mutants over cases and notes what caught them. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "audit/audit.h"
#include "cli/gather.h"
#include "cli/mutants.h"
#include "report/report.h"

/* One run: these cases, these kernels, this gate. */
typedef struct trial {
    ug_mutants *m;
    const ug_case *cases;
    size_t case_count;
    ug_list kernels;
    const char *gate;
    void (*each)(struct trial *t, const ug_rec *rec); /* for every record */
    ug_peer peer;
    int ladder;
} trial;

static int run_into(const trial *t, const char *file)
{
    ug_run_summary summary;
    ug_run_options o;
    int rc;
    memset(&o, 0, sizeof o);
    o.cases = t->cases;
    o.case_count = t->case_count;
    o.plugins = &t->m->plugin;
    o.plugin_count = 1;
    o.kernels = t->kernels.item;
    o.kernel_count = t->kernels.count;
    o.gate = t->gate;
    o.out = file;
    o.jobs = t->m->jobs > 0 ? (int)t->m->jobs : 0;
    o.log = stderr;
    rc = ug_run(&o, &summary);
    return rc == UG_EXIT_USAGE ? -1 : 0;
}

/* Runs and reads the records back. Returns 0, or UG_EXIT_USAGE with a message. */
static int run_trial(trial *t)
{
    char name[512], err[512] = "";
    ug_results results = {0};
    int rc;
    if (!t->case_count || !t->kernels.count) return 0;
    if (ug_output_temporary(name, sizeof name)) return UG_EXIT_USAGE;
    rc = run_into(t, name);
    if (!rc) rc = ug_results_read(&results, name, err, sizeof err);
    if (err[0]) ug_error("%s", err);
    for (size_t i = 0; !rc && i < results.count; i++) t->each(t, &results.rec[i]);
    ug_results_free(&results);
    unlink(name);
    return rc ? UG_EXIT_USAGE : 0;
}

static ug_mutant *find(ug_mutants *m, const char *kernel)
{
    for (size_t i = 0; i < m->count; i++)
        if (!strcmp(m->item[i].kernel, kernel)) return &m->item[i];
    return NULL;
}

static int failed(const ug_rec *rec)
{
    return rec->verdict != UG_REC_PASS && rec->verdict != UG_REC_DECLINED;
}

/* The first words of the reasons, each once: class, guard, order, bound... */
static void checks_of(const ug_rec *rec, char *text, size_t cap)
{
    size_t used = 0;
    text[0] = 0;
    for (int i = 0; i < rec->reasons; i++) {
        int n = (int)strcspn(rec->reason[i], " ");
        char word[32];
        snprintf(word, sizeof word, "%.*s", n, rec->reason[i]);
        if (!strcmp(word, "note") || strstr(text, word) || used >= cap) continue;
        used += (size_t)snprintf(text + used, cap - used, "%s%s", used ? ", " : "", word);
    }
}

static void note_kill(trial *t, const ug_rec *rec)
{
    ug_mutant *mutant = find(t->m, rec->kernel);
    if (!mutant || mutant->killed || !failed(rec)) return;
    mutant->killed = 1;
    checks_of(rec, mutant->by, sizeof mutant->by);
    snprintf(mutant->where, sizeof mutant->where, "%s", rec->line);
}

static int add_alive(trial *t, uint64_t case_hash)
{
    for (size_t i = 0; i < t->m->count; i++) {
        const ug_mutant *mutant = &t->m->item[i];
        if (mutant->killed || (case_hash && ug_case_hash(&mutant->c) != case_hash)) continue;
        if (ug_list_add(&t->kernels, mutant->kernel)) {
            ug_error("out of memory");
            return UG_EXIT_USAGE;
        }
    }
    return 0;
}

int ug_mutants_kill(ug_mutants *m, const ug_case_list *tier)
{
    int rc = 0;
    for (size_t c = 0; c <= tier->count && !rc; c++) {
        int whole = c == tier->count;
        trial t = {.m = m, .cases = &tier->item[c], .case_count = 1, .each = note_kill};
        if (whole) {
            t.cases = tier->item;
            t.case_count = tier->count;
        }
        rc = add_alive(&t, whole ? 0 : ug_case_hash(&tier->item[c]));
        if (!rc) rc = run_trial(&t);
        free(t.kernels.item);
    }
    return rc;
}

static void note_shown(trial *t, const ug_rec *rec)
{
    ug_mutant *mutant = find(t->m, rec->kernel);
    if (mutant) mutant->shown += (size_t)failed(rec);
}

static ug_right *right_of(ug_mutants *m, const char *kernel)
{
    ug_right *grown;
    for (size_t i = 0; i < m->rights; i++)
        if (!strcmp(m->right[i].kernel, kernel)) return &m->right[i];
    grown = realloc(m->right, (m->rights + 1) * sizeof *grown);
    if (!grown) return NULL;
    m->right = grown;
    memset(&grown[m->rights], 0, sizeof *grown);
    snprintf(grown[m->rights].kernel, sizeof grown->kernel, "%s", kernel);
    return &grown[m->rights++];
}

/* The kernel of a mutant's parent, when the recipe blames it on the same case: then its word on the
 * mutant is worth nothing. Built-in backends come first in a run, so the parent's record was there.
 */
static int parent_blamed(ug_mutants *m, const ug_mutant *mutant, const char *id)
{
    char parent[128];
    ug_right *right;
    snprintf(parent, sizeof parent, "host:%s", mutant->parent);
    right = right_of(m, parent);
    return right && !strcmp(right->last, id);
}

static void note_right(trial *t, const ug_rec *rec, int caught)
{
    ug_right *right = right_of(t->m, rec->kernel);
    if (!right || !caught) return;
    (t->ladder ? right->ladder : right->cases)[t->peer]++;
    snprintf(right->last, sizeof right->last, "%s", rec->id);
}

/* A recipe sees what its own comparison says, and launches that are refused or do not end. A crash
 * is the work of our guard pages: nobody knows what it would have said. */
static void note_recipe(trial *t, const ug_rec *rec)
{
    ug_mutant *mutant = find(t->m, rec->kernel);
    size_t n = strlen(ug_peer_name(t->peer));
    int caught = rec->verdict == UG_REC_ERROR || rec->verdict == UG_REC_HANG;
    for (int i = 0; i < rec->reasons; i++)
        if (!strncmp(rec->reason[i], ug_peer_name(t->peer), n) && rec->reason[i][n] == ' ')
            caught = 1;
    if (!mutant) {
        note_right(t, rec, caught);
        return;
    }
    if (parent_blamed(t->m, mutant, rec->id)) return;
    mutant->recipes |= (unsigned)caught << t->peer;
    if (rec->verdict == UG_REC_CRASH) mutant->interrupted |= 1u << t->peer;
}

static int load_suite(const char *suite, const char *tier, ug_case_list *list)
{
    ug_case_error error;
    memset(&error, 0, sizeof error);
    memset(list, 0, sizeof *list);
    if (!ug_suite_load(suite, tier, list, &error)) return 0;
    ug_suite_error(suite, &error);
    return UG_EXIT_USAGE;
}

static int run_suite(ug_mutants *m, const char *suite, const char *tier, trial *t, size_t *count)
{
    ug_case_list list;
    int rc = load_suite(suite, tier, &list);
    t->m = m;
    t->cases = list.item;
    t->case_count = list.count;
    *count += list.count;
    if (!rc) rc = run_trial(t);
    ug_case_list_free(&list);
    return rc;
}

static int run_smoke(ug_mutants *m)
{
    const char *kernels[] = {"mutant:*"};
    char **names, err[512] = "";
    size_t count;
    int rc = 0;
    if (ug_suite_names(&names, &count, err, sizeof err)) {
        ug_error("cannot list the suites: %s", err);
        return UG_EXIT_USAGE;
    }
    for (size_t i = 0; i < count && !rc; i++) {
        trial t = {.kernels = {kernels, 1}, .each = note_shown};
        rc = run_suite(m, names[i], "smoke", &t, &m->smoke_cases);
    }
    ug_suite_names_free(names, count);
    return rc;
}

int ug_mutants_matrix(ug_mutants *m)
{
    const char *kernels[] = {"host:*", "mutant:*"};
    int rc = run_smoke(m);
    for (int k = 0; k < UG_PEER_COUNT && !rc; k++) {
        char suite[64];
        trial t = {.kernels = {kernels, 2}, .each = note_recipe, .peer = (ug_peer)k};
        t.gate = ug_peer_name(t.peer);
        snprintf(suite, sizeof suite, "peer-%s", t.gate);
        rc = run_suite(m, suite, "default", &t, &m->recipe_cases[k]);
        for (size_t i = 0; i < m->rights; i++) m->right[i].last[0] = 0;
        t.kernels.count = 1;
        t.ladder = 1;
        m->ladder_cases = 0;
        if (!rc) rc = run_suite(m, "condition", "smoke", &t, &m->ladder_cases);
    }
    return rc;
}
