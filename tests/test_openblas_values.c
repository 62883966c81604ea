/* SPDX-License-Identifier: Apache-2.0 */
/* Values of the OpenBLAS plugin against a long double LayerNorm, within the two-pass bound. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "openblas_harness.h"

static const trial plain = {.rows = 5, .n = 64, .std = 1, .eps = 1e-5f, .seed = 1};

static double run_trial(const trial *t, const char *path)
{
    trial_run run;
    double worst;
    trial_open(&run, t);
    if (trial_launch(&run) != UG_OK) fail_msg("%s", run.args.message);
    assert_string_equal(run.args.path, path);
    worst = trial_check(&run);
    trial_close(&run);
    return worst;
}

static void short_rows(void **state)
{
    static const double means[] = {0, 1, -30, 1000};
    (void)state;
    for (int dtype = 0; dtype < UG_DTYPE_COUNT; dtype++)
        for (int64_t n = 1; n <= 130; n++) {
            trial t = plain;
            t.n = n;
            t.rows = 1 + n % 7;
            t.dtype = (ug_dtype)dtype;
            t.seed = (uint32_t)n;
            t.mean = means[n % 4];
            run_trial(&t, dtype == UG_F32 ? "lda" : "packed");
        }
}

static void long_rows(void **state)
{
    static const int64_t lengths[] = {384, 1000, 1023, 4097, 65536, 262145, 1000003};
    (void)state;
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        trial t = plain;
        t.n = lengths[i];
        t.rows = 3;
        t.mean = 3;
        run_trial(&t, "lda");
    }
}

/* More rows than a chunk holds, with short rows (its row limit) and long ones (its size limit). */
static void many_rows(void **state)
{
    trial t = plain;
    (void)state;
    t.rows = 10001;
    t.n = 3;
    run_trial(&t, "lda");
    t.dtype = UG_F16;
    run_trial(&t, "packed");
    t.dtype = UG_F32;
    t.rows = 131;
    t.n = 4100;
    run_trial(&t, "lda");
}

static void strides_and_offsets(void **state)
{
    (void)state;
    for (int dtype = 0; dtype < UG_DTYPE_COUNT; dtype++)
        for (int64_t n = 1; n <= 37; n += 6)
            for (int64_t offset = 0; offset < 8; offset++) {
                trial t = plain;
                t.dtype = (ug_dtype)dtype;
                t.n = n;
                t.rows = 6;
                t.xstride = n + offset % 5;
                t.ystride = n + offset % 3;
                t.xoffset = offset;
                t.yoffset = 7 - offset;
                run_trial(&t, dtype == UG_F32 ? "lda" : "packed");
            }
}

/* Rows that lie on each other in x: a stride below n is no lda, so they are packed. */
static void broadcast_and_overlapping_rows(void **state)
{
    trial t = plain;
    (void)state;
    t.xstride = TRIAL_BROADCAST;
    run_trial(&t, "packed");
    t.dtype = UG_BF16;
    run_trial(&t, "packed");
    t.dtype = UG_F32;
    t.rows = 1;
    run_trial(&t, "lda");
}

/* All 16 combinations of gamma, beta, statistics and place, for every pair of dtypes. */
static void operands(void **state)
{
    (void)state;
    for (int dtype = 0; dtype < UG_DTYPE_COUNT; dtype++)
        for (int same = 0; same < 2; same++)
            for (int bits = 0; bits < 16; bits++) {
                trial t = plain;
                t.dtype = (ug_dtype)dtype;
                t.wdtype = same ? (ug_dtype)dtype : UG_F32;
                t.n = 45;
                t.xstride = 48;
                t.no_gamma = bits & 1;
                t.no_beta = bits >> 1 & 1;
                t.no_stats = bits >> 2 & 1;
                t.in_place = bits >> 3 & 1;
                run_trial(&t, dtype == UG_F32 ? "lda" : "packed");
            }
}

/* A power of two of small integers: every step is exact but the root, so the bits are known. */
static void exact_row(void **state)
{
    trial t = {.rows = 4, .n = 16, .no_gamma = 1, .no_beta = 1, .eps = 0};
    trial_run run;
    (void)state;
    trial_open(&run, &t);
    for (int64_t i = 0; i < 64; i++) ug_store(run.x.base, UG_F32, i, i % 2 ? 7.0f : 3.0f);
    assert_int_equal(trial_launch(&run), UG_OK);
    for (int64_t i = 0; i < 64; i++)
        assert_int_equal(trial_bits(&run, i / 16, i % 16), ug_float_bits(i % 2 ? 1.0f : -1.0f));
    for (int64_t r = 0; r < 4; r++) {
        assert_true(run.args.mean[r] == 5.0f);
        assert_true(run.args.rstd[r] == 0.5f);
    }
    trial_close(&run);
}

/* A NaN in one row stays in it. Nothing is said about the row itself: BLAS decides. */
static void nan_stays_in_its_row(void **state)
{
    (void)state;
    for (int64_t rows = 1; rows <= 9; rows++)
        for (int64_t bad = 0; bad < rows; bad++) {
            trial t = plain;
            trial_run run;
            t.rows = rows;
            t.n = 19;
            trial_open(&run, &t);
            ug_store(run.x.base, UG_F32, bad * 19 + bad, NAN);
            assert_int_equal(trial_launch(&run), UG_OK);
            for (int64_t r = 0; r < rows; r++)
                for (int64_t i = 0; i < 19; i++)
                    if (r != bad) assert_true(isfinite(ug_load(run.y.base, UG_F32, r * 19 + i)));
            trial_close(&run);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(short_rows),
        cmocka_unit_test(long_rows),
        cmocka_unit_test(many_rows),
        cmocka_unit_test(strides_and_offsets),
        cmocka_unit_test(broadcast_and_overlapping_rows),
        cmocka_unit_test(operands),
        cmocka_unit_test(exact_row),
        cmocka_unit_test(nan_stays_in_its_row),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
