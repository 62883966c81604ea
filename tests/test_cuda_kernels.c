/* SPDX-License-Identifier: Apache-2.0 */
/* The kernels on a device against the same kernels on the CPU executor, bit for bit; those with
 * rsqrtf within three units in the last place of rstd. Skipped where there is no device. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>

#include "kernel_trial.h"

static const ug_plugin *cuda, *host;

static const ug_kernel *twin_of(const ug_kernel *kernel)
{
    char name[64];
    snprintf(name, sizeof name, "%s", kernel->name);
    char *approx = strstr(name, "-rsqrtf");
    if (approx) memmove(approx, approx + 7, strlen(approx + 7) + 1);
    for (size_t k = 0; k < host->count; k++)
        if (strcmp(host->kernels[k].name, name) == 0) return &host->kernels[k];
    fail_msg("host has no %s", name);
    return NULL;
}

static int same(float a, float b)
{
    return ug_float_bits(a) == ug_float_bits(b) || (isnan(a) && isnan(b));
}

/* NaN payloads differ between processors; everything else must not. */
static void compare(const ug_kernel *k, const trial *t, const outcome *c, const outcome *h)
{
    const int approx = strstr(k->name, "-rsqrtf/") != NULL;
    for (int64_t r = 0; r < t->rows && !t->no_stats; r++) {
        if (!same(c->mean[r], h->mean[r]))
            fail_msg("%s: mean %a, host %a", trial_name(k, t), c->mean[r], h->mean[r]);
        if (approx ? !(fabsf(c->rstd[r] - h->rstd[r]) <= 3 * 0x1p-23f * h->rstd[r])
                   : !same(c->rstd[r], h->rstd[r]))
            fail_msg("%s: rstd %a, host %a", trial_name(k, t), c->rstd[r], h->rstd[r]);
    }
    for (int64_t i = 0; i < t->rows * t->n && !approx; i++)
        if (!same(ug_load(&c->y[i], t->dtype, 0), ug_load(&h->y[i], t->dtype, 0)))
            fail_msg("%s: y[%lld] 0x%x, host 0x%x", trial_name(k, t), (long long)i, c->y[i],
                     h->y[i]);
}

static void check(const ug_kernel *k, const trial *t)
{
    outcome c, h;
    trial_run(cuda, k, t, &c);
    if (c.status != UG_OK) fail_msg("%s: %s", trial_name(k, t), c.message);
    if (c.stray) fail_msg("%s: %lld bytes beside y", trial_name(k, t), (long long)c.stray);
    trial_run(host, twin_of(k), t, &h);
    if (t->profile) assert_string_equal(c.path, h.path);
    compare(k, t, &c, &h);
    outcome_free(&c);
    outcome_free(&h);
}

static const ug_profile profiles[] = {
    {"tiny", 3, 64, 512, 32}, {"narrow", 5, 1024, 49152, 32}, {"h200", 0, 1024, 232448, 32}};

static void every_length(void **state)
{
    (void)state;
    for (size_t k = 0; k < cuda->count; k++)
        for (int64_t n = 1; n <= 140; n++) {
            trial t = {.dtype = (ug_dtype)(n % 3), .rows = 7, .n = n, .mean = (double)(n % 5)};
            t.std = 1 + (double)(n % 4), t.gamma = n & 1, t.beta = n >> 1 & 1;
            t.xoff = n % 8, t.yoff = n / 2 % 8, t.xgap = n % 6, t.ygap = n % 7;
            if (n & 8) t.param = t.dtype;
            if (n & 4) t.profile = &profiles[n % 2];
            check(&cuda->kernels[k], &t);
        }
}

static void long_rows(void **state)
{
    static const int64_t length[] = {1000, 1024, 4099, 12300, 57999, 58049, 200000};
    (void)state;
    for (size_t k = 0; k < cuda->count; k++)
        for (size_t i = 0; i < sizeof length / sizeof *length; i++) {
            trial t = {.rows = 3, .n = length[i], .gamma = 1, .beta = 1, .mean = 1e3, .std = 1};
            t.profile = &profiles[2];
            check(&cuda->kernels[k], &t);
            t.in_place = 1, t.no_stats = 1;
            check(&cuda->kernels[k], &t);
            t.dtype = i & 1 ? UG_F16 : UG_BF16, t.mean = 2;
            check(&cuda->kernels[k], &t);
        }
}

static void extreme_rows(void **state)
{
    static const double moment[][2] = {{0, 1e-40}, {3e-39, 1e-39}, {1e4, 0}, {0, 1e18}, {0, 3e20}};
    (void)state;
    for (size_t k = 0; k < cuda->count; k++)
        for (size_t i = 0; i < sizeof moment / sizeof *moment; i++) {
            const trial t = {.rows = 2, .n = 77, .mean = moment[i][0], .std = moment[i][1]};
            check(&cuda->kernels[k], &t);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_length),
        cmocka_unit_test(long_rows),
        cmocka_unit_test(extreme_rows),
    };
    cuda = trial_plugin(UG_CUDA_PLUGIN);
    host = trial_plugin(UG_HOST_PLUGIN);
    if (!cuda || !host) {
        fprintf(stderr, "%s or %s: no such file\n", UG_CUDA_PLUGIN, UG_HOST_PLUGIN);
        return 1;
    }
    if (cuda->space->device_count() == 0) {
        puts("no CUDA device");
        return 77;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
