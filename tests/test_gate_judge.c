/* SPDX-License-Identifier: Apache-2.0 */
/* Gates at their limit and just past it, their reasons, and that NaN passes none. */
#include "measure_fixture.h"

static row r;
static ug_verdict v;
static const char *const every_gate[] = {"bound",     "sound",     "faithful",   "exact",
                                         "ulp=1e300", "abs=1e300", "term=1e300", "cond=1e300",
                                         "row=1e300", "nmse=1e300"};

static void judge(const ug_measure *m, const char *gate)
{
    char err[200];
    assert_int_equal(ug_gate_judge(gate, m, &v, err, sizeof err), 0);
}

/* A measure of a right row of a declared two-pass kernel; every gate passes it. */
static ug_measure right(void)
{
    ug_measure m;
    ug_bound_model model = model_of(UG_VAR_TWOPASS, 2, 1, 1);
    row_init(&r, UG_F32, 2);
    r.x[0] = r.head[0] = 1;
    r.x[1] = r.head[1] = -1;
    for (int i = 0; i < 2; i++) {
        r.want[i] = ug_float_bits((float)r.head[i]);
        set_bits(&r, i, r.want[i]);
    }
    ug_measure_begin(&m, UG_F32, &model);
    return m;
}

static void a_right_row_passes_every_gate(void **state)
{
    (void)state;
    for (size_t g = 0; g < sizeof every_gate / sizeof every_gate[0]; g++) {
        ug_measure m = right();
        measure(&m, &r, 0);
        judge(&m, every_gate[g]);
        assert_int_equal(v.pass, 1);
        assert_int_equal(v.reason_count, 0);
        assert_int_equal(v.bound_pass, 1);
        assert_int_equal(v.sound_pass, 1);
        assert_string_equal(v.gate, every_gate[g]);
    }
}

static void nan_and_unwritten_pass_no_gate(void **state)
{
    const uint32_t bad[] = {0x7fc00000, 0xffffffff, 0x7f800001, (uint32_t)POISON, 0x7f800000};
    (void)state;
    for (size_t g = 0; g < sizeof every_gate / sizeof every_gate[0]; g++) {
        for (size_t b = 0; b < sizeof bad / sizeof bad[0]; b++) {
            ug_measure m = right();
            set_bits(&r, 1, bad[b]);
            measure(&m, &r, 0);
            judge(&m, every_gate[g]);
            assert_int_equal(v.pass, 0);
            assert_int_equal(v.bound_pass, 0);
            assert_int_equal(v.sound_pass, 0);
        }
    }
}

/* A measure that is itself NaN, whatever made it so, passes nothing. */
static void a_nan_measure_passes_no_gate(void **state)
{
    (void)state;
    for (size_t g = 0; g < sizeof every_gate / sizeof every_gate[0]; g++) {
        ug_measure m = right();
        measure(&m, &r, 0);
        for (int k = 0; k < UG_M_COUNT; k++) m.regular.worst[k].value = NAN;
        m.regular.row_err = m.regular.err_sq = m.bound_ratio = m.sound_ratio = NAN;
        judge(&m, every_gate[g]);
        assert_int_equal(v.pass, g == 2 || g == 3); /* faithful and exact count, not compare */
    }
}

/* The largest float error that passes, and the next: cond is 8.25 at 8.25 u 2 = 16.5 u; above 1
 * floats lie 2 u apart, so 16 u passes and 18 u does not. */
static void sound_is_sharp(void **state)
{
    (void)state;
    for (int step = 7; step <= 10; step++) {
        ug_measure m = right();
        set_bits(&r, 0, ug_float_bits(1 + (float)step * 0x1p-23f));
        measure(&m, &r, 5);
        judge(&m, "sound");
        assert_int_equal(v.pass, step <= 8);
        assert_int_equal(v.sound_pass, step <= 8);
        if (step == 9) assert_string_equal(v.reasons[0], "sound cond 9 > 8.25 at row 5 col 0");
    }
}

/* The same against B_i, by the bound's own function. */
static void bound_is_sharp(void **state)
{
    ug_row_bound bound;
    ug_measure m = right();
    double limit;
    int below, tried = 0;
    (void)state;
    ug_bound_row(&m.model, &r.stats, &bound);
    assert_int_equal(bound.applies, 1);
    limit = ug_bound_element(&bound, 1, 1, 0, 1);
    below = (int)(limit * 0x1p23);
    assert_in_range(below, 1, 1000);
    for (int step = below - 1; step <= below + 1; step++, tried++) {
        m = right();
        set_bits(&r, 0, ug_float_bits(1 + (float)step * 0x1p-23f));
        measure(&m, &r, 0);
        judge(&m, NULL);
        assert_string_equal(v.gate, "bound");
        assert_int_equal(v.pass, step <= below);
        assert_true(m.bound_abs == limit);
    }
    assert_int_equal(tried, 3);
    assert_non_null(strstr(v.reasons[0], "bound e/B "));
}

static void explicit_limits_are_sharp(void **state)
{
    /* One element is off by 2^-22, which is 2 ulp there; the row's largest y is 1. */
    const struct {
        const char *gate;
        int pass;
    } table[] = {{"ulp=2", 1},
                 {"ulp=1.999999", 0},
                 {"abs=2.384185791015625e-7", 1},
                 {"abs=2.384185791015624e-7", 0},
                 {"term=2", 1},
                 {"term=1.999999", 0},
                 {"cond=2", 1},
                 {"cond=1.9999", 0},
                 {"row=4", 1},
                 {"row=3.999999", 0},
                 {"nmse=2.8421709430404008e-14", 1},
                 {"nmse=2.84217094304040e-14", 0},
                 {"ulp=2,cond=1", 0},
                 {"cond=1,ulp=2", 0},
                 {"ulp=2,sound,bound", 1}};
    (void)state;
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        ug_measure m = right();
        set_bits(&r, 0, ug_float_bits(1 + 0x1p-22f));
        measure(&m, &r, 9);
        judge(&m, table[i].gate);
        assert_int_equal(v.pass, table[i].pass);
        assert_int_equal(v.reason_count, !table[i].pass);
        if (!table[i].pass) assert_non_null(strstr(v.reasons[0], "at row 9 col 0"));
    }
}

static void reasons_of_the_judge_fail_every_gate(void **state)
{
    (void)state;
    for (size_t g = 0; g < sizeof every_gate / sizeof every_gate[0]; g++) {
        ug_measure m = right();
        measure(&m, &r, 0);
        ug_measure_reason(&m, "note nothing of weight, %d", 1);
        judge(&m, every_gate[g]);
        assert_int_equal(v.pass, 1);
        ug_measure_reason(&m, "guard %s", "byte 3 before row 1 was written");
        judge(&m, every_gate[g]);
        assert_int_equal(v.pass, 0);
        assert_int_equal(v.bound_pass, 0);
        assert_string_equal(v.reasons[1], "guard byte 3 before row 1 was written");
    }
    ug_measure m = right();
    measure(&m, &r, 0);
    for (int i = 0; i < 40; i++) ug_measure_reason(&m, "repeat row %d", i);
    judge(&m, NULL);
    assert_int_equal(v.reason_count, UG_REASONS);
}

static void what_cannot_be_judged_is_said(void **state)
{
    ug_measure m = right();
    (void)state;
    judge(&m, NULL); /* no row at all */
    assert_int_equal(v.pass, 1);
    assert_int_equal(v.bound_pass, -1);
    assert_int_equal(v.sound_pass, -1);
    assert_non_null(strstr(v.reasons[0], "note bound judged nothing"));
    judge(&m, "ulp=1");
    assert_non_null(strstr(v.reasons[0], "note ulp judged nothing"));
    /* A kernel without a declared algorithm: sound by default, and `bound` can never pass it. */
    m = right();
    m.model.variance = UG_VAR_UNKNOWN;
    measure(&m, &r, 0);
    judge(&m, NULL);
    assert_string_equal(v.gate, "sound");
    assert_int_equal(v.pass, 1);
    assert_int_equal(v.bound_pass, -1);
    judge(&m, "bound");
    assert_int_equal(v.pass, 0);
    /* A geometry that leaves elements out is a false declaration. */
    m = right();
    m.model.geometry.threads = 1;
    measure(&m, &r, 0);
    judge(&m, NULL);
    assert_int_equal(v.pass, 0);
    assert_non_null(strstr(v.reasons[0], "misses some of 2"));
}

static void promises_join_the_default_gate(void **state)
{
    ug_measure m = right();
    (void)state;
    m.promise = UG_PROMISE_EXACT;
    set_bits(&r, 0, ug_float_bits(1 + 0x1p-23f));
    measure(&m, &r, 0);
    judge(&m, NULL);
    assert_string_equal(v.gate, "bound,exact");
    assert_int_equal(v.pass, 0);
    assert_int_equal(v.bound_pass, 1);
    assert_non_null(strstr(v.reasons[0], "exact 1 elements are not"));
    judge(&m, "bound");
    assert_int_equal(v.pass, 1);
}

static void bad_text_is_an_error(void **state)
{
    ug_measure m = right();
    char err[200] = "";
    (void)state;
    assert_int_equal(ug_gate_judge("cond", &m, &v, err, sizeof err), -1);
    assert_non_null(strstr(err, "cond=LIMIT"));
    assert_int_equal(v.pass, 0);
}

/* sum2 on a row of kappa 1e4: its worst case reaches v. With eps 0 it may then divide by 0: `bound`
 * has nothing to say and `sound` fails it. With eps the answer is finite whatever the variance, and
 * where `bound` applies it is finite too. */
static void nan_without_eps_is_left_to_sound(void **state)
{
    const struct {
        double kappa;
        float eps;
        int bound_pass;
    } cases[] = {{1e4, 0, 1}, {1e4, 1e-5f, 0}, {1, 0, 0}};
    (void)state;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        ug_measure m = right();
        ug_bound_model model = model_of(UG_VAR_SUM2, 2, 1, 1);
        ug_measure_begin(&m, UG_F32, &model);
        r.in.eps = r.stats.eps = cases[k].eps;
        r.stats.mean = r.stats.abs_mean = r.stats.x_max = r.stats.kappa = cases[k].kappa;
        r.stats.mean_sq = cases[k].kappa * cases[k].kappa;
        set_bits(&r, 1, 0x7fc00000);
        measure(&m, &r, 0);
        judge(&m, "bound");
        assert_int_equal(v.pass, cases[k].bound_pass);
        judge(&m, "sound");
        assert_int_equal(v.pass, 0);
        assert_int_equal(v.sound_pass, 0);
        judge(&m, "abs=1e300");
        assert_int_equal(v.pass, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_right_row_passes_every_gate),
        cmocka_unit_test(nan_and_unwritten_pass_no_gate),
        cmocka_unit_test(a_nan_measure_passes_no_gate),
        cmocka_unit_test(sound_is_sharp),
        cmocka_unit_test(bound_is_sharp),
        cmocka_unit_test(explicit_limits_are_sharp),
        cmocka_unit_test(reasons_of_the_judge_fail_every_gate),
        cmocka_unit_test(what_cannot_be_judged_is_said),
        cmocka_unit_test(nan_without_eps_is_left_to_sound),
        cmocka_unit_test(promises_join_the_default_gate),
        cmocka_unit_test(bad_text_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
