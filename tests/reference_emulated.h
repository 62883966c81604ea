/* SPDX-License-Identifier: Apache-2.0 */
/* Float emulations of the algorithms that bounds are for: threads add their elements serially,
 * pairwise levels join them. */
#ifndef ULPGATE_TESTS_REFERENCE_EMULATED_H
#define ULPGATE_TESTS_REFERENCE_EMULATED_H

#include "ulpgate/kernel.h"

enum { EMULATED_THREADS = 256 };

/* How an emulated kernel works: elements t, t + T, ... (vector 1) or groups of four. */
typedef struct shape {
    int threads, vector, fma, reciprocal;
} shape;

/* What an emulation finds: y = ((x - first) - second) rstd... with the mean as reported. */
typedef struct emulated {
    float mean, first, second, var;
} emulated;

ug_geometry emulated_geometry(const shape *k, int n);

/* Any variance but the exact one. */
emulated emulated_row(ug_variance variance, const shape *k, const float *x, int n);

#endif
