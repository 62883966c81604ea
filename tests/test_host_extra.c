/* SPDX-License-Identifier: Apache-2.0 */
/* A new structure and a new variance are one file each: a second host plugin is built with one more
 * of both, and every structure must have taken every variance. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>

#include "kernel_trial.h"

static const ug_plugin *extra, *host;

static const ug_kernel *find(const ug_plugin *plugin, const char *name)
{
    for (size_t k = 0; k < plugin->count; k++)
        if (strcmp(plugin->kernels[k].name, name) == 0) return &plugin->kernels[k];
    fail_msg("no kernel %s", name);
    return NULL;
}

static const char *const variances[] = {"fixed",   "sum2",     "twopass", "welford",
                                        "shifted", "pairmean", "exact",   "pairwise"};
/* Bit v: takes variance v. split and vec4 take what is common practice, best what is sound. */
static const struct {
    const char *name;
    unsigned takes;
} structures[] = {{"best", 0xfd},     {"fused", 0xff}, {"multi", 0x51}, {"plain", 0xff},
                  {"register", 0x51}, {"split", 0x0f}, {"vec4", 0x0f},  {"warp", 0x51}};
enum { STRUCTURES = sizeof structures / sizeof *structures };

static void all_pairs(void **state)
{
    char name[64];
    (void)state;
    int pairs = 0;
    for (int s = 0; s < STRUCTURES; s++)
        for (int v = 0; v < 8; v++) {
            if (!(structures[s].takes >> v & 1)) continue;
            snprintf(name, sizeof name, "%s/%s", structures[s].name, variances[v]);
            assert_non_null(strstr(find(extra, name)->summary, "; "));
            pairs++;
        }
    assert_int_equal(extra->count, pairs);
}

/* The new variance in every structure: mean 0, rstd = 1/sqrt(1 + eps). */
static void new_variance(void **state)
{
    char name[64];
    const float rstd = (float)(1 / sqrtl(1 + (long double)1e-5f));
    (void)state;
    for (int s = 0; s < STRUCTURES; s++) {
        const trial t = {.rows = 3, .n = 77, .gamma = 1, .beta = 1, .mean = 3, .std = 2};
        outcome o;
        snprintf(name, sizeof name, "%s/fixed", structures[s].name);
        trial_run(extra, find(extra, name), &t, &o);
        assert_int_equal(o.status, UG_OK);
        for (int64_t r = 0; r < 3; r++) {
            assert_true(o.mean[r] == 0 && fabsf(o.rstd[r] - rstd) <= 0x1p-24f);
            for (int64_t i = 0; i < 77; i++)
                assert_true(
                    ug_load(&o.y[r * 77 + i], UG_F32, 0) ==
                    fmaf(trial_gamma(&t, i), trial_x(&t, r, i) * o.rstd[r], trial_beta(&t, i)));
        }
        outcome_free(&o);
    }
}

/* The new structure with every variance gives the bits that `fused` gives. */
static void new_structure(void **state)
{
    char name[64];
    (void)state;
    for (int v = 1; v < 8; v++)
        for (int d = 0; d < UG_DTYPE_COUNT; d++) {
            const trial t = {.dtype = (ug_dtype)d, .rows = 3, .n = 1030, .mean = 3, .std = 2};
            outcome a, b;
            snprintf(name, sizeof name, "plain/%s", variances[v]);
            trial_run(extra, find(extra, name), &t, &a);
            snprintf(name, sizeof name, "fused/%s", variances[v]);
            trial_run(host, find(host, name), &t, &b);
            assert_int_equal(a.status, UG_OK);
            assert_string_equal(a.path, "plain");
            assert_memory_equal(a.y, b.y, 3 * 1030 * sizeof *a.y);
            outcome_free(&a);
            outcome_free(&b);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_pairs),
        cmocka_unit_test(new_variance),
        cmocka_unit_test(new_structure),
    };
    extra = trial_plugin(UG_EXTRA_PLUGIN);
    host = trial_plugin(UG_HOST_PLUGIN);
    if (!extra || !host) {
        fprintf(stderr, "%s or %s: no such file\n", UG_EXTRA_PLUGIN, UG_HOST_PLUGIN);
        return 1;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
