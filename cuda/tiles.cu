/* SPDX-License-Identifier: Apache-2.0 */
/* Matrices that repeat a small one, on a CUDA device: filled, compared, searched for strange bytes.
 *
 * A block takes a stretch of elements in row-major order; a thread finds its place by division once
 * and then walks on, so that a sweep is bound by memory and not by 64-bit divisions. */
#include "cuda/tiles.h"

#include <cuda_runtime.h>
#include <stdio.h>
#include <string.h>

#include "ulpgate/dtype.h"

enum { THREADS = 256, STEPS = 16, BLOCKS_MOST = 1 << 20 };

typedef unsigned long long word;

static int failed(char *err, size_t cap, const char *what, cudaError_t e)
{
    if (e == cudaSuccess) return 0;
    snprintf(err, cap, "%s: %s (%s)", what, cudaGetErrorString(e), cudaGetErrorName(e));
    cudaGetLastError();
    return -1;
}

/* After a launch: its error, and that of the kernel itself. */
static int finished(char *err, size_t cap, const char *what)
{
    if (failed(err, cap, what, cudaGetLastError())) return -1;
    return failed(err, cap, what, cudaDeviceSynchronize());
}

struct matrix {
    long long rows, cols, row_stride, col_stride;
    long long tile_rows, tile_cols, tile_stride, shift;
};

static matrix matrix_of(const ug_view *v, const ug_tile *t)
{
    return {v->rows,         v->cols,         v->row_stride,     v->col_stride,
            t ? t->rows : 1, t ? t->cols : 1, t ? t->stride : 1, t ? t->shift % t->rows : 0};
}

/* A place in the matrix and the place in the tile that belongs to it. */
struct walk {
    long long row, col, tile_row, tile_col;

    __device__ void start(const matrix &m, long long at)
    {
        row = at / m.cols;
        col = at % m.cols;
        tile_row = (row + m.shift) % m.tile_rows;
        tile_col = col % m.tile_cols;
    }

    /* tile_step: THREADS mod tile_cols */
    __device__ void step(const matrix &m, long long tile_step)
    {
        col += THREADS;
        tile_col += tile_step;
        if (tile_col >= m.tile_cols) tile_col -= m.tile_cols;
        if (col < m.cols) return;
        row += col / m.cols;
        col %= m.cols;
        tile_row = (row + m.shift) % m.tile_rows;
        tile_col = col % m.tile_cols;
    }

    __device__ long long place(const matrix &m) const
    {
        return row * m.row_stride + col * m.col_stride;
    }
    __device__ long long tile_place(const matrix &m) const
    {
        return tile_row * m.tile_stride + tile_col;
    }
};

/* Calls f(walk, index) for every element. */
template <typename F> __device__ void sweep(const matrix &m, F f)
{
    const long long all = m.rows * m.cols, tile_step = THREADS % m.tile_cols;
    for (long long base = (long long)blockIdx.x * (THREADS * STEPS); base < all;
         base += (long long)gridDim.x * (THREADS * STEPS)) {
        long long at = base + threadIdx.x;
        const long long end = base + THREADS * STEPS < all ? base + THREADS * STEPS : all;
        if (at >= end) continue;
        walk w;
        w.start(m, at);
        for (;;) {
            f(w, at);
            at += THREADS;
            if (at >= end) break;
            w.step(m, tile_step);
        }
    }
}

static unsigned blocks_for(long long elements)
{
    const long long a_block = THREADS * STEPS, blocks = (elements + a_block - 1) / a_block;
    return (unsigned)(blocks < (long long)BLOCKS_MOST ? blocks : (long long)BLOCKS_MOST);
}

template <typename T>
__global__ void __launch_bounds__(THREADS) ug_tile_put(matrix m, T *to, const T *tile)
{
    sweep(m, [&](const walk &w, long long) { to[w.place(m)] = tile[w.tile_place(m)]; });
}

template <typename T>
__global__ void __launch_bounds__(THREADS) ug_tile_pattern(matrix m, T *to, T value)
{
    sweep(m, [&](const walk &w, long long) { to[w.place(m)] = value; });
}

/* Indices and counts; the atomics are paid for differences only. */
struct tally {
    word count, first, marked, marked_first;
};

/* Bits with every NaN made the same: above `inf` once the sign is off. */
template <typename T> __device__ __forceinline__ T plain(T bits, T sign, T inf)
{
    return (T)(bits & (T)~sign) > inf ? (T)(inf + 1) : bits;
}

template <typename T>
__global__ void __launch_bounds__(THREADS)
    ug_tile_compare(matrix m, const T *of, const T *tile, T sign, T inf, T mark, tally *t)
{
    word count = 0, first = ~0ull, marked = 0, marked_first = ~0ull;
    sweep(m, [&](const walk &w, long long at) {
        const T got = of[w.place(m)], want = tile[w.tile_place(m)];
        if (got == mark) {
            if (!marked++) marked_first = (word)at;
        } else if (got != want && plain(got, sign, inf) != plain(want, sign, inf)) {
            if (!count++) first = (word)at;
        }
    });
    if (count) {
        atomicAdd(&t->count, count);
        atomicMin(&t->first, first);
    }
    if (marked) {
        atomicAdd(&t->marked, marked);
        atomicMin(&t->marked_first, marked_first);
    }
}

__global__ void __launch_bounds__(THREADS) ug_words_fill(word *to, word value, size_t count)
{
    for (size_t i = blockIdx.x * (size_t)THREADS + threadIdx.x; i < count;
         i += (size_t)gridDim.x * THREADS)
        to[i] = value;
}

__global__ void __launch_bounds__(THREADS)
    ug_words_scan(const word *p, word want, size_t count, word *first)
{
    for (size_t i = blockIdx.x * (size_t)THREADS + threadIdx.x; i < count;
         i += (size_t)gridDim.x * THREADS) {
        if (p[i] == want) continue;
        atomicMin(first, (word)i);
        return; /* every later one of this thread lies behind it */
    }
}

static word four(uint32_t half) { return half * 0x0001000100010001ull; }

static int memory(size_t *unused, size_t *total, char *err, size_t cap)
{
    return failed(err, cap, "cudaMemGetInfo", cudaMemGetInfo(unused, total));
}

/* Bytes of a view without gaps whose base and size allow 8-byte stores, else 0. */
static size_t solid_bytes(const ug_view *v)
{
    const size_t bytes = (size_t)v->rows * (size_t)v->cols * ug_dtype_size(v->dtype);
    const bool solid = v->col_stride == 1 && (v->rows == 1 || v->row_stride == v->cols);
    return solid && ((uintptr_t)v->data | bytes) % 8 == 0 ? bytes : 0;
}

static int pattern(const ug_view *to, uint32_t half, char *err, size_t cap)
{
    const matrix m = matrix_of(to, nullptr);
    const size_t words = solid_bytes(to) / 8;
    if (to->rows <= 0 || to->cols <= 0) return 0;
    if (words)
        ug_words_fill<<<blocks_for((long long)words), THREADS>>>(static_cast<word *>(to->data),
                                                                 four(half), words);
    else if (to->dtype == UG_F32)
        ug_tile_pattern<uint32_t><<<blocks_for(m.rows * m.cols), THREADS>>>(
            m, static_cast<uint32_t *>(to->data), (uint32_t)four(half));
    else
        ug_tile_pattern<uint16_t><<<blocks_for(m.rows * m.cols), THREADS>>>(
            m, static_cast<uint16_t *>(to->data), (uint16_t)half);
    return finished(err, cap, "filling with a pattern");
}

static int put(const ug_view *to, const ug_tile *tile, char *err, size_t cap)
{
    const matrix m = matrix_of(to, tile);
    if (to->rows <= 0 || to->cols <= 0) return 0;
    if (to->dtype == UG_F32)
        ug_tile_put<<<blocks_for(m.rows * m.cols), THREADS>>>(
            m, static_cast<uint32_t *>(to->data), static_cast<const uint32_t *>(tile->data));
    else
        ug_tile_put<<<blocks_for(m.rows * m.cols), THREADS>>>(
            m, static_cast<uint16_t *>(to->data), static_cast<const uint16_t *>(tile->data));
    return finished(err, cap, "filling with repeated rows");
}

static void start_compare(const ug_view *of, const ug_tile *tile, uint32_t mark, tally *t)
{
    const matrix m = matrix_of(of, tile);
    const unsigned blocks = blocks_for(m.rows * m.cols);
    if (of->dtype == UG_F32)
        ug_tile_compare<uint32_t><<<blocks, THREADS>>>(m, static_cast<const uint32_t *>(of->data),
                                                       static_cast<const uint32_t *>(tile->data),
                                                       0x80000000u, 0x7f800000u, mark, t);
    else
        ug_tile_compare<uint16_t><<<blocks, THREADS>>>(
            m, static_cast<const uint16_t *>(of->data), static_cast<const uint16_t *>(tile->data),
            (uint16_t)0x8000u, (uint16_t)(of->dtype == UG_F16 ? 0x7c00u : 0x7f80u), (uint16_t)mark,
            t);
}

static void place_of(word index, int64_t cols, int64_t *row, int64_t *col)
{
    *row = index == ~0ull ? -1 : (int64_t)index / cols;
    *col = index == ~0ull ? -1 : (int64_t)index % cols;
}

static int compare(const ug_view *of, const ug_tile *tile, uint32_t mark, ug_difference *found,
                   char *err, size_t cap)
{
    tally t = {0, ~0ull, 0, ~0ull}, *on_device = nullptr;
    *found = {0, -1, -1, 0, -1, -1};
    if (of->rows <= 0 || of->cols <= 0) return 0;
    if (failed(err, cap, "cudaMalloc", cudaMalloc(&on_device, sizeof t))) return -1;
    int bad =
        failed(err, cap, "cudaMemcpy", cudaMemcpy(on_device, &t, sizeof t, cudaMemcpyHostToDevice));
    if (!bad) {
        start_compare(of, tile, mark, on_device);
        bad = finished(err, cap, "comparing with repeated rows");
    }
    if (!bad)
        bad = failed(err, cap, "cudaMemcpy",
                     cudaMemcpy(&t, on_device, sizeof t, cudaMemcpyDeviceToHost));
    cudaFree(on_device);
    found->count = (int64_t)t.count;
    found->marked = (int64_t)t.marked;
    place_of(t.first, of->cols, &found->row, &found->col);
    place_of(t.marked_first, of->cols, &found->marked_row, &found->marked_col);
    return bad;
}

/* The pair within the word. */
static size_t pair_in(word got, uint32_t half)
{
    for (size_t k = 0; k < 4; k++)
        if ((uint16_t)(got >> 16 * k) != (uint16_t)half) return 2 * k;
    return 0;
}

static int scan(const void *p, size_t bytes, uint32_t half, size_t *at, char *err, size_t cap)
{
    const word *words = static_cast<const word *>(p);
    word first = ~0ull, got = 0, *on_device = nullptr;
    *at = SIZE_MAX;
    if (bytes == 0) return 0;
    if (failed(err, cap, "cudaMalloc", cudaMalloc(&on_device, sizeof first))) return -1;
    int bad = failed(err, cap, "cudaMemcpy",
                     cudaMemcpy(on_device, &first, sizeof first, cudaMemcpyHostToDevice));
    if (!bad) {
        ug_words_scan<<<blocks_for((long long)(bytes / 8)), THREADS>>>(words, four(half), bytes / 8,
                                                                       on_device);
        bad = finished(err, cap, "searching the guards");
    }
    if (!bad)
        bad = failed(err, cap, "cudaMemcpy",
                     cudaMemcpy(&first, on_device, sizeof first, cudaMemcpyDeviceToHost));
    if (!bad && first != ~0ull) {
        bad = failed(err, cap, "cudaMemcpy",
                     cudaMemcpy(&got, words + first, sizeof got, cudaMemcpyDeviceToHost));
        *at = (size_t)first * 8 + pair_in(got, half);
    }
    cudaFree(on_device);
    return bad;
}

extern const ug_tiles ug_cuda_tiles = {sizeof(ug_tiles), memory, pattern, put, compare, scan};
