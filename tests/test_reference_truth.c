/* SPDX-License-Identifier: Apache-2.0 */
/* The exact answer against rows whose answer is known by hand, for every implementation.
 *
 * Rows of 25 zeros and 16 ones with eps 0 have xhat = -4/5 and 5/4 exactly (mean 16/41, standard
 * deviation 20/41); rows of -1 and 1 have xhat = x. Gamma and beta then place y on ties, subnormals
 * and overflow thresholds.
 */
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "reference/implementations.h"
#include "ulpgate/dtype.h"

enum { MOST = 64 };
static const char *const names[] = {"mpfr", "certified"};
static const ug_reference *reference;

typedef struct answer {
    ug_row_stats stats;
    double head[MOST], tail[MOST];
    uint32_t want[MOST];
} answer;

static answer ask(const float *x, const float *gamma, const float *beta, int n, float eps,
                  ug_dtype out)
{
    answer a;
    ug_row_in in = {x, gamma, beta, n, eps, out};
    ug_row_out to = {a.head, a.tail, a.want};
    void *state = reference->create();
    assert_non_null(state);
    assert_int_equal(reference->row(state, &in, &to, &a.stats), 0);
    reference->destroy(state);
    return a;
}

/* y of the element with xhat = 5/4 (one 1) or -4/5 (one 0). */
static answer two_valued(float gamma, float beta, ug_dtype out)
{
    float x[41] = {0}, g[41], b[41];
    for (int i = 0; i < 41; i++) g[i] = gamma, b[i] = beta, x[i] = i < 16 ? 1.0f : 0.0f;
    return ask(x, g, b, 41, 0.0f, out);
}

static uint32_t high(float gamma, float beta, ug_dtype out)
{
    return two_valued(gamma, beta, out).want[0];
}

static uint32_t low(float gamma, float beta, ug_dtype out)
{
    return two_valued(gamma, beta, out).want[40];
}

/* RN(gamma + beta) into the output type: xhat = 1. */
static uint32_t sum(float gamma, float beta, ug_dtype out)
{
    float x[2] = {1, -1}, g[2] = {gamma, gamma}, b[2] = {beta, beta};
    return ask(x, g, b, 2, 0.0f, out).want[0];
}

static void test_ties(void **unused)
{
    float two = 1 + 0x1p-22f, six = 1 + 0x1.8p-21f;
    (void)unused;
    /* 1.25 + 2.5 ulp and 1.25 + 7.5 ulp: to the even neighbours 2 and 8 */
    assert_int_equal(high(two, 0, UG_F32), 0x3fa00002);
    assert_int_equal(high(six, 0, UG_F32), 0x3fa00008);
    assert_int_equal(high(-two, 0, UG_F32), 0xbfa00002);
    /* the smallest subnormal decides, 2^-150 of the value away */
    assert_int_equal(high(two, 0x1p-149f, UG_F32), 0x3fa00003);
    assert_int_equal(high(two, -0x1p-149f, UG_F32), 0x3fa00002);
    assert_int_equal(high(six, 0x1p-149f, UG_F32), 0x3fa00008);
    assert_int_equal(high(six, -0x1p-149f, UG_F32), 0x3fa00007);
}

static void test_rounds_once(void **unused)
{
    (void)unused;
    /* through float these would be ties to even, on the wrong side */
    assert_int_equal(sum(1 + 0x1p-8f, 0x1p-30f, UG_BF16), 0x3f81);
    assert_int_equal(sum(1 + 0x1p-8f, 0, UG_BF16), 0x3f80);
    assert_int_equal(sum(1 + 0x3p-8f, -0x1p-30f, UG_BF16), 0x3f81);
    assert_int_equal(sum(1 + 0x3p-8f, 0, UG_BF16), 0x3f82);
    assert_int_equal(sum(1 + 0x1p-11f, 0x1p-30f, UG_F16), 0x3c01);
    assert_int_equal(sum(1 + 0x1p-11f, 0, UG_F16), 0x3c00);
    assert_int_equal(sum(1 + 0x3p-11f, -0x1p-149f, UG_F16), 0x3c01);
    assert_int_equal(sum(1 + 0x3p-11f, 0, UG_F16), 0x3c02);
    assert_int_equal(sum(0x1p-25f, 0x1p-149f, UG_F16), 0x0001);
    assert_int_equal(sum(0x1p-25f, 0, UG_F16), 0x0000);
}

static void test_subnormal(void **unused)
{
    (void)unused;
    assert_int_equal(high(0x2p-149f, 0, UG_F32), 2);          /* 2.5 */
    assert_int_equal(high(0x3p-149f, 0, UG_F32), 4);          /* 3.75 */
    assert_int_equal(high(0x6p-149f, 0, UG_F32), 8);          /* 7.5 */
    assert_int_equal(low(0x1p-149f, 0, UG_F32), 0x80000001u); /* -0.8 */
    assert_int_equal(high(0x2p-24f, 0, UG_F16), 2);
    assert_int_equal(high(0x6p-24f, 0, UG_F16), 8);
    assert_int_equal(high(0x2p-133f, 0, UG_BF16), 2);
    assert_int_equal(high(0x6p-133f, 0, UG_BF16), 8);
    /* 0x1.ffffp-15 rounds up into the smallest normal f16 */
    assert_int_equal(sum(0x1.fffp-15f, 0, UG_F16), 0x0400);
    /* a tiny negative value keeps its sign, an exact zero is +0 */
    assert_int_equal(low(0x1p-30f, 0, UG_F16), 0x8000);
    assert_int_equal(sum(1, -1, UG_F32), 0);
    assert_int_equal(sum(-1, 1, UG_F32), 0);
    assert_int_equal(high(4, -5, UG_F32), 0);
    assert_int_equal(sum(0, -0.0f, UG_F32), 0);
}

static void test_overflow(void **unused)
{
    (void)unused;
    assert_int_equal(sum(FLT_MAX, 0x1p103f, UG_F32), 0x7f800000u);
    assert_int_equal(sum(FLT_MAX, 0x1.fffffep102f, UG_F32), 0x7f7fffffu);
    assert_int_equal(sum(-FLT_MAX, -0x1p103f, UG_F32), 0xff800000u);
    assert_int_equal(high(FLT_MAX, FLT_MAX, UG_F32), 0x7f800000u);
    assert_int_equal(sum(65504, 16, UG_F16), 0x7c00);
    assert_int_equal(sum(65504, 0x1.fffffep3f, UG_F16), 0x7bff);
    assert_int_equal(sum(0x1.fep127f, 0x1p119f, UG_BF16), 0x7f80);
    assert_int_equal(sum(0x1.fep127f, 0x1.fffffep118f, UG_BF16), 0x7f7f);
    assert_int_equal(sum(FLT_MAX, 0, UG_F16), 0x7c00);
}

static void test_head_and_tail(void **unused)
{
    answer a = two_valued(1, 0, UG_F32), b;
    float gamma[5] = {1.1f, 0.7f, -1.3f, 3, 1}, x[5] = {1, 2, 4, 8, 16}, beta[5];
    (void)unused;
    assert_true(a.head[0] == 1.25 && a.tail[0] == 0);
    /* -4/5: 5 (head + tail) + 4 = 0; 5 head + 4 is exact */
    assert_true(fabs(fma(5, a.head[40], 4) + 5 * a.tail[40]) <= 5 * 0.8 * 0x1p-44);
    /* beta = -RN(gamma xhat) leaves the rest of the rounding, to full accuracy */
    a = ask(x, gamma, NULL, 5, 1e-5f, UG_F32);
    for (int i = 0; i < 5; i++) beta[i] = -ug_bits_float(a.want[i]);
    b = ask(x, gamma, beta, 5, 1e-5f, UG_F32);
    for (int i = 0; i < 5; i++) {
        double rest = (a.head[i] + (double)beta[i]) + a.tail[i];
        assert_true(fabs(rest) <= 0x1p-24 * fabs(a.head[i]) && rest != 0);
        assert_true(fabs(b.head[i] - rest) <= fabs(a.head[i]) * 0x1p-43);
        assert_true(ug_bits_float(b.want[i]) == (float)b.head[i]);
    }
}

static void test_long_sums(void **unused)
{
    /* S1 = 2^-149 beside +-2^127: y = -2^127 2^-149 / sqrt(8 2^255 + ...) = -2^-151 for x = 0 */
    float x[8] = {0x1p127f, 0x1p-149f, -0x1p127f}, gamma[8];
    answer a;
    (void)unused;
    for (int i = 0; i < 8; i++) gamma[i] = 0x1p127f;
    a = ask(x, gamma, NULL, 8, 0, UG_F32);
    assert_int_equal(a.stats.cls, UG_ROW_RANGE);
    assert_true(a.head[5] == -0x1p-151);
    assert_int_equal(a.want[5], 0x80000000u);
    assert_int_equal(a.want[0], 0x7f800000u);
    assert_true(a.stats.mean == 0x1p-152 && a.stats.abs_mean == 0x1p125);
    /* 7 times 2^-149 is 7/8 of 2^-149 off the mean: y = 2^-149 (8 - 1) / 2^129 2^127 = 7 2^-151 */
    assert_true(a.head[1] == 7 * 0x1p-151);
    assert_int_equal(a.want[1], 2);
    /* x equal to the mean gives beta, whatever gamma is */
    a = ask((float[]){7, 3, 5, 1, 9}, (float[]){1, 1, FLT_MAX, 1, 1},
            (float[]){0, 0, -0x1p-149f, 0, 0}, 5, 1e-5f, UG_F32);
    assert_int_equal(a.want[2], 0x80000001u);
}

static void test_classes(void **unused)
{
    float big[4] = {2e19f, -2e19f, 2e19f, -2e19f}, tiny[4] = {1e-23f, -1e-23f, 1e-23f, 0};
    float same[4] = {3, 3, 3, 3}, bad[4] = {1, 2, NAN, 4}, sub[4] = {1e-39f, 0, 2e-39f, 0};
    answer a = ask(big, NULL, NULL, 4, 1e-5f, UG_F32);
    (void)unused;
    assert_int_equal(a.stats.cls, UG_ROW_RANGE);
    assert_int_equal(a.want[0], 0x3f800000u);
    assert_int_equal(ask(tiny, NULL, NULL, 4, 0, UG_F32).stats.cls, UG_ROW_RANGE);
    assert_int_equal(ask(tiny, NULL, NULL, 4, 1e-5f, UG_F32).stats.cls, UG_ROW_REGULAR);
    assert_int_equal(ask(sub, NULL, NULL, 4, 1e-5f, UG_F32).stats.cls, UG_ROW_REGULAR);
    a = ask(same, NULL, NULL, 4, 1e-5f, UG_F32);
    assert_int_equal(a.stats.cls, UG_ROW_REGULAR);
    assert_true(isinf(a.stats.kappa) && a.stats.var == 0 && a.head[0] == 0);
    a = ask(same, NULL, NULL, 4, 0, UG_F16);
    assert_int_equal(a.stats.cls, UG_ROW_DEGENERATE);
    assert_true(isnan(a.head[0]) && isnan(a.stats.rstd) && a.stats.mean == 3);
    assert_int_equal(a.want[0], 0x7e00);
    assert_int_equal(ask(same, NULL, NULL, 0, 1e-5f, UG_F32).stats.cls, UG_ROW_DEGENERATE);
    assert_int_equal(ask(same, NULL, NULL, 4, NAN, UG_F32).stats.cls, UG_ROW_DEGENERATE);
    a = ask(bad, NULL, NULL, 4, 1e-5f, UG_BF16);
    assert_int_equal(a.stats.cls, UG_ROW_NONFINITE);
    assert_true(isnan(a.head[0]) && isnan(a.stats.mean));
    assert_int_equal(a.want[3], 0x7fc0);
    bad[2] = INFINITY;
    assert_int_equal(ask(bad, NULL, NULL, 4, 1e-5f, UG_F32).stats.cls, UG_ROW_NONFINITE);
}

static void test_stats(void **unused)
{
    answer a = ask((float[]){4, 3, 2, 1}, NULL, NULL, 4, 0.75f, UG_F32);
    (void)unused;
    assert_int_equal(a.stats.cls, UG_ROW_REGULAR);
    assert_true(a.stats.mean == 2.5 && a.stats.var == 1.25 && a.stats.abs_mean == 2.5);
    assert_true(a.stats.mean_sq == 7.5 && a.stats.x_max == 4 && a.stats.dev_max == 1.5);
    assert_true(a.stats.rstd == 0.70710678118654752440 && a.stats.kappa == 2.4494897427831780982);
    assert_true(a.stats.n == 4 && a.stats.eps == 0.75f);
    a = ask((float[]){0, 0}, NULL, NULL, 2, 1, UG_F32);
    assert_true(a.stats.kappa == 1 && a.stats.rstd == 1);
}

static void test_nonfinite_parameters(void **unused)
{
    float x[5] = {7, 3, 5, 1, 9}, gamma[5] = {INFINITY, INFINITY, INFINITY, 1, NAN};
    float beta[5] = {1, 1, 1, -INFINITY, 0};
    answer a = ask(x, gamma, beta, 5, 1e-5f, UG_F32);
    (void)unused;
    assert_int_equal(a.stats.cls, UG_ROW_REGULAR);
    assert_int_equal(a.want[0], 0x7f800000u);
    assert_int_equal(a.want[1], 0xff800000u);
    assert_int_equal(a.want[2], 0x7fc00000u); /* infinity times 0 */
    assert_int_equal(a.want[3], 0xff800000u);
    assert_true(isinf(a.head[3]) && a.tail[3] == 0);
    assert_int_equal(a.want[4], 0x7fc00000u);
    gamma[3] = beta[3] = 2;
    assert_true(isfinite(ask(x, gamma, beta, 5, 1e-5f, UG_F32).head[3]));
}

/* Without the mean: sqrt((1 + 49)/2) = 5. */
static void test_uncentered(void **unused)
{
    float x[2] = {1, 7}, gamma[2] = {5, 5};
    double head[2], tail[2];
    uint32_t want[2];
    ug_row_in in = {x, gamma, NULL, 2, 0, UG_F32};
    ug_row_out out = {head, tail, want};
    ug_row_stats stats;
    ug_row_kind kind = {1, 1};
    void *state = reference->create();
    (void)unused;
    if (!strcmp(reference->name, "mpfr"))
        ug_mpfr_row(state, &in, &kind, &out, &stats);
    else
        ug_certified_row(state, &in, &kind, &out, &stats);
    reference->destroy(state);
    assert_true(ug_bits_float(want[0]) == 1 && ug_bits_float(want[1]) == 7);
    assert_true(stats.mean == 0 && stats.var == 25 && stats.rstd == 0.2 && stats.kappa == 1);
}

static void test_find(void **unused)
{
    (void)unused;
    assert_non_null(ug_reference_find(NULL));
    assert_null(ug_reference_find("no such reference"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ties),
        cmocka_unit_test(test_rounds_once),
        cmocka_unit_test(test_subnormal),
        cmocka_unit_test(test_overflow),
        cmocka_unit_test(test_head_and_tail),
        cmocka_unit_test(test_long_sums),
        cmocka_unit_test(test_classes),
        cmocka_unit_test(test_stats),
        cmocka_unit_test(test_nonfinite_parameters),
        cmocka_unit_test(test_uncentered),
        cmocka_unit_test(test_find),
    };
    int failed = 0;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        reference = ug_reference_find(names[i]);
        if (!reference) return 1;
        failed += cmocka_run_group_tests_name(names[i], tests, NULL, NULL);
    }
    return failed;
}
