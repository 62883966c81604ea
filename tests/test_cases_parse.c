/* SPDX-License-Identifier: Apache-2.0 */
/* The case language: what is refused and where, canonical form, hash, parameters. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cases/case.h"

static const struct {
    const char *line;
    int column;
    const char *word; /* must stand in the message */
} refused[] = {
    {"", 1, "layernorm"},
    {"softmax n=3", 1, "softmax"},
    {"layernorm row=3", 11, "unknown key 'row'"},
    {"layernorm n", 11, "n=VALUE"},
    {"layernorm n=", 13, "n=VALUE"},
    {"layernorm n=3 rows=4 n=5", 22, "twice"},
    {"layernorm n=abc", 13, "'abc'"},
    {"layernorm n=-1", 13, "from 0"},
    {"layernorm rows=1.5", 16, "integer"},
    {"layernorm n=99999999999999999999999", 13, "integer"},
    {"layernorm  rows=1000000000 n=1000000", 12, "2^46"},
    {"layernorm rows=9000000000 xstride=9000000000 n=4", 27, "2^46"},
    {"layernorm n=70368744177664 xcol=2", 28, "2^46"},
    {"layernorm rows=2 n=8 xstride=7", 22, "8 or more"},
    {"layernorm rows=2 n=8 ystride=0", 22, "8 or more"},
    {"layernorm rows=2 n=8 xcol=2 xstride=8", 29, "16 or more"},
    {"layernorm rows=5 n=8 xcol=4 xstride=1", 29, "32 or more"},
    {"layernorm batch=2 rows=1 n=8 xstride=7", 30, "8 or more"},
    {"layernorm xcol=0", 16, "from 1"},
    {"layernorm dtype=f64", 17, "f32, f16 or bf16"},
    {"layernorm dtype=f16 wdtype=bf16", 21, "f16"},
    {"layernorm eps=-1", 15, "from 0"},
    {"layernorm eps=nan", 15, "finite"},
    {"layernorm eps=1e-60", 15, "binary32"},
    {"layernorm eps=1e39", 15, "finite"},
    {"layernorm alias=inplace ystride=1024", 25, "1024"},
    {"layernorm xoffset=1 alias=inplace", 11, "xoffset 1"},
    {"layernorm alias=maybe", 17, "inplace"},
    {"layernorm offset=1 yoffset=2", 20, "offset"},
    {"layernorm xoffset=1 offset=1", 21, "offset"},
    {"layernorm stats=2", 17, "0 or 1"},
    {"layernorm seed=-1", 16, "2^64"},
    {"layernorm seed=18446744073709551616", 16, "2^64"},
    {"layernorm profile=huge", 19, "tiny"},
    {"layernorm special=nan", 22, "place"},
    {"layernorm special=big@3", 19, "'big'"},
    {"layernorm special=nan@x", 23, "'x'"},
    {"layernorm special=nan@3+", 25, "special value"},
    {"layernorm n=8 special=nan@8", 15, "less than n"},
    {"layernorm specialrow=0", 11, "without special"},
    {"layernorm rows=2 special=nan@0 specialrow=2", 32, "less than rows"},
    {"layernorm rows=2 xstride=0 special=nan@0 specialrow=1", 42, "xstride=0"},
    {"layernorm data=none", 16, "unknown generator"},
    {"layernorm data=normal(", 23, "')'"},
    {"layernorm data=normal(mean=1", 29, "')'"},
    {"layernorm data=normal(mean=1,foo=2)", 30, "'foo'"},
    {"layernorm data=normal(mean=1,mean=2)", 30, "twice"},
    {"layernorm data=normal(std=-1)", 27, "from 0"},
    {"layernorm data=normal(mean=1e39)", 28, "a number"},
    {"layernorm data=normal(mean)", 23, "mean=VALUE"},
    {"layernorm data=uniform(lo=2,hi=1)", 16, "above"},
    {"layernorm data=almost(delta=1,ulps=1)", 16, "expected one"},
    {"layernorm n=8 data=almost(at=8)", 15, "less than n"},
    {"layernorm data=heavy(cap=1.5)", 26, "integer"},
    {"layernorm data=file", 20, "path"},
    {"layernorm data=file(a.npy,sheet=1)", 27, "'sheet'"},
    {"layernorm data=nist(pi)", 21, "pidigits"},
    {"layernorm data=nist(lew)", 11, "200"},
    {"layernorm n=7 data=nist(lew)", 11, "200"},
    {"layernorm gamma=nist(lew)", 17, "unknown generator"},
    {"layernorm gamma=random(lo=1)", 24, "'lo'"},
    {"layernorm rows=3 rowperiod=4", 18, "at most rows = 3"},
    {"layernorm rows=9 rowperiod=2 special=nan@0 specialrow=2", 18, "specialrow = 2"},
    {"layernorm n=9 colperiod=4", 15, "divisor of n = 9"},
    {"layernorm n=0 colperiod=4", 15, "divisor"},
    {"layernorm n=8 colperiod=4 special=nan@0", 15, "special values"},
    {"layernorm n=8 colperiod=4 data=almost(at=4)", 27, "less than n = 4"},
    {"layernorm n=600 colperiod=300 data=nist(lew)", 11, "200"},
};

static void refuses_with_place_and_reason(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        ug_case c;
        ug_case_error e = {.line = 12};
        int failed = ug_case_parse(refused[i].line, &c, &e);
        if (failed != -1 || e.column != refused[i].column || !strstr(e.text, refused[i].word))
            fail_msg("'%s': %d at column %d: %s", refused[i].line, failed, e.column, e.text);
        assert_int_equal(e.line, 12);
    }
}

static void writes_the_canonical_form(void **state)
{
    static const char *const table[][2] = {
        {"layernorm", "layernorm"},
        {"layernorm rows=8 n=768 eps=1e-5 gamma=random stats=1 alias=none", "layernorm"},
        {"layernorm rows=4  n=1024\tdata=normal(mean=1e2,std=1.0)",
         "layernorm data=normal(mean=100) n=1024 rows=4"},
        {"layernorm n=8 xstride=8 ystride=12 rows=1", "layernorm n=8 rows=1 ystride=12"},
        {"layernorm n=8 xcol=2 xstride=16", "layernorm n=8 xcol=2"},
        {"layernorm rows=5 n=8 xcol=5 xstride=1", "layernorm n=8 rows=5 xcol=5 xstride=1"},
        {"layernorm offset=3 eps=0x1p-10", "layernorm eps=9.765625e-4 xoffset=3 yoffset=3"},
        {"layernorm eps=-0", "layernorm eps=0"},
        {"layernorm data=constant(c=-0) gamma=ones beta=zeros",
         "layernorm beta=constant(c=0) data=constant(c=-0) gamma=constant"},
        {"layernorm special=-inf@first+1e+5@3+65504@tail dtype=f16 specialrow=all",
         "layernorm dtype=f16 special=-inf@first+1e5@3+max@tail specialrow=all"},
        {"layernorm data=file(real/a.safetensors,tensor=h.0.x) beta=none",
         "layernorm beta=none data=file(real/a.safetensors,tensor=h.0.x)"},
        {"layernorm data=almost(c=1000.1,at=last,ulps=-2)",
         "layernorm data=almost(c=1000.1,ulps=-2,at=last)"},
        {"layernorm n=200 data=nist(lew,exp=-2)", "layernorm data=nist(lew,exp=-2) n=200"},
        {"layernorm seed=18446744073709551615 profile=tiny batch=9",
         "layernorm batch=9 profile=tiny seed=18446744073709551615"},
        {"layernorm rowperiod=3 n=8 colperiod=4 rows=9",
         "layernorm colperiod=4 n=8 rowperiod=3 rows=9"},
        {"layernorm rowperiod=0 colperiod=0", "layernorm"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        char text[UG_CASE_TEXT];
        ug_case c;
        ug_case_error e;
        assert_int_equal(ug_case_parse(table[i][0], &c, &e), 0);
        assert_int_equal(ug_case_format(&c, text, sizeof text), (int)strlen(table[i][1]));
        assert_string_equal(text, table[i][1]);
        assert_int_equal(ug_case_format(&c, text, strlen(table[i][1])), -1);
    }
}

static void keeps_the_nearest_binary32_of_eps(void **state)
{
    ug_case c;
    ug_case_error e;
    (void)state;
    /* Just above the midpoint of 1 and its successor: rounding through binary64 would go to even.
     */
    assert_int_equal(ug_case_parse("layernorm eps=1.000000059604644775390626", &c, &e), 0);
    assert_true(c.eps == 0x1.000002p0f);
}

static void hashes_by_fnv1a(void **state)
{
    ug_case c;
    ug_case_error e;
    uint64_t want = 0xcbf29ce484222325u;
    (void)state;
    for (const char *s = "layernorm n=3"; *s; s++)
        want = (want ^ (unsigned char)*s) * 1099511628211u;
    assert_int_equal(ug_case_parse("layernorm  n=3 rows=8", &c, &e), 0);
    assert_true(ug_case_hash(&c) == want);
}

static uint64_t next(uint64_t *s) { return *s = *s * 6364136223846793005u + 1442695040888963407u; }

static unsigned pick(uint64_t *s, unsigned count) { return (unsigned)(next(s) >> 33) % count; }

static double any_number(uint64_t *s)
{
    double v = (double)(int64_t)next(s) * 0x1p-63;
    return pick(s, 3) ? ldexp(v, (int)pick(s, 200) - 100) : (double)(int)(v * 1000);
}

static void random_line(uint64_t *s, char *line, size_t cap)
{
    static const char *const dtype[] = {"f32", "f16", "bf16"};
    static const char *const value[] = {"nan", "inf", "-inf", "-0", "max", "-max", "subnormal"};
    static const char *const place[] = {"first", "middle", "last", "tail", "all", "2"};
    static const char *const param[] = {"none", "random", "negative", "large", "ones", "zeros"};
    unsigned n = 3 + pick(s, 2000), rows = pick(s, 20), pad = pick(s, 9);
    int used = snprintf(line, cap, "layernorm n=%u rows=%u xstride=%u dtype=%s seed=%llu", n, rows,
                        n + pad, dtype[pick(s, 3)], (unsigned long long)next(s));
    used += snprintf(line + used, cap - (size_t)used, " eps=%.17g gamma=%s", fabs(any_number(s)),
                     param[pick(s, 6)]);
    if (pick(s, 2))
        used += snprintf(line + used, cap - (size_t)used, " data=normal(mean=%.17g,std=%.17g)",
                         any_number(s), fabs(any_number(s)));
    else
        used += snprintf(line + used, cap - (size_t)used, " data=almost(c=%.17g,delta=%.17g,at=%u)",
                         any_number(s), any_number(s), pick(s, 3));
    if (pick(s, 2))
        snprintf(line + used, cap - (size_t)used, " special=%s@%s+%.17g@%u", value[pick(s, 7)],
                 place[pick(s, 6)], any_number(s), pick(s, 3));
}

static void reads_back_what_it_writes(void **state)
{
    uint64_t s = 1;
    (void)state;
    for (int i = 0; i < 5000; i++) {
        char line[UG_CASE_TEXT], first[UG_CASE_TEXT], second[UG_CASE_TEXT];
        ug_case a, b;
        ug_case_error e;
        random_line(&s, line, sizeof line);
        if (ug_case_parse(line, &a, &e)) fail_msg("%s: column %d: %s", line, e.column, e.text);
        assert_true(ug_case_format(&a, first, sizeof first) > 0);
        if (ug_case_parse(first, &b, &e)) fail_msg("%s: column %d: %s", first, e.column, e.text);
        assert_true(ug_case_format(&b, second, sizeof second) > 0);
        assert_string_equal(first, second);
        for (int k = 0; k < a.specials; k++)
            if (isnan(a.special[k].value)) a.special[k].value = b.special[k].value;
        assert_memory_equal(&a, &b, sizeof a);
    }
}

static void survives_any_bytes(void **state)
{
    static const char letters[] = "layernorm =(),+@.-0123456789einfaxdtspulgmb{}#\t";
    uint64_t s = 2;
    (void)state;
    for (int i = 0; i < 20000; i++) {
        char line[200] = "layernorm data=normal(mean=1,std=2) special=nan@3+1@last rows=3 eps=1e-3";
        size_t length = strlen(line);
        ug_case c;
        ug_case_error e;
        for (unsigned k = 1 + pick(&s, 3); k; k--)
            line[pick(&s, (unsigned)length)] = letters[pick(&s, sizeof letters - 1)];
        if (!ug_case_parse(line, &c, &e)) continue;
        assert_true(*e.text);
        assert_in_range(e.column, 0, length + 1);
    }
}

static void lists_every_parameter_resolved(void **state)
{
    static const char *const names[] = {
        "alias",   "batch",   "beta",    "boffset",    "colperiod", "data",    "dtype",
        "eps",     "gamma",   "goffset", "n",          "op",        "profile", "rowperiod",
        "rows",    "seed",    "special", "specialrow", "stats",     "wdtype",  "xcol",
        "xoffset", "xstride", "ycol",    "yoffset",    "ystride"};
    char value[UG_CASE_TEXT];
    const char *key;
    ug_case c;
    ug_case_error e;
    int count = 0;
    (void)state;
    assert_int_equal(ug_case_parse("layernorm n=10 xcol=2", &c, &e), 0);
    for (; ug_case_param(&c, count, &key, value); count++) {
        assert_string_equal(key, names[count]);
        if (!strcmp(key, "xstride")) assert_string_equal(value, "20");
        if (!strcmp(key, "op")) assert_string_equal(value, "layernorm");
        if (!strcmp(key, "eps")) assert_string_equal(value, "1e-5");
    }
    assert_int_equal(count, (int)(sizeof names / sizeof *names));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(refuses_with_place_and_reason),
        cmocka_unit_test(writes_the_canonical_form),
        cmocka_unit_test(keeps_the_nearest_binary32_of_eps),
        cmocka_unit_test(hashes_by_fnv1a),
        cmocka_unit_test(reads_back_what_it_writes),
        cmocka_unit_test(survives_any_bytes),
        cmocka_unit_test(lists_every_parameter_resolved),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
