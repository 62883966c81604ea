/* SPDX-License-Identifier: Apache-2.0 */
/* `exact` in plain doubles: results lie within the bound of exact_quick.cuh, against sums of more
 * digits, and whatever that bound leaves open is in doubt. The bound is written out here anew. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

extern "C" {
#include <cmocka.h>
}
#include <math.h>

#include "cuda/finish.cuh"
#include "cuda/variances/exact.cuh"
#include "host_uniform.h"

/* A row of one thread: each element is added to the sum of those before it. */
struct serial_row {
    static constexpr int length = 64, additions = length, squares = length + 2;
    static constexpr bool two_sums = false;
    float x[length];
    double inverse = 1.0 / length;
    double first() const { return x[0]; }
    double anew(double v) const { return v; }
    template <typename S> S join(S s) const { return s; }
    template <typename F> void visit_from(double from, F f) const
    {
        for (float e : x) {
            const double d[1] = {(double)e - from};
            f(d);
        }
    }
};

/* p, and what stands in for it. */
static long double root(long double theta) { return sqrtl(1 + theta * theta); }
static long double above_root(long double theta) { return fminl(1 + theta * theta / 2, 1 + theta); }

/* E / u', for a result w of a row whose first element lies theta deviations from its mean. */
static long double bound(long double theta, long double p, long double w, float gamma, float beta)
{
    const long double d = serial_row::additions, d2 = serial_row::squares;
    const long double p2 = 1 + theta * theta;
    const long double a = (d + 2) * p + 4 * theta;
    const long double c = (d2 / 2 + 1) * p2 + (d + 1) * theta * p + theta * theta + 7;
    return c * (fabsl(w) + fabsl((long double)beta)) + a * fabsl((long double)gamma);
}

static void check_row(const serial_row &row, const ug_rows &a)
{
    const ug_quick_moments s = ug_exact_quick::moments(row, (float)serial_row::length);
    const ug_quick_scale scale = ug_rstd(a, s.var);
    long double mean = 0, var = 0;
    for (float e : row.x) mean += e;
    mean /= serial_row::length;
    for (float e : row.x) var += (e - mean) * (e - mean);
    const long double rstd = 1 / sqrtl(var / serial_row::length + a.eps);
    const long double theta = fabsl((row.x[0] - mean) * rstd);
    for (float e : row.x) {
        const float gamma = (float)(4 * uniform() - 2), beta = (float)(4 * uniform() - 2);
        const long double y = (e - mean) * rstd * gamma + beta;
        const double w = ug_affine(e, s.mean, scale, gamma, beta).w;
        assert_true(fabsl(w - y) <= 0x1p-53L * bound(theta, root(theta), y, gamma, beta));
    }
    assert_true(fabsl(scale.r - rstd) <= 0x1p-53L * rstd * bound(theta, root(theta), 1, 0, 0));
}

/* Means of up to 1e4 deviations, first elements among the others and far from them, all scales. */
static void within_bound(void **)
{
    ug_rows a = {};
    a.inverse = 1.0 / serial_row::length;
    for (int i = 0; i < 3000; i++) {
        serial_row row;
        const double scale = ldexp(1.0, i % 41 - 20), mean = i % 3 ? pow(10, i % 5) : 0;
        for (float &e : row.x) e = (float)(scale * (mean + uniform() + uniform() - 1));
        if (i % 4 == 0) row.x[0] = (float)(scale * (mean + pow(10, i % 7)));
        a.eps = i % 2 ? 0 : 1e-5f;
        check_row(row, a);
    }
}

/* Distances in units of a double's last place from the middle of two floats, on both sides. */
static void in_doubt(void **)
{
    int sure = 0;
    ug_rows a = {};
    a.inverse = 1.0 / serial_row::length;
    for (int i = 0; i < 40000; i++) {
        const double theta = i % 3 ? 8 * uniform() : 0;
        const ug_quick_spread spread = {(double)serial_row::length,
                                        i % 2 ? theta : -theta,
                                        {serial_row::additions, serial_row::squares}};
        const ug_quick_scale s = ug_rstd(a, spread); /* r = 1 */
        const double distance = floor(exp(12 * uniform())), side = i % 4 < 2 ? distance : -distance;
        const double middle = 1 + floor(0x1p23 * uniform()) * 0x1p-23 + 0x1p-24;
        const double unit = ldexp(1.0, i % 30 - 20), w = (middle + side * 0x1p-52) * unit;
        const float gamma = (float)(4 * uniform() - 2), beta = (float)(4 * uniform() - 2);
        const ug_quick_value v = {w, s.shift, gamma, beta, s.per_look, s.relative, s.depth};
        const long double e = 0x1p-53L * bound(theta, above_root(theta), w, gamma, beta);
        const long double far = distance * 0x1p-52L * unit;
        bool doubt = false;
        ug_settle<float>(v, &doubt);
        if (far <= e) assert_true(doubt && ug_in_doubt(v, (float *)nullptr));
        if (far > 1.001L * e && e < 0.2L * 0x1p-23L * unit)
            assert_false(ug_in_doubt(v, (float *)nullptr));
        sure += !doubt;
    }
    assert_in_range(sure, 1000, 39000); /* of 40000: both answers are given */
}

int main()
{
    const CMUnitTest tests[] = {cmocka_unit_test(within_bound), cmocka_unit_test(in_doubt)};
    return cmocka_run_group_tests(tests, nullptr, nullptr);
}
