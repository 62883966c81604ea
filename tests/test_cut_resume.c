/* SPDX-License-Identifier: Apache-2.0 */
/* A results file cut at every byte: resuming keeps whole records of the run, in order, and cuts the
 * rest away. */
#include "audit_fixture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "audit/results.h"
#include "audit/shard.h"

static const char *const lines[] = {"layernorm rows=2 n=5", "layernorm rows=1 n=7 xstride=9", NULL};
static char path[] = "/tmp/ulpgate-cut-XXXXXX";

static size_t read_file(char *text, size_t cap)
{
    FILE *f = fopen(path, "r");
    size_t n;
    assert_non_null(f);
    n = fread(text, 1, cap - 1, f);
    text[n] = 0;
    fclose(f);
    return n;
}

static void write_file(const char *text, size_t bytes)
{
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    assert_int_equal(fwrite(text, 1, bytes, f), bytes);
    fclose(f);
}

/* Bytes of the whole lines before `bytes`, and how many of them are results. */
static size_t whole_lines(const char *text, size_t bytes, size_t *results)
{
    size_t at = 0;
    const char *end;
    *results = 0;
    while ((end = memchr(text + at, '\n', bytes - at))) {
        *results += !strncmp(text + at, "{\"type\":\"result\"", 16);
        at = (size_t)(end - text) + 1;
    }
    return at;
}

static void check_cut(const fixture *f, const ug_selection *selection, const json_t *header,
                      const char *text, size_t size, size_t bytes)
{
    ug_results r;
    char err[1536] = "";
    struct stat st;
    size_t results, kept = whole_lines(text, bytes, &results);
    write_file(text, bytes);
    if (ug_results_open(&r, &f->options, selection, header, err, sizeof err))
        fail_msg("byte %zu: %s", bytes, err);
    assert_int_equal(r.kept, results);
    assert_int_equal(r.complete, bytes == size);
    assert_int_equal(fstat(r.fd, &st), 0);
    /* A cut header is written anew. */
    if (kept && (size_t)st.st_size != kept)
        fail_msg("byte %zu: the file has %zu bytes left, expected %zu", bytes, (size_t)st.st_size,
                 kept);
    ug_results_close(&r);
}

static void test_every_byte(void **state)
{
    static char text[1 << 18];
    fixture f;
    ug_selection selection = {0};
    char skipped[512], err[512] = "";
    json_t *header;
    size_t size;
    (void)state;
    close(mkstemp(path));
    fixture_init(&f, UG_RIGHT_PLUGIN, "right:all/twopass", lines);
    f.options.out = path;
    f.options.jobs = 1;
    fixture_run(&f);
    assert_int_equal(f.rc, 0);
    size = read_file(text, sizeof text);
    f.options.resume = 1;
    assert_int_equal(ug_select(&f.options, &selection, skipped, sizeof skipped, err, sizeof err),
                     0);
    header = ug_results_header(&f.options, &selection, "fast", 1);
    json_object_set(header, "reference", json_object_get(f.header, "reference"));
    assert_int_equal(ug_shard_describe(header, &f.options), 0);
    for (size_t bytes = 0; bytes <= size; bytes++)
        check_cut(&f, &selection, header, text, size, bytes);
    json_decref(header);
    ug_selection_free(&selection);
    snprintf(f.summary.out, sizeof f.summary.out, "%s", path);
    fixture_done(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_every_byte)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
