/* SPDX-License-Identifier: Apache-2.0 */
/* The error bounds against float emulations of the algorithms they are for.
 *
 * Each emulation does what a right kernel of that kind does: threads add their elements serially,
 * pairwise levels join them, one result is divided by N; with and without fma, with division or a
 * rounded reciprocal. No output, mean, variance or rstd may be outside its bound, and the bound
 * must be reached to more than a tenth somewhere, so that a bound that is far too wide fails as
 * well.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "reference/bound.h"
#include "reference_emulated.h"
#include "ulpgate/dtype.h"

enum { MOST = 4096 };
#define U 0x1p-24

static uint64_t seed = 0x9e3779b97f4a7c15u;

static uint64_t random_bits(void)
{
    uint64_t z = seed += 0x9e3779b97f4a7c15u; /* splitmix64 */
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

static double uniform(void) { return ((double)(random_bits() >> 11) + 0.5) * 0x1p-53; }

static double gaussian(void)
{
    return sqrt(-2 * log(uniform())) * cos(6.283185307179586 * uniform());
}

typedef struct tally {
    double mean, var, y; /* largest error over bound */
    long rows, refused, elements;
} tally;

static void keep(double *worst, double error, double bound)
{
    double ratio = error == 0 ? 0 : error / bound;
    if (!(ratio <= *worst)) *worst = ratio;
}

static void check_row(ug_variance variance, const shape *k, const float *x, int n, float eps,
                      double scale, tally *t)
{
    static float gamma[MOST], beta[MOST];
    static double head[MOST], tail[MOST];
    static void *state;
    const ug_reference *ref = ug_reference_find(NULL);
    ug_row_in in = {x, gamma, beta, n, eps, UG_F32};
    ug_row_out out = {head, tail, NULL};
    ug_row_stats stats;
    ug_row_bound bound;
    ug_bound_model model = {variance, emulated_geometry(k, n), 2};
    emulated e;
    float rstd;
    if (!state) state = ref->create();
    for (int i = 0; i < n; i++) {
        gamma[i] = (float)(scale * (0.5 + uniform()));
        beta[i] = (float)(2 * uniform() - 1);
    }
    assert_int_equal(ref->row(state, &in, &out, &stats), 0);
    ug_bound_row(&model, &stats, &bound);
    t->rows++;
    t->refused += !bound.applies;
    if (!bound.applies) return;
    e = emulated_row(variance, k, x, n);
    rstd = 1.0f / sqrtf(e.var + eps);
    keep(&t->mean, fabs((double)e.mean - stats.mean), bound.mean);
    keep(&t->var, fabs((double)e.var - stats.var), bound.var);
    keep(&t->y, fabs((double)rstd - stats.rstd), bound.rstd_rel * stats.rstd);
    for (int i = 0; i < n; i++) {
        float xhat = ((x[i] - e.first) - e.second) * rstd;
        float y = k->fma ? fmaf(xhat, gamma[i], beta[i]) : xhat * gamma[i] + beta[i];
        double b = ug_bound_element(&bound, x[i], gamma[i], beta[i], head[i]);
        keep(&t->y, fabs(((double)y - head[i]) - tail[i]), b);
        t->elements++;
    }
}

enum { KINDS = 8 };

static void make_row(int kind, float *x, int n)
{
    double offset = pow(10, 1 + 6 * uniform()), scale = pow(10, -12 + 20 * uniform());
    for (int i = 0; i < n; i++) {
        double g = gaussian();
        switch (kind) {
        case 0:
            x[i] = (float)g;
            break;
        case 1:
            x[i] = (float)(offset + g);
            break;
        case 2:
            x[i] = (float)offset;
            break;
        case 3:
            x[i] = (float)(scale * (offset + g));
            break;
        case 4:
            x[i] = ug_bits_float(ug_float_bits((float)offset) + (uint32_t)(random_bits() % 3));
            break;
        case 5:
            x[i] = i % 37 ? (float)g : (float)(offset * g);
            break; /* outliers */
        case 6:
            x[i] = (float)(1e-22 * g);
            break; /* squares underflow */
        default:
            x[i] = (float)(offset * (i + 1));
            break; /* ramp: errors add up */
        }
    }
}

/* tight: the share of the variance's bound that 4000 rows of 32 must reach somewhere. */
static void check_algorithm(ug_variance variance, const char *name, double tight)
{
    static const int sizes[] = {1, 2, 3, 5, 31, 32, 33, 100, 257, 1000, 1023, 4096};
    static const int threads[] = {1, 32, 256};
    static float x[MOST];
    tally all = {0, 0, 0, 0, 0, 0}, small = all;
    for (int kind = 0; kind < KINDS; kind++)
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
            for (int v = 0; v < 24; v++) {
                shape k = {threads[v % 3], v / 3 % 2 ? 4 : 1, v / 6 % 2, v / 12};
                int n = sizes[s];
                float eps = kind == 6 ? 1e-40f : random_bits() & 1 ? 1e-5f : 1e-12f;
                make_row(kind, x, n);
                check_row(variance, &k, x, n, eps, v % 5 ? 1 : 0x1p40, &all);
            }
    for (int r = 0; r < 4000; r++) {
        shape k = {32, 1, r & 1, r >> 1 & 1};
        make_row(r % 6, x, 32);
        check_row(variance, &k, x, 32, 1e-5f, 1, &small);
    }
    print_message(
        "%s: %ld rows, %ld without a bound, %ld elements; error/bound mean %.3f, var %.3f, "
        "y %.3f; N = 32: %.3f, %.3f, %.3f\n",
        name, all.rows, all.refused, all.elements, all.mean, all.var, all.y, small.mean, small.var,
        small.y);
    assert_true(all.mean <= 1 && all.var <= 1 && all.y <= 1);
    assert_true(small.mean <= 1 && small.var <= 1 && small.y <= 1);
    assert_true(small.mean > 0.1 && small.var > tight && small.y > 0.1);
    assert_true(all.refused < all.rows / 8 + all.rows / KINDS);
}

static void test_sum2(void **unused)
{
    (void)unused;
    check_algorithm(UG_VAR_SUM2, "sum2", 0.1);
}

static void test_twopass(void **unused)
{
    (void)unused;
    check_algorithm(UG_VAR_TWOPASS, "twopass", 0.1);
}

static void test_welford(void **unused)
{
    (void)unused;
    check_algorithm(UG_VAR_WELFORD, "welford", 0.1);
}

static void test_shifted(void **unused)
{
    (void)unused;
    /* Its merges are bounded as Welford's, whose errors do grow with the mean. */
    check_algorithm(UG_VAR_SHIFTED, "shifted", 0.01);
}

static void test_pairmean(void **unused)
{
    (void)unused;
    check_algorithm(UG_VAR_PAIRMEAN, "pairmean", 0.1);
}

static void test_pairwise(void **unused)
{
    (void)unused;
    /* The mean of one element is exact, which its bound does not make use of. */
    check_algorithm(UG_VAR_PAIRWISE, "pairwise", 0.05);
}

static ug_row_stats regular(int64_t n)
{
    return (ug_row_stats){.cls = UG_ROW_REGULAR,
                          .n = n,
                          .eps = 1e-5f,
                          .mean = 3,
                          .var = 4,
                          .rstd = 0.5,
                          .kappa = 1.8,
                          .abs_mean = 3,
                          .mean_sq = 13,
                          .x_max = 9,
                          .dev_max = 6};
}

/* The first-order coefficients of the theory, at a kappa of about 1 where they are what counts. */
static void test_first_order(void **unused)
{
    ug_row_stats s = regular(1024);
    ug_bound_model model = {UG_VAR_TWOPASS, {256, 4, 8}, 1};
    ug_row_bound b;
    double h = 4 - 1 + 8;
    (void)unused;
    ug_bound_row(&model, &s, &b);
    assert_true(b.applies);
    assert_true(b.mean > (h + 1) * U * 3 && b.mean < (h + 2.01) * U * 3);
    assert_true(b.var > (h + 4) * U * 4 && b.var < (h + 5.01) * U * 4);
    assert_true(b.rstd_rel > (h + 4) / 2 * U && b.rstd_rel < ((h + 5) / 2 + 2) * U);
    model.variance = UG_VAR_SUM2;
    ug_bound_row(&model, &s, &b);
    /* (h+2) M2 + 2 (h+1) m M1 + m^2 + v, each up to one rounding more */
    assert_true(b.var > ((h + 2) * 13 + 2 * (h + 1) * 9 + 9 + 4) * U);
    assert_true(b.var < ((h + 3.01) * 13 + 2 * (h + 2.01) * 9 + 9 + 4.01) * U);
}

/* Rounded once: the bound is the rounding, whatever the row and the geometry. */
static void test_exact(void **unused)
{
    ug_row_stats s = regular(1024);
    ug_bound_model model = {UG_VAR_EXACT, {256, 4, 8}, 1};
    ug_row_bound b;
    (void)unused;
    s.mean = 1e6;
    ug_bound_row(&model, &s, &b);
    assert_true(b.applies && b.once);
    assert_true(b.mean > U * 1e6 && b.mean < 1.001 * U * 1e6 && b.rstd_rel < 1.001 * U);
    assert_true(ug_bound_element(&b, 1e6 + 3, 1, 0.5, 2) > 2 * U);
    assert_true(ug_bound_element(&b, 1e6 + 3, 1, 0.5, 2) < 2 * 1.001 * U);
    assert_true(ug_bound_element(&b, 1e6, 1, 0, 0) == 0x1p-149);
}

static void test_refusals(void **unused)
{
    ug_row_stats s = regular(1024);
    ug_bound_model model = {UG_VAR_TWOPASS, {0, 0, 0}, 2};
    ug_row_bound b, serial;
    (void)unused;
    ug_bound_row(&model, &s, &b); /* unknown geometry counts as serial */
    model.geometry = (ug_geometry){1, 1024, 0};
    ug_bound_row(&model, &s, &serial);
    assert_true(b.applies && serial.applies && b.var == serial.var);
    model.geometry = (ug_geometry){2, 100, 1};
    ug_bound_row(&model, &s, &b);
    assert_false(b.applies);
    model.geometry = (ug_geometry){0, 0, 0};
    s.n = (int64_t)1 << 24;
    ug_bound_row(&model, &s, &b);
    assert_false(b.applies);
    s = regular(1024);
    s.eps = 0;
    s.var = 1e-9;
    ug_bound_row(&model, &s, &b);
    assert_false(b.applies);
    s = regular(1024);
    s.cls = UG_ROW_RANGE;
    ug_bound_row(&model, &s, &b);
    assert_false(b.applies);
    assert_true(isinf(ug_bound_element(&b, 1, 1, 0, 0)));
    s = regular(1024);
    model.variance = UG_VAR_UNKNOWN;
    ug_bound_row(&model, &s, &b);
    assert_false(b.applies);
    model.variance = UG_VAR_SUM2;
    model.rsqrt_error = NAN;
    ug_bound_row(&model, &s, &b);
    assert_false(b.applies);
}

static void test_condition_scale(void **unused)
{
    ug_row_stats s = regular(1024);
    (void)unused;
    assert_true(ug_cond_scale(&s, -5, -2, 7) == U * (2 * 0.5 * (5 + 3) + 7) + 4 * 0x1p-149);
    assert_true(ug_cond_scale(&s, 0, 0, 0) == 0x1p-149);
    assert_true(ug_cond_mean(&s) == U * 3 + 0x1p-149);
    s.abs_mean = 0x1p-149;
    s.rstd = 256;
    assert_true(ug_cond_scale(&s, 0, 1e3, 0) == U * (1e3 * 256 * 0x1p-149) + 0x1p-149 * 257001);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sum2),        cmocka_unit_test(test_twopass),
        cmocka_unit_test(test_welford),     cmocka_unit_test(test_shifted),
        cmocka_unit_test(test_pairmean),    cmocka_unit_test(test_pairwise),
        cmocka_unit_test(test_first_order), cmocka_unit_test(test_exact),
        cmocka_unit_test(test_refusals),    cmocka_unit_test(test_condition_scale),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
