/* SPDX-License-Identifier: Apache-2.0 */
/* Suite files: crosses, directives, errors; the suites that ship: budgets, coverage, families. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "cases/case.h"

static char folder[] = "/tmp/ulpgate-suite-XXXXXX";

static int make_folder(void **state)
{
    (void)state;
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
    char path[128];
    (void)state;
    for (int i = 0; i < 3; i++) {
        snprintf(path, sizeof path, "%s/%c.cases", folder, 'a' + i);
        unlink(path);
    }
    return rmdir(folder);
}

static void write_bytes(char name, const char *bytes, size_t count)
{
    char path[128];
    FILE *out;
    snprintf(path, sizeof path, "%s/%c.cases", folder, name);
    out = fopen(path, "w");
    assert_non_null(out);
    assert_int_equal(fwrite(bytes, 1, count, out), count);
    fclose(out);
}

static void write_file(char name, const char *text) { write_bytes(name, text, strlen(text)); }

static int load(const char *tier, ug_case_list *list, ug_case_error *e)
{
    char path[128];
    snprintf(path, sizeof path, "%s/a.cases", folder);
    return ug_suite_load(path, tier, list, e);
}

static void crosses_and_directives(void **state)
{
    static const char *const want[] = {"layernorm n=3 rows=1",
                                       "layernorm n=3 rows=2",
                                       "layernorm n=4 rows=1",
                                       "layernorm n=4 rows=2",
                                       "layernorm data=normal(mean=1,std=2) n=5",
                                       "layernorm data=uniform n=5",
                                       "layernorm n=6"};
    static const char *const family[] = {"F01", "F01", "F01", "F01", "F02", "F02", "F01"};
    ug_case_list list = {0};
    ug_case_error e;
    char text[UG_CASE_TEXT];
    (void)state;
    write_file('a', "# head\n\nfamily F01\ntier smoke\n  layernorm n={3,4} rows={1,2} # end\n"
                    "layernorm n=3 rows=1\ninclude b.cases\nlayernorm n=6\ntier full\n"
                    "layernorm n=7");
    write_file('b',
               "tier default\nfamily F02\nlayernorm n=5 data={normal(mean=1,std=2),uniform}\n");
    if (load("default", &list, &e)) fail_msg("%s:%d:%d: %s", e.file, e.line, e.column, e.text);
    assert_int_equal(list.count, 7);
    for (size_t i = 0; i < 7; i++) {
        ug_case_format(&list.item[i], text, sizeof text);
        assert_string_equal(text, want[i]);
        assert_string_equal(list.item[i].family, family[i]);
        assert_string_equal(list.item[i].suite, "a");
        assert_string_equal(list.item[i].tier, i == 4 || i == 5 ? "default" : "smoke");
    }
    /* again into the same list: nothing new but the wider tier's case */
    assert_int_equal(load("huge", &list, &e), 0);
    assert_int_equal(list.count, 8);
    ug_case_list_free(&list);
    assert_int_equal(load("smoke", &list, &e), 0);
    assert_int_equal(list.count, 5);
    ug_case_list_free(&list);
}

static void names_file_line_and_column(void **state)
{
    static const struct {
        const char *text;
        char file;
        int line, column;
        const char *word;
    } table[] = {
        {"layernorm n=3\nlayernorm  n={3,x4}\n", 'a', 2, 17, "'x4'"},
        {"layernorm n={3,4} rows={1,2} foo=1\n", 'a', 1, 30, "'foo'"},
        {"layernorm n={3,4\n", 'a', 1, 13, "without '}'"},
        {"layernorm n=3}\n", 'a', 1, 14, "without '{'"},
        {"layernorm n={3,{4}}\n", 'a', 1, 16, "inside"},
        {"tier fast\n", 'a', 1, 6, "'fast'"},
        {"tier\n", 'a', 1, 1, "needs"},
        {"\n  family 12\n", 'a', 2, 10, "'12'"},
        {"rmsnorm n=3\n", 'a', 1, 1, "'rmsnorm'"},
        {"include c.cases\n", 'c', 0, 0, "cannot open"},
        {"include b.cases\n", 'b', 2, 11, "unknown key"},
        {"tier full\nlayernorm n=y\n", 'a', 2, 13, "'y'"},
        {"layernorm n={1,2,3,4,5,6,7,8,9,10} rows={1,2,3,4,5,6,7,8,9,10} "
         "seed={1,2,3,4,5,6,7,8,9,10}"
         " xoffset={1,2,3,4,5,6,7,8,9,10} yoffset={1,2,3,4,5,6,7,8,9,10} batch={1,2}\n",
         'a', 1, 160, "100000"},
    };
    (void)state;
    write_file('b', "layernorm n=3\nlayernorm m=3\n");
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        ug_case_list list = {0};
        ug_case_error e;
        char path[128];
        write_file('a', table[i].text);
        snprintf(path, sizeof path, "%s/%c.cases", folder, table[i].file);
        if (!load("default", &list, &e)) fail_msg("passed: %s", table[i].text);
        if (strcmp(e.file, path) || e.line != table[i].line || e.column != table[i].column ||
            !strstr(e.text, table[i].word))
            fail_msg("%s -> %s:%d:%d: %s", table[i].text, e.file, e.line, e.column, e.text);
        assert_int_equal(list.count, 0);
        ug_case_list_free(&list);
    }
    write_file('a', "include a.cases\n");
    ug_case_list list = {0};
    ug_case_error e;
    assert_int_equal(load("default", &list, &e), -1);
    assert_non_null(strstr(e.text, "include each other"));
    assert_int_equal(load("tiny", &list, &e), -1);
    assert_int_equal(ug_suite_load("nosuch", "default", &list, &e), -1);
    ug_case_list_free(&list);
}

/* A byte 0, in a line and in the last one, which nothing ends; lines of as many bytes as they may
 * have, and of one more. */
static void lines_are_text(void **state)
{
    static const char within[] = "layernorm n=3\nlayernorm n=8\0x\nlayernorm n=4\n";
    static const char last[] = "layernorm n=3\nlayernorm n=8\0x";
    char longest[4200];
    ug_case_list list = {0};
    ug_case_error e;
    (void)state;
    write_bytes('a', within, sizeof within - 1);
    assert_int_equal(load("default", &list, &e), -1);
    assert_int_equal(e.line, 2);
    assert_non_null(strstr(e.text, "byte 0"));
    write_bytes('a', last, sizeof last - 1);
    assert_int_equal(load("default", &list, &e), -1);
    assert_non_null(strstr(e.text, "byte 0"));
    for (size_t length = 4094; length <= 4095; length++) {
        memset(longest, ' ', length);
        memcpy(longest, "layernorm n=3 #", 15);
        for (int end = 0; end < 2; end++) {
            longest[length] = '\n';
            write_bytes('a', longest, length + (size_t)end);
            assert_int_equal(load("default", &list, &e), length > 4094 ? -1 : 0);
            if (length > 4094) assert_non_null(strstr(e.text, "longer than 4094"));
            ug_case_list_free(&list);
            memset(&list, 0, sizeof list);
        }
    }
}

static void load_all(const char *tier, ug_case_list *list)
{
    char **names, err[256];
    size_t count;
    if (ug_suite_names(&names, &count, err, sizeof err)) fail_msg("%s", err);
    for (size_t i = 0; i < count; i++) {
        ug_case_error e;
        if (ug_suite_load(names[i], tier, list, &e))
            fail_msg("%s:%d:%d: %s", e.file, e.line, e.column, e.text);
    }
    ug_suite_names_free(names, count);
}

/* The default tier must run within a minute on two cores. */
static void tiers_keep_their_budgets(void **state)
{
    ug_case_list list = {0};
    double rows = 0, elements = 0;
    size_t smoke;
    (void)state;
    load_all("smoke", &list);
    smoke = list.count;
    ug_case_list_free(&list);
    load_all("default", &list);
    for (size_t i = 0; i < list.count; i++) {
        const ug_case *c = &list.item[i];
        assert_true(c->rows <= 16 && c->n <= 1 << 20 && c->batch <= 1000);
        rows += (double)c->rows;
        /* a launch of `batch` rows stands beside two of `rows` */
        elements += (double)c->n * (double)(2 * c->rows + (c->batch ? c->batch : c->rows)) / 3;
    }
    print_message("smoke: %zu cases; default: %zu cases, %.0f rows, %.3g elements\n", smoke,
                  list.count, rows, elements);
    assert_in_range(smoke, 70, 140);
    assert_true(rows <= 9000 && elements <= 15e6);
    ug_case_list_free(&list);
    load_all("full", &list);
    for (size_t i = 0; i < list.count; i++) assert_true(list.item[i].rows <= 1 << 17);
    ug_case_list_free(&list);
}

static void every_family_has_cases_of_its_types(void **state)
{
    static const char *const families[] = {"F01", "F02", "F03", "F04", "F05", "F06", "F08",
                                           "F09", "F10", "F11", "F12", "F13", "F14", "F15",
                                           "F16", "F18", "F19", "F20", "F22"};
    ug_case_list list = {0};
    (void)state;
    load_all("default", &list);
    for (size_t k = 0; k < sizeof families / sizeof *families; k++) {
        int seen[UG_DTYPE_COUNT] = {0};
        for (size_t i = 0; i < list.count; i++)
            if (!strcmp(list.item[i].family, families[k])) seen[list.item[i].dtype]++;
        print_message("%s: f32 %d f16 %d bf16 %d\n", families[k], seen[0], seen[1], seen[2]);
        assert_true(seen[UG_F16] && seen[UG_BF16]);
        assert_true(seen[UG_F32] || !strcmp(families[k], "F06")); /* a matter of the narrow types */
    }
    for (size_t i = 0; i < list.count; i++) assert_true(*list.item[i].family);
    ug_case_list_free(&list);
}

enum { FACTORS = 6 };
static const int levels[FACTORS] = {8, 8, 5, 2, 4, 3};
static const char *const factor_names[FACTORS] = {"n mod 8", "offset", "stride",
                                                  "alias",   "params", "dtype"};

/* Level of each factor, or -1 where the case belongs to none. */
static void classify(const ug_case *c, int level[FACTORS])
{
    const char *none = "none";
    char gamma[UG_CASE_TEXT] = "", beta[UG_CASE_TEXT] = "", value[UG_CASE_TEXT];
    const char *key;
    for (int i = 0; ug_case_param(c, i, &key, value); i++) {
        if (!strcmp(key, "gamma")) strcpy(gamma, value);
        if (!strcmp(key, "beta")) strcpy(beta, value);
    }
    level[0] = (int)(c->n % 8);
    level[1] = c->xoffset == c->yoffset && c->xoffset < 8 ? (int)c->xoffset : -1;
    level[2] = c->rows < 2                    ? -1
               : c->xcol != 1 || c->ycol != 1 ? 4
               : c->xstride == 0              ? 3
               : c->xstride != c->ystride     ? 2
               : c->xstride != c->n           ? 1
                                              : 0;
    level[3] = c->alias == UG_ALIAS_INPLACE;
    level[4] = !strcmp(gamma, none) * 2 + !strcmp(beta, none);
    level[5] = c->dtype;
}

/* y cannot lie on x when x repeats one row or the strides differ. */
static int possible(int a, int p, int b, int q)
{
    return !(a == 2 && b == 3 && q == 1 && (p == 2 || p == 3));
}

/* Files are there and hold what the cases want: every row of the default tier can be made. */
static void every_row_can_be_made(void **state)
{
    ug_case_list list = {0};
    float *x = calloc(1 << 20, sizeof *x);
    char err[512], text[UG_CASE_TEXT];
    (void)state;
    assert_non_null(x);
    load_all("default", &list);
    for (size_t i = 0; i < list.count; i++) {
        const ug_case *c = &list.item[i];
        int failed =
            ug_case_gamma(c, x, err, sizeof err) < 0 || ug_case_beta(c, x, err, sizeof err) < 0;
        for (int64_t r = 0; r < c->rows && !failed; r++)
            failed = ug_case_row(c, r, 1, x, err, sizeof err);
        ug_case_format(c, text, sizeof text);
        if (failed) fail_msg("%s: %s", text, err);
    }
    ug_case_list_free(&list);
    free(x);
}

static void every_possible_pair_occurs(void **state)
{
    static char seen[FACTORS][8][FACTORS][8];
    ug_case_list list = {0};
    int missing = 0, pairs = 0;
    (void)state;
    load_all("default", &list);
    for (size_t i = 0; i < list.count; i++) {
        int level[FACTORS];
        if (list.item[i].n < 8) continue; /* too short to tell paths apart */
        classify(&list.item[i], level);
        for (int a = 0; a < FACTORS; a++)
            for (int b = a + 1; b < FACTORS; b++)
                if (level[a] >= 0 && level[b] >= 0) seen[a][level[a]][b][level[b]] = 1;
    }
    ug_case_list_free(&list);
    for (int a = 0; a < FACTORS; a++)
        for (int b = a + 1; b < FACTORS; b++)
            for (int p = 0; p < levels[a]; p++)
                for (int q = 0; q < levels[b]; q++) {
                    pairs += possible(a, p, b, q);
                    if (seen[a][p][b][q] || !possible(a, p, b, q)) continue;
                    print_error("no case has %s %d with %s %d\n", factor_names[a], p,
                                factor_names[b], q);
                    missing++;
                }
    print_message("%d pairs\n", pairs);
    assert_int_equal(missing, 0);
}

static void names_what_there_is(void **state)
{
    ug_case_list list = {0};
    ug_case_error e;
    char text[512], *old = getenv("ULPGATE_DATA");
    (void)state;
    old = old ? strdup(old) : NULL;
    assert_int_equal(ug_suite_load("nosuch", "default", &list, &e), -1);
    assert_non_null(strstr(e.text, "condition, "));
    unsetenv("ULPGATE_DATA");
    ug_data_places(text, sizeof text);
    assert_non_null(strstr(text, "ULPGATE_DATA may name the folder"));
    assert_non_null(strstr(text, ug_data_dir()));
    setenv("ULPGATE_DATA", "/nonexistent", 1);
    assert_int_equal(ug_suite_load("nosuch", "default", &list, &e), -1);
    assert_non_null(strstr(e.text, "ULPGATE_DATA names the folder /nonexistent"));
    assert_int_equal(ug_suite_load("/nosuch", "default", &list, &e), -1);
    assert_non_null(strstr(e.text, "cannot open /nosuch"));
    unsetenv("ULPGATE_DATA");
    if (old) setenv("ULPGATE_DATA", old, 1);
    free(old);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(crosses_and_directives),
        cmocka_unit_test(names_file_line_and_column),
        cmocka_unit_test(lines_are_text),
        cmocka_unit_test(names_what_there_is),
        cmocka_unit_test(tiers_keep_their_budgets),
        cmocka_unit_test(every_family_has_cases_of_its_types),
        cmocka_unit_test(every_row_can_be_made),
        cmocka_unit_test(every_possible_pair_occurs),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
