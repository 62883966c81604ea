/* SPDX-License-Identifier: Apache-2.0 */
/* A gate's text: what is taken, and what the message says when it is not. */
#include "measure_fixture.h"

static void good_gates_are_taken(void **state)
{
    const char *good[] = {"bound",
                          "sound",
                          "faithful",
                          "exact",
                          "ulp=4",
                          "abs=1e-5",
                          "term=0",
                          "cond=8.25",
                          "row=1e3,nmse=.5",
                          "bound,sound",
                          "abs=1e-5,cond=8,sound"};
    char err[300];
    (void)state;
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++)
        assert_int_equal(ug_gate_check(good[i], err, sizeof err), 0);
}

static void bad_gates_are_refused_with_what_was_found(void **state)
{
    const struct {
        const char *gate, *found;
    } bad[] = {{"", "found ''"},
               {"bonud", "found 'bonud'"},
               {"bound,", "found ''"},
               {",bound", "found ''"},
               {"bound=1", "'bound' alone"},
               {"ulp", "ulp=LIMIT"},
               {"ulp=", "ulp=LIMIT"},
               {"ulp=x", "found 'ulp=x'"},
               {"ulp=-1", "number >= 0"},
               {"ulp=nan", "number >= 0"},
               {"ulp=inf", "number >= 0"},
               {"ulp=1e999", "number >= 0"},
               {"ulp=4 ", "found 'ulp=4 '"},
               {"ulp= 4", "found 'ulp= 4'"},
               {"ulp=4x,sound", "found 'ulp=4x'"},
               {"ulp=,cond=8", "found 'ulp='"},
               {"sound;bound", "found 'sound;bound'"},
               {"ulp=1,ulp=1,ulp=1,ulp=1,ulp=1,ulp=1,ulp=1,ulp=1,ulp=1", "more than 8"}};
    char err[300], longest[400];
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        err[0] = 0;
        assert_int_equal(ug_gate_check(bad[i].gate, err, sizeof err), -1);
        assert_non_null(strstr(err, bad[i].found));
        assert_true(strstr(err, "expected") || strstr(err, "more than"));
    }
    memset(longest, 'a', sizeof longest - 1);
    longest[sizeof longest - 1] = 0;
    assert_int_equal(ug_gate_check(longest, err, sizeof err), -1);
    assert_non_null(strstr(err, "399 characters"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(good_gates_are_taken),
        cmocka_unit_test(bad_gates_are_refused_with_what_was_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
