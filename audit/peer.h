/* SPDX-License-Identifier: Apache-2.0 */
/* Comparisons that other test suites publish, applied to the same outputs as our own gates.
 *
 * They show what such a suite would have said of a kernel: each rule has its tolerance, its
 * reference and its treatment of NaN and infinities as the source named beside it has them. A
 * reference that is computed by a good library in double, or in float on rows where that makes no
 * difference, is the correctly rounded exact result here.
 */
#ifndef ULPGATE_PEER_H
#define ULPGATE_PEER_H

#include <stddef.h>
#include <stdint.h>

#include "reference/truth.h"

typedef enum ug_peer {
    UG_PEER_TORCH = 0,
    UG_PEER_GGML,
    UG_PEER_TE,
    UG_PEER_LLMC,
    UG_PEER_LIGER,
    UG_PEER_QUACK,
    UG_PEER_BENCHDNN,
    UG_PEER_COUNT
} ug_peer;

/* What one rule found so far. */
typedef struct ug_peer_score {
    int64_t compared, failed; /* elements, mean and rstd among them */
    int64_t row, col;         /* first failure; col -1: mean, -2: rstd */
    double got, want;
    double err_sq, got_sq; /* for rules on sums over the tensor */
} ug_peer_score;

const char *ug_peer_name(ug_peer peer);   /* the gate's name */
const char *ug_peer_source(ug_peer peer); /* one line: whose rule, and what it says */

/* Adds one row to the score of a rule. y: n elements of in->out; truth as the reference gave it;
 * poison: as for ug_measure_row; what was not written counts as 0, which fresh memory mostly holds;
 * mean, rstd: the kernel's, or NULL. */
void ug_peer_row(ug_peer peer, ug_peer_score *score, int64_t row, const ug_row_in *in,
                 const ug_row_stats *stats, const ug_row_out *truth, const void *y, uint32_t poison,
                 const float *mean, const float *rstd);

/* 1 passes, 0 fails, -1 nothing was compared. `why` gets the reason of a failure. */
int ug_peer_judge(ug_peer peer, const ug_peer_score *score, char *why, size_t cap);

#endif
