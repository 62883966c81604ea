/* SPDX-License-Identifier: Apache-2.0 */
/* A .safetensors file mapped for reading, and one written whole. */
#ifndef ULPGATE_PEERS_SAFETENSORS_H
#define ULPGATE_PEERS_SAFETENSORS_H

#include <jansson.h>

#include "ulpgate/kernel.h"

typedef struct ug_tensor_file {
    json_t *header;
    const char *map, *data; /* the file; its first byte of data */
    size_t map_bytes, data_bytes;
} ug_tensor_file;

typedef struct ug_tensor {
    ug_dtype dtype;
    int64_t rows, cols; /* a vector has one row */
    const void *data;
} ug_tensor;

/* Returns 0, or -1 when the file cannot be read or is none. Closing is allowed in both cases. */
int ug_tensor_open(ug_tensor_file *file, const char *path);
void ug_tensor_close(ug_tensor_file *file);

/* Returns 0, 1 when there is no such tensor, -1 when the header makes no sense for it. */
int ug_tensor_get(const ug_tensor_file *file, const char *name, ug_tensor *tensor);
const char *ug_tensor_metadata(const ug_tensor_file *file, const char *key); /* "" when absent */

/* One entry of a header: {"dtype", "shape", "data_offsets"}, cols alone when rows is 0. */
json_t *ug_tensor_entry(ug_dtype dtype, int64_t rows, int64_t cols, size_t at, size_t bytes);

#endif
