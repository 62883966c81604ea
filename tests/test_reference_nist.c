/* SPDX-License-Identifier: Apache-2.0 */
/* Exact sums against the nine univariate sets of NIST's Statistical Reference Datasets.
 *
 * The data are decimals; scaled to integers they go through the exact sums, and mean and standard
 * deviation (denominator n - 1) must agree with the certified values in all 15 digits. Four sets
 * are files, five follow from their definition. (PiDigits is the first 5000 digits of pi except at
 * index 956, where NIST's file has 3 instead of 8.)
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "reference/row.h"

enum { MOST = 5000, BITS = 512 };

typedef struct nist {
    const char *file; /* NULL: generated */
    int scale;        /* decimals that the integers carry */
    const char *mean, *deviation;
    int n;
    int32_t k[MOST];
} nist;

static void assert_digits(const char *name, mpfr_ptr value, const char *certified)
{
    char got[64], expected[64];
    mpfr_t c;
    mpfr_init2(c, BITS);
    mpfr_set_str(c, certified, 10, MPFR_RNDN);
    mpfr_snprintf(got, sizeof got, "%.14RNe", value);
    mpfr_snprintf(expected, sizeof expected, "%.14RNe", c);
    if (strcmp(got, expected)) fail_msg("%s: %s, certified %s", name, got, expected);
    mpfr_clear(c);
}

static void check(const char *name, const nist *set)
{
    unsigned long n = (unsigned long)set->n;
    ug_exact_sums sums;
    mpfr_t v, scale;
    mpz_t z;
    ug_exact_sums_init(&sums);
    mpz_init(z);
    mpfr_inits2(BITS, v, scale, (mpfr_ptr)0);
    ug_exact_sums_of_integers(&sums, set->k, set->n);
    mpfr_ui_pow_ui(scale, 10, (unsigned long)set->scale, MPFR_RNDN);
    mpfr_set_z_2exp(v, sums.s1, -149, MPFR_RNDN);
    mpfr_div_ui(v, v, n, MPFR_RNDN);
    mpfr_div(v, v, scale, MPFR_RNDN);
    assert_digits(name, v, set->mean);
    mpz_mul_ui(z, sums.s2, n);
    mpz_submul(z, sums.s1, sums.s1);
    mpfr_set_z_2exp(v, z, -298, MPFR_RNDN);
    mpfr_div_ui(v, v, n, MPFR_RNDN);
    mpfr_div_ui(v, v, n - 1, MPFR_RNDN);
    mpfr_sqrt(v, v, MPFR_RNDN);
    mpfr_div(v, v, scale, MPFR_RNDN);
    assert_digits(name, v, set->deviation);
    mpfr_clears(v, scale, (mpfr_ptr)0);
    mpz_clear(z);
    ug_exact_sums_clear(&sums);
}

/* One decimal a line, '#' starts a comment line. */
static void read_file(nist *set)
{
    char path[512], line[256];
    FILE *in;
    snprintf(path, sizeof path, "%s/%s.txt", UG_NIST_DIR, set->file);
    in = fopen(path, "r");
    if (!in) fail_msg("%s: cannot be read", path);
    set->n = 0;
    while (fgets(line, sizeof line, in)) {
        char digits[64] = "", *p = line;
        int length = 0, decimals = -1;
        if (*p == '#' || *p == '\n') continue;
        for (; *p && *p != '\n' && length < 40; p++) {
            if (*p == '.')
                decimals = 0;
            else
                digits[length++] = *p, decimals += decimals >= 0;
        }
        for (decimals = decimals < 0 ? 0 : decimals; decimals < set->scale; decimals++)
            digits[length++] = '0';
        assert_in_range(set->n, 0, MOST - 1);
        set->k[set->n++] = (int32_t)strtol(digits, NULL, 10);
    }
    fclose(in);
}

static void test_files(void **unused)
{
    static nist sets[] = {
        {"lew", 0, "-177.435000000000", "277.332168044316", 0, {0}},
        {"lottery", 0, "518.958715596330", "291.699727470969", 0, {0}},
        {"mavro", 5, "2.00185600000000", "0.000429123454003053", 0, {0}},
        {"michelso", 2, "299.852400000000", "0.0790105478190518", 0, {0}},
    };
    static const int counts[] = {200, 218, 50, 100};
    (void)unused;
    for (int i = 0; i < 4; i++) {
        read_file(&sets[i]);
        assert_int_equal(sets[i].n, counts[i]);
        check(sets[i].file, &sets[i]);
    }
}

static void test_pi_digits(void **unused)
{
    static nist set = {NULL, 0, "4.53480000000000", "2.86733906028871", MOST, {0}};
    mpfr_exp_t exponent;
    mpfr_t pi;
    char *text;
    (void)unused;
    mpfr_init2(pi, 17000); /* 5000 digits are 16610 bits */
    mpfr_const_pi(pi, MPFR_RNDN);
    text = mpfr_get_str(NULL, &exponent, 10, MOST + 20, pi, MPFR_RNDZ);
    for (int i = 0; i < MOST; i++) set.k[i] = text[i] - '0';
    assert_int_equal(set.k[956], 8);
    set.k[956] = 3;
    check("pidigits", &set);
    mpfr_free_str(text);
    mpfr_clear(pi);
}

static void test_num_acc(void **unused)
{
    static nist one = {NULL, 0, "10000002", "1", 3, {10000001, 10000003, 10000002}};
    static nist more[] = {
        {NULL, 1, "1.2", "0.1", 1001, {12}},
        {NULL, 1, "1000000.2", "0.1", 1001, {10000002}},
        {NULL, 1, "10000000.2", "0.1", 1001, {100000002}},
    };
    (void)unused;
    check("numacc1", &one);
    for (int s = 0; s < 3; s++) {
        for (int i = 1; i < more[s].n; i++) more[s].k[i] = more[s].k[0] + (i % 2 ? -1 : 1);
        check("numacc2..4", &more[s]);
    }
}

/* Sets whose integers are floats give the same sums on the way that kernels' inputs take. */
static void test_floats(void **unused)
{
    static nist set = {"lottery", 0, "", "", 0, {0}};
    static float x[MOST];
    ug_exact_sums a, b;
    (void)unused;
    read_file(&set);
    for (int i = 0; i < set.n; i++) x[i] = (float)set.k[i];
    ug_exact_sums_init(&a);
    ug_exact_sums_init(&b);
    ug_exact_sums_of(&a, x, set.n);
    ug_exact_sums_of_integers(&b, set.k, set.n);
    assert_int_equal(mpz_cmp(a.s1, b.s1), 0);
    assert_int_equal(mpz_cmp(a.a1, b.a1), 0);
    assert_int_equal(mpz_cmp(a.s2, b.s2), 0);
    assert_true(a.min == b.min && a.max == b.max);
    ug_exact_sums_clear(&a);
    ug_exact_sums_clear(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_files),
        cmocka_unit_test(test_pi_digits),
        cmocka_unit_test(test_num_acc),
        cmocka_unit_test(test_floats),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
