/* SPDX-License-Identifier: Apache-2.0 */
/* The file of real tensors: complete, small, and read by the product's reader as numpy reads it. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "cases/tensor.h"

enum { HIDDEN = 384, LIMIT = 4 << 20 };

static unsigned char *bytes;
static size_t size;

static int read_file(void **state)
{
    FILE *in = fopen(UG_REAL_FILE, "rb");
    (void)state;
    if (!in) return -1;
    bytes = malloc(LIMIT + 1);
    size = bytes ? fread(bytes, 1, LIMIT + 1, in) : 0;
    fclose(in);
    return size ? 0 : -1;
}

static int free_file(void **state)
{
    (void)state;
    free(bytes);
    return 0;
}

static ug_tensor tensor(const char *layer, const char *part)
{
    ug_tensor t;
    char name[64], err[512];
    snprintf(name, sizeof name, "%s.%s", layer, part);
    if (ug_safetensors_read(bytes, size, name, &t, err, sizeof err)) fail_msg("%s: %s", name, err);
    assert_int_equal(t.dtype, UG_F32);
    assert_int_equal(t.n, HIDDEN);
    return t;
}

static double largest(const ug_tensor *t)
{
    double top = 0;
    for (int64_t r = 0; r < t->rows; r++)
        for (int64_t i = 0; i < t->n; i++) {
            float value = ug_tensor_at(t, r, i);
            assert_true(isfinite(value));
            top = fmax(top, fabs((double)value));
        }
    return top;
}

static void is_small(void **state)
{
    (void)state;
    assert_true(size <= LIMIT);
}

/* Largest |x| of each layer, taken with numpy from the file. */
static void layers(void **state)
{
    static const struct {
        const char *name;
        int64_t rows, row_stride, col_stride;
        double top;
    } layer[] = {
        {"embeddings", 32, HIDDEN, 1, 2.855958938598633},
        {"layer0.attention", 32, HIDDEN, 1, 10.674922943115234},
        {"layer0.output", 32, HIDDEN, 1, 223.7314453125},
        {"layer1.attention", 32, HIDDEN, 1, 8.07895278930664},
        {"layer1.output", 32, HIDDEN, 1, 121.05730438232422},
        {"layer2.attention", 32, HIDDEN, 1, 7.953644752502441},
        {"layer2.output", 32, HIDDEN, 1, 191.31393432617188},
        {"layer3.attention", 32, HIDDEN, 1, 9.661537170410156},
        {"layer3.output", 32, HIDDEN, 1, 76.80439758300781},
        {"layer4.attention", 32, HIDDEN, 1, 10.55492115020752},
        {"layer4.output", 32, HIDDEN, 1, 61.47218322753906},
        {"layer5.attention", 32, HIDDEN, 1, 10.34841537475586},
        {"layer5.output", 32, HIDDEN, 1, 47.98807907104492},
        {"cls", 8, 57 * HIDDEN, 1, 13.094606},
        {"seqfirst", 57, 8 * HIDDEN, 1, 7.93002},
        {"chanfirst", 57, 1, 57, 13.442262},
    };
    (void)state;
    for (size_t i = 0; i < sizeof layer / sizeof *layer; i++) {
        ug_tensor x = tensor(layer[i].name, "x"), gamma = tensor(layer[i].name, "gamma"),
                  beta = tensor(layer[i].name, "beta");
        assert_int_equal(x.rows, layer[i].rows);
        assert_int_equal(x.row_stride, layer[i].row_stride);
        assert_int_equal(x.col_stride, layer[i].col_stride);
        assert_true(fabs(largest(&x) / layer[i].top - 1) < 1e-6);
        assert_int_equal(gamma.rows, 1);
        assert_int_equal(beta.rows, 1);
        assert_true(largest(&gamma) > 0 && largest(&beta) > 0);
    }
}

/* The first token of the second sentence lies in two views with different strides. */
static void views_agree(void **state)
{
    ug_tensor cls = tensor("cls", "x"), channels = tensor("chanfirst", "x");
    (void)state;
    for (int64_t i = 0; i < HIDDEN; i++)
        assert_true(ug_tensor_at(&cls, 1, i) == ug_tensor_at(&channels, 0, i));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(is_small),
        cmocka_unit_test(layers),
        cmocka_unit_test(views_agree),
    };
    return cmocka_run_group_tests(tests, read_file, free_file);
}
