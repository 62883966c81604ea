/* SPDX-License-Identifier: Apache-2.0 */
/* The implementations of the exact answer, one file each. */
#ifndef ULPGATE_REFERENCE_IMPLEMENTATIONS_H
#define ULPGATE_REFERENCE_IMPLEMENTATIONS_H

#include "reference/truth.h"

extern const ug_reference ug_reference_mpfr, ug_reference_certified;

/* A row that is more than its elements say. */
typedef struct ug_row_kind {
    int uncentered;  /* nonzero: no mean is subtracted (RMSNorm): S1 counts as 0 everywhere, so that
                      * `var` is the mean square and kappa is 1 */
    int64_t repeats; /* the row is in->n elements, repeated so often; the answer is given for the
                      * first repetition; in->n * repeats < 2^32 */
} ug_row_kind;

/* The row functions of both. kind NULL: a LayerNorm row of in->n elements. */
int ug_mpfr_row(void *state, const ug_row_in *in, const ug_row_kind *kind, const ug_row_out *out,
                ug_row_stats *stats);
int ug_certified_row(void *state, const ug_row_in *in, const ug_row_kind *kind,
                     const ug_row_out *out, ug_row_stats *stats);

#endif
