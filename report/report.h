/* SPDX-License-Identifier: Apache-2.0 */
/* Results files as compact records, and the reports that are rendered from them.
 *
 * Everything here is made from results files alone (docs/results.md): no case is generated, no
 * kernel is loaded. Strings of a record belong to the ug_results it lies in. Functions that can
 * fail return 0, or -1 with a message in err[cap].
 */
#ifndef ULPGATE_REPORT_H
#define ULPGATE_REPORT_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum { UG_REC_HIST = 24, UG_RESULTS_SCHEMA = 1 };

typedef enum ug_rec_verdict {
    UG_REC_PASS = 0,
    UG_REC_FAIL,
    UG_REC_DECLINED,
    UG_REC_CRASH,
    UG_REC_HANG,
    UG_REC_ERROR,
    UG_REC_VERDICTS
} ug_rec_verdict;

/* Metrics in the order of docs/results.md; the names are the fields' names. */
#define UG_REC_METRIC_LIST(X)                                                                      \
    X(max_ulp)                                                                                     \
    X(max_abs)                                                                                     \
    X(max_term)                                                                                    \
    X(max_cond)                                                                                    \
    X(max_bound)                                                                                   \
    X(mean_ulp)                                                                                    \
    X(cr_share)                                                                                    \
    X(row_err)                                                                                     \
    X(nmse)                                                                                        \
    X(mean_err)                                                                                    \
    X(var_err)                                                                                     \
    X(rstd_err)                                                                                    \
    X(kappa_max)                                                                                   \
    X(vs_openblas_abs)                                                                             \
    X(vs_openblas_ulp)

#define UG_REC_ENUM(name) UG_REC_##name,
typedef enum ug_rec_metric { UG_REC_METRIC_LIST(UG_REC_ENUM) UG_REC_METRICS } ug_rec_metric;

/* Row counts of a case: by class, and what the judge counted beside them. */
#define UG_REC_ROWS_LIST(X)                                                                        \
    X(regular)                                                                                     \
    X(nonfinite)                                                                                   \
    X(degenerate)                                                                                  \
    X(range)                                                                                       \
    X(blind)                                                                                       \
    X(near_ties)                                                                                   \
    X(range_wrong)                                                                                 \
    X(unjudged)

#define UG_REC_ROWS_ENUM(name) UG_REC_ROWS_##name,
typedef enum ug_rec_rows { UG_REC_ROWS_LIST(UG_REC_ROWS_ENUM) UG_REC_ROWS_COUNT } ug_rec_rows;

/* Places of the worst element, in the order of the first five metrics. */
enum { UG_REC_PLACES = 5 };

typedef struct ug_rec_place {
    int known;
    int64_t row, col;
    double value, x, got, want, kappa; /* NaN where the file does not say */
} ug_rec_place;

/* One (case, kernel). Absent text is "", absent integers are -1, absent metrics have no bit in
 * `has`, other absent numbers are NaN. */
typedef struct ug_rec {
    const char *line, *id, *suite, *family, *tier, *dtype;
    const char *kernel, *variance, *path, *gate, *digest, *inputs;
    const uint64_t *row_digest; /* row_digests of them, of the first rows */
    int64_t row_digests;
    const char **reason;
    int reasons;
    int run; /* index of the run it belongs to */
    ug_rec_verdict verdict;
    int yardstick;
    int bound, sound; /* 1 would pass, 0 would not, -1 nothing was judged by it */
    int64_t rows, n, threads, chain, levels;
    uint32_t has;
    double metric[UG_REC_METRICS];
    ug_rec_place worst[UG_REC_PLACES];
    double bound_abs, time_us;
    int64_t row_count[UG_REC_ROWS_COUNT];
    int64_t hist[UG_REC_HIST];
} ug_rec;

/* One timed (case, kernel): what a result says of the rows that were judged, and its times. Absent
 * numbers are NaN, absent integers -1. */
typedef struct ug_rec_bench {
    ug_rec rec;
    const char *copy; /* the yardstick's name */
    double us, us_spread, gbps, copy_share, copy_us, bytes;
    int64_t block, repeats, sets, judged_rows;
    int emulated; /* 1: the times mean nothing */
} ug_rec_bench;

typedef struct ug_rec_fact {
    const char *key, *value;
} ug_rec_fact;

typedef struct ug_rec_backend {
    const char *backend, *plugin;
    ug_rec_fact *fact;
    size_t facts;
} ug_rec_backend;

/* One results file. */
typedef struct ug_rec_run {
    const char *file, *version, *git, *started, *finished, *command, *gate, *profile, *reference;
    const char *compiler, *flags, *host, *os, *cpu;
    int64_t cores, jobs, cases; /* cases: how many the run set out to judge */
    double seconds;             /* of the footer, NaN without one */
    int complete;               /* the footer is there */
    int cut;                    /* a cut last line was dropped */
    int empty;                  /* it has no line at all */
    int64_t counted;            /* results that its footers count, -1: none says */
    ug_rec_backend *backend;
    size_t backends;
    size_t first, count; /* its records */
    size_t benches;      /* and how many it timed */
} ug_rec_run;

typedef struct ug_results {
    ug_rec_run *run;
    size_t runs;
    ug_rec *rec;
    size_t count;
    ug_rec_bench *bench;
    size_t benches;
    struct ug_strings *strings;
} ug_results;

/* Appends the records of one file ("-": standard input) to *results, which starts zeroed. Unknown
 * fields and record types are ignored. A last line that is cut is dropped and noted in the run, as
 * is a footer that is missing or counts other than what is there. What is damaged otherwise is an
 * error that names file, line and field;
 * *results then still is to be freed. A file without any result is no error: see `count` and
 * `benches`. */
int ug_results_read(ug_results *results, const char *file, char *err, size_t cap);

void ug_results_free(ug_results *results);

const char *ug_rec_verdict_name(ug_rec_verdict verdict);
const char *ug_rec_metric_name(ug_rec_metric metric);
const char *ug_rec_rows_name(ug_rec_rows rows);

typedef struct ug_report_options {
    int width;    /* columns of the terminal; 0: lines may be as long as they need */
    int colour;   /* nonzero: ANSI colours */
    int failures; /* failures listed at most; 0: the format's own choice */
} ug_report_options;

/* One report format: a file report/format_NAME.c that defines `const ug_format ug_format_NAME`;
 * the build finds it there and adds it to the registry. */
typedef struct ug_format {
    const char *name, *summary;
    int (*render)(const ug_results *results, const ug_report_options *options, FILE *out, char *err,
                  size_t cap);
} ug_format;

const ug_format *ug_format_find(const char *name); /* NULL when unknown */
const ug_format *ug_format_at(size_t index);       /* sorted by name, NULL past the last */

#endif
