/* SPDX-License-Identifier: Apache-2.0 */
/* Rows that begin anywhere, read and written by code that the compiler optimises as far as it can:
 * no access may take an alignment for granted that only the other branch has. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

extern "C" {
#include <cmocka.h>
}
#include <string.h>

#include "cuda/finish.cuh"
#include "cuda/variances/exact.cuh"

/* Threads that nobody joins with. */
struct alone {
    static constexpr bool far = true, sparse = false;
    template <typename S> S join(S s) { return s; }
    bool any(bool mine) { return mine; }
};

/* A row by the kernels' own code; one member takes all of it. */
template <typename T>
__attribute__((noinline)) static void normalise(const T *x, T *y, long long n, float *first)
{
    ug_rows a = {};
    a.n = n, a.inverse = 1.0 / (double)n;
    alone team;
    const ug_part_of<T> part = ug_part<T>(n, 0, 1, 0, 1);
    ug_held_row<T, alone, 0> row;
    row.begin(&part, &team, x, a);
    ug_finish_row<ug_exact>(a, row, 0, y, true, true);
    ug_load4(x, (uintptr_t)x % (4 * sizeof(T)) == 0, first);
}

/* x is +-3 in turn: mean 0, variance 9, y +-1. */
template <typename T> static void rows_anywhere(void **)
{
    constexpr int even = 64, most = even + 16;
    alignas(16) T x[most], y[most];
    for (int xoff = 0; xoff < 8; xoff++)
        for (int yoff = 0; yoff < 8; yoff++) {
            float first[4];
            memset(y, 0, sizeof y);
            for (int i = 0; i < even; i++) ug_round(i % 2 ? -3.0f : 3.0f, x + xoff + i);
            normalise(x + xoff, y + yoff, even, first);
            for (int i = 0; i < most; i++) {
                const bool inside = i >= yoff && i < yoff + even;
                assert_true(ug_widen(y[i]) == (!inside ? 0.0f : (i - yoff) % 2 ? -1.0f : 1.0f));
            }
            for (int k = 0; k < 4; k++) assert_true(first[k] == (k % 2 ? -3.0f : 3.0f));
        }
}

int main()
{
    const CMUnitTest tests[] = {cmocka_unit_test(rows_anywhere<float>),
                                cmocka_unit_test(rows_anywhere<__half>),
                                cmocka_unit_test(rows_anywhere<__nv_bfloat16>)};
    return cmocka_run_group_tests(tests, nullptr, nullptr);
}
