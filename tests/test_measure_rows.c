/* SPDX-License-Identifier: Apache-2.0 */
/* Whole rows against the exact reference: right float kernels pass, wrong ones are caught.
 *
 * The kernels are written down step by step: 32 threads with strided serial sums, a tree of 5
 * levels, float arithmetic throughout, one rounding into the output type.
 */
#include "measure_fixture.h"

enum { T = 32 };

typedef enum fault {
    RIGHT,
    SUM2,
    ZERO,          /* y = beta */
    NO_EPS,        /* eps left out */
    BESSEL,        /* N - 1 */
    SHORT,         /* the last element left out of the statistics */
    HALF_SUMS,     /* the sum of squares kept in f16 */
    BETA_TWICE,    /* beta added again */
    GAMMA_SHIFTED, /* gamma of the next column */
    STATS_ONLY,    /* y right, mean and rstd handed out are not */
    ROUNDED_RSTD   /* rstd rounded to bf16 */
} fault;

static row r;
static void *reference;
static uint64_t seed;

static double uniform(void)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return ((double)(seed >> 11) + 0.5) * 0x1p-53;
}

static float normal(double mean, double std)
{
    return (float)(mean + std * sqrt(-2 * log(uniform())) * cos(6.283185307179586 * uniform()));
}

static float tree(float *part)
{
    for (int k = T / 2; k; k /= 2)
        for (int t = 0; t < k; t++) part[t] += part[t + k];
    return part[0];
}

static float sum(const float *x, int64_t n, float shift, int power, fault f)
{
    float part[T] = {0};
    for (int64_t i = 0; i < n; i++) {
        float d = x[i] - shift, term = power == 2 ? d * d : d;
        part[i % T] += term;
        if (f == HALF_SUMS && power == 2) part[i % T] = ug_round_to(UG_F16, part[i % T]);
    }
    return tree(part);
}

static void kernel(fault f)
{
    int64_t n = r.in.n, used = f == SHORT ? n - 1 : n;
    float m = sum(r.x, used, 0, 1, f) / (float)used, v, rstd;
    if (f == SUM2)
        v = fmaxf(sum(r.x, n, 0, 2, f) / (float)n - m * m, 0);
    else
        v = sum(r.x, used, m, 2, f) / (float)(f == BESSEL ? used - 1 : used);
    rstd = 1 / sqrtf(f == NO_EPS ? v : v + r.in.eps);
    if (f == ROUNDED_RSTD) rstd = ug_round_to(UG_BF16, rstd);
    for (int64_t i = 0; i < n; i++) {
        float g = r.gamma[f == GAMMA_SHIFTED ? (i + 1) % n : i], b = r.beta[i];
        float y = f == ZERO ? b : (r.x[i] - m) * rstd * g + b + (f == BETA_TWICE ? b : 0);
        set_bits(&r, i, bits_of(r.in.out, y));
    }
    r.mean = f == STATS_ONLY ? 0 : m;
    r.rstd = f == STATS_ONLY ? v : rstd;
}

static void draw(ug_dtype t, int64_t n, double mean, double std)
{
    row_init(&r, t, n);
    r.in.gamma = r.gamma;
    r.in.beta = r.beta;
    r.in.eps = 1e-5f;
    for (int64_t i = 0; i < n; i++) {
        r.x[i] = ug_round_to(t, normal(mean, std));
        r.gamma[i] = normal(1, 0.3);
        r.beta[i] = normal(0, 0.5);
    }
    assert_int_equal(ug_reference_find(NULL)->row(reference, &r.in, &r.truth, &r.stats), 0);
}

static void begin(ug_measure *m, ug_dtype t, ug_variance v, int64_t n)
{
    ug_bound_model model = model_of(v, T, (n + T - 1) / T, 5);
    ug_measure_begin(m, t, &model);
}

static void add_row(ug_measure *m, int64_t place)
{
    ug_measure_row(m, place, &r.in, &r.stats, &r.truth, &r.y, (uint32_t)POISON, &r.mean, &r.rstd,
                   NULL);
}

static ug_verdict judge(const ug_measure *m, const char *gate)
{
    ug_verdict v;
    char err[200];
    assert_int_equal(ug_gate_judge(gate, m, &v, err, sizeof err), 0);
    return v;
}

static const int64_t lengths[] = {1, 2, 5, 33, 255, 1023, 4096};

static void right_kernels_pass_bound_and_sound(void **state)
{
    static const double ratios[] = {0, 1, -30, 1e2, 1e3, 1e4, 1e6};
    (void)state;
    for (int t = 0; t < UG_DTYPE_COUNT; t++)
        for (size_t k = 0; k < sizeof lengths / sizeof lengths[0]; k++)
            for (size_t q = 0; q < sizeof ratios / sizeof ratios[0]; q++) {
                ug_measure m;
                ug_verdict v;
                if (t == UG_F16 && fabs(ratios[q]) > 1e4) continue;
                begin(&m, (ug_dtype)t, UG_VAR_TWOPASS, lengths[k]);
                for (int i = 0; i < 4; i++) {
                    draw((ug_dtype)t, lengths[k], ratios[q], 1);
                    kernel(RIGHT);
                    add_row(&m, i);
                }
                v = judge(&m, "bound,sound");
                if (!v.pass) print_error("%s\n", v.reasons[0]);
                assert_int_equal(v.pass, 1);
                assert_int_not_equal(v.bound_pass, 0);
                assert_int_not_equal(v.sound_pass, 0);
            }
}

static void sum2_at_a_thousand_is_right_and_unsound(void **state)
{
    (void)state;
    for (size_t k = 3; k < sizeof lengths / sizeof lengths[0]; k++) {
        ug_measure m;
        begin(&m, UG_F32, UG_VAR_SUM2, lengths[k]);
        for (int i = 0; i < 4; i++) {
            draw(UG_F32, lengths[k], 1e3, 1);
            kernel(SUM2);
            add_row(&m, i);
        }
        assert_int_equal(judge(&m, NULL).pass, 1);
        assert_int_equal(judge(&m, NULL).sound_pass, 0);
        assert_int_equal(judge(&m, "sound").pass, 0);
        assert_true(m.stats_unsound > 0 && m.stats_bad == 0);
    }
}

static void wrong_kernels_fail_both_gates(void **state)
{
    static const fault faults[] = {ZERO,       BESSEL,        SHORT,      HALF_SUMS,
                                   BETA_TWICE, GAMMA_SHIFTED, STATS_ONLY, ROUNDED_RSTD};
    (void)state;
    for (int t = 0; t < UG_DTYPE_COUNT; t++)
        for (size_t f = 0; f < sizeof faults / sizeof faults[0]; f++) {
            ug_measure m;
            begin(&m, (ug_dtype)t, UG_VAR_TWOPASS, 1023);
            draw((ug_dtype)t, 1023, 1, 1);
            kernel(faults[f]);
            add_row(&m, 0);
            assert_int_equal(judge(&m, "bound").pass, 0);
            assert_int_equal(judge(&m, "sound").pass, 0);
            assert_int_equal(m.blind, 0);
        }
}

/* A mean of subnormals is off by up to half their spacing, rstd (316 here) and gamma multiply that.
 */
static void right_kernels_pass_on_subnormal_rows(void **state)
{
    static const float gammas[] = {1e-3f, 1, 300, 1e6f};
    (void)state;
    for (size_t k = 1; k < sizeof lengths / sizeof lengths[0]; k++)
        for (size_t g = 0; g < sizeof gammas / sizeof gammas[0]; g++)
            for (int zero = 0; zero < 2; zero++) {
                ug_measure m;
                begin(&m, UG_F32, UG_VAR_TWOPASS, lengths[k]);
                for (int i = 0; i < 16; i++) {
                    draw(UG_F32, lengths[k], 0, zero ? 0x1p-130 : ldexp(1, i - 147));
                    for (int64_t c = 0; c < lengths[k]; c++) {
                        r.gamma[c] *= gammas[g];
                        r.beta[c] = 0;
                    }
                    assert_int_equal(
                        ug_reference_find(NULL)->row(reference, &r.in, &r.truth, &r.stats), 0);
                    kernel(zero ? ZERO : RIGHT);
                    if (!zero) add_row(&m, i);
                }
                if (zero) add_row(&m, 0);
                assert_int_equal(judge(&m, "bound").pass, !zero);
                assert_int_equal(judge(&m, "sound").pass, !zero);
            }
}

/* eps matters where the variance does not hide it. */
static void missing_eps_shows_on_small_variances(void **state)
{
    ug_measure m;
    (void)state;
    begin(&m, UG_F32, UG_VAR_TWOPASS, 255);
    draw(UG_F32, 255, 0, 0.01);
    kernel(NO_EPS);
    add_row(&m, 0);
    assert_int_equal(judge(&m, "bound").pass, 0);
    assert_int_equal(judge(&m, "sound").pass, 0);
}

/* One element moved by k times what a gate allows it, in its own direction of error. */
static void one_wrong_element_is_caught(void **state)
{
    static const double factors[] = {0.2, 1.2, 3, 1e3};
    (void)state;
    for (int t = 0; t < UG_DTYPE_COUNT; t++)
        for (size_t k = 0; k < sizeof factors / sizeof factors[0]; k++)
            for (int64_t i = 0; i < 255; i += 23)
                for (int g = 0; g < 2; g++) {
                    ug_measure m;
                    ug_row_bound bound;
                    double allowed, y, got, half;
                    draw((ug_dtype)t, 255, 3, 1);
                    kernel(RIGHT);
                    begin(&m, (ug_dtype)t, UG_VAR_TWOPASS, 255);
                    ug_bound_row(&m.model, &r.stats, &bound);
                    allowed = g ? ug_bound_element(&bound, r.x[i], r.gamma[i], r.beta[i], r.head[i])
                                : 10 * ug_cond_scale(&r.stats, r.x[i], r.gamma[i], r.beta[i]);
                    y = r.head[i];
                    /* c is 8: the limit of cond is 10. Past the allowance and a spacing for the
                     * rounding of y, got is wrong in every type. */
                    half = t == UG_F32 ? 0x1p-24 : t == UG_F16 ? 0x1p-11 : 0x1p-8;
                    got = y +
                          copysign(factors[k] * allowed + (factors[k] > 1 ? 2 : 0) * half * fabs(y),
                                   y);
                    set_bits(&r, i, bits_of((ug_dtype)t, (float)got));
                    add_row(&m, 0);
                    assert_int_equal(judge(&m, g ? "bound" : "sound").pass, factors[k] < 1);
                }
}

static void swapped_rows_are_caught(void **state)
{
    static row first;
    ug_measure m;
    (void)state;
    for (int t = 0; t < UG_DTYPE_COUNT; t++) {
        draw((ug_dtype)t, 33, 0, 1);
        kernel(RIGHT);
        first = r;
        draw((ug_dtype)t, 33, 0, 1);
        kernel(RIGHT);
        memcpy(&r.y, &first.y, sizeof r.y);
        begin(&m, (ug_dtype)t, UG_VAR_TWOPASS, 33);
        add_row(&m, 0);
        assert_int_equal(judge(&m, "bound").pass + judge(&m, "sound").pass, 0);
    }
}

/* Rows that zeros would pass are counted, and a case of nothing else is no evidence. */
static void zeros_on_a_constant_row_are_no_evidence(void **state)
{
    ug_measure m;
    (void)state;
    begin(&m, UG_F32, UG_VAR_TWOPASS, 33);
    draw(UG_F32, 33, 1e4, 0);
    r.in.gamma = r.in.beta = NULL;
    for (int i = 0; i < 33; i++) r.x[i] = i == 5 ? 1e4f + 0x1p-8f : 1e4f;
    assert_int_equal(ug_reference_find(NULL)->row(reference, &r.in, &r.truth, &r.stats), 0);
    for (int i = 0; i < 33; i++) set_bits(&r, i, 0);
    measure(&m, &r, 0);
    assert_int_equal(m.blind, 1);
    assert_int_equal(judge(&m, "sound").pass, 1);
    assert_int_equal(judge(&m, "sound").sound_pass, -1);
}

static int set_up(void **state)
{
    (void)state;
    reference = ug_reference_find(NULL)->create();
    return reference == NULL;
}

static int tear_down(void **state)
{
    (void)state;
    ug_reference_find(NULL)->destroy(reference);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(right_kernels_pass_bound_and_sound),
        cmocka_unit_test(right_kernels_pass_on_subnormal_rows),
        cmocka_unit_test(sum2_at_a_thousand_is_right_and_unsound),
        cmocka_unit_test(wrong_kernels_fail_both_gates),
        cmocka_unit_test(missing_eps_shows_on_small_variances),
        cmocka_unit_test(one_wrong_element_is_caught),
        cmocka_unit_test(swapped_rows_are_caught),
        cmocka_unit_test(zeros_on_a_constant_row_are_no_evidence),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
