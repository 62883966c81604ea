/* SPDX-License-Identifier: Apache-2.0 */
/* Philox and the generators: known answers, moments, independence of rows, bits that never change.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cases/generate.h"
#include "ulpgate/dtype.h"

/* Rows of the case, one behind the other; the caller frees. */
static float *values_of(const char *line, ug_case *c)
{
    ug_case_error e;
    char err[512];
    float *x;
    if (ug_case_parse(line, c, &e)) fail_msg("%s: column %d: %s", line, e.column, e.text);
    x = calloc((size_t)(c->rows * c->n + 1), sizeof *x);
    assert_non_null(x);
    for (int64_t r = 0; r < c->rows; r++)
        if (ug_case_row(c, r, 1, x + r * c->n, err, sizeof err)) fail_msg("%s: %s", line, err);
    return x;
}

/* Random123's kat_vectors, philox4x32 with 10 rounds. */
static void philox_gives_the_published_answers(void **state)
{
    static const struct {
        uint32_t counter[4], key[2], want[4];
    } table[] = {
        {{0, 0, 0, 0}, {0, 0}, {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}},
        {{~0u, ~0u, ~0u, ~0u}, {~0u, ~0u}, {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}},
        {{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344},
         {0xa4093822, 0x299f31d0},
         {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}},
    };
    (void)state;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        ug_philox counter, got;
        memcpy(counter.v, table[i].counter, sizeof counter.v);
        got = ug_philox4x32(counter, table[i].key[0], table[i].key[1]);
        assert_memory_equal(got.v, table[i].want, sizeof got.v);
    }
}

/* Upper tail of the normal distribution. */
static double upper_tail(double z) { return 0.5 * erfc(z / sqrt(2)); }

/* The map from bits is the inverse distribution function: each probability must give the z whose
 * tail it is, to what linear interpolation between 16 nodes an octave leaves. */
static void normal_map_inverts_the_distribution(void **state)
{
    (void)state;
    for (int octave = 1; octave < 32; octave++)
        for (int step = 0; step < 64; step++) {
            double p = ldexp(1 + (step + 0.5) / 64, -octave - 1);
            uint64_t m = (uint64_t)ldexp(p, 64);
            double z = (double)ug_normal_from_bits(m << 1 | 1) * 0x1p-27;
            assert_true(fabs(upper_tail(z) / p - 1) < 1.5e-3);
            assert_int_equal(ug_normal_from_bits(m << 1), -ug_normal_from_bits(m << 1 | 1));
        }
    assert_true(llabs(ug_normal_from_bits(0)) < (int64_t)(6.5 * 0x1p27));
    assert_true(llabs(ug_normal_from_bits(0)) > (int64_t)(6.2 * 0x1p27));
}

static void check_moments(const char *line, double mean, double std, double kurtosis, double slack)
{
    ug_case c;
    float *x = values_of(line, &c);
    double count = (double)(c.rows * c.n), m = 0, v = 0, k = 0;
    for (int64_t i = 0; i < c.rows * c.n; i++) m += x[i];
    m /= count;
    for (int64_t i = 0; i < c.rows * c.n; i++) {
        double d = (x[i] - m) * (x[i] - m);
        v += d;
        k += d * d;
    }
    v /= count;
    k = v > 0 ? k / count / (v * v) : 0;
    free(x);
    if (!(fabs(m - mean) <= 5 * std / sqrt(count) + 1e-9) ||
        !(fabs(sqrt(v) / (std > 0 ? std : 1) - (std > 0)) <= 0.01) ||
        !(fabs(k - kurtosis) <= slack))
        fail_msg("%s: mean %.9g std %.9g kurtosis %.9g", line, m, sqrt(v), k);
}

static void generators_have_their_moments(void **state)
{
    (void)state;
    check_moments("layernorm rows=64 n=4096", 0, 1, 3, 0.06);
    check_moments("layernorm rows=64 n=4096 data=normal(mean=-30,std=0.5) seed=9", -30, 0.5, 3,
                  0.06);
    check_moments("layernorm rows=64 n=4096 data=uniform(lo=-1,hi=3)", 1, 4 / sqrt(12), 1.8, 0.02);
    check_moments("layernorm rows=64 n=4096 data=two(a=-1,b=1)", 0, 1, 1, 0.01);
    check_moments("layernorm rows=64 n=4096 data=integers(lo=0,hi=9)", 4.5, sqrt(99 / 12.), 1.7758,
                  0.02);
    check_moments("layernorm rows=2 n=100 data=alternating(a=3,b=5)", 4, 1, 1, 0);
    check_moments("layernorm rows=2 n=100 data=constant(c=2.5)", 2.5, 0, 0, 0);
    check_moments("layernorm rows=1 n=1000 data=ramp(start=1,step=2)", 1000, 2 * sqrt(999999 / 12.),
                  1.8, 0.001);
}

static void heavy_spiky_and_scales_keep_their_promises(void **state)
{
    ug_case c;
    float *x = values_of("layernorm rows=64 n=4096 data=heavy", &c);
    int64_t beyond = 0, spikes = 0;
    (void)state;
    /* P(|x| > 64) = sum over g of 2^-(g+1) P(|z| > 2^(6-g)), 0.008992 for the cap of 12 */
    for (int64_t i = 0; i < c.rows * c.n; i++) beyond += fabsf(x[i]) > 64;
    assert_in_range(beyond, 2114, 2600);
    free(x);
    x = values_of("layernorm rows=64 n=4096 data=spiky(share=0.01,height=1e4)", &c);
    for (int64_t r = 0; r < c.rows; r++) {
        int64_t here = 0;
        for (int64_t i = 0; i < c.n; i++) here += fabsf(x[r * c.n + i]) == 1e4f;
        assert_true(here >= 1);
        spikes += here;
    }
    assert_in_range(spikes, 2400, 2950);
    free(x);
    x = values_of("layernorm rows=4 n=4096 data=scales(low=-140,high=-120)", &c);
    for (int64_t i = 0; i < c.rows * c.n; i++)
        assert_true(fabsf(x[i]) >= 0x1p-140f && fabsf(x[i]) <= 0x1p-119f);
    free(x);
}

static void one_element_is_off_as_asked(void **state)
{
    ug_case c;
    float *x = values_of("layernorm rows=1 n=9 data=almost(c=1234,ulps=1,at=last)", &c);
    (void)state;
    assert_true(x[0] == 1234 && x[7] == 1234 && x[8] == nextafterf(1234, 2000));
    free(x);
    x = values_of("layernorm rows=1 n=9 dtype=bf16 data=almost(c=-1,ulps=1)", &c);
    assert_true(x[3] == -1 && x[4] == -1 + 0x1p-8f);
    free(x);
    x = values_of("layernorm rows=1 n=9 dtype=f16 data=almost(c=0,ulps=-1,at=0)", &c);
    assert_true(x[1] == 0 && x[0] == -0x1p-24f);
    free(x);
    x = values_of("layernorm rows=1 n=9 data=almost(c=1,delta=0.5,at=first)", &c);
    assert_true(x[0] == 1.5f && x[1] == 1);
    free(x);
}

static void special_values_lie_where_they_should(void **state)
{
    ug_case c;
    float *x = values_of("layernorm rows=2 n=7 data=constant special=-inf@tail+nan@middle+2@first"
                         " specialrow=1",
                         &c);
    (void)state;
    for (int i = 0; i < 7; i++) assert_true(x[i] == 1);
    assert_true(x[7] == 2 && x[8] == 1 && x[9] == 1 && isnan(x[10]));
    for (int i = 11; i < 14; i++) assert_true(x[i] == -INFINITY);
    free(x);
    x = values_of("layernorm rows=1 n=8 dtype=f16 data=constant special=max@all+-0@tail", &c);
    for (int i = 0; i < 7; i++) assert_true(x[i] == 65504);
    assert_true(x[7] == 0 && signbit(x[7]));
    assert_int_equal(ug_case_row(&c, 0, 0, x, NULL, 0), 0);
    for (int i = 0; i < 8; i++) assert_true(x[i] == 1);
    free(x);
}

static void narrows_once(void **state)
{
    uint64_t s = 5;
    (void)state;
    /* 1 + 2^-11 + 2^-40 lies above the midpoint of 1 and 1 + 2^-10; binary32 first would tie to 1
     */
    assert_true(ug_narrow(UG_F16, 1 + 0x1p-11 + 0x1p-40) == 1 + 0x1p-10f);
    assert_true(ug_narrow(UG_BF16, 1 + 0x1p-8 + 0x1p-40) == 1 + 0x1p-7f);
    assert_true(ug_narrow(UG_BF16, 1 + 0x1p-8 - 0x1p-40) == 1);
    assert_true(ug_narrow(UG_F16, 0x1p-25 + 0x1p-60) == 0x1p-24f);
    assert_true(ug_narrow(UG_F16, 65519.999999999) == 65504);
    assert_true(isinf(ug_narrow(UG_BF16, 1e300)) && isinf(ug_narrow(UG_F32, -1e300)));
    assert_true(isnan(ug_narrow(UG_F16, NAN)));
    /* nearest: no neighbour in the type is closer */
    for (int i = 0; i < 100000; i++) {
        double v;
        float got, step;
        s = s * 6364136223846793005u + 1442695040888963407u;
        v = ldexp((double)(int64_t)s * 0x1p-63, (int)(s >> 20 & 15) - 8);
        got = ug_narrow(UG_F16, v);
        step = ug_f16_to_float((uint16_t)(ug_float_to_f16(got) + 1));
        assert_true(fabs(got - v) <= fabs(step - v));
        step = ug_f16_to_float((uint16_t)(ug_float_to_f16(got) - 1));
        assert_true(fabs(got - v) <= fabs(step - v));
    }
}

static void rows_stand_alone(void **state)
{
    static const char *const lines[] = {
        "layernorm rows=5 n=1300 data=normal(vary=1) seed=3",
        "layernorm rows=5 n=1300 dtype=bf16 data=spiky(share=0.1) seed=3",
        "layernorm rows=5 n=200 data=nist(lew)"};
    (void)state;
    for (size_t k = 0; k < sizeof lines / sizeof *lines; k++) {
        ug_case c;
        float *x = values_of(lines[k], &c), *alone = calloc((size_t)c.n, sizeof *alone);
        char err[256];
        assert_non_null(alone);
        c.rows = 100000;
        for (int64_t r = 4; r >= 0; r--) {
            assert_int_equal(ug_case_row(&c, r, 1, alone, err, sizeof err), 0);
            assert_memory_equal(alone, x + r * c.n, (size_t)c.n * sizeof *alone);
            if (r) assert_memory_not_equal(alone, x, (size_t)c.n * sizeof *alone);
        }
        free(alone);
        free(x);
    }
}

static void a_row_stride_of_zero_repeats_the_row(void **state)
{
    ug_case c;
    float *x = values_of("layernorm rows=3 n=50 xstride=0 special=nan@3", &c);
    (void)state;
    assert_true(isnan(x[3]) && isnan(x[53]));
    assert_memory_equal(x, x + 50, 50 * sizeof *x);
    free(x);
}

static uint64_t digest(const float *x, size_t count, uint64_t hash)
{
    for (size_t i = 0; i < count; i++) hash = (hash ^ ug_float_bits(x[i])) * 0x100000001b3u;
    return hash;
}

/* Computed once, with gcc 12 on x86-64: every compiler and machine must come to the same bits. */
/* With a period the values are those of the short case, again and again. */
static void periods_repeat_rows_and_columns(void **state)
{
    ug_case c, plain;
    char err[256];
    float gamma[60], want[20];
    float *x = values_of("layernorm dtype=f16 rows=11 n=60 rowperiod=4 colperiod=20"
                         " data=spiky(share=0.1) beta=none",
                         &c);
    float *y = values_of("layernorm dtype=f16 rows=4 n=20 data=spiky(share=0.1)", &plain);
    (void)state;
    for (int64_t r = 0; r < 11; r++)
        for (int64_t i = 0; i < 60; i++) assert_true(x[r * 60 + i] == y[r % 4 * 20 + i % 20]);
    assert_int_equal(ug_case_gamma(&c, gamma, err, sizeof err), 0);
    assert_int_equal(ug_case_gamma(&plain, want, err, sizeof err), 0);
    for (int64_t i = 0; i < 60; i++) assert_true(gamma[i] == want[i % 20]);
    assert_int_equal(ug_case_beta(&c, gamma, err, sizeof err), 1);
    free(x);
    free(y);
}

static void bits_never_change(void **state)
{
    static const struct {
        const char *line;
        uint64_t want;
    } table[] = {
#include "cases_digests.inc"
    };
    int wrong = 0;
    (void)state;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        ug_case c;
        float *x = values_of(table[i].line, &c);
        uint64_t got = digest(x, (size_t)(c.rows * c.n), 0xcbf29ce484222325u);
        if (!ug_case_gamma(&c, x, NULL, 0)) got = digest(x, (size_t)c.n, got);
        if (!ug_case_beta(&c, x, NULL, 0)) got = digest(x, (size_t)c.n, got);
        free(x);
        if (got == table[i].want) continue;
        print_error("{\"%s\", 0x%016llx},\n", table[i].line, (unsigned long long)got);
        wrong++;
    }
    assert_int_equal(wrong, 0);
}

static void parameters_lie_in_their_ranges(void **state)
{
    static const struct {
        const char *gamma;
        float low, high;
        int signs;
    } table[] = {{"random", 0.5f, 1.5f, 0}, {"negative", -1.5f, -0.5f, 0}, {"large", 64, 256, 1}};
    float g[2000];
    ug_case c;
    ug_case_error e;
    (void)state;
    for (size_t k = 0; k < sizeof table / sizeof *table; k++) {
        char line[100];
        double mean = 0;
        snprintf(line, sizeof line, "layernorm n=2000 gamma=%s", table[k].gamma);
        assert_int_equal(ug_case_parse(line, &c, &e), 0);
        assert_int_equal(ug_case_gamma(&c, g, NULL, 0), 0);
        for (int i = 0; i < 2000; i++) {
            float v = table[k].signs ? fabsf(g[i]) : g[i];
            assert_true(v >= table[k].low && v <= table[k].high);
            mean += v / 2000;
        }
        assert_true(fabs(mean / ((table[k].low + table[k].high) / 2) - 1) < 0.05);
    }
    assert_int_equal(ug_case_beta(&c, g, NULL, 0), 0);
    for (int i = 0; i < 2000; i++) assert_true(g[i] >= -1 && g[i] < 1);
    assert_int_equal(ug_case_parse("layernorm gamma=none", &c, &e), 0);
    assert_int_equal(ug_case_gamma(&c, g, NULL, 0), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(philox_gives_the_published_answers),
        cmocka_unit_test(normal_map_inverts_the_distribution),
        cmocka_unit_test(generators_have_their_moments),
        cmocka_unit_test(heavy_spiky_and_scales_keep_their_promises),
        cmocka_unit_test(one_element_is_off_as_asked),
        cmocka_unit_test(special_values_lie_where_they_should),
        cmocka_unit_test(narrows_once),
        cmocka_unit_test(rows_stand_alone),
        cmocka_unit_test(a_row_stride_of_zero_repeats_the_row),
        cmocka_unit_test(periods_repeat_rows_and_columns),
        cmocka_unit_test(bits_never_change),
        cmocka_unit_test(parameters_lie_in_their_ranges),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
