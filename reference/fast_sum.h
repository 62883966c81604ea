/* SPDX-License-Identifier: Apache-2.0 */
/* Exact sums by error-free splitting of short chunks in double, joined in a wide accumulator. */
#ifndef ULPGATE_REFERENCE_FAST_SUM_H
#define ULPGATE_REFERENCE_FAST_SUM_H

#include "reference/exact_sum.h"
#include "reference/vector_ops.h"

/* The same result as ug_exact_sums_of, made in another way. n < 2^32. */
void ug_fast_sums_of(const ug_vector_ops *ops, ug_exact_sums *sums, const float *x, int64_t n);

#endif
