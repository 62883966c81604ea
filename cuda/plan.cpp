/* SPDX-License-Identifier: Apache-2.0 */
/* Checks and launch planning shared by all structures. */
#include "cuda/plan.h"

#include <stdarg.h>
#include <stdio.h>

#include "ulpgate/dtype.h"

__attribute__((format(printf, 3, 4))) static ug_status answer(ug_args *args, ug_status status,
                                                              const char *format, ...)
{
    va_list list;
    va_start(list, format);
    vsnprintf(args->message, sizeof args->message, format, list);
    va_end(list);
    return status;
}

int64_t ug_plan_block(int64_t n, const ug_profile *limits, int64_t wanted)
{
    if (wanted > 0) return wanted;
    int64_t most =
        limits->max_block < UG_BLOCK_CHOSEN_MAX ? limits->max_block : UG_BLOCK_CHOSEN_MAX;
    int64_t threads = n / UG_ELEMENTS_A_THREAD + (n % UG_ELEMENTS_A_THREAD != 0);
    int64_t block = threads < most ? (threads + 31) / 32 * 32 : most;
    block = block < most ? block : most / 32 * 32;
    return block < 32 ? 32 : block;
}

/* Callers of before the field do not ask. */
static int64_t wanted_block(const ug_args *args)
{
    return args->size >= sizeof(ug_args) ? args->block : 0;
}

static int64_t ceil_log2(int64_t n)
{
    int64_t levels = 0;
    while (levels < 62 && (int64_t)1 << levels < n) levels++;
    return levels;
}

void ug_plan_geometry(const ug_args *args, int64_t group, ug_geometry *geometry)
{
    ug_profile limits;
    char err[8];
    /* Without a device the profile alone decides; every known device allows the plan's choice. */
    if (ug_backend_limits(args->profile, &limits, err, sizeof err) != 0)
        limits.max_block = args->profile && args->profile->max_block > 0 ? args->profile->max_block
                                                                         : UG_BLOCK_CHOSEN_MAX;
    const int64_t n = args->x.cols, block = ug_plan_block(n, &limits, wanted_block(args));
    const int64_t groups = n / group, rest = n % group;
    int64_t active = groups < block ? groups : block;
    if (active < rest) active = rest;
    /* Thread 0 has the most groups and, if there is a rest, one element of it. */
    int64_t chain = (groups + block - 1) / block * group + (rest != 0);
    /* Idle lanes and warps hold the neutral element, whose join is exact: only the levels above
     * threads at work round. */
    const int64_t lanes = active < 32 ? active : 32, warps = (active + 31) / 32;
    geometry->threads = block;
    geometry->chain = chain > 0 ? chain : 1;
    geometry->levels = ceil_log2(lanes) + ceil_log2(warps);
}

/* Bytes [low, high) that a buffer spans; 128 bits, since strides are the caller's. */
struct span {
    const char *name;
    __int128 low, high;
};

static span span_of(const char *name, const void *data, __int128 rows, __int128 stride,
                    __int128 cols, __int128 size)
{
    const __int128 base = (__int128)(uintptr_t)data, reach = (rows - 1) * stride;
    if (!data || rows <= 0 || cols <= 0) return {name, 0, 0};
    return {name, base + (reach < 0 ? reach : 0) * size,
            base + ((reach > 0 ? reach : 0) + cols) * size};
}

static bool meet(const span &a, const span &b)
{
    return a.low < a.high && b.low < b.high && a.low < b.high && b.low < a.high;
}

/* x and y share memory: fine when y lies exactly on x (each thread reads an element before it
 * writes it), or when the rows of one lie in the gaps of the other. */
static bool rows_apart(const ug_args *args, int64_t size)
{
    if (args->x.row_stride != args->y.row_stride) return false;
    const int64_t bytes = args->x.cols * size;
    int64_t stride = args->x.row_stride < 0 ? -args->x.row_stride : args->x.row_stride;
    stride *= size;
    int64_t shift = (int64_t)((uintptr_t)args->y.data - (uintptr_t)args->x.data);
    if (shift == 0) return true;
    if (stride < 2 * bytes) return false;
    shift %= stride;
    if (shift < 0) shift += stride;
    return shift >= bytes && shift <= stride - bytes;
}

static ug_status check_overlap(ug_args *args)
{
    const ug_view &x = args->x, &y = args->y;
    const __int128 size = (__int128)ug_dtype_size(x.dtype);
    const __int128 param = (__int128)ug_dtype_size(args->param_dtype);
    const span in[] = {span_of("x", x.data, x.rows, x.row_stride, x.cols, size),
                       span_of("gamma", args->gamma, 1, 0, x.cols, param),
                       span_of("beta", args->beta, 1, 0, x.cols, param)};
    const span out[] = {span_of("y", y.data, y.rows, y.row_stride, y.cols, size),
                        span_of("mean", args->mean, 1, 0, x.rows, 4),
                        span_of("rstd", args->rstd, 1, 0, x.rows, 4)};
    for (int o = 0; o < 3; o++) {
        for (int i = 0; i < 3; i++)
            if (meet(out[o], in[i]) && !(o == 0 && i == 0 && rows_apart(args, (int64_t)size)))
                return answer(args, UG_DECLINED,
                              "%s overlaps %s: only y exactly on x, with the same strides, is "
                              "supported",
                              out[o].name, in[i].name);
        for (int p = o + 1; p < 3; p++)
            if (meet(out[o], out[p]))
                return answer(args, UG_DECLINED, "the outputs %s and %s overlap", out[o].name,
                              out[p].name);
    }
    const int64_t stride = y.row_stride < 0 ? -y.row_stride : y.row_stride;
    if (y.rows > 1 && stride < y.cols)
        return answer(args, UG_DECLINED, "rows of y overlap: row stride %lld, %lld columns",
                      (long long)y.row_stride, (long long)y.cols);
    return UG_OK;
}

static ug_status check_view(ug_args *args, const char *name, const ug_view *v)
{
    if (v->rows < 0 || v->cols < 0)
        return answer(args, UG_FAILED, "%s has %lld rows and %lld columns, expected 0 or more",
                      name, (long long)v->rows, (long long)v->cols);
    if (v->rows > 0 && v->cols > 0 && !v->data)
        return answer(args, UG_FAILED, "%s is NULL and has %lld rows of %lld columns", name,
                      (long long)v->rows, (long long)v->cols);
    const __int128 stride = v->row_stride < 0 ? -(__int128)v->row_stride : v->row_stride;
    if (((__int128)v->rows * stride + v->cols) * 4 > INT64_MAX)
        return answer(args, UG_FAILED, "%s: %lld rows of stride %lld pass the 64-bit offsets", name,
                      (long long)v->rows, (long long)v->row_stride);
    if (v->col_stride != 1)
        return answer(args, UG_DECLINED, "column stride %lld of %s: only 1 is supported",
                      (long long)v->col_stride, name);
    if ((uintptr_t)v->data % ug_dtype_size(v->dtype))
        return answer(args, UG_DECLINED, "%s is not aligned to its %s elements", name,
                      ug_dtype_name(v->dtype));
    return UG_OK;
}

static ug_status check_types(ug_args *args)
{
    if (args->size < offsetof(ug_args, block))
        return answer(args, UG_FAILED, "ug_args has %u bytes, expected %zu", args->size,
                      offsetof(ug_args, block));
    if (args->op != UG_OP_LAYERNORM)
        return answer(args, UG_DECLINED, "op %d: only layernorm is supported", (int)args->op);
    if ((unsigned)args->x.dtype >= UG_DTYPE_COUNT || args->y.dtype != args->x.dtype)
        return answer(args, UG_DECLINED, "dtype %d of x and %d of y: the same known one is needed",
                      (int)args->x.dtype, (int)args->y.dtype);
    if ((args->gamma || args->beta) && args->param_dtype != UG_F32 &&
        args->param_dtype != args->x.dtype)
        return answer(args, UG_DECLINED, "dtype %d of gamma and beta: f32 or that of x is needed",
                      (int)args->param_dtype);
    if (args->x.rows != args->y.rows || args->x.cols != args->y.cols)
        return answer(args, UG_FAILED, "x is %lld x %lld, y is %lld x %lld",
                      (long long)args->x.rows, (long long)args->x.cols, (long long)args->y.rows,
                      (long long)args->y.cols);
    return UG_OK;
}

static ug_status check_limits(ug_args *args, const ug_profile *limits)
{
    if (limits->warp != 32)
        return answer(args, UG_DECLINED, "warps of %lld threads: only 32 is supported",
                      (long long)limits->warp);
    if (limits->max_block < 32)
        return answer(args, UG_DECLINED, "blocks of at most %lld threads: 32 are needed",
                      (long long)limits->max_block);
    if (limits->max_shared < UG_SHARED_RESERVE)
        return answer(args, UG_DECLINED, "%lld bytes of shared memory: %d are needed",
                      (long long)limits->max_shared, (int)UG_SHARED_RESERVE);
    const int64_t most = limits->max_block < UG_BLOCK_MAX ? limits->max_block : UG_BLOCK_MAX;
    const int64_t block = wanted_block(args);
    if (block < 0 || block > most || block % 32)
        return answer(args, UG_DECLINED,
                      "a block of %lld threads: a multiple of 32 up to %lld is needed",
                      (long long)block, (long long)most);
    return UG_OK;
}

/* Whether every row of a view starts on a multiple of four elements' bytes. */
static bool rows_aligned(const ug_view *v)
{
    return (uintptr_t)v->data % (4 * ug_dtype_size(v->dtype)) == 0 &&
           (v->rows <= 1 || v->row_stride % 4 == 0);
}

bool ug_plan_straight(const ug_view *v)
{
    return (uintptr_t)v->data % 16 == 0 &&
           (v->rows <= 1 || v->row_stride * (int64_t)ug_dtype_size(v->dtype) % 16 == 0);
}

static bool params_aligned(const ug_args *args)
{
    const uintptr_t bytes = 4 * ug_dtype_size(args->param_dtype);
    return (uintptr_t)args->gamma % bytes == 0 && (uintptr_t)args->beta % bytes == 0;
}

ug_status ug_plan_make(ug_args *args, ug_plan *plan)
{
    args->path = nullptr;
    args->message[0] = 0;
    ug_status s = check_types(args);
    if (s == UG_OK) s = check_view(args, "x", &args->x);
    if (s == UG_OK) s = check_view(args, "y", &args->y);
    if (s == UG_OK) s = check_overlap(args);
    if (s != UG_OK) return s;
    const uintptr_t param = ug_dtype_size(args->param_dtype);
    if ((uintptr_t)args->gamma % param || (uintptr_t)args->beta % param)
        return answer(args, UG_DECLINED, "gamma or beta is not aligned to its %s elements",
                      ug_dtype_name(args->param_dtype));
    if (ug_backend_limits(args->profile, &plan->limits, args->message, sizeof args->message) != 0)
        return UG_FAILED;
    s = check_limits(args, &plan->limits);
    if (s != UG_OK) return s;

    const int64_t rows = args->x.rows, n = args->x.cols;
    plan->grid = rows < plan->limits.max_grid ? rows : plan->limits.max_grid;
    plan->block = ug_plan_block(n, &plan->limits, wanted_block(args));
    plan->grid_stride = rows > plan->grid;
    plan->staged = n <= (plan->limits.max_shared - UG_SHARED_RESERVE) / 4;
    plan->aligned = rows_aligned(&args->x) && rows_aligned(&args->y) && params_aligned(args);
    plan->nothing = rows == 0 || (n == 0 && !args->mean && !args->rstd);
    return UG_OK;
}

ug_status ug_plan_workspace(ug_args *args, size_t bytes)
{
    if (bytes == 0 || (args->workspace && args->workspace_bytes >= bytes)) return UG_OK;
    return answer(args, UG_FAILED, "workspace of %zu bytes, expected %zu",
                  args->workspace ? args->workspace_bytes : (size_t)0, bytes);
}
