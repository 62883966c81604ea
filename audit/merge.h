/* SPDX-License-Identifier: Apache-2.0 */
/* Joins the results files of all shards of a run into the file that the whole run would have left.
 */
#ifndef ULPGATE_MERGE_H
#define ULPGATE_MERGE_H

#include <stddef.h>

typedef struct ug_merge_options {
    const char *const *files; /* one a shard, in any order */
    size_t file_count;
    const char *out;     /* NULL: a new file in $TMPDIR, which the caller removes */
    const char *command; /* for the header */
} ug_merge_options;

typedef struct ug_merge_summary {
    size_t shards, cases, results;
    char verdicts[160]; /* how many of each: "90 PASS, 10 FAIL" */
    char out[1024];     /* path of the file; "" when none was opened */
} ug_merge_summary;

/* Everything is checked before `out` is opened: each shard once, complete, of the same plan,
 * version, build, kernels and devices, and the records those of the plan, in its order. Lines of
 * records are copied as they stand. Returns 0, or -1 with err, which names the file, what was found
 * and what was expected. */
int ug_merge(const ug_merge_options *options, ug_merge_summary *summary, char *err, size_t cap);

#endif
