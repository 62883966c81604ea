/* SPDX-License-Identifier: Apache-2.0 */
/* The inner loops, built for avx512. */
#define LANES 8
#define NAME  "avx512"
#define OPS   ug_vector_ops_avx512
#include "reference/vector_ops.h"

extern const ug_vector_ops OPS;

#include "reference/vector_kernels.h"
