/* SPDX-License-Identifier: Apache-2.0 */
/* What joining shards is made of; for merge*.c alone. */
#ifndef ULPGATE_MERGE_PARTS_H
#define ULPGATE_MERGE_PARTS_H

#include "audit/lines.h"
#include "audit/merge.h"
#include "audit/results.h"

/* One file. */
typedef struct ug_piece {
    const char *path;
    int fd;
    ug_lines in;
    json_t *header, *end;
    size_t shard, shards, cases; /* from 1; cases of the plan */
} ug_piece;

/* Opens the file and reads its header, which must be a shard's. Returns 0, or -1 with err. */
int ug_piece_open(ug_piece *p, const char *path, char *err, size_t cap);
void ug_piece_close(ug_piece *p);

/* Back to the line after the header. */
int ug_piece_rewind(ug_piece *p, char *err, size_t cap);

/* Whether two shards are of one run: plan, version, build, kernels, devices. 0, or -1 with err. */
int ug_piece_fits(const ug_piece *a, const ug_piece *b, char *err, size_t cap);

/* The header of the whole from those of all shards, in their order. The caller owns it; NULL when
 * out of memory. */
json_t *ug_merged_header(ug_piece *const *pieces, size_t count, const char *command);

#endif
