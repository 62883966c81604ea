/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels with a memory space of their own are judged by the same checks. */
#include "audit_fixture.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "audit/device_lock.h"

static const char *const lines[] = {
    "layernorm rows=5 n=33 xstride=40 ystride=41 batch=7 xoffset=1",
    "layernorm dtype=f16 rows=4 n=64 alias=inplace stats=0",
    "layernorm rows=2 n=70 xstride=100003 ystride=1000003", /* several windows a buffer */
    NULL};

static const char *verdict_of(const fixture *f, size_t i)
{
    return record_text(json_array_get(f->records, i), "verdict");
}

static void test_right(void **state)
{
    fixture f;
    (void)state;
    fixture_init(&f, UG_DEVICE_PLUGIN, "device:right*", lines);
    fixture_run(&f);
    assert_int_equal(f.rc, 0);
    assert_int_equal(f.summary.passed, 6);
    fixture_done(&f);
}

static void test_wrong(void **state)
{
    const char *one[] = {lines[0], NULL};
    static const struct {
        const char *verdict, *tag;
    } expected[] = {{"PASS", NULL},    {"ERROR", "error"}, {"FAIL", "input"},
                    {"FAIL", "guard"}, {"FAIL", "guard"},  {"PASS", NULL}};
    fixture f;
    (void)state;
    fixture_init(&f, UG_DEVICE_PLUGIN, "device:right* device:faults device:writes*", one);
    fixture_run(&f);
    assert_int_equal(f.rc, 1);
    assert_int_equal(json_array_size(f.records), 6);
    for (size_t i = 0; i < 6; i++) {
        assert_string_equal(verdict_of(&f, i), expected[i].verdict);
        if (expected[i].tag) assert_true(record_has(json_array_get(f.records, i), expected[i].tag));
    }
    fixture_done(&f);
}

/* A case that the device has no room for says nothing about the kernel. */
static void test_no_room(void **state)
{
    const char *large[] = {"layernorm rows=2 n=64 xstride=1073741824", lines[0], NULL};
    fixture f;
    (void)state;
    fixture_init(&f, UG_DEVICE_PLUGIN, "device:right", large);
    fixture_run(&f);
    assert_int_equal(f.rc, 0);
    assert_string_equal(verdict_of(&f, 0), "DECLINED");
    assert_true(record_has(json_array_get(f.records, 0), "declined"));
    assert_string_equal(verdict_of(&f, 1), "PASS");
    fixture_done(&f);
}

/* Judges side by side, and a device that holds one large buffer: they take turns. */
static void test_turns(void **state)
{
    const char *large[] = {"layernorm rows=2 n=64 xstride=1073741824",
                           lines[0],
                           "layernorm rows=2 n=65 ystride=1073741824",
                           "layernorm rows=3 n=66 xstride=1073741824",
                           lines[0],
                           "layernorm rows=2 n=67 xstride=1073741824 ystride=1073741824",
                           "layernorm rows=2 n=68 xstride=1073741824",
                           "layernorm rows=2 n=69 ystride=1073741824",
                           NULL};
    char path[] = "/tmp/ulpgate-turns-XXXXXX";
    int file = mkstemp(path);
    fixture f;
    (void)state;
    assert_true(file >= 0);
    close(file);
    setenv("UG_TEST_SHARED", path, 1);
    fixture_init(&f, UG_DEVICE_PLUGIN, "device:right*", large);
    f.options.jobs = 4;
    fixture_run(&f);
    unsetenv("UG_TEST_SHARED");
    unlink(path);
    for (size_t i = 0; i < json_array_size(f.records); i++)
        assert_string_equal(verdict_of(&f, i), "PASS");
    assert_int_equal(f.rc, 0);
    fixture_done(&f);
}

/* So do runs, by a file that goes free with its process, however that ends. */
static void test_turns_of_runs(void **state)
{
    ug_device_hold hold = {0};
    int ends[2];
    char got[2] = {0};
    pid_t child;
    (void)state;
    assert_int_equal(pipe(ends), 0);
    child = fork();
    assert_true(child >= 0);
    if (!child) {
        const struct timespec while_held = {0, 200000000};
        int bad = ug_device_lock(&hold) || write(ends[1], "b", 1) != 1;
        nanosleep(&while_held, NULL);
        bad |= write(ends[1], "e", 1) != 1;
        _exit(bad);
    }
    assert_int_equal(read(ends[0], &got[0], 1), 1); /* the child has the device */
    assert_int_equal(ug_device_lock(&hold), 0);
    assert_int_equal(fcntl(ends[0], F_SETFL, O_NONBLOCK), 0);
    assert_int_equal(read(ends[0], &got[1], 1), 1); /* it had come to its end */
    assert_memory_equal(got, "be", 2);
    assert_int_equal(ug_device_lock(&hold), 0); /* held already: no second wait */
    ug_device_unlock(&hold);
    assert_int_equal(waitpid(child, NULL, 0), child);
    close(ends[0]);
    close(ends[1]);
}

/* A device that goes away: the case that lost it and all that follow say so; none is declined,
 * which would pass, and none is left out. */
static void test_lost(void **state)
{
    const char *three[] = {lines[0], lines[1], lines[2], NULL};
    char path[] = "/tmp/ulpgate-lost-XXXXXX";
    int file = mkstemp(path);
    fixture f;
    (void)state;
    assert_true(file >= 0);
    close(file);
    unlink(path);
    setenv("UG_TEST_LOST", path, 1);
    fixture_init(&f, UG_DEVICE_PLUGIN, "device:right* device:loses", three);
    f.options.jobs = 1;
    fixture_run(&f);
    unsetenv("UG_TEST_LOST");
    unlink(path);
    assert_int_equal(f.rc, 1);
    assert_int_equal(json_array_size(f.records), 9);
    assert_non_null(f.end);
    for (size_t i = 0; i < 9; i++) {
        const json_t *record = json_array_get(f.records, i);
        char *text = json_dumps(json_object_get(record, "reasons"), 0);
        int before = i < 2; /* the two right kernels of the first case */
        if (strcmp(verdict_of(&f, i), before ? "PASS" : "ERROR") ||
            (!before && !strstr(text, i == 2 ? "unknown error" : "the device is lost")))
            fail_msg("record %zu, %s: %s %s", i, record_text(record, "kernel"), verdict_of(&f, i),
                     text);
        free(text);
    }
    fixture_done(&f);
}

static void test_no_device(void **state)
{
    fixture f;
    (void)state;
    setenv("UG_TEST_DEVICES", "0", 1);
    fixture_init(&f, UG_DEVICE_PLUGIN, "device:*", lines);
    fixture_run(&f);
    unsetenv("UG_TEST_DEVICES");
    assert_int_equal(f.rc, 77);
    assert_string_equal(f.summary.skipped, "device: no usable device");
    assert_string_equal(f.summary.out, "");
    fixture_done(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_right),    cmocka_unit_test(test_wrong),
        cmocka_unit_test(test_no_room),  cmocka_unit_test(test_turns),
        cmocka_unit_test(test_lost),     cmocka_unit_test(test_turns_of_runs),
        cmocka_unit_test(test_no_device)};
    setenv("ULPGATE_PLUGINS", "/nonexistent", 1);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
