/* SPDX-License-Identifier: Apache-2.0 */
/* A result record holds what docs/results.md says, and nothing where nothing was measured. */
#include "measure_fixture.h"

#include "audit/record.h"

static row r;
static ug_case tested;
static ug_kernel_card card;

static ug_record_in input(const char *verdict)
{
    ug_case_error error;
    memset(&error, 0, sizeof error);
    assert_int_equal(ug_case_parse("layernorm rows=2 n=4", &tested, &error), 0);
    memset(&card, 0, sizeof card);
    strcpy(card.backend, "host");
    strcpy(card.name, "split/twopass");
    card.variance = UG_VAR_TWOPASS;
    return (ug_record_in){.tested = &tested, .kernel = &card, .verdict = verdict, .time_us = -1};
}

static const char *text_at(json_t *o, const char *key)
{
    return json_string_value(json_object_get(o, key));
}

static void a_declined_case_has_a_reason_and_no_metrics(void **state)
{
    ug_record_in in = input("DECLINED");
    json_t *o, *params;
    char *text;
    (void)state;
    in.reason = "declined column stride 2";
    o = ug_record(&in);
    assert_non_null(o);
    assert_string_equal(text_at(o, "type"), "result");
    assert_string_equal(text_at(o, "kernel"), "host:split/twopass");
    assert_string_equal(text_at(o, "variance"), "twopass");
    assert_string_equal(text_at(o, "verdict"), "DECLINED");
    assert_int_equal(strlen(text_at(o, "id")), 16);
    assert_string_equal(json_string_value(json_array_get(json_object_get(o, "reasons"), 0)),
                        "declined column stride 2");
    params = json_object_get(o, "params");
    assert_string_equal(text_at(params, "n"), "4");
    assert_null(json_object_get(o, "metrics"));
    assert_null(json_object_get(o, "gate"));
    assert_null(json_object_get(o, "time_us"));
    assert_null(json_object_get(o, "digest"));
    text = ug_record_text(o);
    assert_null(strchr(text, '\n'));
    free(text);
    json_decref(o);
}

static void a_measured_case_has_everything(void **state)
{
    ug_record_in in = input("FAIL");
    ug_bound_model model = model_of(UG_VAR_TWOPASS, 1, 2, 0);
    ug_measure m;
    ug_verdict v;
    uint64_t rows[2] = {1, 0xfedcba9876543210u};
    char err[200];
    json_t *o, *worst, *metrics;
    (void)state;
    row_init(&r, UG_F32, 2);
    r.head[0] = r.head[1] = 1;
    r.want[0] = r.want[1] = ug_float_bits(1);
    set_bits(&r, 0, ug_float_bits(1));
    set_bits(&r, 1, 0x7fc00000);
    ug_measure_begin(&m, UG_F32, &model);
    measure(&m, &r, 0);
    assert_int_equal(ug_gate_judge(NULL, &m, &v, err, sizeof err), 0);
    in.measure = &m;
    in.judged = &v;
    in.has_digest = 1;
    in.digest = 0xabcu;
    in.row_digests = rows;
    in.row_digest_count = 2;
    in.geometry = &model.geometry;
    in.time_us = 12.5;
    o = ug_record(&in);
    assert_non_null(o);
    assert_string_equal(text_at(o, "digest"), "0000000000000abc");
    assert_string_equal(json_string_value(json_array_get(json_object_get(o, "row_digests"), 1)),
                        "fedcba9876543210");
    assert_string_equal(text_at(o, "gate"), "bound");
    worst = json_object_get(json_object_get(o, "worst"), "cond");
    assert_int_equal(json_integer_value(json_object_get(worst, "col")), 1);
    assert_string_equal(text_at(worst, "value"), "inf");
    assert_string_equal(text_at(worst, "got"), "nan");
    metrics = json_object_get(o, "metrics");
    assert_true(json_real_value(json_object_get(metrics, "cr_share")) == 0.5);
    assert_null(json_object_get(metrics, "vs_openblas_abs"));
    assert_int_equal(json_array_size(json_object_get(o, "ulp_hist")), UG_HIST_BINS);
    assert_true(json_is_false(json_object_get(json_object_get(o, "passes"), "bound")));
    assert_int_equal(
        json_integer_value(json_object_get(json_object_get(o, "classes"), "nan_spurious")), 1);
    assert_int_equal(json_integer_value(json_object_get(json_object_get(o, "rows"), "regular")), 1);
    assert_true(json_real_value(json_object_get(o, "time_us")) == 12.5);
    json_decref(o);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_declined_case_has_a_reason_and_no_metrics),
        cmocka_unit_test(a_measured_case_has_everything),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
