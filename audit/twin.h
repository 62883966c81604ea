/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels of one case that declare the same and gave the same bits: they are measured once.
 *
 * Structures share variances and geometry, and a kernel that chooses among others gives their bits:
 * a fifth of the outputs of a run were measured before.
 */
#ifndef ULPGATE_TWIN_H
#define ULPGATE_TWIN_H

#include "audit/pair.h"

typedef struct ug_twin ug_twin;

/* What was measured of one case, against one yardstick and for one gate; zero to begin with. */
typedef struct ug_twins {
    ug_twin *first;
    size_t bytes;
} ug_twins;

/* Looks for outputs with the bits of out->outputs that were measured by the same declarations.
 * Returns 1 with measure and digest in out, which keeps its own reasons, or 0 with out as it was.
 */
int ug_twins_find(const ug_twins *twins, const ug_pair_in *in, ug_pair *out);

/* Remembers what was measured of out, unless it is too large or memory is short. */
void ug_twins_keep(ug_twins *twins, const ug_pair_in *in, const ug_pair *out);

void ug_twins_free(ug_twins *twins);

#endif
