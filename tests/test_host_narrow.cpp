/* SPDX-License-Identifier: Apache-2.0 */
/* `exact` on 16-bit elements: doubles made of bits are what conversions make of them, and a look at
 * several results together lets none pass that is rounded another way than its double, or within
 * the bound of exact_quick.cuh of being so. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

extern "C" {
#include <cmocka.h>
}
#include <math.h>
#include <string.h>

#include "cuda/exact_rows.cuh"
#include "cuda/variances/exact.cuh"
#include "host_rows.h"
#include "host_uniform.h"

template <typename T> static T of_bits(unsigned bits)
{
    const uint16_t word = (uint16_t)bits;
    T e;
    memcpy(&e, &word, sizeof e);
    return e;
}

template <typename T> static unsigned bits_of(T e)
{
    uint16_t word;
    memcpy(&word, &e, sizeof word);
    return word;
}

template <typename T> static void check_bits()
{
    int numbers = 0;
    for (unsigned bits = 0; bits < 0x10000; bits++) {
        const float x = ug_widen(of_bits<T>(bits));
        const double z = ug_far_below(__float_as_uint(x));
        if (!isfinite(x)) {
            assert_true(fabs(z) >= ldexp(1.0, 128 - 896));
            continue;
        }
        numbers++;
        assert_true(z == ldexp((double)x, -896) && signbit(z) == signbit(x));
        const float k = (float)(8 * uniform() - 4);
        assert_true(fma(z, 0x1p896, -(double)k) == (double)x - (double)k);
    }
    assert_true(numbers > 60000);
}

static void all_numbers(void **)
{
    check_bits<__half>();
    check_bits<__nv_bfloat16>();
}

/* E / u' with D = 19 and D2 = 18, written out anew; at most what the look stands by. */
static long double bound(long double theta, long double w, float gamma, float beta)
{
    const long double d = 19, d2 = 18, p2 = 1 + theta * theta, p = sqrtl(p2);
    const long double c = (d2 / 2 + 1) * p2 + (d + 1) * theta * p + theta * theta + 7;
    return c * (fabsl(w) + fabsl((long double)beta)) +
           ((d + 2) * p + 4 * theta) * fabsl((long double)gamma);
}

struct shot {
    double w;
    float gamma, beta;
    unsigned rounded; /* bits of what w is rounded to */
    bool open;        /* within E of a middle */
};

/* Near the middle of two normal numbers of T, or anywhere between them. */
template <typename T> static shot shoot(double theta, unsigned least, unsigned most)
{
    shot s;
    const unsigned below = least + (unsigned)(uniform() * (most - least));
    const double low = ug_widen(of_bits<T>(below)), high = ug_widen(of_bits<T>(below + 1));
    const double middle = (low + high) / 2, unit = (high - low) * ldexp(1, -40);
    const double far = floor(exp(28 * uniform())); /* up to 2^40 */
    const bool up = uniform() < 0.5;
    s.w = up ? fmin(middle + far * unit, high) : fmax(middle - far * unit, low);
    s.gamma = (float)((uniform() - 0.5) * s.w * exp(uniform() * 20 - 10));
    s.beta = (float)((uniform() - 0.5) * s.w * exp(uniform() * 20 - 10));
    s.gamma = fmaxf(-0x1p127f, fminf(s.gamma, 0x1p127f));
    s.beta = fmaxf(-0x1p127f, fminf(s.beta, 0x1p127f));
    s.rounded = up ? below + 1 : below;
    s.open = fabs(s.w - middle) <= 0x1p-53L * bound(theta, s.w, s.gamma, s.beta);
    if (uniform() < 0.5) {
        s.w = -s.w;
        s.rounded |= 0x8000;
    }
    return s;
}

template <typename T> static void check_look(unsigned least, unsigned most)
{
    int sure = 0, open = 0;
    ug_rows a = {};
    a.inverse = 1.0 / 64;
    for (int i = 0; i < 60000; i++) {
        const double theta = i % 3 ? 8 * uniform() : 0;
        const ug_quick_spread spread = {64.0, i % 2 ? theta : -theta, {19, 18}};
        const ug_quick_scale scale = ug_rstd(a, spread); /* r = 1 */
        const int count = 1 + i % 8;
        ug_narrow_look<T> look;
        float y[8];
        shot s[8];
        bool any = false;
        for (int k = 0; k < count; k++) {
            s[k] = shoot<T>(theta, least, most);
            y[k] = look.settle({s[k].w, scale.shift, s[k].gamma, s[k].beta, scale.per_look,
                                scale.relative, scale.depth});
            any |= s[k].open;
        }
        open += any;
        if (look.doubt(scale)) continue;
        sure++;
        assert_false(any);
        for (int k = 0; k < count; k++) {
            T out;
            ug_round(y[k], &out);
            assert_int_equal(bits_of(out), s[k].rounded);
        }
    }
    assert_in_range(sure, 1000, 59000);
    assert_in_range(open, 100, 59000);
}

static void halves(void **) { check_look<__half>(0x0400, 0x7bfe); }
static void bfloats(void **) { check_look<__nv_bfloat16>(0x0080, 0x7f7e); }

/* What is no normal number of the type has other middles: it is in doubt. */
template <typename T> static void check_small(unsigned least_normal)
{
    ug_rows a = {};
    a.inverse = 1.0 / 64;
    const ug_quick_spread spread = {64.0, 0.0, {19, 18}};
    const ug_quick_scale s = ug_rstd(a, spread);
    for (unsigned bits = 0; bits < least_normal; bits += 1 + bits / 16) {
        const double w = ug_widen(of_bits<T>(bits));
        ug_narrow_look<T> look;
        look.settle({w, s.shift, 0.0f, 0.0f, s.per_look, s.relative, s.depth});
        assert_true(look.doubt(s));
    }
}

static void subnormal(void **)
{
    check_small<__half>(0x0400);
    check_small<__nv_bfloat16>(0x0080);
}

constexpr int ROWS = 640, LENGTH = 1000;

/* Whether y is what the exact result is rounded to; what long double cannot tell passes. */
template <typename T> static bool right(T y, long double exact)
{
    const unsigned bits = bits_of(y), sign = bits & 0x8000;
    const long double at = ug_widen(y), slack = fabsl(exact) * 0x1p-55L + 0x1p-60L;
    if ((bits & 0x7fff) == 0) return fabsl(exact) <= 0x1p-24L;
    const long double more = ug_widen(of_bits<T>(bits + 1)), less = ug_widen(of_bits<T>(bits - 1));
    const long double out = (at + more) / 2, in = (at + less) / 2; /* away from 0, towards it */
    return sign ? exact >= out - slack && exact <= in + slack
                : exact <= out + slack && exact >= in - slack;
}

/* Enough elements that some lie where a float nearest to the result would be rounded another way:
 * these are all done again. Row 1 has an infinity, which the doubles made of its bits do not know;
 * row 2 is the same number throughout. */
template <typename T> static void check_kernel()
{
    alignas(16) static T x[ROWS * LENGTH], y[ROWS * LENGTH], gamma[LENGTH], beta[LENGTH];
    for (T &e : x) ug_round((float)(4 * uniform() - 2), &e);
    for (T &e : gamma) ug_round((float)(1 + uniform()), &e);
    for (T &e : beta) ug_round((float)(2 * uniform() - 1), &e);
    ug_round(INFINITY, &x[LENGTH + 700]);
    for (int i = 0; i < LENGTH; i++) ug_round(-3.5f, &x[2 * LENGTH + i]);
    ug_args args = {};
    args.threads = 1;
    const ug_plan plan = plain_plan();
    const ug_rows rows = plain_rows(x, y, gamma, beta, ROWS, LENGTH, 1e-5f);
    const ug_status status = ug_exact_hold<ug_exact, ug_exact_narrow<T, 32, 4>>(&args, plan, rows);
    assert_int_equal(status, UG_OK);
    for (int r = 0; r < ROWS; r++) {
        const T *const from = x + r * LENGTH;
        long double mean = 0, var = 0;
        for (int i = 0; i < LENGTH; i++) mean += ug_widen(from[i]);
        mean /= LENGTH;
        for (int i = 0; i < LENGTH; i++)
            var += (ug_widen(from[i]) - mean) * (ug_widen(from[i]) - mean);
        const long double rstd = 1 / sqrtl(var / LENGTH + rows.eps);
        for (int i = 0; i < LENGTH; i++) {
            const T out = y[r * LENGTH + i];
            const long double exact =
                (ug_widen(from[i]) - mean) * rstd * ug_widen(gamma[i]) + ug_widen(beta[i]);
            if (r == 1)
                assert_true(isnan(ug_widen(out)));
            else
                assert_true(right(out, exact));
        }
    }
}

static void half_rows(void **) { check_kernel<__half>(); }
static void bfloat_rows(void **) { check_kernel<__nv_bfloat16>(); }

int main()
{
    const CMUnitTest tests[] = {cmocka_unit_test(all_numbers), cmocka_unit_test(halves),
                                cmocka_unit_test(bfloats),     cmocka_unit_test(subnormal),
                                cmocka_unit_test(half_rows),   cmocka_unit_test(bfloat_rows)};
    return cmocka_run_group_tests(tests, nullptr, nullptr);
}
