/* SPDX-License-Identifier: Apache-2.0 */
/* Readers of .npy and .safetensors. Files are hostile input: nothing outside the bytes is read, and
 * what is wrong is said.
 *
 * Functions return 0, or -1 with err. Formats and the metadata convention for strides:
 * docs/formats.md.
 */
#ifndef ULPGATE_CASES_TENSOR_H
#define ULPGATE_CASES_TENSOR_H

#include <stddef.h>
#include <stdint.h>

#include "ulpgate/kernel.h"

/* A matrix view into the file's bytes: element (r, c) lies row_stride * r + col_stride * c elements
 * behind data. The bytes are the caller's. */
typedef struct ug_tensor {
    const unsigned char *data;
    ug_dtype dtype;
    int big_endian;
    int64_t rows, n;
    int64_t row_stride, col_stride;
} ug_tensor;

/* raw16: what 16-bit data without a float type (V2, u2) are taken for: UG_F16 or UG_BF16; anything
 * else refuses them. */
int ug_npy_read(const unsigned char *bytes, size_t size, ug_dtype raw16, ug_tensor *t, char *err,
                size_t cap);

/* name "": the only tensor of the file. 1 with err: the file is good and has no tensor `name`. */
int ug_safetensors_read(const unsigned char *bytes, size_t size, const char *name, ug_tensor *t,
                        char *err, size_t cap);

/* Element (r, c), widened to float; r and c must lie inside. */
float ug_tensor_at(const ug_tensor *t, int64_t r, int64_t c);

/* count of rows and columns multiplied, and the whole extent, against `elements` that are there. */
int ug_tensor_check(const ug_tensor *t, int64_t elements, char *err, size_t cap);

/* All elements in this machine's bits, rows * n of them, contiguous. */
void ug_tensor_bits(const ug_tensor *t, void *bits);

/* A whole regular file of at most 1 GiB; the caller frees the bytes. 1 with err: there is no such
 * file. */
int ug_tensor_load(const char *path, unsigned char **bytes, size_t *size, char *err, size_t cap);

/* The tensor that file(path,tensor=name) means; raw16 as above. A relative path is looked up in the
 * data directory, then from the current directory. Files read are kept. Thread-safe. */
int ug_tensor_file_open(const char *path, const char *name, ug_dtype raw16, ug_tensor *t, char *err,
                        size_t cap);

/* Row `row` of the tensor that data=file(path,tensor=name) means, n values of it rounded to t.
 * Thread-safe. */
int ug_tensor_file_row(const char *path, const char *name, ug_dtype t, int64_t row, int64_t n,
                       float *x, char *err, size_t cap);

#endif
