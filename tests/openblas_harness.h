/* SPDX-License-Identifier: Apache-2.0 */
/* Launches of the OpenBLAS plugin in buffers whose every foreign byte is watched.
 *
 * Each buffer ends at an inaccessible page, everything outside rows is NaN in x and a canary in y.
 * Expected values are a LayerNorm in long double; what may differ is the worst-case bound of a
 * two-pass float LayerNorm with serial sums, derived at trial_bound().
 */
#ifndef OPENBLAS_HARNESS_H
#define OPENBLAS_HARNESS_H

#include "ulpgate/dtype.h"

typedef struct trial {
    int64_t rows, n;
    int64_t xstride, ystride; /* 0: n; TRIAL_BROADCAST: a stride of 0 */
    int64_t xoffset, yoffset; /* elements the base is off */
    ug_dtype dtype, wdtype;
    int no_gamma, no_beta, in_place, no_stats;
    double mean, std;
    float eps;
    uint32_t threads, seed;
} trial;

enum { TRIAL_BROADCAST = -1000000 };

/* `bytes` bytes at `base`, inside a mapping that ends with an inaccessible page. */
typedef struct watched {
    char *map;
    size_t mapped, bytes;
    char *base;
} watched;

typedef struct trial_run {
    const trial *t;
    watched x, y, gamma, beta, mean, rstd, work;
    char *x_before; /* bytes of x as they were given */
    int64_t xstride, ystride;
    ug_args args;
} trial_run;

const ug_plugin *harness_plugin(void);
const ug_kernel *harness_kernel(void);

/* Makes inputs and outputs; launches; frees. */
void trial_open(trial_run *run, const trial *t);
ug_status trial_launch(trial_run *run);
void trial_close(trial_run *run);

/* Fails the test unless every value is within the bound and no foreign byte changed. Returns the
 * largest error over its bound. */
double trial_check(const trial_run *run);

/* Element (r, i) of y, as bits. */
uint32_t trial_bits(const trial_run *run, int64_t r, int64_t i);

#endif
