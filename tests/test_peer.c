/* SPDX-License-Identifier: Apache-2.0 */
/* The published comparisons of other suites at their limits, with NaN, and with what they do not
 * see. x is {-1, 1} with eps 0: mean 0, rstd 1 and y = x, exactly, whoever computes it. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "audit/measure.h"
#include "ulpgate/dtype.h"

enum { POISON = 0x7fe1dead };

static const float x[2] = {-1, 1};
static float gamma_[2] = {1, 1}, beta[2] = {0, 0};

/* 1 when the rule passes y = (low, high) with these statistics; y is rounded to the dtype. */
static int passes(ug_peer peer, ug_dtype t, float low, float high, float mean, float rstd)
{
    ug_row_in in = {x, gamma_, beta, 2, 0, t};
    ug_row_stats stats = {.cls = UG_ROW_REGULAR, .n = 2, .var = 1, .rstd = 1};
    double head[2] = {-1, 1}, tail[2] = {0, 0};
    uint32_t want[2];
    ug_row_out truth = {head, tail, want};
    ug_peer_score score = {0};
    char why[256], y[8];
    for (int i = 0; i < 2; i++) {
        float exact = x[i] * gamma_[i] + beta[i];
        want[i] = t == UG_F32   ? ug_float_bits(exact)
                  : t == UG_F16 ? ug_float_to_f16(exact)
                                : ug_float_to_bf16(exact);
        ug_store(y, t, i, i ? high : low);
    }
    ug_peer_row(peer, &score, 0, &in, &stats, &truth, y, POISON, &mean, &rstd);
    assert_int_equal(score.compared >= 2, 1);
    return ug_peer_judge(peer, &score, why, sizeof why);
}

static int y_passes(ug_peer peer, ug_dtype t, double high)
{
    return passes(peer, t, -1, (float)high, 0, 1);
}

/* |y| is 1: the limit is the sum of the absolute and the relative one. */
static void test_tolerances(void **state)
{
    const struct {
        ug_peer peer;
        ug_dtype t;
        double limit;
    } rule[] = {{UG_PEER_TORCH, UG_F32, 1.13e-5},   {UG_PEER_TORCH, UG_F16, 1.01e-3},
                {UG_PEER_TORCH, UG_BF16, 1.601e-2}, {UG_PEER_LIGER, UG_F32, 2e-5},
                {UG_PEER_QUACK, UG_F32, 2e-4},      {UG_PEER_QUACK, UG_F16, 2e-3},
                {UG_PEER_QUACK, UG_BF16, 2e-2},     {UG_PEER_LLMC, UG_F32, 1.0119e-5},
                {UG_PEER_TE, UG_F32, 5e-6},         {UG_PEER_BENCHDNN, UG_F32, 5e-7}};
    const double spacing[] = {0x1p-23, 0x1p-10, 0x1p-7};
    (void)state;
    for (size_t i = 0; i < sizeof rule / sizeof *rule; i++) {
        double step = spacing[rule[i].t], steps = floor(rule[i].limit / step);
        if (!y_passes(rule[i].peer, rule[i].t, 1 + steps * step))
            fail_msg("%s, dtype %d: %g is blamed", ug_peer_name(rule[i].peer), (int)rule[i].t,
                     steps * step);
        if (y_passes(rule[i].peer, rule[i].t, 1 + (steps + 1) * step))
            fail_msg("%s, dtype %d: %g passes", ug_peer_name(rule[i].peer), (int)rule[i].t,
                     (steps + 1) * step);
    }
}

/* nmse of one element of two off by d: d^2 / (1 + (1 + d)^2), so d = 4.4723e-4 at 1e-7. */
static void test_ggml(void **state)
{
    (void)state;
    assert_int_equal(y_passes(UG_PEER_GGML, UG_F32, 1 + 4.46e-4), 1);
    assert_int_equal(y_passes(UG_PEER_GGML, UG_F32, 1 + 4.49e-4), 0);
    assert_int_equal(y_passes(UG_PEER_GGML, UG_F32, INFINITY), 0);
}

static void test_nan(void **state)
{
    (void)state;
    for (int k = 0; k < UG_PEER_COUNT; k++) {
        int blind = k == UG_PEER_TE || k == UG_PEER_LLMC;
        assert_int_equal(y_passes((ug_peer)k, UG_F32, NAN), blind);
    }
}

/* An element that is still the poison counts as 0, so that a blind rule sees it. */
static void test_unwritten(void **state)
{
    float poison = ug_bits_float(POISON);
    (void)state;
    for (int k = 0; k < UG_PEER_COUNT; k++)
        assert_int_equal(y_passes((ug_peer)k, UG_F32, poison), 0);
    assert_int_equal(passes(UG_PEER_LLMC, UG_F32, -1, 1, 0, poison), 0);
}

static void test_statistics(void **state)
{
    (void)state;
    for (int k = 0; k < UG_PEER_COUNT; k++) {
        int sees_rstd = k == UG_PEER_TE || k == UG_PEER_LLMC;
        int sees_mean = sees_rstd || k == UG_PEER_BENCHDNN;
        assert_int_equal(passes((ug_peer)k, UG_F32, -1, 1, 0.5f, 1), !sees_mean);
        assert_int_equal(passes((ug_peer)k, UG_F32, -1, 1, 0, 2), !sees_rstd);
    }
    /* te makes its reference of y from the kernel's own statistics: y that agrees with statistics
     * within their limit passes, far off as it may be for others. */
    assert_int_equal(passes(UG_PEER_TE, UG_F32, -1.00004f, 1.00004f, 0, 1.00004f), 1);
    assert_int_equal(passes(UG_PEER_LIGER, UG_F32, -1.00004f, 1.00004f, 0, 1.00004f), 0);
}

/* te forgives two narrow values that are the roundings of their middle: neighbours, that is. */
static void test_te_neighbours(void **state)
{
    (void)state;
    assert_int_equal(y_passes(UG_PEER_TE, UG_BF16, 1 + 0x1p-7), 1);
    assert_int_equal(y_passes(UG_PEER_TE, UG_BF16, 1 + 0x1p-6), 0);
}

/* benchdnn where beta cancels gamma xhat: y = 4096 - 4095.9375 = 0.0625, exact. */
static void test_benchdnn_cancelling(void **state)
{
    (void)state;
    gamma_[1] = 4096;
    beta[1] = -4095.9375f;
    assert_int_equal(y_passes(UG_PEER_BENCHDNN, UG_F32, 0.0625), 1);
    assert_int_equal(y_passes(UG_PEER_BENCHDNN, UG_F32, 0.0635), 1); /* 2.4e-7 of 4096 */
    assert_int_equal(y_passes(UG_PEER_BENCHDNN, UG_F32, 0.0675), 0); /* 1.2e-6 of it */
    assert_int_equal(y_passes(UG_PEER_TORCH, UG_F32, 0.0635), 0);
    gamma_[1] = 1;
    beta[1] = 0;
}

/* As clauses of a gate: no limit, judged only where the measure was told to. */
static void test_gates(void **state)
{
    char err[256] = "";
    (void)state;
    for (int k = 0; k < UG_PEER_COUNT; k++) {
        assert_int_equal(ug_gate_check(ug_peer_name((ug_peer)k), err, sizeof err), 0);
        assert_int_equal(ug_gate_peers(ug_peer_name((ug_peer)k)), 1u << k);
    }
    assert_int_equal(ug_gate_check("torch=1", err, sizeof err), -1);
    assert_non_null(strstr(err, "takes no limit"));
    assert_int_equal(ug_gate_check("pytorch", err, sizeof err), -1);
    assert_non_null(strstr(err, "torch, ggml, te, llmc, liger, quack, benchdnn"));
    assert_int_equal(ug_gate_peers("bound,te,abs=1"), 1u << UG_PEER_TE);
    assert_int_equal(ug_gate_peers("bound"), 0);
    assert_int_equal(ug_gate_peers(NULL), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tolerances), cmocka_unit_test(test_ggml),
        cmocka_unit_test(test_nan),        cmocka_unit_test(test_unwritten),
        cmocka_unit_test(test_statistics), cmocka_unit_test(test_te_neighbours),
        cmocka_unit_test(test_gates),      cmocka_unit_test(test_benchdnn_cancelling)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
