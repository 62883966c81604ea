/* SPDX-License-Identifier: Apache-2.0 */
/* Readers of .npy and .safetensors: what they read, what they refuse, and damage at every byte. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "cases/case.h"
#include "cases/tensor.h"

enum { ROOM = 4096 };

typedef struct blob {
    unsigned char bytes[ROOM];
    size_t size;
} blob;

static const ug_dtype no_raw = UG_F32;

static void put(blob *b, const void *bytes, size_t count)
{
    assert_true(b->size + count <= ROOM);
    memcpy(b->bytes + b->size, bytes, count);
    b->size += count;
}

/* A .npy of that version; the header is padded so that the data begin at a multiple of 64. */
static blob npy(int version, const char *dict, const void *data, size_t count)
{
    blob b = {.size = 0};
    char head[12] = "\x93NUMPY";
    size_t start = version == 1 ? 10 : 12, length = (start + strlen(dict) + 64) / 64 * 64 - start;
    head[6] = (char)version;
    head[8] = (char)(length & 255);
    head[9] = (char)(length >> 8);
    put(&b, head, start);
    put(&b, dict, strlen(dict));
    while (b.size < start + length - 1) put(&b, " ", 1);
    put(&b, "\n", 1);
    put(&b, data, count);
    return b;
}

static blob safetensors(const char *header, const void *data, size_t count)
{
    blob b = {.size = 0};
    unsigned char length[8] = {(unsigned char)(strlen(header) & 255),
                               (unsigned char)(strlen(header) >> 8)};
    put(&b, length, 8);
    put(&b, header, strlen(header));
    put(&b, data, count);
    return b;
}

/* Reads from a block of exactly that size, so that a sanitizer sees any byte beyond it. */
static int read_exactly(const blob *b, size_t size, const char *name, ug_dtype raw16, float *corner,
                        char *err, size_t cap)
{
    unsigned char *copy = malloc(size ? size : 1);
    ug_tensor t;
    int failed;
    assert_non_null(copy);
    memcpy(copy, b->bytes, size);
    failed = name ? ug_safetensors_read(copy, size, name, &t, err, cap)
                  : ug_npy_read(copy, size, raw16, &t, err, cap);
    if (!failed && t.rows > 0 && t.n > 0)
        *corner = ug_tensor_at(&t, t.rows - 1, t.n - 1) + ug_tensor_at(&t, 0, 0);
    free(copy);
    return failed;
}

#define DICT(descr, order, shape)                                                                  \
    "{'descr': '" descr "', 'fortran_order': " order ", 'shape': " shape ", }"

static const float six[6] = {1, 2, 3, 4, 5, -6.5f};

static void reads_npy(void **state)
{
    static const unsigned char big[8] = {0x3f, 0x80, 0, 0, 0xc0, 0x20, 0, 0}; /* 1, -2.5 */
    static const uint16_t half[2] = {0x3c00, 0xc100};                         /* 1, -2.5 */
    static const uint16_t brain[2] = {0x3f80, 0xc020};
    char err[512];
    ug_tensor t;
    blob b;
    (void)state;
    for (int version = 1; version <= 3; version++) {
        b = npy(version, DICT("<f4", "False", "(2, 3)"), six, sizeof six);
        assert_int_equal(ug_npy_read(b.bytes, b.size, no_raw, &t, err, sizeof err), 0);
        assert_true(t.rows == 2 && t.n == 3);
        for (int i = 0; i < 6; i++) assert_true(ug_tensor_at(&t, i / 3, i % 3) == six[i]);
    }
    b = npy(1, DICT("<f4", "True", "(2, 3)"), six, sizeof six);
    assert_int_equal(ug_npy_read(b.bytes, b.size, no_raw, &t, err, sizeof err), 0);
    for (int i = 0; i < 6; i++) assert_true(ug_tensor_at(&t, i % 2, i / 2) == six[i]);
    b = npy(1, DICT("<f4", "False", "(1, 2, 3)"), six, sizeof six);
    assert_int_equal(ug_npy_read(b.bytes, b.size, no_raw, &t, err, sizeof err), 0);
    assert_true(t.rows == 2 && t.n == 3);
    b = npy(1, DICT(">f4", "False", "(2,)"), big, sizeof big);
    assert_int_equal(ug_npy_read(b.bytes, b.size, no_raw, &t, err, sizeof err), 0);
    assert_true(t.rows == 1 && ug_tensor_at(&t, 0, 0) == 1 && ug_tensor_at(&t, 0, 1) == -2.5f);
    b = npy(1, DICT("<f2", "False", "(2,)"), half, sizeof half);
    assert_int_equal(ug_npy_read(b.bytes, b.size, no_raw, &t, err, sizeof err), 0);
    assert_true(ug_tensor_at(&t, 0, 0) == 1 && ug_tensor_at(&t, 0, 1) == -2.5f);
    b = npy(1, DICT("|V2", "False", "(2,)"), brain, sizeof brain);
    assert_int_equal(ug_npy_read(b.bytes, b.size, no_raw, &t, err, sizeof err), -1);
    assert_int_equal(ug_npy_read(b.bytes, b.size, UG_BF16, &t, err, sizeof err), 0);
    assert_true(ug_tensor_at(&t, 0, 0) == 1 && ug_tensor_at(&t, 0, 1) == -2.5f);
    b = npy(1, DICT("<f4", "False", "(0, 3)"), six, 0);
    assert_int_equal(ug_npy_read(b.bytes, b.size, no_raw, &t, err, sizeof err), 0);
    assert_true(t.rows == 0 && t.n == 3);
}

static const struct {
    const char *dict, *word;
    size_t bytes;
} bad_npy[] = {
    {DICT("<f8", "False", "(3,)"), "f8", 24},
    {DICT("|O", "False", "(3,)"), "'|O'", 24},
    {DICT("<i4", "False", "(6,)"), "'<i4'", 24},
    {DICT("<f4", "True", "(1, 2, 3)"), "fortran_order", 24},
    {DICT("<f4", "False", "()"), "rank 0", 4},
    {DICT("<f4", "False", "(2, 4)"), "reaches past", 24},
    {DICT("<f4", "False", "(5,)"), "6 elements", 24},
    {DICT("<f4", "False", "(6,)"), "multiple of 4", 23},
    {DICT("<f4", "False", "(4294967296, 4294967296, 4294967296)"), "overflows", 24},
    {DICT("<f4", "False", "(4294967296, 4294967296)"), "overflows", 24},
    {DICT("<f4", "False", "(99999999999999999999, 1)"), "below 2^63", 24},
    {DICT("<f4", "False", "(-1, 6)"), "length", 24},
    {DICT("<f4", "Maybe", "(6,)"), "True or False", 24},
    {DICT("<f4", "False", "(6,"), "length", 24},
    {DICT("<f4", "False", "(6,)") "x", "nothing but blanks", 24},
    {"{'descr': '<f4', 'shape': (6,)}", "fortran_order", 24},
    {"{'descr': '<f4', 'descr': '<f4', 'shape': (6,)}", "once", 24},
    {"{'descr': '<f4', 'fortran_order': False, 'shape': (6,), 'x': 1}", "descr", 24},
    {"", "'{'", 24},
};

static void refuses_npy(void **state)
{
    char err[512];
    ug_tensor t;
    (void)state;
    for (size_t i = 0; i < sizeof bad_npy / sizeof *bad_npy; i++) {
        blob b = npy(1, bad_npy[i].dict, six, bad_npy[i].bytes);
        if (!ug_npy_read(b.bytes, b.size, no_raw, &t, err, sizeof err) ||
            !strstr(err, bad_npy[i].word))
            fail_msg("%s: %s", bad_npy[i].dict, err);
    }
    blob b = npy(4, DICT("<f4", "False", "(6,)"), six, sizeof six);
    assert_int_equal(ug_npy_read(b.bytes, b.size, no_raw, &t, err, sizeof err), -1);
    assert_non_null(strstr(err, "version 4"));
}

#define TENSOR(dtype, shape, offsets)                                                              \
    "{\"dtype\":\"" dtype "\",\"shape\":" shape ",\"data_offsets\":" offsets "}"

static void reads_safetensors(void **state)
{
    char err[512];
    ug_tensor t;
    blob b = safetensors("{\"x\":" TENSOR("F32", "[2,2]", "[0,16]") ",\"g\":" TENSOR(
                             "BF16", "[4]", "[16,24]") ",\"__metadata__\":{\"eps\":\"1e-5\"}}  ",
                         six, sizeof six);
    (void)state;
    assert_int_equal(ug_safetensors_read(b.bytes, b.size, "x", &t, err, sizeof err), 0);
    assert_true(t.rows == 2 && t.n == 2 && ug_tensor_at(&t, 1, 0) == 3);
    assert_int_equal(ug_safetensors_read(b.bytes, b.size, "g", &t, err, sizeof err), 0);
    /* 5.0f is 0x40a00000, its high half as bf16 is 5 again */
    assert_true(t.rows == 1 && t.n == 4 && ug_tensor_at(&t, 0, 1) == 5);
    assert_int_equal(ug_safetensors_read(b.bytes, b.size, "h", &t, err, sizeof err), 1);
    assert_string_equal(err, "no tensor 'h' among the 2 of the file: x, g");
    assert_int_equal(ug_safetensors_read(b.bytes, b.size, "", &t, err, sizeof err), -1);
    assert_string_equal(err, "2 tensors, expected tensor=NAME to choose one of x, g");
    b = safetensors("{\"a.x\":" TENSOR("F32", "[6]", "[0,24]") ",\"__metadata__\":{\"a.x.stride\":"
                                                               "\"3,2\",\"a.x.shape\":\"2,2\"}}",
                    six, sizeof six);
    assert_int_equal(ug_safetensors_read(b.bytes, b.size, "", &t, err, sizeof err), 0);
    assert_true(t.rows == 2 && t.n == 2 && t.row_stride == 3 && t.col_stride == 2);
    assert_true(ug_tensor_at(&t, 0, 1) == 3 && ug_tensor_at(&t, 1, 1) == -6.5f);
}

#define STRIDED(stride, shape)                                                                     \
    "{\"x\":" TENSOR("F32", "[6]", "[0,24]") ",\"__metadata__\":{\"x.stride\":\"" stride           \
                                             "\",\"x.shape\":\"" shape "\"}}"

static const struct {
    const char *header, *word;
} bad_safetensors[] = {
    {"[1]", "begin with '{'"},
    {"{\"x\":" TENSOR("F32", "[6]", "[0,24]"), "byte"},
    {"{\"x\":1}", "exactly"},
    {"{\"x\":{\"dtype\":\"F32\",\"shape\":[6]}}", "exactly"},
    {"{\"x\":" TENSOR("F99", "[6]", "[0,24]") "}", "unknown dtype"},
    {"{\"x\":" TENSOR("I32", "[6]", "[0,24]") "}", "none of"},
    {"{\"x\":" TENSOR("F32", "[-6]", "[0,24]") "}", "integer"},
    {"{\"x\":" TENSOR("F32", "[6.0]", "[0,24]") "}", "integer"},
    {"{\"x\":" TENSOR("F32", "[7]", "[0,28]") "}", "inside the data"},
    {"{\"x\":" TENSOR("F32", "[6]", "[24,0]") "}", "inside the data"},
    {"{\"x\":" TENSOR("F32", "[6]", "[0]") "}", "inside the data"},
    {"{\"x\":" TENSOR("F32", "[5]", "[0,24]") "}", "do not hold"},
    {"{\"x\":" TENSOR("F32", "[4294967296,4294967296]", "[0,24]") "}", "overflows"},
    {"{\"x\":" TENSOR("F32", "[4611686018427387904]", "[0,0]") "}", "do not hold"},
    {"{\"x\":" TENSOR("F32", "[]", "[0,4]") ",\"y\":" TENSOR("F32", "[5]", "[4,24]") "}", "rank 0"},
    {"{\"x\":" TENSOR("F32", "[5]", "[0,20]") "}", "behind the last"},
    {"{\"x\":" TENSOR("F32", "[5]", "[4,24]") "}", "hole"},
    {"{\"x\":" TENSOR("F32", "[4]", "[0,16]") ",\"y\":" TENSOR("F32", "[3]", "[12,24]") "}",
     "overlaps"},
    {"{\"x\":" TENSOR("F32", "[6]", "[0,24]") ",\"x\":" TENSOR("F32", "[6]", "[0,24]") "}", "byte"},
    {"{\"x\":" TENSOR("F32", "[6]", "[0,24]") ",\"__metadata__\":{\"a\":1}}", "no string"},
    {"{\"x\":" TENSOR("F32", "[6]", "[0,24]") ",\"__metadata__\":[]}", "object of strings"},
    {"{\"x\":" TENSOR("F32", "[6]", "[0,24]") ",\"__metadata__\":{\"x.stride\":\"3,1\"}}",
     ".shape"},
    {STRIDED("3,1", "3,1"), "reaches past"},
    {STRIDED("9223372036854775807,1", "3,1"), "reaches past"},
    {STRIDED("-3,1", "2,2"), "two integers"},
    {STRIDED("3;1", "2,2"), "two integers"},
    {STRIDED("1,1", "4294967296,4294967296"), "overflows"},
};

static void refuses_safetensors(void **state)
{
    char err[512];
    ug_tensor t;
    blob b;
    (void)state;
    for (size_t i = 0; i < sizeof bad_safetensors / sizeof *bad_safetensors; i++) {
        b = safetensors(bad_safetensors[i].header, six, sizeof six);
        if (!ug_safetensors_read(b.bytes, b.size, "x", &t, err, sizeof err) ||
            !strstr(err, bad_safetensors[i].word))
            fail_msg("%s: %s", bad_safetensors[i].header, err);
    }
    b = safetensors("{}", six, 0);
    for (size_t i = 0; i < 8; i++) b.bytes[i] = 255; /* a header of 2^64 - 1 bytes */
    assert_int_equal(ug_safetensors_read(b.bytes, b.size, "x", &t, err, sizeof err), -1);
    assert_non_null(strstr(err, "header of"));
}

/* Of many names the first ones. */
static void names_many_tensors(void **state)
{
    static const char one[] =
        "%s\"layer.%d\\u0007.attention.output.norm.weight\":" TENSOR("F32", "[0]", "[0,0]");
    char header[2048] = "{", err[512];
    size_t used = 1;
    ug_tensor t;
    blob b;
    (void)state;
    for (int i = 0; i < 12; i++)
        used += (size_t)snprintf(header + used, sizeof header - used, one, i ? "," : "", i);
    snprintf(header + used, sizeof header - used, "}");
    b = safetensors(header, six, 0);
    assert_int_equal(ug_safetensors_read(b.bytes, b.size, "x", &t, err, sizeof err), 1);
    assert_non_null(strstr(err, "?.attention.output.norm.weight, layer."));
    assert_string_equal(err + strlen(err) - 5, ", ...");
}

/* Every truncation fails with a message; every change of a byte either reads or says why not. */
static void damage(const blob *whole, const char *name, ug_dtype raw16)
{
    static const unsigned char flips[] = {0x01, 0x80, 0xff, 0x20, 0x0f};
    char err[512];
    float corner = 0;
    for (size_t size = 0; size < whole->size; size++) {
        *err = 0;
        assert_int_equal(read_exactly(whole, size, name, raw16, &corner, err, sizeof err), -1);
        assert_true(*err);
    }
    for (size_t at = 0; at < whole->size; at++)
        for (size_t k = 0; k < sizeof flips + 10; k++) {
            blob b = *whole;
            if (k < sizeof flips)
                b.bytes[at] ^= flips[k];
            else
                b.bytes[at] = (unsigned char)"09\"',[]{}-"[k - sizeof flips];
            *err = 0;
            if (read_exactly(&b, b.size, name, raw16, &corner, err, sizeof err)) assert_true(*err);
        }
}

static void npy_survives_damage_at_every_byte(void **state)
{
    blob b = npy(1, DICT("<f4", "False", "(2, 3)"), six, sizeof six);
    (void)state;
    damage(&b, NULL, no_raw);
    b = npy(2, DICT("|V2", "True", "(3, 4)"), six, sizeof six);
    damage(&b, NULL, UG_BF16);
}

static void safetensors_survives_damage_at_every_byte(void **state)
{
    blob b = safetensors(STRIDED("3,2", "2,2"), six, sizeof six);
    (void)state;
    damage(&b, "x", no_raw);
    b = safetensors(
        "{\"x\":" TENSOR("F16", "[2,2]", "[0,8]") ",\"y\":" TENSOR("F32", "[4]", "[8,24]") "}", six,
        sizeof six);
    damage(&b, "x", no_raw);
}

static void cases_take_rows_of_files(void **state)
{
    char path[] = "/tmp/ulpgate-tensor-XXXXXX.npy", line[256], err[512];
    int fd = mkstemps(path, 4);
    blob b = npy(1, DICT("<f4", "False", "(2, 3)"), six, sizeof six);
    float x[4];
    ug_case c;
    ug_case_error e;
    (void)state;
    assert_true(fd >= 0);
    assert_int_equal(write(fd, b.bytes, b.size), (ssize_t)b.size);
    close(fd);
    snprintf(line, sizeof line, "layernorm rows=2 n=3 data=file(%s) gamma=file(%s) dtype=bf16",
             path, path);
    assert_int_equal(ug_case_parse(line, &c, &e), 0);
    err[0] = 0;
    assert_int_equal(ug_case_row(&c, 1, 1, x, err, sizeof err), 0);
    assert_string_equal(err, "");
    assert_true(x[0] == 4 && x[1] == 5 && x[2] == -6.5f);
    assert_int_equal(ug_case_gamma(&c, x, err, sizeof err), 0);
    assert_true(x[0] == 1 && x[2] == 3);
    assert_int_equal(ug_case_row(&c, 2, 1, x, err, sizeof err), -1);
    assert_non_null(strstr(err, "holds 2 rows of 3"));
    c.n = 4;
    assert_int_equal(ug_case_row(&c, 0, 1, x, err, sizeof err), -1);
    assert_non_null(strstr(err, path));
    unlink(path);
    assert_int_equal(ug_case_parse("layernorm data=file(/nowhere/x.npy)", &c, &e), 0);
    assert_int_equal(ug_case_row(&c, 0, 1, x, err, sizeof err), -1);
    assert_non_null(strstr(err, "/nowhere/x.npy"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_npy),
        cmocka_unit_test(refuses_npy),
        cmocka_unit_test(reads_safetensors),
        cmocka_unit_test(refuses_safetensors),
        cmocka_unit_test(names_many_tensors),
        cmocka_unit_test(npy_survives_damage_at_every_byte),
        cmocka_unit_test(safetensors_survives_damage_at_every_byte),
        cmocka_unit_test(cases_take_rows_of_files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
