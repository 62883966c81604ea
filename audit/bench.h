/* SPDX-License-Identifier: Apache-2.0 */
/* Times kernels on cases, beside a copy of the same bytes, and appends one record a (case, kernel).
 *
 * Within one worker all kernels of a case are replayed in turn, so that what drifts drifts for all.
 * What was timed is judged as well, on its first rows. Field names: docs/results.md; how a time
 * comes about: docs/bench.md. */
#ifndef ULPGATE_BENCH_H
#define ULPGATE_BENCH_H

#include "audit/audit.h"

typedef struct ug_bench_options {
    const ug_case *cases;
    size_t case_count;
    const char *const *plugins; /* as in ug_run_options */
    size_t plugin_count;
    const char *const *kernels;
    size_t kernel_count;
    const int64_t *blocks; /* block sizes for kernels that leave the choice; none: their own */
    size_t block_count;
    int repeats;           /* rounds that count, 0: 30 */
    int force;             /* 1: also backends whose times mean nothing */
    const char *reference; /* NULL: the default reference */
    const char *profile;   /* NULL: each backend's own limits */
    double time_limit;     /* seconds a command to a worker may take, 0: 60 plus an allowance */
    const char *out;       /* path of the results file, as in ug_run_options */
    int progress;          /* 1: a progress line on log */
    const char *command;
    FILE *log;
} ug_bench_options;

/* Returns 0 timed, 1 a kernel crashed, hung, erred or failed its default gate, 2 environment
 * (message on log), 77 nothing was timed (summary->skipped says why). */
int ug_bench(const ug_bench_options *options, ug_run_summary *summary);

#endif
