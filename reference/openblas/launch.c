/* SPDX-License-Identifier: Apache-2.0 */
/* A launch: what is refused and why, the operands every row shares, and the walk over chunks. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>

#include "reference/openblas/rows.h"
#include "ulpgate/dtype.h"

const char *const ug_openblas_paths[] = {"empty", "lda", "packed", NULL};
enum { PATH_EMPTY, PATH_LDA, PATH_PACKED };

__attribute__((format(printf, 3, 4))) static ug_status answer(ug_args *args, ug_status status,
                                                              const char *format, ...)
{
    va_list list;
    va_start(list, format);
    vsnprintf(args->message, sizeof args->message, format, list);
    va_end(list);
    return status;
}

/* First byte of a view and the byte past its last. */
static void extent(const ug_view *view, uintptr_t *from, uintptr_t *to)
{
    int64_t size = (int64_t)ug_dtype_size(view->dtype), last = (view->rows - 1) * view->row_stride;
    uintptr_t base = (uintptr_t)view->data;
    *from = base + (uintptr_t)((last < 0 ? last : 0) * size);
    *to = base + (uintptr_t)(((last > 0 ? last : 0) + view->cols) * size);
}

/* Rows are finished chunk by chunk: y may lie on x row for row, or between its rows, or apart.
 * Elsewhere a finished chunk would change rows that are still to be read. */
static int overlap_allowed(const ug_view *x, const ug_view *y)
{
    uintptr_t x0, x1, y0, y1;
    int64_t size = (int64_t)ug_dtype_size(x->dtype), stride = x->row_stride * size, apart;
    extent(x, &x0, &x1);
    extent(y, &y0, &y1);
    if (y0 >= x1 || x0 >= y1) return 1;
    if (x->rows > 1 && x->row_stride != y->row_stride) return 0;
    if (x->data == y->data) return 1;
    if (x->rows <= 1 || stride <= 0) return 0;
    apart = (int64_t)((uintptr_t)y->data - (uintptr_t)x->data) % stride;
    if (apart < 0) apart += stride;
    return apart >= x->cols * size && apart <= stride - x->cols * size;
}

static ug_status check_kind(ug_args *args)
{
    const ug_view *x = &args->x, *y = &args->y;
    if (args->op != UG_OP_LAYERNORM)
        return answer(args, UG_DECLINED, "op %d, expected layernorm", (int)args->op);
    if ((unsigned)x->dtype >= UG_DTYPE_COUNT || y->dtype != x->dtype)
        return answer(args, UG_DECLINED, "dtypes x %d and y %d, expected one of f32, f16, bf16",
                      (int)x->dtype, (int)y->dtype);
    if ((args->gamma || args->beta) && args->param_dtype != UG_F32 && args->param_dtype != x->dtype)
        return answer(args, UG_DECLINED, "gamma and beta of dtype %d, expected f32 or %s",
                      (int)args->param_dtype, ug_dtype_name(x->dtype));
    if (x->rows < 0 || x->cols < 0 || x->rows != y->rows || x->cols != y->cols)
        return answer(args, UG_FAILED, "x is %lld x %lld, y is %lld x %lld: expected one shape",
                      (long long)x->rows, (long long)x->cols, (long long)y->rows,
                      (long long)y->cols);
    return UG_OK;
}

static ug_status check_place(ug_args *args)
{
    const ug_view *x = &args->x, *y = &args->y;
    if (x->col_stride != 1 || y->col_stride != 1)
        return answer(args, UG_DECLINED, "column strides x %lld and y %lld: BLAS rows have 1",
                      (long long)x->col_stride, (long long)y->col_stride);
    if (x->cols > UG_BLAS_MAX)
        return answer(args, UG_DECLINED, "cols %lld, the BLAS integer holds %lld",
                      (long long)x->cols, (long long)UG_BLAS_MAX);
    if (x->rows == 0 || x->cols == 0) return UG_OK;
    if (!x->data || !y->data) return answer(args, UG_FAILED, "x or y is NULL");
    if (y->rows > 1 && y->row_stride < y->cols && y->row_stride > -y->cols)
        return answer(args, UG_DECLINED, "row stride %lld of y: rows of %lld overlap",
                      (long long)y->row_stride, (long long)y->cols);
    if (!overlap_allowed(x, y))
        return answer(args, UG_DECLINED, "y overlaps x with another place or row stride");
    return UG_OK;
}

size_t ug_openblas_workspace(const ug_args *args)
{
    ug_layout layout;
    if (args->x.rows <= 0 || args->x.cols <= 0 || args->x.cols > UG_BLAS_MAX) return 0;
    ug_openblas_layout(args, &layout);
    return layout.total * sizeof(float);
}

/* Rows of no element: nothing to write in y; the statistics are 0/0. */
static ug_status launch_empty(ug_args *args)
{
    for (int64_t r = 0; r < args->x.rows; r++) {
        if (args->mean) args->mean[r] = NAN;
        if (args->rstd) args->rstd[r] = NAN;
    }
    args->path = ug_openblas_paths[PATH_EMPTY];
    return UG_OK;
}

/* The operand as floats: where it lies, or widened into `room`. */
static const float *as_floats(const void *operand, ug_dtype dtype, int64_t n, float *room)
{
    if (!operand || dtype == UG_F32) return operand;
    for (int64_t i = 0; i < n; i++) room[i] = ug_load(operand, dtype, i);
    return room;
}

static void walk(ug_args *args, const ug_layout *layout)
{
    float *work = args->workspace;
    int64_t n = args->x.cols, count;
    ug_rows rows = {args,
                    layout,
                    work + layout->ones,
                    NULL,
                    NULL,
                    work + layout->mean,
                    work + layout->dev,
                    ug_openblas_direct(args)};
    for (int64_t i = 0; i < n; i++) work[layout->ones + (size_t)i] = 1.0f;
    rows.gamma = as_floats(args->gamma, args->param_dtype, n, work + layout->gamma);
    rows.beta = as_floats(args->beta, args->param_dtype, n, work + layout->beta);
    for (int64_t first = 0; first < args->x.rows; first += count) {
        count = args->x.rows - first;
        if (count > layout->chunk) count = layout->chunk;
        ug_openblas_rows(&rows, first, count);
    }
    args->path = ug_openblas_paths[rows.direct ? PATH_LDA : PATH_PACKED];
}

ug_status ug_openblas_launch(ug_args *args)
{
    ug_layout layout;
    size_t need;
    ug_status status = check_kind(args);
    if (status == UG_OK) status = check_place(args);
    if (status != UG_OK) return status;
    if (args->x.rows == 0 || args->x.cols == 0) return launch_empty(args);
    need = ug_openblas_workspace(args);
    if (!args->workspace || args->workspace_bytes < need)
        return answer(args, UG_FAILED, "workspace of %zu bytes, expected %zu",
                      args->workspace ? args->workspace_bytes : (size_t)0, need);
    ug_openblas_layout(args, &layout);
    ug_openblas_threads_limit(args->threads);
    walk(args, &layout);
    return UG_OK;
}
