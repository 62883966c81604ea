/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels that keep what they declare are never blamed, whatever the case asks for. */
#include "audit_fixture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const lines[] = {
    "layernorm rows=5 n=33", "layernorm rows=5 n=32", "layernorm rows=1 n=1",
    "layernorm rows=0 n=16", "layernorm rows=3 n=0",
    "layernorm rows=7 n=100 xstride=103 ystride=128 xoffset=1 yoffset=3 goffset=5 boffset=7",
    "layernorm rows=6 n=24 xcol=3 ycol=2",
    "layernorm rows=6 n=24 xcol=3 xstride=100 ycol=2 ystride=77 batch=11",
    "layernorm rows=9 n=17 alias=inplace batch=4",
    "layernorm rows=9 n=17 alias=inplace xstride=21 ystride=21 xoffset=1 yoffset=1",
    "layernorm rows=4 n=65 xstride=0", "layernorm rows=4 n=65 gamma=none",
    "layernorm rows=4 n=65 beta=none gamma=random",
    "layernorm rows=4 n=65 beta=none gamma=none stats=0",
    "layernorm dtype=f16 rows=4 n=65 xoffset=1",
    "layernorm dtype=bf16 rows=4 n=65 batch=9 beta=random",
    "layernorm dtype=bf16 wdtype=bf16 rows=4 n=66 xstride=67 ystride=69 boffset=1 beta=random",
    "layernorm rows=6 n=40 special=nan@3+inf@last specialrow=2",
    "layernorm dtype=f16 rows=3 n=40 special=-inf@first specialrow=all",
    "layernorm rows=300 n=3 batch=1000", "layernorm rows=9 n=34 rowperiod=4 colperiod=17 batch=11",
    "layernorm rows=9 n=8 rowperiod=3 special=nan@3 specialrow=2",
    /* offsets past 2^31 and 2^32 elements; rows, then single elements far apart */
    "layernorm rows=3 n=70 xstride=2147483653 ystride=1073741831",
    "layernorm dtype=f16 rows=2 n=16 xstride=4294967301 ystride=4294967303",
    "layernorm rows=2 n=5 xcol=1000003 ycol=268435459", NULL};

static fixture f;

static void test_passes(void **state)
{
    size_t declined = 0;
    (void)state;
    fixture_init(&f, UG_RIGHT_PLUGIN, NULL, lines);
    fixture_run(&f);
    for (size_t i = 0; i < json_array_size(f.records); i++) {
        const json_t *record = json_array_get(f.records, i);
        const char *verdict = record_text(record, "verdict");
        char *text = json_dumps(json_object_get(record, "reasons"), JSON_COMPACT);
        if (!strcmp(verdict, "DECLINED")) declined++;
        if (strcmp(verdict, "DECLINED") && strcmp(verdict, "PASS"))
            fail_msg("%s on %s: %s %s", record_text(record, "kernel"), record_text(record, "case"),
                     verdict, text);
        if (!strcmp(record_text(record, "kernel"), "right:all/twopass"))
            assert_string_equal(verdict, "PASS");
        free(text);
    }
    assert_int_equal(f.rc, 0);
    assert_int_equal(f.summary.declined, declined);
    assert_int_equal(f.summary.passed, json_array_size(f.records) - declined);
    /* plain/twopass took the first three lines and declined what it does not list. */
    assert_true(declined > 15);
    fixture_done(&f);
}

/* The digest speaks of values alone: strides, offsets and column strides leave it as it is. */
static void test_digest(void **state)
{
    const char *same[] = {"layernorm rows=5 n=33", "layernorm rows=5 n=33 xstride=40 ystride=64",
                          "layernorm rows=5 n=33 xcol=2 yoffset=1", "layernorm rows=5 n=33 seed=9",
                          NULL};
    const char *first;
    (void)state;
    fixture_init(&f, UG_RIGHT_PLUGIN, "right:all/*", same);
    f.options.row_digests = 1;
    fixture_run(&f);
    assert_int_equal(f.rc, 0);
    first = record_text(json_array_get(f.records, 0), "digest");
    assert_int_equal(strlen(first), 16);
    assert_string_equal(first, record_text(json_array_get(f.records, 1), "digest"));
    assert_string_equal(first, record_text(json_array_get(f.records, 2), "digest"));
    assert_string_not_equal(first, record_text(json_array_get(f.records, 3), "digest"));
    assert_int_equal(json_array_size(json_object_get(json_array_get(f.records, 0), "row_digests")),
                     5);
    fixture_done(&f);
}

/* What the plugin says of itself comes through. */
static void test_backends(void **state)
{
    const char *plugins[] = {UG_RIGHT_PLUGIN, "/nonexistent/plugin.so"};
    ug_backend_card *cards;
    char err[256];
    (void)state;
    assert_int_equal(ug_backends(plugins, 2, &cards, err, sizeof err), 0);
    assert_string_equal(cards[0].backend, "right");
    assert_int_equal(cards[0].devices, -1);
    assert_string_equal(cards[0].unusable, "");
    assert_int_equal(cards[0].fact_count, 1);
    assert_string_equal(cards[0].facts[0][0], "device");
    assert_string_equal(cards[0].facts[0][1], "cpu");
    assert_int_equal(cards[0].kernel_count, 7);
    assert_string_equal(cards[0].kernels[0].name, "all/twopass");
    assert_string_equal(cards[0].kernels[0].paths, "serial,other");
    assert_int_equal(cards[0].kernels[0].variance, UG_VAR_TWOPASS);
    assert_int_equal(cards[1].kernel_count, 0);
    assert_non_null(strstr(cards[1].unusable, "/nonexistent/plugin.so"));
    ug_backends_free(cards, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_passes), cmocka_unit_test(test_digest),
                                       cmocka_unit_test(test_backends)};
    setenv("ULPGATE_PLUGINS", "/nonexistent", 1);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
