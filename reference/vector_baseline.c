/* SPDX-License-Identifier: Apache-2.0 */
/* The inner loops, built for baseline. */
#define LANES 2
#define NAME  "baseline"
#define OPS   ug_vector_ops_baseline
#include "reference/vector_ops.h"

extern const ug_vector_ops OPS;

#include "reference/vector_kernels.h"
