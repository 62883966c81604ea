/* SPDX-License-Identifier: Apache-2.0 */
/* Launches one mutant once on memory of exactly the right size, for the sanitizers to watch. */
#include <stdio.h>
#include <stdlib.h>

#include "cuda/plan.h"
#include "cuda/registry.h"

int ug_mutant_limits(const ug_profile *wanted, ug_profile *limits, char *err, size_t cap);

int ug_mutant_limits(const ug_profile *wanted, ug_profile *limits, char *err, size_t cap)
{
    return ug_backend_limits(wanted, limits, err, cap);
}

namespace UG_MUTANT
{
extern const ug_part_list &ug_list;
}

int main()
{
    const int64_t rows = 3, n = 301;
    const size_t bytes = sizeof(float) * rows * n;
    const ug_kernel &kernel = UG_MUTANT::ug_list.part[0].kernel;
    float *x = static_cast<float *>(malloc(bytes)), *y = static_cast<float *>(malloc(bytes));
    float *stats = static_cast<float *>(malloc(2 * rows * sizeof(float)));
    if (!x || !y || !stats) return 1;
    for (int64_t i = 0; i < rows * n; i++) x[i] = static_cast<float>(i % 17) - 8.0f;
    ug_args args = {};
    args.size = sizeof args;
    args.x = {x, rows, n, n, 1, UG_F32};
    args.y = {y, rows, n, n, 1, UG_F32};
    args.eps = 1e-5f;
    args.mean = stats;
    args.rstd = stats + rows;
    args.threads = 1;
    const ug_status status = kernel.launch(&args);
    printf("status %d %s\n", status, args.message);
    free(stats);
    free(y);
    free(x);
    return status == UG_OK ? 0 : 1;
}
