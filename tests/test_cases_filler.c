/* SPDX-License-Identifier: Apache-2.0 */
/* exactsum does what it is for: sums of x, and of squares about m, are the same in every order. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "cases/case.h"

enum { MOST = 131072 };
static float x[MOST];

static void load(const char *line, ug_case *c, int64_t row)
{
    ug_case_error error;
    char err[256];
    memset(&error, 0, sizeof error);
    if (ug_case_parse(line, c, &error)) fail_msg("%s: %s", line, error.text);
    assert_true(c->n <= MOST);
    assert_int_equal(ug_case_row(c, row, 1, x, err, sizeof err), 0);
}

/* In float: forward, backward, and every stride-th element first. */
static void check_sums(const char *line, int64_t n, float m, float want)
{
    float forward = 0, backward = 0, strided = 0, squares = 0, squares_back = 0;
    for (int64_t i = 0; i < n; i++) {
        forward += x[i];
        backward += x[n - 1 - i];
        squares += (x[i] - m) * (x[i] - m);
        squares_back += (x[n - 1 - i] - m) * (x[n - 1 - i] - m);
    }
    for (int64_t first = 0; first < 64; first++)
        for (int64_t i = first; i < n; i += 64) strided += x[i];
    if (forward != want || backward != want || strided != want)
        fail_msg("%s: sums %.9g, %.9g, %.9g, expected %.9g", line, forward, backward, strided,
                 want);
    if (squares != squares_back)
        fail_msg("%s: sums of squares %.9g and %.9g", line, squares, squares_back);
}

static void check_pairs(const char *line, int64_t n, float m)
{
    int varied = 0;
    for (int64_t i = 0; i + 1 < n; i += 2) {
        if (x[i] + x[i + 1] != 2 * m)
            fail_msg("%s: %.9g + %.9g at %lld, expected %.9g", line, x[i], x[i + 1], (long long)i,
                     2 * m);
        varied |= x[i] != m;
    }
    if (n % 2) assert_true(x[n - 1] == m);
    assert_true(varied || n < 4); /* the first pair of row 0 is (m, m) */
}

static void test_exact(void **state)
{
    const char *lines[] = {"layernorm rows=8 n=3 data=exactsum",
                           "layernorm rows=8 n=300 data=exactsum",
                           "layernorm rows=8 n=301 data=exactsum",
                           "layernorm rows=8 n=1024 data=exactsum",
                           "layernorm rows=8 n=65536 data=exactsum",
                           "layernorm dtype=f16 rows=8 n=300 data=exactsum",
                           "layernorm dtype=bf16 rows=8 n=768 data=exactsum"};
    (void)state;
    for (size_t k = 0; k < sizeof lines / sizeof *lines; k++)
        for (int64_t row = 0; row < 8; row++) {
            float m = 0.25f * (float)(1 << row % 7);
            ug_case c;
            load(lines[k], &c, row);
            check_pairs(lines[k], c.n, m);
            check_sums(lines[k], c.n, m, (float)c.n * m);
        }
}

/* Past 65536 float has no 3 bits left: mean 0, and about 4096 elements that are not 0. */
static void test_long(void **state)
{
    ug_case c;
    int64_t count = 0;
    (void)state;
    load("layernorm rows=1 n=131072 data=exactsum", &c, 0);
    check_pairs("131072", c.n, 0);
    check_sums("131072", c.n, 0, 0);
    for (int64_t i = 0; i < c.n; i++) count += x[i] != 0;
    assert_in_range(count, 3000, 5000);
}

static void test_powers(void **state)
{
    static float gamma[9], beta[9];
    const float want_gamma[] = {0.125f, 0.25f, 0.5f, 1, 2, 4, 8, 0.125f, 0.25f};
    const float want_beta[] = {-1, 0, 4, -8, 0, 32, -64, 0, 2}; /* times 1/512 */
    ug_case_error error;
    ug_case c;
    char err[256];
    (void)state;
    memset(&error, 0, sizeof error);
    assert_int_equal(ug_case_parse("layernorm n=9 gamma=powers beta=powers", &c, &error), 0);
    assert_int_equal(ug_case_gamma(&c, gamma, err, sizeof err), 0);
    assert_int_equal(ug_case_beta(&c, beta, err, sizeof err), 0);
    for (int i = 0; i < 9; i++) {
        assert_true(gamma[i] == want_gamma[i]);
        assert_true(beta[i] == want_beta[i] / 512);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_exact), cmocka_unit_test(test_long),
                                       cmocka_unit_test(test_powers)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
