/* SPDX-License-Identifier: Apache-2.0 */
/* Plugins that declare nonsense are refused with the reason, or judged without losing a record. */
#include "audit_fixture.h"

#include <stdlib.h>
#include <string.h>

static const char *const lines[] = {"layernorm rows=2 n=8", NULL};
static const char *const beyond[] = {"layernorm rows=1000000 n=10000000",
                                     "layernorm rows=1 n=17592186044416 gamma=none beta=none",
                                     "layernorm rows=2 n=8", NULL};

/* A run with one odd thing; the caller ends the fixture. */
static void run_odd(fixture *f, const char *odd, const char *const *cases)
{
    assert_int_equal(setenv("UG_TEST_ODD", odd, 1), 0);
    fixture_init(f, UG_ODD_PLUGIN, "odd:*", cases);
    fixture_run(f);
    unsetenv("UG_TEST_ODD");
}

/* What no judge could make sense of: the run does not start (2), and says what is wrong. */
static void test_refused(void **state)
{
    static const struct {
        const char *odd, *words;
    } cases[] = {
        {"table aborts", "signal 6 (Aborted) while loading the plugin"},
        {"table exits", "exited with status 0 while loading the plugin"},
        {"name empty", "kernel 0: its name"},
        {"name absent", "kernel 0: its name"},
        {"name blank", "kernel 0: its name"},
        {"name line", "kernel 0: its name"},
        {"name colon", "kernel 0: its name"},
        {"name comma", "kernel 0: its name"},
        {"name glob", "kernel 0: its name"},
        {"name escape", "kernel 0: its name"},
        {"name utf-8", "kernel 0: its name"},
        {"name latin", "kernel 0: its name"},
        {"backend colon", "the backend's name"},
        {"backend escape", "the backend's name"},
        {"no table", "expected at most"},
        {"many", "18446744073709551615 kernels, expected at most"},
        {"no launch", "has no launch"},
        {"abi", "ABI version 0, expected 1"},
        {"small", "ug_plugin.size is 8, expected"},
        {"kernel small", "ug_kernel.size is 8, expected"},
        {"variance", "variance 99"},
        {"rsqrt nan", "rsqrt_error is nan, expected 0 to 2^23"},
        {"rsqrt negative", "rsqrt_error is -1, expected 0 to 2^23"},
        {"rsqrt infinite", "rsqrt_error is inf, expected 0 to 2^23"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        fixture f;
        run_odd(&f, cases[i].odd, lines);
        if (f.rc != 2 || !strstr(f.log, cases[i].words) || !strstr(f.log, UG_ODD_PLUGIN))
            fail_msg("%s: %d '%s', expected 2 '%s'", cases[i].odd, f.rc, f.log, cases[i].words);
        fixture_done(&f);
    }
}

/* What shows only at a case: a record that says so, and nothing in it that no reader takes. */
static void test_recorded(void **state)
{
    static const struct {
        const char *odd, *verdict, *words;
    } cases[] = {
        {"geometry negative", "ERROR", "geometry says -5 threads, chain -1, -9 levels"},
        {"geometry zero", "ERROR", "geometry says 0 threads"},
        {"workspace huge", "ERROR", "bytes of memory"},
        {"message", "ERROR", "error AAAA"},
        {"no operation", "FAIL", "lists no such operation"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        fixture f;
        const json_t *record, *geometry;
        char *reasons;
        run_odd(&f, cases[i].odd, lines);
        record = json_array_get(f.records, 0);
        reasons = json_dumps(json_object_get(record, "reasons"), 0);
        if (f.rc != 1 || strcmp(record_text(record, "verdict"), cases[i].verdict) || !reasons ||
            !strstr(reasons, cases[i].words))
            fail_msg("%s: %d %s %s, expected 1 %s '%s'", cases[i].odd, f.rc,
                     record_text(record, "verdict"), reasons, cases[i].verdict, cases[i].words);
        geometry = json_object_get(record, "geometry");
        assert_true(!geometry || json_integer_value(json_object_get(geometry, "threads")) > 0);
        free(reasons);
        fixture_done(&f);
    }
}

/* The plugin itself is right: the tests above see the odd thing and nothing else. */
static void test_right_otherwise(void **state)
{
    fixture f;
    (void)state;
    run_odd(&f, "nothing", lines);
    assert_int_equal(f.rc, 0);
    assert_string_equal(record_text(json_array_get(f.records, 0), "verdict"), "PASS");
    fixture_done(&f);
    run_odd(&f, "no kernel", lines);
    assert_int_equal(f.rc, 77);
    fixture_done(&f);
}

/* Cases that no machine holds are told from the start; the run goes on with the next one. */
static void test_beyond_memory(void **state)
{
    fixture f;
    (void)state;
    run_odd(&f, "nothing", beyond);
    assert_int_equal(f.rc, 1);
    for (size_t i = 0; i < 2; i++) {
        const json_t *record = json_array_get(f.records, i);
        assert_string_equal(record_text(record, "verdict"), "ERROR");
        assert_true(record_has(record, "case"));
    }
    assert_string_equal(record_text(json_array_get(f.records, 2), "verdict"), "PASS");
    fixture_done(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_recorded),
        cmocka_unit_test(test_right_otherwise),
        cmocka_unit_test(test_beyond_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
