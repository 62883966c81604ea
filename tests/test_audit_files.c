/* SPDX-License-Identifier: Apache-2.0 */
/* A results file that another run writes, and one for which there is no room. */
#include "audit_fixture.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *const lines[] = {"layernorm rows=5 n=33", "layernorm rows=5 n=70 xstride=80",
                                    "layernorm rows=9 n=8", NULL};
static const char *const globs = "right:all/twopass right:short/twopass";
static char path[] = "/tmp/ulpgate-files-XXXXXX";

static void begin(fixture *f, const char *out)
{
    fixture_init(f, UG_RIGHT_PLUGIN, globs, lines);
    f->options.out = out;
    f->options.jobs = 1;
}

static void refused(fixture *f, const char *words)
{
    fixture_run(f);
    if (f->rc != 2 || !strstr(f->log, words))
        fail_msg("%d '%s', expected 2 '%s'", f->rc, f->log, words);
    f->summary.out[0] = 0;
    fixture_done(f);
}

static off_t size_of(const char *name)
{
    struct stat st;
    assert_int_equal(stat(name, &st), 0);
    return st.st_size;
}

static void test_two_runs(void **state)
{
    int other = open(path, O_RDWR);
    (void)state;
    assert_true(other >= 0);
    assert_int_equal(flock(other, LOCK_EX | LOCK_NB), 0);
    for (int resume = 0; resume < 2; resume++) {
        fixture f;
        begin(&f, path);
        f.options.resume = resume;
        refused(&f, "being written by another run");
        assert_int_equal(size_of(path), 0);
    }
    close(other);
}

static void test_full_device(void **state)
{
    fixture f;
    (void)state;
    if (access("/dev/full", W_OK)) skip();
    begin(&f, "/dev/full");
    refused(&f, "No space left");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_two_runs),
                                       cmocka_unit_test(test_full_device)};
    int rc;
    setenv("ULPGATE_PLUGINS", "/nonexistent", 1);
    close(mkstemp(path));
    rc = cmocka_run_group_tests(tests, NULL, NULL);
    unlink(path);
    return rc;
}
