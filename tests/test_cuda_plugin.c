/* SPDX-License-Identifier: Apache-2.0 */
/* The cuda plugin as a plugin: its table, its facts and its answers hold with and without a device.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdio.h>

#include "kernel_trial.h"

static const ug_plugin *cuda, *host;

static const ug_kernel *find(const ug_plugin *plugin, const char *name)
{
    for (size_t k = 0; k < plugin->count; k++)
        if (strcmp(plugin->kernels[k].name, name) == 0) return &plugin->kernels[k];
    return NULL;
}

/* Every kernel of host is there, declared alike; the others are the same with rsqrtf. */
static void table(void **state)
{
    size_t exact = 0;
    (void)state;
    assert_int_equal(cuda->abi, UG_ABI_VERSION);
    assert_string_equal(cuda->backend, "cuda");
    assert_non_null(cuda->space);
    for (size_t k = 0; k < cuda->count; k++) {
        const ug_kernel *c = &cuda->kernels[k], *h = find(host, c->name);
        const int approx = strstr(c->name, "-rsqrtf/") != NULL;
        exact += !approx;
        assert_true(c->rsqrt_error == (approx ? 2.15 : 1.0));
        assert_int_equal(h == NULL, approx);
        if (!h) continue;
        assert_int_equal(c->variance, h->variance);
        assert_int_equal(c->supports, h->supports);
        assert_int_equal(c->dtypes, h->dtypes);
        for (int64_t n = 0; n < 5000; n = n * 5 / 4 + 1) {
            static const ug_profile p = {"p", 3, 128, 4096, 32};
            const trial t = {.rows = 2, .n = n, .profile = n & 1 ? &p : NULL};
            const ug_args a = trial_args(&t);
            ug_geometry gc, gh;
            c->geometry(&a, &gc);
            h->geometry(&a, &gh);
            assert_memory_equal(&gc, &gh, sizeof gc);
        }
    }
    assert_int_equal(exact, host->count);
}

static void facts(void **state)
{
    const char *key, *value;
    int compiler = 0, count = 0;
    (void)state;
    for (; cuda->describe(count, &key, &value); count++) {
        assert_true(key[0] && value[0]);
        compiler += strcmp(key, "compiler") == 0;
    }
    assert_int_equal(compiler, 1);
    assert_int_equal(cuda->describe(-1, &key, &value), 0);
    assert_true(count < 32);
}

/* Without a device: an error with a text from every entry, and no crash. */
static void no_device(void **state)
{
    char err[256] = "";
    float memory[64] = {0};
    (void)state;
    if (cuda->space->device_count() > 0) skip();
    assert_null(cuda->space->alloc(1024, err, sizeof err));
    assert_true(err[0] != 0);
    for (size_t k = 0; k < cuda->count; k++) {
        const trial t = {.rows = 2, .n = 16};
        ug_args a = trial_args(&t);
        a.x.data = memory;
        a.y.data = memory + 32;
        assert_int_equal(cuda->kernels[k].launch(&a), UG_FAILED);
        assert_true(a.message[0] != 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(table),
        cmocka_unit_test(facts),
        cmocka_unit_test(no_device),
    };
    cuda = trial_plugin(UG_CUDA_PLUGIN);
    host = trial_plugin(UG_HOST_PLUGIN);
    if (!cuda || !host) {
        fprintf(stderr, "%s or %s: no such file\n", UG_CUDA_PLUGIN, UG_HOST_PLUGIN);
        return 1;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
