/* SPDX-License-Identifier: Apache-2.0 */
/* LayerNorm of a chunk of rows: two passes written as BLAS calls.
 *
 *   s = X 1                 sgemv, the row stride as lda; m_r = s_r / n
 *   D = X - m 1^T           sger on a copy
 *   q_r = D_r . D_r         sdot a row; v_r = q_r / n
 *   y = ((D rstd) gamma) + beta, rstd = 1 / sqrt(v + eps), plain float operations
 *
 * Error. How BLAS orders its sums is not known and it may fuse multiply and add, so both sums count
 * as serial: a tree over n terms has no path longer than n - 1 additions, and a fused step has one
 * rounding where the bound allows two. The rank-1 update gives x - m rounded once, fused or not,
 * since m 1 is exact. Divisions by n are carried out in double, n being exact there, and add one
 * rounding to float each (the earlier one, of 2^-53, is lost in the slack of the serial count).
 */
#include "reference/openblas/rows.h"

#include <math.h>
#include <string.h>

#include "ulpgate/dtype.h"

/* 1 MiB of deviations a chunk: it stays in a second-level cache, and workspaces stay small. */
enum { CHUNK_FLOATS = 1 << 18, CHUNK_ROWS = 1 << 12 };

/* Arrays start on multiples of 64 bytes from the workspace's base. */
static size_t aligned(int64_t floats) { return ((size_t)floats + 15u) & ~(size_t)15u; }

static int widened(const void *operand, ug_dtype dtype) { return operand && dtype != UG_F32; }

void ug_openblas_layout(const ug_args *args, ug_layout *layout)
{
    int64_t n = args->x.cols, chunk = n > 0 ? CHUNK_FLOATS / n : CHUNK_ROWS;
    size_t at = 0;
    if (chunk > CHUNK_ROWS) chunk = CHUNK_ROWS;
    if (chunk > args->x.rows) chunk = args->x.rows;
    if (chunk < 1) chunk = 1;
    layout->chunk = chunk;
    layout->ones = at;
    at += aligned(n);
    layout->gamma = at;
    at += widened(args->gamma, args->param_dtype) ? aligned(n) : 0;
    layout->beta = at;
    at += widened(args->beta, args->param_dtype) ? aligned(n) : 0;
    layout->mean = at;
    at += aligned(chunk);
    layout->dev = at;
    at += aligned(chunk * n);
    layout->total = at;
}

int ug_openblas_direct(const ug_args *args)
{
    const ug_view *x = &args->x;
    if (x->dtype != UG_F32) return 0;
    return x->rows <= 1 || (x->row_stride >= x->cols && x->row_stride <= UG_BLAS_MAX);
}

static void *row_at(const ug_view *view, int64_t row)
{
    int64_t size = (int64_t)ug_dtype_size(view->dtype);
    return (char *)view->data + row * view->row_stride * size;
}

/* Copies the rows into the deviations' place, widened to float. */
static void copy_rows(const ug_rows *rows, int64_t first, int64_t count)
{
    const ug_view *x = &rows->args->x;
    for (int64_t r = 0; r < count; r++) {
        const void *from = row_at(x, first + r);
        float *to = rows->dev + r * x->cols;
        if (x->dtype == UG_F32)
            memcpy(to, from, (size_t)x->cols * sizeof(float));
        else
            for (int64_t i = 0; i < x->cols; i++) to[i] = ug_load(from, x->dtype, i);
    }
}

/* Row means. The sums start from zeros written here and beta is 1, because some BLAS kernels
 * multiply an output by a zero beta, and what the workspace held before might be NaN. */
static void row_means(const ug_rows *rows, int64_t first, int64_t count)
{
    const ug_view *x = &rows->args->x;
    const float *from = rows->direct ? row_at(x, first) : rows->dev;
    int64_t lda = rows->direct && x->rows > 1 ? x->row_stride : x->cols;
    for (int64_t r = 0; r < count; r++) rows->mean[r] = 0.0f;
    cblas_sgemv(CblasRowMajor, CblasNoTrans, (blasint)count, (blasint)x->cols, 1.0f, from,
                (blasint)lda, rows->ones, 1, 1.0f, rows->mean, 1);
    for (int64_t r = 0; r < count; r++)
        rows->mean[r] = (float)((double)rows->mean[r] / (double)x->cols);
}

static void write_row(const ug_rows *rows, int64_t row, const float *dev, float rstd)
{
    const ug_view *y = &rows->args->y;
    const float *gamma = rows->gamma, *beta = rows->beta;
    void *to = row_at(y, row);
    for (int64_t i = 0; i < y->cols; i++) {
        float v = dev[i] * rstd;
        if (gamma) v = v * gamma[i];
        if (beta) v = v + beta[i];
        ug_store(to, y->dtype, i, v);
    }
}

void ug_openblas_rows(const ug_rows *rows, int64_t first, int64_t count)
{
    const ug_args *args = rows->args;
    int64_t n = args->x.cols;
    copy_rows(rows, first, count);
    row_means(rows, first, count);
    cblas_sger(CblasRowMajor, (blasint)count, (blasint)n, -1.0f, rows->mean, 1, rows->ones, 1,
               rows->dev, (blasint)n);
    for (int64_t r = 0; r < count; r++) {
        const float *dev = rows->dev + r * n;
        float square = cblas_sdot((blasint)n, dev, 1, dev, 1);
        float var = (float)((double)square / (double)n);
        float rstd = 1.0f / sqrtf(var + args->eps);
        write_row(rows, first + r, dev, rstd);
        if (args->mean) args->mean[first + r] = rows->mean[r];
        if (args->rstd) args->rstd[first + r] = rstd;
    }
}
