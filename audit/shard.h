/* SPDX-License-Identifier: Apache-2.0 */
/* A run dealt out over machines: which shard takes which case, and how the files know each other.
 *
 * The plan of a run is its gate, profile, reference, kernels and cases, in order; its hash stands
 * in every header. A case stays whole, so that its truth is computed once.
 */
#ifndef ULPGATE_SHARD_H
#define ULPGATE_SHARD_H

#include <jansson.h>

#include "audit/audit.h"

/* The shard, from 0, of the case at a place of the plan. Each round of `shards` cases gives every
 * shard one, and starts one shard later than the round before: suites cross values in short
 * periods, and the largest of them must not always meet the same shard. */
size_t ug_shard_of(size_t place, size_t shards);

/* How many of the plan's cases a shard (from 0) takes. */
size_t ug_shard_size(size_t cases, size_t shard, size_t shards);

/* The cases of o->shard in the order of the plan, *count of them; the caller frees. NULL when out
 * of memory. */
ug_case *ug_shard_cases(const ug_run_options *o, size_t *count);

/* The plan's hash: begun with what a header says, continued by the id of each case. */
uint64_t ug_plan_begin(const json_t *header);
uint64_t ug_plan_add(uint64_t plan, const char *id);

/* Hash as text, 16 digits. */
void ug_plan_text(uint64_t plan, char text[17]);

/* Puts `plan` and, in a sharded run, `shard` into a header. o holds the cases of the whole plan.
 * Returns 0, or -1 when out of memory. */
int ug_shard_describe(json_t *header, const ug_run_options *o);

#endif
