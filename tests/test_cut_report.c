/* SPDX-License-Identifier: Apache-2.0 */
/* A results file cut at every byte: the reader tells only what was run, and says that it was cut.
 */
#include "report_files.h"

static char *whole;
static size_t size;
static ug_results expected;

static int load(void **state)
{
    const char *name = getenv("UG_CUT_FILE");
    FILE *in = name ? fopen(name, "r") : NULL;
    char err[512];
    (void)state;
    if (!in) return -1;
    whole = calloc(1, 1 << 20);
    size = fread(whole, 1, (1 << 20) - 1, in);
    fclose(in);
    return ug_results_read(&expected, name, err, sizeof err) || expected.count < 2;
}

static int unload(void **state)
{
    (void)state;
    free(whole);
    ug_results_free(&expected);
    unlink(results_file);
    return 0;
}

static const char *cut_file(size_t bytes)
{
    char last = whole[bytes];
    const char *name;
    whole[bytes] = 0;
    name = write_results(whole);
    whole[bytes] = last;
    return name;
}

/* Whole lines up to there that are results, and whether the footer is among them. */
static size_t results_before(size_t bytes, int *footer)
{
    size_t count = 0;
    const char *line = whole, *end;
    *footer = 0;
    while ((end = memchr(line, '\n', (size_t)(whole + bytes - line)))) {
        count += !strncmp(line, "{\"type\":\"result\"", 16);
        *footer |= !strncmp(line, "{\"type\":\"end\"", 13);
        line = end + 1;
    }
    return count;
}

static void test_every_byte(void **state)
{
    (void)state;
    for (size_t bytes = 0; bytes <= size; bytes++) {
        ug_results found = {0};
        char err[512] = "";
        int footer, rc = ug_results_read(&found, cut_file(bytes), err, sizeof err);
        size_t most = results_before(bytes, &footer);
        /* Without its newline a line may be whole all the same. */
        if (bytes < size && whole[bytes] == '\n') most++;
        if (rc && !err[0]) fail_msg("byte %zu: failed without a message", bytes);
        if (found.count > most) fail_msg("byte %zu: %zu of %zu", bytes, found.count, most);
        for (size_t i = 0; i < found.count; i++) {
            assert_string_equal(found.rec[i].kernel, expected.rec[i].kernel);
            assert_string_equal(found.rec[i].line, expected.rec[i].line);
            assert_int_equal(found.rec[i].verdict, expected.rec[i].verdict);
        }
        if (!rc && found.runs && bytes < size - 1 && !footer) assert_false(found.run[0].complete);
        ug_results_free(&found);
    }
}

/* Every format renders what is left, one byte after the other. */
static void test_formats(void **state)
{
    FILE *out = fopen("/dev/null", "w");
    const ug_format *format;
    (void)state;
    assert_non_null(out);
    for (size_t bytes = 0; bytes <= size; bytes++) {
        ug_report_options options = {0};
        ug_results found = {0};
        char err[512] = "";
        int rc = ug_results_read(&found, cut_file(bytes), err, sizeof err);
        if (rc) assert_int_not_equal(err[0], 0);
        for (size_t k = 0; !rc && (format = ug_format_at(k)); k++)
            if (format->render(&found, &options, out, err, sizeof err))
                assert_int_not_equal(err[0], 0);
        ug_results_free(&found);
    }
    fclose(out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_every_byte),
                                       cmocka_unit_test(test_formats)};
    return cmocka_run_group_tests(tests, load, unload);
}
