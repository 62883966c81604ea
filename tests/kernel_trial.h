/* SPDX-License-Identifier: Apache-2.0 */
/* One launch of one kernel for the tests of the kernel backends: makes the operands, surrounds them
 * with a known pattern, launches, and brings back what came out, whatever memory the plugin works
 * on. Everything that goes wrong outside the kernel ends the test program. */
#ifndef ULPGATE_TESTS_KERNEL_TRIAL_H
#define ULPGATE_TESTS_KERNEL_TRIAL_H

#include <stdint.h>

#include "ulpgate/dtype.h"

typedef struct trial {
    ug_dtype dtype, param;
    int64_t rows, n;
    int64_t xgap, ygap; /* row stride = n + gap */
    int64_t xoff, yoff; /* elements from a 256-byte boundary */
    int gamma, beta;    /* 0: absent, 1: random */
    int no_stats;       /* mean and rstd not wanted */
    int in_place;       /* y on x; ygap and yoff are those of x */
    double mean, std;   /* of x: uniform with these moments */
    const ug_profile *profile;
    uint32_t variation, threads;
    int64_t block; /* threads a block that are asked for, 0: none */
} trial;

typedef struct outcome {
    ug_status status;
    char message[256];
    const char *path;
    uint32_t *y; /* rows * n bit patterns */
    float *mean, *rstd;
    int64_t stray; /* bytes changed outside the rows of y */
} outcome;

/* Loads a plugin; NULL when the file does not exist. */
const ug_plugin *trial_plugin(const char *path);

/* Operands as floats that the dtype holds exactly; a function of their place alone. */
float trial_x(const trial *t, int64_t row, int64_t i);
float trial_gamma(const trial *t, int64_t i);
float trial_beta(const trial *t, int64_t i);

/* The arguments of the launch without buffers: enough for geometry(). */
ug_args trial_args(const trial *t);

void trial_run(const ug_plugin *plugin, const ug_kernel *kernel, const trial *t, outcome *o);
void outcome_free(outcome *o);

/* For messages: kernel and parameters. */
const char *trial_name(const ug_kernel *kernel, const trial *t);

#endif
