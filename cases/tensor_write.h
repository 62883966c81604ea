/* SPDX-License-Identifier: Apache-2.0 */
/* Writers of .npy and .safetensors; what they write the readers beside them read back.
 *
 * A file is there whole or not at all. Functions return 0, or -1 with err. Formats:
 * docs/formats.md.
 */
#ifndef ULPGATE_CASES_TENSOR_WRITE_H
#define ULPGATE_CASES_TENSOR_WRITE_H

#include <stddef.h>
#include <stdint.h>

#include "ulpgate/kernel.h"

enum { UG_TENSORS_MOST = 8, UG_TENSOR_RANK = 2 };

/* Row-major values, as many as the shape says, in the bits of the dtype. */
typedef struct ug_tensor_out {
    const char *name; /* not used by .npy */
    ug_dtype dtype;
    int rank; /* 1 or 2 */
    int64_t shape[UG_TENSOR_RANK];
    const void *data;
} ug_tensor_out;

/* One array. numpy has no bfloat16: its bits are written as `<u2`. */
int ug_npy_write(const char *path, const ug_tensor_out *t, char *err, size_t cap);

/* At most UG_TENSORS_MOST tensors, wide types first, so that each is aligned to its elements.
 * metadata: pairs of key and value. */
int ug_safetensors_write(const char *path, const ug_tensor_out *tensors, size_t count,
                         const char *const metadata[][2], size_t pairs, char *err, size_t cap);

/* Text as a file, in the same way. */
int ug_text_write(const char *path, const char *text, char *err, size_t cap);

#endif
