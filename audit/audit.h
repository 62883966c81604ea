/* SPDX-License-Identifier: Apache-2.0 */
/* Runs cases through kernels and appends one record a (case, kernel) to a results file.
 *
 * ug_run owns everything it starts: workers are gone and the file is complete (footer written) when
 * it returns, also after an error. Messages for people go to `log`.
 */
#ifndef ULPGATE_AUDIT_H
#define ULPGATE_AUDIT_H

#include <stdio.h>

#include "cases/case.h"

typedef struct ug_exchange ug_exchange; /* audit/exchange.h */

typedef struct ug_run_options {
    const ug_case *cases;
    size_t case_count;
    size_t shard, shards;       /* run shard 1..shards of the cases; shards 0: all of them */
    const char *const *plugins; /* paths of shared objects; the built-in ones come first */
    size_t plugin_count;
    const char *const *kernels; /* globs on BACKEND:STRUCTURE/VARIANCE; none: all */
    size_t kernel_count;
    const char *gate;         /* NULL: bound for declared algorithms, sound for others */
    const char *reference;    /* NULL: the default reference */
    const char *profile;      /* NULL: each backend's own limits */
    const char *out;          /* path of results.jsonl; NULL: a new file in $TMPDIR, which the
                                 caller removes (its path: summary->out). A file that exists is
                                 written over only if it is a results file */
    int resume;               /* keep the records that `out` already holds, run what is missing */
    int jobs;                 /* judges at work side by side, 0: one a core */
    int row_digests;          /* record row digests of the first 4096 rows */
    const char *keep_outputs; /* directory for output bits, or NULL */
    double time_limit;        /* seconds a launch may take, 0: 30 plus an allowance for its size */
    int progress;             /* 1: a progress line on log, refreshed by the clock */
    const ug_exchange *exchange; /* judge its outputs in place of plugins' kernels; cases are
                                           then its cases, all of them; or NULL */
    const char *command;         /* the command line, for the header */
    FILE *log;
} ug_run_options;

typedef struct ug_run_summary {
    size_t results, passed, failed, declined, crashed, hung, errors; /* counted kernels only */
    size_t shown;                                                    /* results of yardsticks */
    char skipped[512]; /* why nothing was tested, when nothing was */
    char out[1024];    /* path of the results file; "" when none was opened */
} ug_run_summary;

/* Returns 0 passed, 1 a gate failed or a kernel crashed, hung or erred, 2 environment (message on
 * log), 77 nothing was tested (summary->skipped says why). */
int ug_run(const ug_run_options *options, ug_run_summary *summary);

/* Built-in plugins that exist in this build, in order (host, cuda, openblas); their folder is
 * $ULPGATE_PLUGINS or the one beside the program. Returns the count; paths are owned by the room.
 */
size_t ug_builtin_plugins(const char *const **paths);

/* One kernel of a plugin as a worker process reports it (the calling process loads no plugin). */
typedef struct ug_kernel_card {
    char backend[32], name[64], summary[128];
    ug_variance variance;
    ug_rounding rounding;
    ug_depends depends;
    ug_promise promise;
    int repeatable, yardstick, no_times;
    uint32_t ops, dtypes, supports;
    double rsqrt_error;
    char paths[512]; /* comma-separated */
} ug_kernel_card;

typedef struct ug_backend_card {
    char backend[32], plugin[256];
    int devices;            /* -1: host memory */
    int tiles;              /* its memory space fills and compares by itself */
    char unusable[512];     /* why it cannot run here, "" when it can */
    char facts[32][2][128]; /* key, value */
    int fact_count;
    ug_kernel_card *kernels;
    size_t kernel_count;
} ug_backend_card;

/* Asks each plugin, in a process of its own. The caller frees with ug_backends_free. Returns 0, or
 * -1 with err. */
int ug_backends(const char *const *plugins, size_t count, ug_backend_card **cards, char *err,
                size_t cap);
void ug_backends_free(ug_backend_card *cards, size_t count);

/* Checks a gate's text ("bound", "sound", "faithful", "exact", "ulp=4", "abs=1e-5,cond=8"...): 0,
 * or -1 with err. */
int ug_gate_check(const char *gate, char *err, size_t cap);

#endif
