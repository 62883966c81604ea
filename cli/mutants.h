/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels with a planted fault: the list that comes with their plugin, and what caught each. */
#ifndef ULPGATE_CLI_MUTANTS_H
#define ULPGATE_CLI_MUTANTS_H

#include "audit/peer.h"
#include "cases/case.h"
#include "cli/cli.h"

enum { UG_MUTANT_TEXT = 256 };

typedef struct ug_mutant {
    char name[96], parent[64], cls[16], what[UG_MUTANT_TEXT];
    char kernel[128]; /* BACKEND:STRUCTURE/VARIANCE */
    char line[UG_CASE_TEXT];
    ug_case c; /* the case that must show it */
    int killed;
    char by[UG_MUTANT_TEXT];       /* checks that failed, the first one first */
    char where[UG_CASE_TEXT];      /* the case that killed it */
    size_t shown;                  /* smoke cases that show it */
    unsigned recipes, interrupted; /* bit 1u << ug_peer: caught; never came to a comparison */
} ug_mutant;

typedef struct ug_right {
    char kernel[128];
    size_t cases[UG_PEER_COUNT];  /* of each recipe's own inputs that it blames this kernel on */
    size_t ladder[UG_PEER_COUNT]; /* cases of the suite `condition`, smoke tier, likewise */
    char last[24];                /* id of the case it was blamed on last */
} ug_right;

typedef struct ug_mutants {
    const char *plugin;
    ug_mutant *item;
    size_t count;
    ug_right *right; /* kernels of other plugins that were judged beside the mutants */
    size_t rights;
    size_t smoke_cases, ladder_cases, recipe_cases[UG_PEER_COUNT];
    double seconds, matrix_seconds;
    int64_t jobs;
} ug_mutants;

/* Reads the list beside the plugin (PLUGIN.so has PLUGIN.json). Returns 0, or an exit code with a
 * message on standard error. To be freed either way. */
int ug_mutants_load(const char *plugin, ug_mutants *m);
void ug_mutants_free(ug_mutants *m);

/* Runs the mutants that are alive: each on its own case, where that is one of the tier's, then on
 * the whole tier. Returns 0, or an exit code. */
int ug_mutants_kill(ug_mutants *m, const ug_case_list *tier);

/* Fills in what the matrix shows beside that: smoke cases, and the recipes of other suites. */
int ug_mutants_matrix(ug_mutants *m);

size_t ug_mutants_alive(const ug_mutants *m);

/* Both return 0, or -1 with a message on standard error. */
int ug_mutants_text(const ug_mutants *m, const char *tier, FILE *out);
int ug_mutants_md(const ug_mutants *m, FILE *out);

#endif
