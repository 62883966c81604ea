/* SPDX-License-Identifier: Apache-2.0 */
/* The suite `condition` separates: E[x^2] - mean^2 in float fails the gate `sound` on every
 * binary32 normal case with |mean| / std from 1e2 to 1e6 and n from 32 to 16384; two-pass and
 * Welford pass everything. Shown with plain emulations of the three algorithms in two orders. */
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

enum { THREADS = 256 };

typedef struct moments {
    float count, mean, m2;
} moments;

/* Element k of thread t, packs of `pack` elements dealt out in turn; -1 past the end. */
static int64_t element(int t, int64_t k, int pack, int64_t n)
{
    int64_t i = (k / pack * THREADS + t) * pack + k % pack;
    return i < n ? i : -1;
}

static int64_t chain(int pack, int64_t n) { return (n / (THREADS * pack) + 1) * pack; }

static float tree(float part[THREADS])
{
    for (int half = THREADS / 2; half; half /= 2)
        for (int t = 0; t < half; t++) part[t] += part[t + half];
    return part[0];
}

/* Sums of (x - shift) and of (x - shift)^2. */
static void sums(const float *x, int64_t n, int pack, float shift, float *sum, float *squares)
{
    float s[THREADS] = {0}, q[THREADS] = {0};
    for (int t = 0; t < THREADS; t++)
        for (int64_t k = 0; k < chain(pack, n); k++) {
            int64_t i = element(t, k, pack, n);
            float d;
            if (i < 0) continue;
            d = x[i] - shift;
            s[t] += d;
            q[t] = fmaf(d, d, q[t]);
        }
    *sum = tree(s);
    *squares = tree(q);
}

static moments merge(moments a, moments b)
{
    float n = a.count + b.count, d = b.mean - a.mean;
    if (b.count == 0) return a;
    if (a.count == 0) return b;
    return (moments){n, a.mean + d * (b.count / n), a.m2 + b.m2 + d * d * (a.count * b.count / n)};
}

static void welford(const float *x, int64_t n, int pack, float *mean, float *var)
{
    moments m[THREADS];
    memset(m, 0, sizeof m);
    for (int t = 0; t < THREADS; t++)
        for (int64_t k = 0; k < chain(pack, n); k++) {
            int64_t i = element(t, k, pack, n);
            float d;
            if (i < 0) continue;
            d = x[i] - m[t].mean;
            m[t].count += 1;
            m[t].mean += d / m[t].count;
            m[t].m2 = fmaf(d, x[i] - m[t].mean, m[t].m2);
        }
    for (int half = THREADS / 2; half; half /= 2)
        for (int t = 0; t < half; t++) m[t] = merge(m[t], m[t + half]);
    *mean = m[0].mean;
    *var = m[0].m2 / (float)n;
}

static void statistics(int algorithm, const float *x, int64_t n, int pack, float *mean, float *var)
{
    float sum, squares, rest;
    if (algorithm == UG_VAR_WELFORD) {
        welford(x, n, pack, mean, var);
        return;
    }
    sums(x, n, pack, 0, &sum, &squares);
    *mean = sum / (float)n;
    *var = fmaxf(squares / (float)n - *mean * *mean, 0);
    if (algorithm == UG_VAR_SUM2) return;
    sums(x, n, pack, *mean, &rest, &squares);
    *var = squares / (float)n;
}

typedef struct row {
    const float *x, *gamma, *beta;
    int64_t n;
    float eps;
    ug_dtype dtype;
    long double mean, abs_mean, var; /* 64-bit significands: exact enough up to kappa 1e8 */
} row;

static void exact_statistics(row *r)
{
    long double s = 0, a = 0, v = 0;
    for (int64_t i = 0; i < r->n; i++) s += r->x[i], a += fabsf(r->x[i]);
    r->mean = s / r->n;
    r->abs_mean = a / r->n;
    for (int64_t i = 0; i < r->n; i++) v += (r->x[i] - r->mean) * (r->x[i] - r->mean);
    r->var = v / r->n;
}

/* Largest |float result - y| / (u (|gamma| r (|x| + mean|x|) + |beta|)). */
static double cond_of(const row *r, int algorithm, int pack)
{
    long double rstd = 1 / sqrtl(r->var + r->eps), worst = 0;
    float mean, var, scale;
    statistics(algorithm, r->x, r->n, pack, &mean, &var);
    scale = 1.0f / sqrtf(var + r->eps);
    for (int64_t i = 0; i < r->n; i++) {
        long double g = r->gamma ? r->gamma[i] : 1, b = r->beta ? r->beta[i] : 0, y, unit, e;
        float got = fmaf((r->x[i] - mean) * scale, (float)g, (float)b);
        y = g * ((r->x[i] - r->mean) * rstd) + b;
        unit = 0x1p-24L * (fabsl(g) * rstd * (fabsf(r->x[i]) + r->abs_mean) + fabsl(b)) + 0x1p-149L;
        e = fabsl(got - y) / unit;
        if (!(e <= worst)) worst = e;
    }
    return (double)worst;
}

typedef struct tally {
    int normal_cases, sum2_missed, right_failed;
    double least_margin, most_of_limit;
} tally;

static int must_fail_sum2(const ug_case *c)
{
    double ratio = fabs(c->data.arg[0]) / c->data.arg[1];
    return c->dtype == UG_F32 && !strcmp(ug_gen_kind_at(c->data.kind)->name, "normal") &&
           c->data.arg[1] >= 0.0099 && ratio > 99 && ratio < 1.01e6 && c->n >= 32 && c->n <= 16384;
}

static void judge(const ug_case *c, row *r, float *x, tally *t)
{
    double limit = 8 + ceil((double)c->n / THREADS) / 4;
    double top[UG_VAR_COUNT][2] = {{0}};
    char text[UG_CASE_TEXT], err[256];
    for (int64_t k = 0; k < c->rows; k++) {
        double kappa;
        assert_int_equal(ug_case_row(c, k, 1, x, err, sizeof err), 0);
        exact_statistics(r);
        if (r->var + r->eps == 0) continue; /* 0/0: not judged */
        kappa = r->var > 0     ? (double)sqrtl(1 + r->mean * r->mean / r->var)
                : r->mean == 0 ? 1
                               : INFINITY;
        if (!(ceil((double)c->n / THREADS) * kappa <= 0x1p26)) continue;
        for (int a = UG_VAR_SUM2; a < UG_VAR_COUNT; a++)
            for (int p = 0; p < 2; p++) {
                double e = cond_of(r, a, p ? 4 : 1) / limit;
                if (!(e <= top[a][p])) top[a][p] = e;
            }
    }
    ug_case_format(c, text, sizeof text);
    for (int p = 0; p < 2; p++) {
        double right = fmax(top[UG_VAR_TWOPASS][p], top[UG_VAR_WELFORD][p]);
        t->most_of_limit = fmax(t->most_of_limit, right);
        if (!(right <= 1)) print_error("a right kernel reaches %g: %s\n", right, text);
        t->right_failed += !(right <= 1);
        if (!must_fail_sum2(c)) continue;
        t->normal_cases++;
        t->least_margin = fmin(t->least_margin, top[UG_VAR_SUM2][p]);
        if (!(top[UG_VAR_SUM2][p] > 1)) print_error("sum2 %g: %s\n", top[UG_VAR_SUM2][p], text);
        t->sum2_missed += !(top[UG_VAR_SUM2][p] > 1);
    }
}

static void the_suite_separates(void **state)
{
    tally t = {.least_margin = INFINITY};
    ug_case_list list = {0};
    ug_case_error e;
    (void)state;
    if (ug_suite_load("condition", "default", &list, &e)) fail_msg("%d: %s", e.line, e.text);
    for (size_t i = 0; i < list.count; i++) {
        const ug_case *c = &list.item[i];
        float *v = calloc((size_t)c->n * 3, sizeof *v);
        row r = {v, v + c->n, v + 2 * c->n, c->n, c->eps, c->dtype, 0, 0, 0};
        assert_non_null(v);
        if (ug_case_gamma(c, v + c->n, NULL, 0)) r.gamma = NULL;
        if (ug_case_beta(c, v + 2 * c->n, NULL, 0)) r.beta = NULL;
        judge(c, &r, v, &t);
        free(v);
    }
    print_message("%zu cases; sum2 must fail %d, least %.2f of the limit; right kernels at most "
                  "%.2f of it\n",
                  list.count, t.normal_cases, t.least_margin, t.most_of_limit);
    ug_case_list_free(&list);
    assert_true(t.normal_cases > 200);
    assert_int_equal(t.sum2_missed, 0);
    assert_int_equal(t.right_failed, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_suite_separates)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
