/* SPDX-License-Identifier: Apache-2.0 */
/* Every kernel of the host plugin against an independent model of its declared reduction, bit for
 * bit, and against exact statistics within its bounds. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernel_model.h"
#include "kernel_trial.h"

static const ug_plugin *plugin;

static int starts(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

/* Structures deal elements out one by one, `vec4` in fours, those that hold rows in 16 bytes. */
static int64_t group_of(const ug_kernel *k, ug_dtype dtype)
{
    if (starts(k->name, "split") || starts(k->name, "fused")) return 1;
    return starts(k->name, "vec4") ? 4 : 16 / (int64_t)ug_dtype_size(dtype);
}

static void fail_at(const ug_kernel *k, const trial *t, const char *what, int64_t row, int64_t i,
                    double got, double want)
{
    fail_msg("%s: %s of row %lld element %lld is %.9g, expected %.9g", trial_name(k, t), what,
             (long long)row, (long long)i, got, want);
}

static model_row model_of(const ug_kernel *k, const trial *t, const ug_geometry *g, int64_t parts,
                          const float *x)
{
    const int64_t word = 4 / (int64_t)ug_dtype_size(t->dtype);
    const model_deal deal = {g->threads, parts == 0 ? word : group_of(k, t->dtype), parts};
    return model_stats(x, t->n, trial_args(t).eps, k->variance, &deal);
}

/* The first difference of row r from the model, -1: none. The sign of an exact zero is a
 * convention.
 */
static int64_t differs(const trial *t, const outcome *o, int64_t r, const float *x,
                       const model_row *m)
{
    for (int64_t i = 0; i < t->n; i++) {
        const float y = model_apply(m, t->dtype, x[i], trial_gamma(t, i), trial_beta(t, i));
        uint32_t want = 0;
        ug_store(&want, t->dtype, 0, y);
        const uint32_t got = o->y[r * t->n + i];
        if (got != want && ug_load(&got, t->dtype, 0) != ug_load(&want, t->dtype, 0)) return i;
    }
    return -1;
}

/* Blocks that share a row, or 0 where best holds it in words and -1 where in stretches of vectors:
 * the geometry does not say, so it is that with which the row is right. It must be right with one.
 */
static int64_t parts_of(const ug_kernel *k, const trial *t, const ug_geometry *g, const outcome *o,
                        int64_t r, const float *x)
{
    if (!starts(k->name, "multi") && !starts(k->name, "best")) return 1;
    static const int64_t tried[] = {1, 2, 4, 8, 16, 0, -1};
    for (size_t i = 0; i < sizeof tried / sizeof *tried; i++) {
        const int64_t parts = tried[i];
        if (parts > 0 ? g->threads % parts || (parts > 1 && g->threads / parts % 32)
                      : !starts(k->name, "best") || g->threads % 32)
            continue;
        const model_row m = model_of(k, t, g, parts, x);
        if (m.chain != g->chain || m.levels != g->levels || differs(t, o, r, x, &m) >= 0) continue;
        if (t->no_stats || (o->mean[r] == m.mean && o->rstd[r] == m.rstd)) return parts;
    }
    return 1;
}

static void check_row(const ug_kernel *k, const trial *t, const outcome *o, int64_t r, float *x)
{
    ug_args a = trial_args(t);
    ug_geometry g;
    k->geometry(&a, &g);
    for (int64_t i = 0; i < t->n; i++) x[i] = trial_x(t, r, i);
    const model_row m = model_of(k, t, &g, parts_of(k, t, &g, o, r, x), x);
    if (m.chain != g.chain) fail_at(k, t, "chain", r, 0, (double)g.chain, (double)m.chain);
    if (m.levels != g.levels) fail_at(k, t, "levels", r, 0, (double)g.levels, (double)m.levels);
    if (!t->no_stats) {
        if (!(o->mean[r] == m.mean)) fail_at(k, t, "mean", r, 0, o->mean[r], m.mean);
        if (!(o->rstd[r] == m.rstd)) fail_at(k, t, "rstd", r, 0, o->rstd[r], m.rstd);
    }
    const int64_t i = differs(t, o, r, x, &m);
    if (i >= 0)
        fail_at(k, t, "y", r, i, ug_load(&o->y[r * t->n + i], t->dtype, 0),
                model_apply(&m, t->dtype, x[i], trial_gamma(t, i), trial_beta(t, i)));
}

static void check(const ug_kernel *k, const trial *t)
{
    outcome o;
    float *x = malloc(sizeof *x * (size_t)(t->n + 1));
    assert_non_null(x);
    trial_run(plugin, k, t, &o);
    if (o.status != UG_OK) fail_msg("%s: %s", trial_name(k, t), o.message);
    if (o.stray) fail_msg("%s: %lld bytes beside y", trial_name(k, t), (long long)o.stray);
    for (int64_t r = 0; r < t->rows; r++) check_row(k, t, &o, r, x);
    outcome_free(&o);
    free(x);
}

/* Every N up to 130 in every dtype; strides, offsets, parameters and the order of lanes go round.
 */
static void short_rows(void **state)
{
    (void)state;
    for (size_t k = 0; k < plugin->count; k++)
        for (int dtype = 0; dtype < UG_DTYPE_COUNT; dtype++)
            for (int64_t n = 1; n <= 130; n++) {
                trial t = {.dtype = (ug_dtype)dtype, .param = UG_F32, .rows = 2, .n = n};
                t.mean = n % 3, t.std = 1 + (double)(n % 5), t.threads = 1;
                t.variation = (uint32_t)n % 4;
                t.gamma = n & 1, t.beta = n >> 1 & 1;
                t.xoff = n % 8, t.yoff = n / 2 % 8, t.xgap = n % 6, t.ygap = n % 7;
                if (n & 8) t.param = t.dtype;
                check(&plugin->kernels[k], &t);
            }
}

/* More rows than blocks, smaller blocks, rows beyond shared memory: every element of every row. */
static void small_profiles(void **state)
{
    static const ug_profile profile[] = {{"grid", 3, 1024, 49152, 32},
                                         {"shared", 100, 1024, 512, 32},
                                         {"tiny", 2, 64, 768, 32},
                                         {"odd", 1, 100, 1000, 32}};
    (void)state;
    for (size_t k = 0; k < plugin->count; k++)
        for (int64_t n = 1; n < 700; n = n * 3 / 2 + 1) {
            trial t = {.dtype = (ug_dtype)(n % 3), .rows = 7, .n = n, .gamma = 1, .beta = 1};
            t.mean = 3, t.std = 1, t.threads = 1, t.xoff = n % 4, t.yoff = t.xoff;
            t.in_place = n >> 1 & 1, t.no_stats = n >> 2 & 1;
            for (int p = 0; p < 4; p++) {
                t.profile = &profile[p];
                check(&plugin->kernels[k], &t);
            }
        }
}

/* Lengths around the block size, long chains, and lengths that no longer fit into shared memory. */
static void long_rows(void **state)
{
    static const int64_t length[] = {255, 256, 257, 1000, 1023, 1024, 1025, 4096, 5003, 12300};
    (void)state;
    for (size_t k = 0; k < plugin->count; k++)
        for (size_t i = 0; i < sizeof length / sizeof *length; i++) {
            trial t = {.rows = 2, .n = length[i], .gamma = 1, .beta = 1, .mean = 100, .std = 1};
            t.threads = 1;
            check(&plugin->kernels[k], &t);
            t.in_place = 1, t.xgap = 3, t.no_stats = 1;
            check(&plugin->kernels[k], &t);
            t.dtype = i & 1 ? UG_F16 : UG_BF16, t.param = i & 2 ? t.dtype : UG_F32, t.mean = 1;
            check(&plugin->kernels[k], &t);
        }
}

/* What no vector divides, with all that gamma and beta may be. */
static void odd_rows(void **state)
{
    static const int64_t length[] = {193, 391, 777, 1023, 1025, 2047, 3001, 4097, 8191, 8193};
    (void)state;
    for (size_t k = 0; k < plugin->count; k++)
        for (size_t i = 0; i < 3 * sizeof length / sizeof *length; i++) {
            trial t = {.dtype = (ug_dtype)(i % 3), .rows = 2, .n = length[i / 3], .threads = 1};
            if (!starts(plugin->kernels[k].name, "best")) continue;
            t.mean = 3, t.std = 1, t.xoff = (int64_t)i % 7, t.yoff = (int64_t)i % 5;
            t.gamma = i % 4 != 1, t.beta = i % 4 != 2, t.param = i % 5 == 1 ? UG_F32 : t.dtype;
            check(&plugin->kernels[k], &t);
        }
}

/* Rows of wild size: overflow to infinity, subnormals, one value throughout. */
static void extreme_rows(void **state)
{
    static const double moment[][2] = {{0, 1e-40}, {3e-39, 1e-39}, {1e4, 0}, {0, 1e18}, {1e6, 1}};
    (void)state;
    for (size_t k = 0; k < plugin->count; k++)
        for (size_t i = 0; i < sizeof moment / sizeof *moment; i++) {
            trial t = {.rows = 2, .n = 77, .mean = moment[i][0], .std = moment[i][1]};
            t.threads = 1;
            check(&plugin->kernels[k], &t);
        }
}

/* The same bits whatever the order of lanes, the number of OS threads, the place in the batch. */
static void order_and_threads(void **state)
{
    (void)state;
    for (size_t k = 0; k < plugin->count; k++) {
        trial t = {.rows = 80, .n = 515, .gamma = 1, .mean = 30, .std = 1};
        for (t.variation = 0; t.variation < 4; t.variation++)
            for (t.threads = 1; t.threads <= 4; t.threads += 3) check(&plugin->kernels[k], &t);
    }
}

/* Pairs of doubles need more registers than so many threads have: the kernel says so. */
static bool too_many_threads(const ug_kernel *k, const trial *t)
{
    outcome o;
    trial_run(plugin, k, t, &o);
    const bool declined = o.status == UG_DECLINED && strstr(o.message, "expected at most 512");
    outcome_free(&o);
    return declined;
}

/* Block sizes that the caller asks for, also past the one the plan would choose. */
static void chosen_blocks(void **state)
{
    static const int64_t block[] = {32, 96, 128, 512, 1024}, length[] = {5, 515, 1023, 4099};
    (void)state;
    for (size_t k = 0; k < plugin->count; k++)
        for (size_t b = 0; b < 5 && plugin->kernels[k].supports & UG_CAN_BLOCK; b++)
            for (size_t i = 0; i < 4; i++) {
                const trial t = {.rows = 2,
                                 .n = length[i],
                                 .mean = 30,
                                 .std = 1,
                                 .gamma = 1,
                                 .variation = (uint32_t)i,
                                 .block = block[b]};
                const ug_args a = trial_args(&t);
                ug_geometry g;
                plugin->kernels[k].geometry(&a, &g);
                assert_int_equal(g.threads % block[b], 0);
                if (block[b] > 512 && plugin->kernels[k].variance == UG_VAR_EXACT &&
                    too_many_threads(&plugin->kernels[k], &t))
                    continue;
                check(&plugin->kernels[k], &t);
            }
}

/* Rows that several blocks share, with clusters and without. */
static void shared_rows(void **state)
{
    static const ug_profile with = {"with", 24, 64, 65536, 32},
                            without = {"without", 24, 64, 4096, 32};
    static const int64_t length[] = {2050, 4096, 5003, 12300, 20001};
    (void)state;
    for (size_t k = 0; k < plugin->count; k++)
        for (size_t i = 0; i < sizeof length / sizeof *length; i++) {
            trial t = {.rows = 7, .n = length[i], .gamma = 1, .beta = 1, .mean = 100, .std = 1};
            if (!starts(plugin->kernels[k].name, "multi") &&
                !starts(plugin->kernels[k].name, "best"))
                continue;
            t.profile = &with, t.variation = (uint32_t)i;
            check(&plugin->kernels[k], &t);
            t.in_place = 1, t.xgap = 5, t.xoff = 3;
            check(&plugin->kernels[k], &t);
            t.profile = &without;
            check(&plugin->kernels[k], &t);
            t.dtype = i & 1 ? UG_F16 : UG_BF16, t.mean = 1, t.profile = &with;
            check(&plugin->kernels[k], &t);
        }
}

static void impossible_blocks(void **state)
{
    static const int64_t block[] = {-32, 1, 100, 1056, 2048};
    (void)state;
    for (size_t k = 0; k < plugin->count; k++)
        for (size_t b = 0; b < 5 && plugin->kernels[k].supports & UG_CAN_BLOCK; b++) {
            const trial t = {.rows = 1, .n = 64, .std = 1, .block = block[b]};
            outcome o;
            trial_run(plugin, &plugin->kernels[k], &t, &o);
            assert_int_equal(o.status, UG_DECLINED);
            outcome_free(&o);
        }
}

static void check_bounds(const ug_kernel *k, const trial *t)
{
    outcome o;
    ug_args a = trial_args(t);
    ug_geometry g;
    float x[4100];
    k->geometry(&a, &g);
    trial_run(plugin, k, t, &o);
    assert_int_equal(o.status, UG_OK);
    for (int64_t r = 0; r < t->rows; r++) {
        for (int64_t i = 0; i < t->n; i++) x[i] = trial_x(t, r, i);
        const model_exact e = model_exact_row(x, t->n);
        const model_limits b = model_bound(&e, k, &g);
        if (!(fabs(o.mean[r] - e.mean) <= b.mean)) fail_at(k, t, "mean", r, 0, o.mean[r], e.mean);
        for (int64_t i = 0; i < t->n; i++) {
            const double gamma = trial_gamma(t, i), beta = trial_beta(t, i);
            const double want =
                (double)(gamma * (x[i] - (long double)e.mean) / sqrtl(e.var + (long double)a.eps)) +
                beta;
            const double got = ug_load(&o.y[r * t->n + i], UG_F32, 0);
            const double bound = model_element_bound(&e, &b, k, a.eps, x[i], gamma, want);
            if (!(fabs(got - want) <= bound)) fail_at(k, t, "y", r, i, got, want);
        }
    }
    outcome_free(&o);
}

static void within_bounds(void **state)
{
    static const int64_t length[] = {5, 31, 32, 100, 515, 1024, 4099};
    static const double mean[] = {0, 1, 100, 1e4, -1e5};
    (void)state;
    for (size_t k = 0; k < plugin->count; k++)
        for (size_t i = 0; i < sizeof length / sizeof *length; i++)
            for (size_t j = 0; j < sizeof mean / sizeof *mean; j++) {
                const trial t = {.rows = 3,
                                 .n = length[i],
                                 .gamma = 1,
                                 .beta = 1,
                                 .mean = mean[j],
                                 .std = 1,
                                 .threads = 1};
                check_bounds(&plugin->kernels[k], &t);
            }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(short_rows),        cmocka_unit_test(small_profiles),
        cmocka_unit_test(long_rows),         cmocka_unit_test(odd_rows),
        cmocka_unit_test(extreme_rows),      cmocka_unit_test(order_and_threads),
        cmocka_unit_test(within_bounds),     cmocka_unit_test(chosen_blocks),
        cmocka_unit_test(impossible_blocks), cmocka_unit_test(shared_rows),
    };
    plugin = trial_plugin(UG_HOST_PLUGIN);
    if (!plugin || plugin->count < 23) {
        fprintf(stderr, "%s: expected a plugin of at least 23 kernels\n", UG_HOST_PLUGIN);
        return 1;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
