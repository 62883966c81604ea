/* SPDX-License-Identifier: Apache-2.0 */
/* Element and row classes: NaN, Inf, sign, flushed, unwritten; blind and unjudged rows; near ties.
 */
#include "measure_fixture.h"

static row r;

static void begin(ug_measure *m, ug_dtype t)
{
    ug_bound_model model = model_of(UG_VAR_UNKNOWN, 0, 0, 0);
    ug_measure_begin(m, t, &model);
}

static int passes(const ug_measure *m, const char *gate)
{
    ug_verdict v;
    char err[200];
    assert_int_equal(ug_gate_judge(gate, m, &v, err, sizeof err), 0);
    return v.pass;
}

/* One element in a row of two; the other one is right, so that rows are never blind. */
static ug_measure one(ug_dtype t, double y, uint32_t want, uint32_t got)
{
    ug_measure m;
    row_init(&r, t, 2);
    r.head[0] = 1;
    r.want[0] = bits_of(t, 1);
    set_bits(&r, 0, r.want[0]);
    r.head[1] = y;
    r.want[1] = want;
    set_bits(&r, 1, got);
    begin(&m, t);
    measure(&m, &r, 3);
    return m;
}

static void elements_are_classed(void **state)
{
    const struct {
        ug_dtype t;
        double y;
        uint32_t want, got;
        ug_class cls;
    } table[] = {
        {UG_F32, 1, 0x3f800000, 0x3f800000, UG_CLASS_OK},
        {UG_F32, 1, 0x3f800000, 0x7fc00000, UG_CLASS_NAN_SPURIOUS},
        {UG_F32, 1, 0x3f800000, 0xff800001, UG_CLASS_NAN_SPURIOUS},
        {UG_F32, 1, 0x3f800000, 0x7f800000, UG_CLASS_INF_SPURIOUS},
        {UG_F32, 1, 0x3f800000, 0xff800000, UG_CLASS_INF_SPURIOUS},
        {UG_F32, 1e39, 0x7f800000, 0x3f800000, UG_CLASS_INF_MISSED},
        {UG_F32, 1e39, 0x7f800000, 0xff800000, UG_CLASS_INF_SPURIOUS},
        {UG_F32, 1e39, 0x7f800000, 0x7f800000, UG_CLASS_OK},
        {UG_F32, 1e-9, 0x3089705f, 0xb089705f, UG_CLASS_SIGN},
        {UG_F32, 0, 0, 0xb089705f, UG_CLASS_OK},
        {UG_F32, 3 * 0x1p-149, 3, 0x80000000, UG_CLASS_FLUSHED},
        {UG_F32, 0x1p-126, 0x00800000, 0, UG_CLASS_OK}, /* the smallest normal is not subnormal */
        {UG_F32, 1, 0x3f800000, (uint32_t)POISON, UG_CLASS_UNWRITTEN},
        {UG_F16, 1, 0x3c00, 0x7e00, UG_CLASS_NAN_SPURIOUS},
        {UG_F16, 1, 0x3c00, 0x7c00, UG_CLASS_INF_SPURIOUS},
        {UG_F16, 1e5, 0x7c00, 0x7c00, UG_CLASS_OK},
        {UG_F16, 0x1p-24, 1, 0, UG_CLASS_FLUSHED},
        {UG_F16, 1, 0x3c00, (uint32_t)POISON & 0xffff, UG_CLASS_UNWRITTEN},
        {UG_BF16, 1, 0x3f80, 0x7fc0, UG_CLASS_NAN_SPURIOUS},
        {UG_BF16, 1, 0x3f80, 0xff80, UG_CLASS_INF_SPURIOUS},
    };
    (void)state;
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        ug_measure m = one(table[i].t, table[i].y, table[i].want, table[i].got);
        ug_class cls = table[i].cls;
        int fails = cls != UG_CLASS_OK && cls != UG_CLASS_SIGN && cls != UG_CLASS_FLUSHED;
        assert_int_equal(m.classes[UG_CLASS_OK], cls == UG_CLASS_OK ? 2 : 1);
        assert_int_equal(m.classes[cls], cls == UG_CLASS_OK ? 2 : 1);
        if (cls != UG_CLASS_OK) {
            assert_int_equal(m.class_first[cls].row, 3);
            assert_int_equal(m.class_first[cls].col, 1);
        }
        assert_int_equal(passes(&m, "abs=1e300"), !fails);
    }
}

/* f16 overflows from 65520 on. A float sum that may be 8.25 u (|x| + M1) off 65519.99 may lie
 * there, one near 65000 may not; past the threshold likewise. */
static void infinity_has_the_same_allowance(void **state)
{
    const struct {
        double y;
        uint32_t want, got;
        int ok;
    } table[] = {
        {65519.995, 0x7bff, 0x7c00, 1}, {65519.9, 0x7bff, 0x7c00, 0}, {65504, 0x7bff, 0x7c00, 0},
        {65520.005, 0x7c00, 0x7bff, 1}, {65520.1, 0x7c00, 0x7bff, 0}, {65535, 0x7c00, 0x7bff, 0},
        {1e6, 0x7c00, 0x7bff, 0},
    };
    (void)state;
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        ug_measure m;
        row_init(&r, UG_F16, 1);
        r.stats.abs_mean = 0x1p14; /* 8.25 * 2^-24 * 2^14 = 0.00806 */
        r.head[0] = table[i].y;
        r.want[0] = table[i].want;
        set_bits(&r, 0, table[i].got);
        begin(&m, UG_F16);
        measure(&m, &r, 0);
        assert_int_equal(m.classes[UG_CLASS_INF_SPURIOUS] + m.classes[UG_CLASS_INF_MISSED],
                         !table[i].ok);
        assert_int_equal(passes(&m, "sound"), table[i].ok);
    }
}

/* gamma or beta not finite: NaN and Inf are compared by class, and only they. */
static void parameters_that_are_not_finite_go_by_class(void **state)
{
    const struct {
        float x, gamma, beta;
        uint32_t want, got;
        ug_class cls;
    } table[] = {
        {1, NAN, 0, 0x7fc00000, 0x7fc00000, UG_CLASS_OK},
        {1, NAN, 0, 0x7fc00000, 0xffc00001, UG_CLASS_OK},
        {1, NAN, 0, 0x7fc00000, 0x3f800000, UG_CLASS_NAN_MISSED},
        {1, NAN, 0, 0x7fc00000, 0x7f800000, UG_CLASS_NAN_MISSED},
        {1, INFINITY, 0, 0x7f800000, 0x7f800000, UG_CLASS_OK},
        {1, INFINITY, 0, 0x7f800000, 0xff800000, UG_CLASS_INF_MISSED},
        {1, INFINITY, 0, 0x7f800000, 0x7f7fffff, UG_CLASS_INF_MISSED},
        {1, INFINITY, 0, 0x7f800000, 0x7fc00000, UG_CLASS_NAN_SPURIOUS},
        {1, 1, -INFINITY, 0xff800000, 0xff800000, UG_CLASS_OK},
        {1, 1, -INFINITY, 0xff800000, 0, UG_CLASS_INF_MISSED},
        {1, INFINITY, 0, 0x7f800000, (uint32_t)POISON, UG_CLASS_UNWRITTEN},
        /* xhat is 0 within the error of any float kernel: Inf times it may be NaN or either Inf */
        {0, INFINITY, 0, 0x7fc00000, 0xff800000, UG_CLASS_OK},
        {0, INFINITY, 0, 0x7fc00000, 0, UG_CLASS_NAN_MISSED},
    };
    (void)state;
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        ug_measure m;
        row_init(&r, UG_F32, 1);
        r.in.gamma = r.gamma;
        r.in.beta = r.beta;
        r.x[0] = table[i].x;
        r.gamma[0] = table[i].gamma;
        r.beta[0] = table[i].beta;
        r.head[0] = NAN;
        r.want[0] = table[i].want;
        set_bits(&r, 0, table[i].got);
        begin(&m, UG_F32);
        measure(&m, &r, 0);
        assert_int_equal(m.classes[table[i].cls], 1);
        assert_int_equal(passes(&m, "sound"), table[i].cls == UG_CLASS_OK);
    }
}

static void rows_that_are_not_finite_hold_no_finite_value(void **state)
{
    ug_measure m;
    ug_verdict v;
    char err[200];
    (void)state;
    row_init(&r, UG_F32, 3);
    r.stats.cls = UG_ROW_NONFINITE;
    for (int i = 0; i < 3; i++) set_bits(&r, i, 0x7fc00000);
    begin(&m, UG_F32);
    measure(&m, &r, 0);
    set_bits(&r, 1, 0xff800000);
    measure(&m, &r, 1);
    assert_int_equal(m.rows[UG_ROW_NONFINITE], 2);
    assert_int_equal(m.all_nan_rows, 1);
    assert_true(passes(&m, "sound"));
    set_bits(&r, 2, ug_float_bits(0.5f));
    measure(&m, &r, 2);
    assert_int_equal(m.finite_in_nonfinite, 1);
    assert_int_equal(ug_gate_judge("abs=1e9", &m, &v, err, sizeof err), 0);
    assert_false(v.pass);
    assert_string_equal(v.reasons[0],
                        "class 1 finite values in rows with NaN or Inf, first 0.5 at row 2 col 2");
}

static void degenerate_rows_must_only_be_written(void **state)
{
    ug_measure m;
    (void)state;
    row_init(&r, UG_BF16, 2);
    r.stats.cls = UG_ROW_DEGENERATE;
    set_bits(&r, 0, 0x7fc0);
    begin(&m, UG_BF16);
    measure(&m, &r, 0);
    assert_true(passes(&m, "sound,ulp=0"));
    set_bits(&r, 1, (uint32_t)POISON & 0xffff);
    measure(&m, &r, 1);
    assert_false(passes(&m, "ulp=0"));
    row_init(&r, UG_BF16, 0);
    r.stats.cls = UG_ROW_DEGENERATE;
    begin(&m, UG_BF16);
    measure(&m, &r, 0);
    assert_true(passes(&m, NULL));
}

/* Out of range: explicit limits judge, `sound` only counts. */
static void rows_out_of_range_are_left_to_explicit_limits(void **state)
{
    ug_measure m;
    (void)state;
    row_init(&r, UG_F32, 1);
    r.stats.cls = UG_ROW_RANGE;
    r.head[0] = 1;
    r.want[0] = ug_float_bits(1);
    begin(&m, UG_F32);
    set_bits(&r, 0, ug_float_bits(1 + 0x1p-23f));
    measure(&m, &r, 0);
    assert_int_equal(m.range_wrong, 0);
    set_bits(&r, 0, 0);
    measure(&m, &r, 1);
    assert_int_equal(m.range_wrong, 1);
    assert_true(passes(&m, "sound") && passes(&m, "abs=1"));
    assert_false(passes(&m, "abs=0.9"));
    set_bits(&r, 0, 0x7fc00000);
    measure(&m, &r, 2);
    assert_int_equal(m.range_wrong, 2);
    assert_true(passes(&m, "sound"));
    assert_false(passes(&m, "abs=1e300") || passes(&m, "nmse=1e300"));
    assert_int_equal(m.elements, 0);
    assert_true(m.regular.worst[UG_M_ABS].value == -1);
}

static void rows_that_beta_would_pass_are_no_evidence(void **state)
{
    ug_measure m;
    (void)state;
    row_init(&r, UG_F32, 2);
    r.in.beta = r.beta;
    for (int i = 0; i < 2; i++) {
        r.beta[i] = 1;
        r.head[i] = 1 + 0x1p-22; /* 4 u: less than 8.25 u (|beta| + M1) */
        r.want[i] = ug_float_bits(1 + 0x1p-22f);
        set_bits(&r, i, r.want[i]);
    }
    begin(&m, UG_F32);
    measure(&m, &r, 0);
    assert_int_equal(m.blind, 1);
    assert_true(m.sound_ratio == -1);
    r.head[1] = 1 + 0x1p-19; /* 32 u */
    r.want[1] = ug_float_bits(1 + 0x1p-19f);
    set_bits(&r, 1, r.want[1]);
    measure(&m, &r, 1);
    assert_int_equal(m.blind, 1);
    assert_true(m.sound_ratio == 0);
    set_bits(&r, 1, ug_float_bits(1)); /* the kernel did answer beta */
    measure(&m, &r, 2);
    assert_false(passes(&m, "sound"));
    /* a blind row that is wrong is wrong */
    begin(&m, UG_F32);
    r.head[1] = 1;
    r.want[1] = ug_float_bits(1);
    set_bits(&r, 1, ug_float_bits(1.5f));
    measure(&m, &r, 0);
    assert_int_equal(m.blind, 1);
    assert_false(passes(&m, "sound"));
}

/* bf16: |xhat gamma| below half a spacing of beta is rounded away whole, and says nothing. */
static void narrow_outputs_can_hide_the_row_behind_beta(void **state)
{
    ug_measure m;
    (void)state;
    row_init(&r, UG_BF16, 1);
    r.in.beta = r.beta;
    r.beta[0] = 1;
    r.head[0] = 1 + 0x1p-9;
    r.want[0] = 0x3f80;
    set_bits(&r, 0, 0x3f80);
    begin(&m, UG_BF16);
    measure(&m, &r, 0);
    assert_int_equal(m.blind, 1);
    r.head[0] = 1 + 0x1p-7;
    r.want[0] = 0x3f81;
    set_bits(&r, 0, 0x3f81);
    measure(&m, &r, 1);
    assert_int_equal(m.blind, 1);
}

static void rows_past_all_conditioning_are_shown_only(void **state)
{
    ug_measure m;
    ug_bound_model model = model_of(UG_VAR_UNKNOWN, 1, 2, 0);
    (void)state;
    row_init(&r, UG_F32, 2);
    r.head[1] = 1;
    r.want[1] = ug_float_bits(1);
    r.stats.kappa = 0x1p25; /* c is 2: the product is the last one judged */
    ug_measure_begin(&m, UG_F32, &model);
    measure(&m, &r, 0);
    assert_int_equal(m.unjudged, 0);
    assert_true(m.sound_limit == 8.5);
    assert_true(m.sound_ratio > 1);
    r.stats.kappa = 0x1.000002p25;
    ug_measure_begin(&m, UG_F32, &model);
    measure(&m, &r, 0);
    assert_int_equal(m.unjudged, 1);
    assert_true(m.sound_ratio == -1 && m.regular.worst[UG_M_COND].value > 1e6);
    r.stats.kappa = INFINITY;
    measure(&m, &r, 1);
    assert_int_equal(m.unjudged, 2);
}

static void near_ties_take_either_neighbour(void **state)
{
    const double tie = 1 + 0x1p-24, ulp = 0x1p-23;
    const struct {
        double head, tail;
        uint32_t want, got;
        int near, exact, faithful;
    } table[] = {
        {1, 0, 0x3f800000, 0x3f800000, 0, 1, 1},
        {1, 0, 0x3f800000, 0x3f800001, 0, 0, 0}, /* representable: no second neighbour */
        {tie, 0, 0x3f800000, 0x3f800001, 1, 1, 1},
        {tie, 0, 0x3f800000, 0x3f800000, 1, 1, 1},
        {tie, 0, 0x3f800000, 0x3f800002, 1, 0, 0},
        {tie, -0x1p-17 * ulp, 0x3f800000, 0x3f800001, 1, 1, 1},
        {tie, -0x1p-15 * ulp, 0x3f800000, 0x3f800001, 0, 0, 1},
        {tie, -0x1p-15 * ulp, 0x3f800000, 0x3f7fffff, 0, 0, 0},
        {1 + 0x1p-40, 0, 0x3f800000, 0x3f7fffff, 0, 0, 0},
        {1, -0x1p-60, 0x3f800000, 0x3f7fffff, 0, 0, 1},
        {-1, 0x1p-60, 0xbf800000, 0xbf7fffff, 0, 0, 1},
        {-1, 0x1p-60, 0xbf800000, 0x3f7fffff, 0, 0, 0},
        {0x1.ffffffp127 + 0x1p90, 0, 0x7f800000, 0x7f7fffff, 0, 0, 1},
        {1e-60, 0, 0, 1, 0, 0, 1},
        {1e-60, 0, 0, 0x80000001, 0, 0, 0},
        {-1e-60, 0, 0x80000000, 0, 0, 1, 1},
        {3 * 0x1p-150, 0, 2, 1, 1, 1, 1},
    };
    (void)state;
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        ug_measure m;
        row_init(&r, UG_F32, 1);
        if (table[i].head > 2) r.stats.abs_mean = 0x1p127;
        r.head[0] = table[i].head;
        r.tail[0] = table[i].tail;
        r.want[0] = table[i].want;
        set_bits(&r, 0, table[i].got);
        begin(&m, UG_F32);
        measure(&m, &r, 0);
        assert_int_equal(m.near_ties, table[i].near);
        assert_int_equal(m.not_exact, !table[i].exact);
        assert_int_equal(m.not_faithful, !table[i].faithful);
        assert_int_equal(passes(&m, "exact"), table[i].exact);
        assert_int_equal(passes(&m, "faithful"), table[i].faithful);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(elements_are_classed),
        cmocka_unit_test(infinity_has_the_same_allowance),
        cmocka_unit_test(parameters_that_are_not_finite_go_by_class),
        cmocka_unit_test(rows_that_are_not_finite_hold_no_finite_value),
        cmocka_unit_test(degenerate_rows_must_only_be_written),
        cmocka_unit_test(rows_out_of_range_are_left_to_explicit_limits),
        cmocka_unit_test(rows_that_beta_would_pass_are_no_evidence),
        cmocka_unit_test(narrow_outputs_can_hide_the_row_behind_beta),
        cmocka_unit_test(rows_past_all_conditioning_are_shown_only),
        cmocka_unit_test(near_ties_take_either_neighbour),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
