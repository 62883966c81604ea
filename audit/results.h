/* SPDX-License-Identifier: Apache-2.0 */
/* The results file while it is written: fresh or resumed, one whole line at a time. */
#ifndef ULPGATE_RESULTS_H
#define ULPGATE_RESULTS_H

#include <jansson.h>

#include "audit/pair.h"
#include "audit/select.h"

enum { UG_RESULTS_SCHEMA = 1 };

typedef struct ug_results {
    int fd;
    char path[1024];
    size_t kept;                      /* records that a resumed file already held */
    int complete;                     /* it had its footer as well */
    size_t all[UG_VERDICT_COUNT];     /* records by verdict */
    size_t counted[UG_VERDICT_COUNT]; /* those of counted kernels */
    size_t shown;                     /* those of the others */
} ug_results;

/* Opens options->out, or a new file in $TMPDIR when that is NULL, writes the header or, with
 * options->resume, finds what is there already: a header that fits, then records in the order of
 * the run; a cut last line and a footer without all records are removed. A file that holds
 * something else is left alone. Returns 0, or -1 with err. */
int ug_results_open(ug_results *r, const ug_run_options *options, const ug_selection *selection,
                    const json_t *header, char *err, size_t cap);

/* Opens a file, or a new one in $TMPDIR when path is NULL, and writes the header. What exists is
 * written over only if it is a results file. Returns 0, or -1 with err. */
int ug_results_create(ug_results *r, const char *path, const json_t *header, char *err, size_t cap);

/* Appends one line (without its end), whole. Returns 0, or -1 with err. */
int ug_results_append(ug_results *r, const char *line, char *err, size_t cap);

void ug_results_count(ug_results *r, ug_pair_verdict verdict, int counted);

/* Writes the footer. Returns 0, or -1 with err. */
int ug_results_finish(ug_results *r, double seconds, char *err, size_t cap);
void ug_results_close(ug_results *r);

/* The header of a run; the caller owns it. NULL when out of memory. */
json_t *ug_results_header(const ug_run_options *options, const ug_selection *selection,
                          const char *reference, int jobs);

/* Time now as 2026-11-29T12:00:00Z. */
void ug_results_time(char text[32]);

#endif
