/* SPDX-License-Identifier: Apache-2.0 */
/* What a results file that exists already holds. */
#ifndef ULPGATE_RESUME_H
#define ULPGATE_RESUME_H

#include "audit/results.h"

/* Reads r->fd from its start: header against `header`, records against the order of the run. Sets
 * r->kept, r->complete and the counts, cuts the file behind the last good record and leaves the
 * position there. *fresh: nothing usable is there, start anew. Returns 0, or -1 with err when the
 * file belongs to another run or is none. */
int ug_resume(ug_results *r, const ug_run_options *options, const ug_selection *selection,
              const json_t *header, int *fresh, char *err, size_t cap);

/* 0 when the file is empty or a results file; else -1 with err. */
int ug_resume_may_overwrite(ug_results *r, char *err, size_t cap);

#endif
