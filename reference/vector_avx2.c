/* SPDX-License-Identifier: Apache-2.0 */
/* The inner loops, built for avx2. */
#define LANES 4
#define NAME  "avx2"
#define OPS   ug_vector_ops_avx2
#include "reference/vector_ops.h"

extern const ug_vector_ops OPS;

#include "reference/vector_kernels.h"
