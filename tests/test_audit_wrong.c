/* SPDX-License-Identifier: Apache-2.0 */
/* Every way to misbehave gets its verdict and its tag, and nothing else is blamed for it. */
#include "audit_fixture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Rows apart, gamma and beta there, five rows that become seven in the third launch. */
static const char *const spaced[] = {
    "layernorm rows=5 n=33 xstride=40 ystride=41 batch=7 gamma=random beta=random seed=3", NULL};
static const char *const dense[] = {"layernorm rows=5 n=32 gamma=random beta=random seed=3", NULL};
static const char *const special[] = {
    "layernorm rows=4 n=32 special=nan@0 specialrow=2 gamma=random beta=random", NULL};

typedef struct expectation {
    const char *kernel, *verdict, *tag;
    const char *const *lines;
    const char *words; /* part of a reason, or NULL */
} expectation;

static const expectation expected[] = {
    {"throws", "ERROR", "error", spaced, "the kernel says no"},
    {"throws_int", "ERROR", "error", spaced, "exception"},
    {"aborts", "CRASH", "crash", spaced, "signal 6"},
    {"wild", "CRASH", "crash", spaced, "signal 11"},
    {"exits", "CRASH", "crash", spaced, "exited with status 0 in launch"},
    {"fails", "ERROR", "error", spaced, "no such kernel image"},
    {"nonsense", "ERROR", "error", spaced, "42"},
    {"silent", "FAIL", "unwritten", spaced, NULL},
    {"loops", "HANG", "hang", spaced, "in launch"},
    {"stack", "CRASH", "crash", spaced, "signal 11"},
    {"closes", "CRASH", "crash", spaced, NULL},
    {"chatters", "ERROR", "error", spaced, "stray message"},
    {"forks", "CRASH", "crash", spaced, "exited with status 3"},
    {"thread_throws", "CRASH", "crash", spaced, "signal 6"},
    {"signals", "PASS", NULL, spaced, NULL},
    {"in_front", "FAIL", "guard", spaced, "y, 4 bytes before"},
    {"far_in_front", "CRASH", "crash", spaced, "signal 11"},
    {"behind", "FAIL", "guard", spaced, "y"},
    {"between", "FAIL", "guard", spaced, "y, row 0, 132 bytes"},
    {"behind_mean", "FAIL", "guard", spaced, "mean"},
    {"writes_gamma", "CRASH", "crash", spaced, "at gamma"},
    {"writes_x", "CRASH", "crash", spaced, "at x"},
    {"reads_padding", "FAIL", "class", spaced, NULL},
    {"leaves_tail", "FAIL", "unwritten", spaced, NULL},
    {"forgets_stats", "FAIL", "stats", spaced, NULL},
    {"batch", "FAIL", "rows", spaced, "7 rows"},
    {"place", "FAIL", "rows", dense, NULL},
    {"lanes", "FAIL", "order", dense, NULL},
    {"unsteady", "FAIL", "repeat", dense, NULL},
    {"leaks", "FAIL", "rows", special, NULL},
    {"declines", "FAIL", "declined", spaced, "what its card lists (row strides)"},
    {"declines_late", "FAIL", "declined", spaced, "written"},
    {"other_path", "FAIL", "path", spaced, "'seri'"},
    {"strides", "FAIL", "layout", spaced, NULL},
    {"floors_eps", "FAIL", "scale", dense, NULL},
    {"wrong", "FAIL", "sound", spaced, NULL},
    {"loops_at_8", "PASS", NULL, spaced, NULL},
    {"right", "PASS", NULL, spaced, NULL},
    {"undeclared", "FAIL", "declined", spaced, "row strides"},
    {"undeclared_dtype", "FAIL", "declined", dense, "f32"},
    {"greedy", "ERROR", "error", dense, "workspace_size"},
    {"throws_size", "ERROR", "error", dense, "no size"},
};
enum { COUNT = sizeof expected / sizeof *expected };

static int reasons_contain(const json_t *record, const char *words)
{
    const json_t *reasons = json_object_get(record, "reasons");
    for (size_t i = 0; i < json_array_size(reasons); i++)
        if (strstr(json_string_value(json_array_get(reasons, i)), words)) return 1;
    return 0;
}

static void check_record(const json_t *record, const expectation *e)
{
    char *text = json_dumps(json_object_get(record, "reasons"), JSON_COMPACT);
    if (strcmp(record_text(record, "verdict"), e->verdict))
        fail_msg("%s: %s %s, expected %s", e->kernel, record_text(record, "verdict"), text,
                 e->verdict);
    if (e->tag && !record_has(record, e->tag))
        fail_msg("%s: reasons %s, expected tag %s", e->kernel, text, e->tag);
    if (e->words && !reasons_contain(record, e->words))
        fail_msg("%s: reasons %s, expected '%s'", e->kernel, text, e->words);
    free(text);
}

static void test_each(void **state)
{
    (void)state;
    for (int i = 0; i < COUNT; i++) {
        fixture f;
        char glob[64];
        int passes = !strcmp(expected[i].verdict, "PASS");
        snprintf(glob, sizeof glob, "wrong:%s", expected[i].kernel);
        fixture_init(&f, UG_WRONG_PLUGIN, glob, expected[i].lines);
        f.options.time_limit = 1;
        fixture_run(&f);
        if (f.rc != !passes) fail_msg("%s: ug_run gave %d (%s)", glob, f.rc, f.log);
        assert_int_equal(json_array_size(f.records), 1);
        check_record(json_array_get(f.records, 0), &expected[i]);
        fixture_done(&f);
    }
}

/* All in one run, two judges: whoever died before, the right kernel passes every case. */
static void test_together(void **state)
{
    const char *lines[] = {spaced[0], dense[0], special[0], spaced[0], NULL};
    fixture f;
    size_t kernels, right = 0;
    (void)state;
    fixture_init(&f, UG_WRONG_PLUGIN, NULL, lines);
    f.options.time_limit = 1;
    f.options.jobs = 2;
    fixture_run(&f);
    if (f.rc != 1) fail_msg("ug_run gave %d (%s)", f.rc, f.log);
    kernels = json_array_size(json_object_get(f.header, "kernels"));
    assert_int_equal(kernels, COUNT);
    assert_int_equal(json_array_size(f.records), 4 * kernels);
    assert_non_null(f.end);
    for (size_t i = 0; i < 4 * kernels; i++) {
        const json_t *record = json_array_get(f.records, i);
        const json_t *name = json_array_get(json_object_get(f.header, "kernels"), i % kernels);
        assert_string_equal(record_text(record, "kernel"), json_string_value(name));
        if (strcmp(record_text(record, "kernel"), "wrong:right")) continue;
        assert_string_equal(record_text(record, "verdict"), "PASS");
        right++;
    }
    assert_int_equal(right, 4);
    for (int i = 0; i < COUNT; i++)
        if (expected[i].lines == spaced)
            check_record(json_array_get(f.records, (size_t)i), &expected[i]);
    fixture_done(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_each),
                                       cmocka_unit_test(test_together)};
    setenv("ULPGATE_PLUGINS", "/nonexistent", 1);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
