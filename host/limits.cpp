/* SPDX-License-Identifier: Apache-2.0 */
/* The limits that a launch on the CPU executor runs under. */
#include "cuda/choice.h"
#include "cuda/plan.h"

bool ug_backend_clusters(void) { return true; }

/* Any profile can be emulated; without one, what every CUDA device allows without asking. */
int ug_backend_limits(const ug_profile *wanted, ug_profile *limits, char *, size_t)
{
    *limits = {"default", INT32_MAX, 1024, 48 * 1024, 32};
    if (!wanted) return 0;
    if (wanted->name) limits->name = wanted->name;
    if (wanted->max_grid > 0) limits->max_grid = wanted->max_grid;
    if (wanted->max_block > 0) limits->max_block = wanted->max_block;
    if (wanted->max_shared > 0) limits->max_shared = wanted->max_shared;
    if (wanted->warp > 0) limits->warp = wanted->warp;
    return 0;
}
