/* SPDX-License-Identifier: Apache-2.0 */
/* A run as a whole: exit codes, order, a stop in the middle and its resumption. */
#include "audit_fixture.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *const lines[] = {
    "layernorm rows=5 n=33", "layernorm rows=5 n=70 xstride=80", "layernorm rows=2 n=100 dtype=f16",
    "layernorm rows=9 n=8",  "layernorm rows=3 n=16 gamma=none", NULL};
static const char *const nothing[] = {NULL};
static char path[] = "/tmp/ulpgate-test-XXXXXX";

static char *read_all(const char *name)
{
    FILE *f = fopen(name, "r");
    char *text = calloc(1, 1 << 20);
    assert_non_null(f);
    assert_non_null(text);
    assert_true(fread(text, 1, (1 << 20) - 1, f) > 0);
    fclose(f);
    return text;
}

static void write_all(const char *name, const char *text, size_t bytes)
{
    FILE *f = fopen(name, "w");
    assert_non_null(f);
    assert_int_equal(fwrite(text, 1, bytes, f), bytes);
    fclose(f);
}

/* Records without their times, as text; the caller frees. */
static char *timeless(const json_t *records)
{
    json_t *copy = json_deep_copy(records);
    char *text;
    for (size_t i = 0; i < json_array_size(copy); i++)
        json_object_del(json_array_get(copy, i), "time_us");
    text = json_dumps(copy, JSON_COMPACT);
    json_decref(copy);
    return text;
}

static void expect_skip(const char *plugin, const char *globs, const char *const *cases,
                        const char *words)
{
    fixture f;
    fixture_init(&f, plugin, globs, cases);
    fixture_run(&f);
    if (f.rc != 77 || !strstr(f.summary.skipped, words))
        fail_msg("%d '%s', expected 77 '%s'", f.rc, f.summary.skipped, words);
    fixture_done(&f);
}

static void test_nothing_tested(void **state)
{
    const char *strided[] = {"layernorm rows=2 n=8 xstride=9", NULL};
    (void)state;
    expect_skip(UG_RIGHT_PLUGIN, NULL, nothing, "no case");
    expect_skip(UG_RIGHT_PLUGIN, "cuda:*", lines, "no kernel matches 'cuda:*'");
    expect_skip(UG_RIGHT_PLUGIN, "cuda:*", lines, "right:all/twopass");
    expect_skip(NULL, NULL, lines, "no kernel matches");
    expect_skip(UG_RIGHT_PLUGIN, "right:plain/*", strided, "declined every case");
}

static void expect_refusal(fixture *f, const char *words)
{
    fixture_run(f);
    if (f->rc != 2 || !strstr(f->log, words))
        fail_msg("%d '%s', expected 2 '%s'", f->rc, f->log, words);
    f->summary.out[0] = 0; /* what the run refused to touch is not the fixture's to remove */
    fixture_done(f);
}

static void test_environment(void **state)
{
    fixture f;
    (void)state;
    fixture_init(&f, "/nonexistent/plugin.so", NULL, lines);
    expect_refusal(&f, "/nonexistent/plugin.so");
    fixture_init(&f, UG_RIGHT_PLUGIN, NULL, lines);
    f.options.reference = "guess";
    expect_refusal(&f, "no reference 'guess'");
    fixture_init(&f, UG_RIGHT_PLUGIN, NULL, lines);
    f.options.profile = "nosuch";
    expect_refusal(&f, "no device profile 'nosuch'");
    fixture_init(&f, UG_RIGHT_PLUGIN, NULL, lines);
    f.options.gate = "good";
    expect_refusal(&f, "good");
    fixture_init(&f, UG_RIGHT_PLUGIN, NULL, lines);
    f.options.out = "/nonexistent/results.jsonl";
    expect_refusal(&f, "/nonexistent/results.jsonl");
    fixture_init(&f, UG_RIGHT_PLUGIN, NULL, lines);
    f.plugins[1] = UG_RIGHT_PLUGIN;
    f.options.plugin_count = 2;
    expect_refusal(&f, "both call their backend 'right'");
}

/* Somebody's notes are not written over. */
static void test_foreign_file(void **state)
{
    static const char notes[] = "my notes\n";
    char *after;
    fixture f;
    (void)state;
    write_all(path, notes, strlen(notes));
    for (int resume = 0; resume < 2; resume++) {
        fixture_init(&f, UG_RIGHT_PLUGIN, NULL, lines);
        f.options.out = path;
        f.options.resume = resume;
        expect_refusal(&f, "no results file");
    }
    after = read_all(path);
    assert_string_equal(after, notes);
    free(after);
}

/* Cut anywhere, resumed: the same records in the same order. */
static void test_resume(void **state)
{
    fixture f;
    char *whole, *expected, *found;
    size_t bytes;
    (void)state;
    unlink(path);
    fixture_init(&f, UG_RIGHT_PLUGIN, "right:[!n]*", lines); /* all that give the same bits again */
    f.options.out = path;
    f.options.jobs = 2;
    fixture_run(&f);
    assert_int_equal(f.rc, 0);
    assert_int_equal(json_array_size(f.records), 5 * 6);
    assert_int_equal(json_integer_value(json_object_get(f.end, "results")), 5 * 6);
    expected = timeless(f.records);
    whole = read_all(path);
    bytes = strlen(whole);
    for (size_t cut = 0; cut <= bytes; cut += bytes / 23) {
        size_t failed = f.summary.declined;
        write_all(path, whole, cut);
        f.options.resume = 1;
        fixture_run(&f);
        assert_int_equal(f.rc, 0);
        found = timeless(f.records);
        assert_string_equal(found, expected);
        assert_int_equal(f.summary.declined, failed);
        assert_int_equal(f.summary.results, 5 * 6);
        assert_non_null(f.end);
        free(found);
    }
    f.options.gate = "sound"; /* another run: its records do not belong here */
    fixture_run(&f);
    assert_int_equal(f.rc, 2);
    assert_non_null(strstr(f.log, "gate is not given there and \"sound\" here"));
    free(whole);
    free(expected);
    snprintf(f.summary.out, sizeof f.summary.out, "%s", path);
    fixture_done(&f);
}

/* The run in a process of its own, ended by a signal while a kernel loops. */
static void stop_run(int number, const char *globs)
{
    struct stat st;
    int status;
    pid_t pid = fork();
    if (pid == 0) {
        fixture f;
        fixture_init(&f, UG_WRONG_PLUGIN, globs, lines);
        f.options.out = path;
        f.options.jobs = 1;
        f.options.log = stderr;
        _exit(ug_run(&f.options, &f.summary));
    }
    for (int i = 0; i < 500 && (stat(path, &st) || st.st_size < 4000); i++) usleep(10000);
    kill(pid, number);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    if (number == SIGKILL) {
        assert_true(WIFSIGNALED(status));
        return;
    }
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 2);
}

static void test_stopped(void **state)
{
    const char *globs = "wrong:batch wrong:place wrong:loops_at_8 wrong:right";
    const int numbers[] = {SIGINT, SIGTERM, SIGKILL};
    (void)state;
    for (int i = 0; i < 3; i++) {
        fixture f;
        unlink(path);
        stop_run(numbers[i], globs);
        fixture_init(&f, UG_WRONG_PLUGIN, globs, lines);
        fixture_read(&f, path);
        assert_null(f.end);
        assert_non_null(f.header);
        assert_in_range(json_array_size(f.records), 1, 3 * 4 + 2); /* the fourth case loops */
        f.options.out = path;
        f.options.resume = 1;
        f.options.time_limit = 0.2;
        fixture_run(&f);
        assert_int_equal(f.rc, 1);
        assert_int_equal(json_array_size(f.records), 5 * 4);
        assert_non_null(f.end);
        fixture_done(&f);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nothing_tested), cmocka_unit_test(test_environment),
        cmocka_unit_test(test_foreign_file), cmocka_unit_test(test_resume),
        cmocka_unit_test(test_stopped)};
    int rc;
    setenv("ULPGATE_PLUGINS", "/nonexistent", 1);
    close(mkstemp(path));
    rc = cmocka_run_group_tests(tests, NULL, NULL);
    unlink(path);
    return rc;
}
