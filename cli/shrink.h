/* SPDX-License-Identifier: Apache-2.0 */
/* From a failing case to a smallest one that fails alike, and to a program that shows it. */
#ifndef ULPGATE_CLI_SHRINK_H
#define ULPGATE_CLI_SHRINK_H

#include "cases/case.h"
#include "cli/cli.h"
#include "report/report.h"

enum { UG_SHRINK_REASONS = 4, UG_SHRINK_TEXT = 256 };

/* A case that fails, and what the judge said of it. */
typedef struct ug_shrink_failure {
    ug_case c;
    ug_rec_verdict verdict;
    char why[UG_SHRINK_TEXT]; /* the check that failed first: what a smaller case has to fail too */
    char reason[UG_SHRINK_REASONS][UG_SHRINK_TEXT];
    int reasons;
    char gate[128];
    int64_t threads, chain, levels;    /* -1: not declared */
    double metric[UG_REC_PLACES];      /* the first five metrics, NaN where unknown */
    ug_rec_place worst[UG_REC_PLACES]; /* and where */
} ug_shrink_failure;

typedef struct ug_shrink {
    const ug_cli *cli;
    char kernel[128]; /* full name of the one that --kernel selects */
    ug_shrink_failure best;
    uint64_t *tried; /* hashes of cases that were judged, a table of `room` places, 0: empty */
    size_t room, trials, runs;
    double time_limit; /* of a launch, 0: the judge's own */
    double until;      /* no trial begins after this moment of the monotonic clock */
    int stopped;       /* there was more to try */
} ug_shrink;

/* Judges the case as it is. Returns 0 when it fails; else an exit code, with a message on standard
 * error. To be freed either way. */
int ug_shrink_begin(ug_shrink *s, const ug_cli *cli, const ug_case *c);

/* Reduces s->best until no single step makes it smaller or time is up. Returns 0, or an exit code
 * with a message. */
int ug_shrink_reduce(ug_shrink *s);

void ug_shrink_free(ug_shrink *s);

/* Cases to try, the best first. */
typedef struct ug_tries {
    ug_case *item;
    size_t count, room;
    int failed; /* out of memory */
} ug_tries;

/* Step `index` from 0: appends cases that are simpler than `from` in one respect; 0 past the last.
 * Each is one that ug_case_parse accepts. */
int ug_shrink_step(int index, const ug_case *from, ug_tries *tries);

/* The parts of steps; see shrink_steps.c. */
void ug_try(ug_tries *tries, const ug_case *from);
void ug_try_rows(const ug_case *from, ug_tries *tries);
void ug_try_n(const ug_case *from, ug_tries *tries);
void ug_try_data(const ug_case *from, ug_tries *tries);
void ug_try_each_data(const ug_case *from, ug_tries *tries); /* simple ones, simpler or not */

/* A stand-alone C program with the tensors of s->best. Returns 0, or -1 with a message. */
int ug_shrink_write(const ug_shrink *s, FILE *out);

#endif
