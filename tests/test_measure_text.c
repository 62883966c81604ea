/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers and strings of a record as text: shortest, the same when read back, never lost. */
#include "measure_fixture.h"

#include <float.h>

#include "audit/record.h"

static void check(json_t *value, const char *want)
{
    char *text = ug_record_text(value);
    assert_non_null(text);
    assert_string_equal(text, want);
    json_decref(value);
    free(text);
}

static void numbers_are_short(void **state)
{
    (void)state;
    check(ug_record_number(0.1), "0.1");
    check(ug_record_number(1), "1.0");
    check(ug_record_number(0), "0.0");
    check(ug_record_number(-0.0), "-0.0");
    check(ug_record_number(100), "100.0");
    check(ug_record_number(1e15), "1e+15");
    check(ug_record_number(12.5), "12.5");
    check(ug_record_number(0x1p-24), "5.9604644775390625e-08");
    check(ug_record_number(5e-324), "5e-324");
    check(ug_record_number(NAN), "\"nan\"");
    check(ug_record_number(INFINITY), "\"inf\"");
    check(ug_record_number(-INFINITY), "\"-inf\"");
    check(json_integer(-12345678901234567), "-12345678901234567");
    check(json_pack("{s:[f,i,b],s:s}", "a", 0.1, 7, 1, "b\"1.50", "\\ 2.50"),
          "{\"a\":[0.1,7,true],\"b\\\"1.50\":\"\\\\ 2.50\"}");
}

static void numbers_read_back_the_same(void **state)
{
    uint64_t seed = 1;
    (void)state;
    for (int i = 0; i < 20000; i++) {
        double v, back;
        char *text;
        json_t *j, *read;
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        memcpy(&v, &seed, sizeof v);
        if (!isfinite(v)) continue;
        j = json_pack("[o]", ug_record_number(v));
        text = ug_record_text(j);
        read = json_loads(text, 0, NULL);
        assert_non_null(read);
        back = json_real_value(json_array_get(read, 0));
        assert_memory_equal(&back, &v, sizeof v);
        free(text);
        json_decref(j);
        json_decref(read);
    }
}

/* Significant digits of a decimal: between its first digit that is not 0 and its last such. */
static int digits_of(const char *text)
{
    int count = 0, last = 0;
    for (; *text && *text != 'e'; text++) {
        if (*text < '0' || *text > '9') continue;
        count += count || *text != '0';
        if (*text != '0') last = count;
    }
    return last;
}

static void check_shortest(double v)
{
    char *text, shorter[40];
    json_t *j = ug_record_number(v);
    text = ug_record_text(j);
    for (int digits = 1; digits < digits_of(text); digits++) {
        snprintf(shorter, sizeof shorter, "%.*e", digits - 1, v);
        if (strtod(shorter, NULL) == v) fail_msg("%s has a shorter form, %s", text, shorter);
    }
    assert_true(strtod(text, NULL) == v);
    assert_non_null(strpbrk(text, ".e"));
    free(text);
    json_decref(j);
}

/* Numbers of every length, normal and subnormal: no decimal with fewer digits reads the same. */
static void no_number_has_a_shorter_form(void **state)
{
    uint64_t seed = 7;
    char text[40];
    (void)state;
    for (int i = 0; i < 20000; i++) {
        double v;
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        snprintf(text, sizeof text, "%.*ge%d", 1 + i % 17, (double)(seed >> 11) * 0x1p-53,
                 (int)(seed % 620) - 320);
        if (i % 3 == 0)
            v = strtod(text, NULL);
        else if (i % 3 == 1)
            v = (double)(float)((double)(seed >> 11) * 0x1p-53);
        else
            memcpy(&v, &seed, sizeof v);
        if (isfinite(v)) check_shortest(v);
    }
    check_shortest(DBL_MIN);
    check_shortest(nextafter(DBL_MIN, 0));
    check_shortest(DBL_MAX);
    for (int e = -1074; e < 1024; e++) check_shortest(ldexp(1, e));
}

static void any_string_survives(void **state)
{
    (void)state;
    check(ug_record_string("\xff"
                           "bad\n"),
          "\"?bad\\n\"");
    check(ug_record_string("gr\xc3\xb6\xc3\x9f"
                           "er"),
          "\"gr\xc3\xb6\xc3\x9f"
          "er\"");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_are_short),
        cmocka_unit_test(numbers_read_back_the_same),
        cmocka_unit_test(no_number_has_a_shorter_form),
        cmocka_unit_test(any_string_survives),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
