/* SPDX-License-Identifier: Apache-2.0 */
/* Outputs that were measured before: found only where bits and declarations are the same, and the
 * records are those that every kernel gets alone. */
#include "audit_fixture.h"

#include <stdlib.h>
#include <string.h>

#include "audit/twin.h"

enum { ROWS = 2, N = 3 };

typedef struct sample {
    float y[ROWS * N], mean[ROWS], rstd[ROWS];
    ug_subject subject;
    ug_pair_in in;
    ug_pair out;
} sample;

static void sample_init(sample *s)
{
    memset(s, 0, sizeof *s);
    for (int i = 0; i < ROWS * N; i++) s->y[i] = (float)i;
    s->mean[1] = 2;
    s->rstd[0] = 3;
    s->subject.rows = ROWS;
    s->in.s = &s->subject;
    s->out.outputs = (ug_outputs){s->y, s->mean, s->rstd};
    s->out.output_bytes = sizeof s->y;
    s->out.measure.model = (ug_bound_model){UG_VAR_WELFORD, {32, 1, 5}, 0};
}

static void test_same_is_found_with_its_own_reasons(void **state)
{
    ug_twins twins = {0};
    sample a, b;
    (void)state;
    sample_init(&a);
    sample_init(&b);
    assert_false(ug_twins_find(&twins, &b.in, &b.out));
    a.out.measure.elements = 6;
    a.out.digest = 77;
    ug_measure_reason(&a.out.measure, "guard of a");
    ug_twins_keep(&twins, &a.in, &a.out);
    ug_measure_reason(&b.out.measure, "repeat of b");
    assert_true(ug_twins_find(&twins, &b.in, &b.out));
    assert_int_equal(b.out.measure.elements, 6);
    assert_int_equal(b.out.digest, 77);
    assert_int_equal(b.out.measure.reason_count, 1);
    assert_string_equal(b.out.measure.reasons[0], "repeat of b");
    ug_twins_free(&twins);
    assert_false(ug_twins_find(&twins, &b.in, &b.out));
}

static int found_after(void (*change)(sample *))
{
    ug_twins twins = {0};
    sample a, b;
    int found;
    sample_init(&a);
    sample_init(&b);
    ug_twins_keep(&twins, &a.in, &a.out);
    change(&b);
    found = ug_twins_find(&twins, &b.in, &b.out);
    ug_twins_free(&twins);
    return found;
}

static void nothing(sample *s) { (void)s; }
static void sign_of_zero(sample *s) { s->y[0] = -0.0f; }
static void last_y(sample *s) { s->y[ROWS * N - 1] = 0; }
static void last_mean(sample *s) { s->mean[1] = 0; }
static void last_rstd(sample *s) { s->rstd[1] = 1; }
static void no_stats(sample *s) { s->out.outputs.mean = s->out.outputs.rstd = NULL; }
static void variance(sample *s) { s->out.measure.model.variance = UG_VAR_TWOPASS; }
static void threads(sample *s) { s->out.measure.model.geometry.threads = 64; }
static void chain(sample *s) { s->out.measure.model.geometry.chain = 2; }
static void levels(sample *s) { s->out.measure.model.geometry.levels = 6; }
static void rsqrt_error(sample *s) { s->out.measure.model.rsqrt_error = 2; }
static void rounding(sample *s) { s->out.measure.rounding = UG_ROUND_BEFORE_AFFINE; }
static void promise(sample *s) { s->out.measure.promise = UG_PROMISE_EXACT; }
static void peers(sample *s) { s->out.measure.peers = 1; }

static void test_any_difference_is_measured(void **state)
{
    static void (*const changes[])(sample *) = {
        sign_of_zero, last_y, last_mean,   last_rstd, no_stats, variance, threads,
        chain,        levels, rsqrt_error, rounding,  promise,  peers};
    (void)state;
    assert_true(found_after(nothing));
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++)
        if (found_after(changes[i])) fail_msg("change %zu was not seen", i);
}

static const char *const lines[] = {"layernorm rows=3 n=40",
                                    "layernorm rows=2 n=1025 dtype=f16 data=normal(mean=100)",
                                    "layernorm rows=2 n=7 stats=0 data=constant(c=3) eps=0", NULL};
static const char *const kernels[] = {"host:fused/twopass", "host:split/twopass",
                                      "host:vec4/twopass"};

/* A record without what may differ from run to run. */
static char *text_of(json_t *record)
{
    json_object_del(record, "time_us");
    return json_dumps(record, JSON_SORT_KEYS);
}

static void test_records_are_those_of_each_alone(void **state)
{
    size_t count = sizeof kernels / sizeof *kernels;
    fixture all;
    (void)state;
    fixture_init(&all, NULL, "host:fused/twopass host:split/twopass host:vec4/twopass", lines);
    fixture_run(&all);
    if (all.rc) fail_msg("%s", all.log);
    assert_int_equal(json_array_size(all.records), 3 * count);
    for (size_t k = 0; k < count; k++) {
        fixture one;
        fixture_init(&one, NULL, kernels[k], lines);
        fixture_run(&one);
        assert_int_equal(json_array_size(one.records), 3);
        for (size_t i = 0; i < 3; i++) {
            char *together = text_of(json_array_get(all.records, i * count + k));
            char *alone = text_of(json_array_get(one.records, i));
            assert_string_equal(together, alone);
            free(together);
            free(alone);
        }
        fixture_done(&one);
    }
    fixture_done(&all);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same_is_found_with_its_own_reasons),
        cmocka_unit_test(test_any_difference_is_measured),
        cmocka_unit_test(test_records_are_those_of_each_alone),
    };
    setenv("ULPGATE_PLUGINS", UG_HOST_FOLDER, 1);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
