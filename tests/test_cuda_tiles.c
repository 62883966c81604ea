/* SPDX-License-Identifier: Apache-2.0 */
/* What the cuda plugin's memory space fills, compares and finds is what plain loops on the host do.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "kernel_trial.h"
#include "plugins/tiles.h"

enum { ROUNDS = 200, ERR = 256 };

static const ug_space *space;
static char err[ERR];

static uint64_t seed = 1;

static int64_t pick(int64_t count)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (int64_t)(seed >> 33) % count;
}

/* The same bytes on both sides. */
typedef struct both {
    char *host, *device;
    size_t bytes;
} both;

static both both_make(size_t bytes)
{
    both b = {malloc(bytes), space->alloc(bytes, err, ERR), bytes};
    assert_non_null(b.host);
    assert_non_null(b.device);
    /* few bits, so that NaN and repeats occur */
    for (size_t i = 0; i < bytes; i++) b.host[i] = (char)(pick(4) ? pick(256) : 0xff);
    assert_int_equal(space->to_device(b.device, b.host, bytes, err, ERR), 0);
    return b;
}

static void both_free(both *b)
{
    space->free(b->device);
    free(b->host);
}

static void assert_both_same(const both *b)
{
    char *back = malloc(b->bytes);
    assert_non_null(back);
    assert_int_equal(space->to_host(back, b->device, b->bytes, err, ERR), 0);
    assert_memory_equal(back, b->host, b->bytes);
    free(back);
}

static ug_view any_view(int64_t most)
{
    ug_view v = {.rows = 1 + pick(most), .cols = 1 + pick(most), .dtype = (ug_dtype)pick(3)};
    if (!pick(3)) v.cols = 1 + pick(3);
    v.col_stride = pick(3) ? 1 : 1 + pick(3);
    v.row_stride = v.cols * v.col_stride + (pick(2) ? 0 : pick(9));
    return v;
}

static ug_tile any_tile(const ug_view *v)
{
    ug_tile t = {.rows = 1 + pick(15), .cols = pick(2) ? v->cols : 1 + pick(v->cols)};
    t.stride = t.cols + pick(3);
    t.shift = pick(40);
    return t;
}

static void check_difference(const ug_difference *got, const ug_difference *want)
{
    assert_int_equal(got->count, want->count);
    assert_int_equal(got->row, want->row);
    assert_int_equal(got->col, want->col);
    assert_int_equal(got->marked, want->marked);
    assert_int_equal(got->marked_row, want->marked_row);
    assert_int_equal(got->marked_col, want->marked_col);
}

/* Compares after a few elements were changed, some of them into the mark. */
static void check_compare(ug_view *v, ug_tile *t, both *m, const both *small)
{
    const size_t size = ug_dtype_size(v->dtype);
    const uint32_t mark = v->dtype == UG_F32 ? 0xffd3ffd3u : 0xffd3u;
    ug_difference got, want;
    for (int64_t k = pick(4); k > 0; k--) {
        const int64_t at = tiles_place(v, pick(v->rows), pick(v->cols));
        const uint32_t bits = pick(2) ? mark : (uint32_t)pick(1 << 30);
        memcpy(m->host + (size_t)at * size, &bits, size);
    }
    assert_int_equal(space->to_device(m->device, m->host, m->bytes, err, ERR), 0);
    v->data = m->host;
    t->data = small->host;
    assert_int_equal(tiles_compare(v, t, mark, &want, err, ERR), 0);
    v->data = m->device;
    t->data = small->device;
    assert_int_equal(space->tiles->compare(v, t, mark, &got, err, ERR), 0);
    check_difference(&got, &want);
}

static void fills_and_compares(void **state)
{
    (void)state;
    for (int round = 0; round < ROUNDS; round++) {
        ug_view v = any_view(round % 20 ? 90 : 3000);
        ug_tile t = any_tile(&v);
        const size_t size = ug_dtype_size(v.dtype);
        const uint32_t half = (uint32_t)pick(65536);
        both m = both_make((size_t)(v.rows * v.row_stride + v.cols * v.col_stride) * size);
        both small = both_make((size_t)(t.rows * t.stride) * size);
        v.data = m.host;
        t.data = small.host;
        tiles_put(&v, &t, err, ERR);
        v.data = m.device;
        t.data = small.device;
        assert_int_equal(space->tiles->put(&v, &t, err, ERR), 0);
        assert_both_same(&m);
        check_compare(&v, &t, &m, &small);
        v.data = m.host;
        tiles_pattern(&v, half, err, ERR);
        v.data = m.device;
        assert_int_equal(space->tiles->pattern(&v, half, err, ERR), 0);
        assert_both_same(&m);
        both_free(&m);
        both_free(&small);
    }
}

static void finds_the_first_strange_pair(void **state)
{
    const size_t bytes = 1u << 22;
    ug_view v = {NULL, 1, (int64_t)bytes / 2, (int64_t)bytes / 2, 1, UG_F16};
    both m;
    (void)state;
    m = both_make(bytes);
    for (int round = 0; round < ROUNDS; round++) {
        size_t got = 0, want;
        v.data = m.host;
        tiles_pattern(&v, 0x7fd5, err, ERR);
        for (int64_t k = pick(4); k > 0; k--) m.host[pick((int64_t)bytes)] ^= 1;
        assert_int_equal(space->to_device(m.device, m.host, bytes, err, ERR), 0);
        tiles_scan(m.host, bytes, 0x7fd5, &want, err, ERR);
        assert_int_equal(space->tiles->scan(m.device, bytes, 0x7fd5, &got, err, ERR), 0);
        assert_true(got == want);
    }
    both_free(&m);
}

/* Past 2^32 elements: an element on each side of both boundaries is seen, and no other. */
static void reaches_past_32_bits(void **state)
{
    const int64_t cols = 1024, rows = ((int64_t)1 << 32) / cols + 2, all = rows * cols;
    const int64_t at[] = {(int64_t)1 << 31, ((int64_t)1 << 32) - 1, ((int64_t)1 << 32) + 5,
                          all - 1};
    size_t unused = 0, total = 0;
    const uint16_t strange = 0x1234;
    ug_view v = {NULL, rows, cols, cols, 1, UG_F16};
    ug_tile t = {.rows = 13, .cols = cols, .stride = cols};
    both small;
    (void)state;
    assert_int_equal(space->tiles->memory(&unused, &total, err, ERR), 0);
    if (unused < (size_t)all * 2 + (1u << 30)) skip();
    small = both_make((size_t)(t.rows * t.stride) * 2);
    t.data = small.device;
    v.data = space->alloc((size_t)all * 2, err, ERR);
    assert_non_null(v.data);
    assert_int_equal(space->tiles->put(&v, &t, err, ERR), 0);
    for (size_t k = 0; k < sizeof at / sizeof *at; k++) {
        ug_difference d;
        char *place = (char *)v.data + at[k] * 2;
        const char *want = small.host + (at[k] / cols % 13 * cols + at[k] % cols) * 2;
        char found[2];
        assert_int_equal(space->to_host(found, place, 2, err, ERR), 0);
        assert_memory_equal(found, want, 2);
        assert_int_equal(space->to_device(place, &strange, 2, err, ERR), 0);
        assert_int_equal(space->tiles->compare(&v, &t, 0xffd3, &d, err, ERR), 0);
        assert_int_equal(d.count, 1);
        assert_int_equal(d.row * cols + d.col, at[k]);
        assert_int_equal(space->to_device(place, want, 2, err, ERR), 0);
    }
    space->free(v.data);
    both_free(&small);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(fills_and_compares),
                                       cmocka_unit_test(finds_the_first_strange_pair),
                                       cmocka_unit_test(reaches_past_32_bits)};
    const ug_plugin *cuda = trial_plugin(UG_CUDA_PLUGIN);
    if (!cuda) return fprintf(stderr, "%s: no such file\n", UG_CUDA_PLUGIN), 1;
    if (cuda->space->device_count() < 1) return 77;
    space = cuda->space;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
