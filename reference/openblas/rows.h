/* SPDX-License-Identifier: Apache-2.0 */
/* LayerNorm of a chunk of rows through OpenBLAS, and the workspace it needs. */
#ifndef ULPGATE_OPENBLAS_ROWS_H
#define ULPGATE_OPENBLAS_ROWS_H

#include <cblas.h>

#include "ulpgate/kernel.h"

/* The longest row, row stride and row count that one BLAS call can name. */
#define UG_BLAS_MAX (sizeof(blasint) == 8 ? INT64_MAX : (int64_t)INT32_MAX)

/* Where the arrays of a launch lie in its workspace. All sizes count floats. */
typedef struct ug_layout {
    int64_t chunk; /* rows worked on together */
    size_t ones;   /* cols ones, the vector of the matrix-vector product */
    size_t gamma;  /* cols floats when gamma has to be widened */
    size_t beta;   /* likewise for beta */
    size_t mean;   /* chunk means */
    size_t dev;    /* chunk * cols deviations */
    size_t total;
} ug_layout;

void ug_openblas_layout(const ug_args *args, ug_layout *layout);

/* What the rows of a launch share: operands as floats (NULL when absent) and the layout. */
typedef struct ug_rows {
    const ug_args *args;
    const ug_layout *layout;
    const float *ones, *gamma, *beta;
    float *mean, *dev;
    int direct; /* nonzero: the product reads x where it lies, its row stride being BLAS's lda */
} ug_rows;

/* Nonzero when x can be given to BLAS where it lies: float, rows at least cols apart. */
int ug_openblas_direct(const ug_args *args);

/* Normalizes the rows [first, first + count), count <= layout->chunk. */
void ug_openblas_rows(const ug_rows *rows, int64_t first, int64_t count);

/* The launch functions of the kernel table. */
size_t ug_openblas_workspace(const ug_args *args);
ug_status ug_openblas_launch(ug_args *args);
extern const char *const ug_openblas_paths[];

/* Sets the library's threads from $ULPGATE_OPENBLAS_THREADS, one by default; a launch may use
 * fewer. Returns the number in force. */
int ug_openblas_threads_init(void);
void ug_openblas_threads_limit(uint32_t launch_limit);

#endif
