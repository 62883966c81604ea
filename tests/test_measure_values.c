/* SPDX-License-Identifier: Apache-2.0 */
/* Every metric on values whose answer is known by hand. */
#include "measure_fixture.h"

static row r;

/* Measures one element: exact value head + tail, correctly rounded bits `want`, answer `got`. */
static ug_measure one(ug_dtype t, double head, double tail, uint32_t want, uint32_t got)
{
    ug_measure m;
    ug_bound_model model = model_of(UG_VAR_UNKNOWN, 0, 0, 0);
    row_init(&r, t, 1);
    r.head[0] = head;
    r.tail[0] = tail;
    r.want[0] = want;
    set_bits(&r, 0, got);
    ug_measure_begin(&m, t, &model);
    measure(&m, &r, 0);
    return m;
}

static double value(const ug_measure *m, ug_metric k) { return m->regular.worst[k].value; }

/* J.-M. Muller's table of definitions: the Goldberg column. */
static void ulp_is_the_spacing_at_the_real_value(void **state)
{
    const struct {
        ug_dtype t;
        double head, tail;
        uint32_t want, got;
        double ulp;
    } table[] = {
        {UG_F32, 1, 0, 0x3f800000, 0x3f800001, 1},
        {UG_F32, 1, 0, 0x3f800000, 0x3f7fffff, 0.5},
        {UG_F32, 1, -0x1p-60, 0x3f800000, 0x3f800001, 2},
        {UG_F32, -1, 0x1p-60, 0xbf800000, 0xbf800001, 2},
        {UG_F32, -1, -0x1p-60, 0xbf800000, 0xbf800001, 1},
        {UG_F32, 1 + 0x1p-27, 0, 0x3f800000, 0x3f7fffff, 0.5625},
        {UG_F32, 3 * 0x1p-149, 0, 3, 0, 3},
        {UG_F32, 0x1p-150, 0, 0, 1, 0.5},
        {UG_F32, 0, 0, 0, 1, 1},
        {UG_F32, 0x1.fffffep127, 0, 0x7f7fffff, 0x7f800000, 1},
        {UG_F32, 0x1p128, 0, 0x7f800000, 0x7f7fffff, 1},
        {UG_F32, 0x1p-126, 0, 0x00800000, 0x00800001, 1},
        {UG_F32, 0x1p-126, 0, 0x00800000, 0x007fffff, 1}, /* the same spacing below */
        {UG_F16, 1, 0, 0x3c00, 0x3c01, 1},
        {UG_F16, 1, 0, 0x3c00, 0x3bff, 0.5},
        {UG_F16, 3 * 0x1p-24, 0, 3, 0, 3},
        {UG_F16, 0x1p-14, 0, 0x0400, 0x03ff, 1},
        {UG_F16, 65504, 0, 0x7bff, 0x7c00, 1},
        {UG_F16, 1 + 0x1p-12, 0, 0x3c00, 0x3c00, 0.25},
        {UG_BF16, 1, 0, 0x3f80, 0x3f81, 1},
        {UG_BF16, 1, 0, 0x3f80, 0x3f7f, 0.5},
        {UG_BF16, 0x1.fep127, 0, 0x7f7f, 0x7f80, 1},
        {UG_BF16, 0x1p-133, 0, 1, 0, 1},
    };
    (void)state;
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        ug_measure m = one(table[i].t, table[i].head, table[i].tail, table[i].want, table[i].got);
        assert_near(value(&m, UG_M_ULP), table[i].ulp, 1e-9);
    }
}

/* 2^-60 beside 1 is below the spacing of doubles: only a pair keeps it. */
static void the_tail_of_the_exact_value_counts(void **state)
{
    ug_measure m = one(UG_F32, 1, 0x1p-60, 0x3f800000, 0x3f800000);
    (void)state;
    assert_true(value(&m, UG_M_ABS) == 0x1p-60);
    m = one(UG_F32, 1e-3f, 0x1p-70, ug_float_bits(1e-3f), ug_float_bits(1e-3f));
    assert_true(value(&m, UG_M_ABS) == 0x1p-70);
    m = one(UG_F32, 0x1p-60, 0, ug_float_bits(0x1p-60f), ug_float_bits(1));
    assert_near(value(&m, UG_M_ABS), 1, 0x1p-52);
}

/* gamma xhat = 1 + 2^-10 and beta = -1: y = 2^-10, the term's unit is the spacing at 2 + 2^-10. */
static void term_is_in_ulp_of_the_sum_of_magnitudes(void **state)
{
    ug_measure m;
    ug_bound_model model = model_of(UG_VAR_UNKNOWN, 0, 0, 0);
    (void)state;
    row_init(&r, UG_F32, 1);
    r.beta[0] = -1;
    r.in.beta = r.beta;
    r.head[0] = 0x1p-10;
    r.want[0] = ug_float_bits(0x1p-10f);
    set_bits(&r, 0, ug_float_bits(0x1p-10f + 0x1p-21f));
    ug_measure_begin(&m, UG_F32, &model);
    measure(&m, &r, 0);
    assert_true(value(&m, UG_M_TERM) == 2);
    assert_true(value(&m, UG_M_ULP) == 0x1p-21 / 0x1p-33);
}

/* |gamma| rstd (|x| + M1) + |beta| = 3 * 2 * (5 + 7) + 8 = 80. */
static void cond_is_in_u_of_what_the_operands_allow(void **state)
{
    ug_measure m;
    ug_bound_model model = model_of(UG_VAR_UNKNOWN, 0, 0, 0);
    (void)state;
    row_init(&r, UG_F32, 1);
    r.x[0] = -5;
    r.gamma[0] = -3;
    r.beta[0] = -8;
    r.in.gamma = r.gamma;
    r.in.beta = r.beta;
    r.stats.rstd = 2;
    r.stats.abs_mean = 7;
    r.head[0] = 1;
    r.want[0] = ug_float_bits(1);
    set_bits(&r, 0, ug_float_bits(1 + 40 * 0x1p-22f));
    ug_measure_begin(&m, UG_F32, &model);
    measure(&m, &r, 0);
    assert_near(value(&m, UG_M_COND), 40 * 4 / 80.0, 1e-12);
}

static void nothing_over_nothing_is_nothing(void **state)
{
    ug_measure m;
    ug_bound_model model = model_of(UG_VAR_TWOPASS, 1, 1, 0);
    (void)state;
    row_init(&r, UG_F32, 1);
    r.stats = (ug_row_stats){.n = 1, .eps = 1, .rstd = 1, .kappa = 1};
    ug_measure_begin(&m, UG_F32, &model);
    measure(&m, &r, 0);
    for (int k = 0; k < UG_M_COUNT; k++) assert_true(value(&m, (ug_metric)k) == 0);
    assert_true(m.regular.row_err == 0);
    assert_true(ug_measure_nmse(&m.regular) == 0);
}

/* y in the middle between two halves: either is a rounding of a float within the bound, one more
 * step is an error of one spacing and a half less the half that rounding may take. */
static void output_rounding_is_taken_off_once(void **state)
{
    const double y = 1 + 3 * 0x1p-11, scale = 2 * 0x1p-24; /* x 0, M1 1... x below */
    ug_measure m;
    (void)state;
    m = one(UG_F16, y, 0, 0x3c02, 0x3c01);
    assert_true(value(&m, UG_M_COND) == 0);
    m = one(UG_F16, y, 0, 0x3c02, 0x3c02);
    assert_true(value(&m, UG_M_COND) == 0);
    m = one(UG_F16, y, 0, 0x3c02, 0x3c03);
    assert_near(value(&m, UG_M_COND), 0x1p-10 / (scale / 2), 1e-6);
    m = one(UG_BF16, 1 + 3 * 0x1p-8, 0, 0x3f82, 0x3f81);
    assert_true(value(&m, UG_M_COND) == 0);
    /* Half a spacing below 2^k is a quarter of the spacing from 2^k on. A float within the allowed
     * 8.25 units of 2 - 2^-23 may lie past 2, where rounding takes the larger half. */
    m = one(UG_F16, 2 - 0x1p-23, 0, 0x4000, 0x4001);
    assert_near(value(&m, UG_M_COND), (0x1p-9 + 0x1p-23 - 0x1p-10) / (scale / 2), 1e-6);
    m = one(UG_F16, 2 - 0x1p-15, 0, 0x4000, 0x4001);
    assert_near(value(&m, UG_M_COND), (0x1p-9 + 0x1p-15 - 0x1p-11) / (scale / 2), 1e-6);
}

/* xhat = 1 + 2^-11 + 2^-20 goes to 1 + 2^-10 in f16, and 64 times it lies a whole spacing from y:
 * right for a kernel that says so, 2^-5 - 2^-14 less half a spacing too far for one that does not.
 */
static void a_declared_rounding_before_gamma_is_taken_off(void **state)
{
    const double xhat = 1 + 0x1p-11 + 0x1p-20;
    (void)state;
    for (int declared = 0; declared < 2; declared++) {
        ug_measure m;
        ug_bound_model model = model_of(UG_VAR_UNKNOWN, 0, 0, 0);
        row_init(&r, UG_F16, 1);
        r.in.gamma = r.gamma;
        r.in.beta = r.beta;
        r.gamma[0] = 64;
        r.beta[0] = -63;
        r.x[0] = (float)xhat;
        r.head[0] = 64 * xhat - 63;
        r.want[0] = bits_of(UG_F16, (float)r.head[0]);
        set_bits(&r, 0, bits_of(UG_F16, 64 * (1 + 0x1p-10f) - 63));
        ug_measure_begin(&m, UG_F16, &model);
        m.rounding = declared ? UG_ROUND_BEFORE_AFFINE : UG_ROUND_ONCE;
        measure(&m, &r, 0);
        if (declared)
            assert_true(value(&m, UG_M_COND) == 0);
        else
            assert_true(value(&m, UG_M_COND) > 1000);
    }
}

static void histogram_bins_end_at_powers_of_two(void **state)
{
    /* y = 0: the spacing is 2^-149, so got's bits are its error in ulp. */
    const struct {
        uint32_t got;
        int bin;
    } table[] = {{0, 0},         {1, 1},          {2, 2}, {3, 3},         {4, 3},
                 {5, 4},         {8, 4},          {9, 5}, {1u << 21, 22}, {(1u << 21) + 1, 23},
                 {1u << 23, 23}, {0x3f800000, 23}};
    (void)state;
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        ug_measure m = one(UG_F32, 0, 0, 0, table[i].got);
        assert_int_equal(m.hist[table[i].bin], 1);
    }
    ug_measure m = one(UG_F32, 0x1p-150, 0, 0, 0); /* half an ulp: the first bin */
    assert_int_equal(m.hist[0], 1);
}

static void case_totals_add_up(void **state)
{
    static const float got[4] = {1, -2, 4.5f, 0};
    ug_measure m;
    ug_bound_model model = model_of(UG_VAR_UNKNOWN, 0, 0, 0);
    (void)state;
    row_init(&r, UG_F32, 4);
    for (int i = 0; i < 4; i++) {
        static const double y[4] = {1, -2, 4, 0};
        r.head[i] = y[i];
        r.want[i] = ug_float_bits((float)y[i]);
        set_bits(&r, i, ug_float_bits(got[i]));
    }
    set_bits(&r, 3, 0x80000000); /* -0 is as right as 0 */
    ug_measure_begin(&m, UG_F32, &model);
    measure(&m, &r, 7);
    assert_int_equal(m.elements, 4);
    assert_int_equal(m.correctly_rounded, 3);
    assert_true(m.sum_ulp == 0.5 / 0x1p-21);
    assert_near(ug_measure_nmse(&m.regular), 0.25 / 21, 1e-15);
    assert_near(m.regular.row_err, 0.5 / (4 * 0x1p-24), 1e-6);
    assert_int_equal(m.regular.worst[UG_M_ABS].row, 7);
    assert_int_equal(m.regular.worst[UG_M_ABS].col, 2);
    assert_true(m.regular.worst[UG_M_ABS].want == 4 && m.regular.worst[UG_M_ABS].got == 4.5);
}

static void yardstick_distance_is_in_spacings_at_the_exact_value(void **state)
{
    ug_measure m;
    ug_bound_model model = model_of(UG_VAR_UNKNOWN, 0, 0, 0);
    float other[2] = {1 + 0x1p-20f, 4};
    (void)state;
    row_init(&r, UG_F32, 2);
    r.head[0] = 1;
    r.head[1] = 4;
    r.want[0] = ug_float_bits(1);
    r.want[1] = ug_float_bits(4);
    set_bits(&r, 0, ug_float_bits(1 - 0x1p-20f));
    set_bits(&r, 1, ug_float_bits(4 + 0x1p-19f));
    ug_measure_begin(&m, UG_F32, &model);
    assert_true(m.vs_abs == -1 && m.vs_ulp == -1);
    ug_measure_row(&m, 0, &r.in, &r.stats, &r.truth, &r.y, (uint32_t)POISON, NULL, NULL, other);
    assert_true(m.vs_abs == 0x1p-19 && m.vs_ulp == 16);
    other[0] = NAN;
    ug_measure_row(&m, 0, &r.in, &r.stats, &r.truth, &r.y, (uint32_t)POISON, NULL, NULL, other);
    assert_true(m.vs_abs == INFINITY && m.vs_ulp == INFINITY);
}

static void statistics_are_measured_in_their_own_units(void **state)
{
    ug_measure m;
    ug_bound_model model = model_of(UG_VAR_UNKNOWN, 0, 0, 0);
    float mean = 100 + 0x1p-10f, rstd = 0.5f + 0x1p-20f;
    (void)state;
    row_init(&r, UG_F32, 1);
    r.stats.mean = 100;
    r.stats.abs_mean = 128;
    r.stats.var = 4;
    r.stats.rstd = 0.5;
    r.stats.dev_max = 4;
    r.stats.x_max = 104;
    ug_measure_begin(&m, UG_F32, &model);
    ug_measure_row(&m, 0, &r.in, &r.stats, &r.truth, &r.y, (uint32_t)POISON, &mean, &rstd, NULL);
    assert_true(m.mean_err == 0x1p-10 / (128 * 0x1p-24));
    assert_true(m.rstd_err == 0x1p-20 / (0.5 * 0x1p-24));
    assert_near(m.var_err, (4 - 1 / ((double)rstd * rstd)) / (4 * 0x1p-24), 1e-3);
    assert_int_equal(m.stats_unsound, 1); /* mean_err is 128 where 8.25 is allowed */
    rstd = NAN;
    ug_measure_row(&m, 1, &r.in, &r.stats, &r.truth, &r.y, (uint32_t)POISON, NULL, &rstd, NULL);
    assert_true(m.rstd_err == INFINITY);
    assert_int_equal(m.stats_unsound, 2);
    assert_int_equal(m.stats_bad, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ulp_is_the_spacing_at_the_real_value),
        cmocka_unit_test(the_tail_of_the_exact_value_counts),
        cmocka_unit_test(term_is_in_ulp_of_the_sum_of_magnitudes),
        cmocka_unit_test(cond_is_in_u_of_what_the_operands_allow),
        cmocka_unit_test(nothing_over_nothing_is_nothing),
        cmocka_unit_test(output_rounding_is_taken_off_once),
        cmocka_unit_test(a_declared_rounding_before_gamma_is_taken_off),
        cmocka_unit_test(histogram_bins_end_at_powers_of_two),
        cmocka_unit_test(case_totals_add_up),
        cmocka_unit_test(yardstick_distance_is_in_spacings_at_the_exact_value),
        cmocka_unit_test(statistics_are_measured_in_their_own_units),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
