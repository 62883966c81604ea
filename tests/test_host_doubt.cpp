/* SPDX-License-Identifier: Apache-2.0 */
/* `exact` on rows of floats of which elements are in doubt: one in a row, some of each warp, all of
 * them; near enough to the middle of two floats that doubles cannot tell, or in the middle. Against
 * results of 113 bits, rounded once. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

extern "C" {
#include <cmocka.h>
}
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cuda/exact_rows.cuh"
#include "cuda/variances/exact.cuh"
#include "host_rows.h"
#include "host_uniform.h"
#include "host_wide.h"

constexpr int ROWS = 12;

struct matrix {
    int n;
    float *x, *y, *gamma, *beta;

    explicit matrix(int length) : n(length)
    {
        x = floats(ROWS * n);
        y = floats(ROWS * n);
        gamma = floats(n);
        beta = floats(n);
    }
    /* On a multiple of 64 bytes, and so many of them, as C wants it. */
    static float *floats(int count)
    {
        const size_t size = (sizeof(float) * (size_t)count + 63) / 64 * 64;
        return static_cast<float *>(aligned_alloc(64, size));
    }
    ~matrix()
    {
        free(x);
        free(y);
        free(gamma);
        free(beta);
    }
};

/* Rows of 1 and -1 as often, so that xhat is that but for what `off` has one element be off by:
 * gamma xhat + beta lies so near to the middle of 1 and the next float, where gamma is 2^-24 and
 * beta 1; in every `each`-th column. */
static void fill(const matrix &m, int each, double off)
{
    for (int i = 0; i < m.n; i++) {
        const bool near = i % each == each / 2;
        m.gamma[i] = near ? 0x1p-24f : (float)(1 + uniform());
        m.beta[i] = near ? 1.0f : (float)uniform();
        for (int r = 0; r < ROWS; r++) m.x[r * m.n + i] = i % 2 ? -1.0f : 1.0f;
    }
    for (int r = 0; r < ROWS; r++) m.x[r * m.n + 3 * r] += (float)((r - 4) * off);
}

static void check(const matrix &m, int r)
{
    const float *const x = m.x + r * m.n;
    wide sum = 0, squares = 0;
    for (int i = 0; i < m.n; i++) sum += x[i];
    const wide mean = sum / m.n;
    for (int i = 0; i < m.n; i++) squares += (x[i] - mean) * (x[i] - mean);
    const wide v = squares / m.n;
    const wide rstd = wide_rsqrt(v);
    for (int i = 0; i < m.n; i++) {
        const wide exact = (x[i] - mean) * rstd * m.gamma[i] + m.beta[i];
        /* Nobody promises more than 2^-93 (variances/exact.cuh). */
        const wide slack = 0x1p-92L * wide_size(exact);
        const float y = m.y[r * m.n + i];
        assert_true(y >= (float)(exact - slack) && y <= (float)(exact + slack));
    }
}

template <typename Row> static void rows_of(int n)
{
    const matrix m(n);
    ug_args args = {};
    args.threads = 1;
    const ug_plan plan = plain_plan();
    const ug_rows rows = plain_rows(m.x, m.y, m.gamma, m.beta, ROWS, n, 0.0f);
    static const int columns[] = {1, 3, 29, 500};
    static const double off[] = {0, 0x1p-20, 0x1p-10};
    for (int each : columns)
        for (double by : off) {
            fill(m, each, by);
            memset(m.y, 0, sizeof(float) * (size_t)(ROWS * n));
            assert_int_equal((ug_exact_hold<ug_exact, Row>(&args, plan, rows)), UG_OK);
            for (int r = 0; r < ROWS; r++) check(m, r);
        }
}

static void one_warp(void **) { rows_of<ug_exact_row<32, 4, false, false, 28>>(500); }
static void two_warps(void **) { rows_of<ug_exact_row<64, 4, false, false, 16>>(1024); }
static void three_warps(void **) { rows_of<ug_exact_row<96, 6, false, false, 8>>(2060); }
static void seven_warps(void **) { rows_of<ug_exact_row<224, 8, false, true, 4>>(7000); }
static void sixteen_warps(void **) { rows_of<ug_exact_row<512, 8, true, true, 2>>(16384); }

int main()
{
    const CMUnitTest tests[] = {cmocka_unit_test(one_warp), cmocka_unit_test(two_warps),
                                cmocka_unit_test(three_warps), cmocka_unit_test(seven_warps),
                                cmocka_unit_test(sixteen_warps)};
    return cmocka_run_group_tests(tests, nullptr, nullptr);
}
