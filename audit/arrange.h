/* SPDX-License-Identifier: Apache-2.0 */
/* Which row lies at which place of the batch in each launch of a pair. */
#ifndef ULPGATE_ARRANGE_H
#define ULPGATE_ARRANGE_H

#include "audit/layout.h"

/* Fills row[places] for launch 0, 1 or 2 (2: the last). Launch 0: in order. Launch 1: each row half
 * the batch further on, launch 2: from the last to the first, so that no row keeps its place where
 * there is a choice; more places than rows repeat the rows cyclically.
 *
 * depends: ROW: any place; ALIGNMENT: only places whose addresses of x and y have the same
 * remainder modulo 16 as the row's place in launch 0; ANY: in order. compared[p] is 0 where no row
 * with the right remainder exists (any row lies there then). Returns 0, or -1: no memory. */
int ug_arrange(int launch, ug_depends depends, const ug_shape *x, const ug_shape *y, int64_t rows,
               int64_t places, int64_t *row, unsigned char *compared);

#endif
