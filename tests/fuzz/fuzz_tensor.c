/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as .npy and as .safetensors: elements inside them, or a message. */
#include <stdlib.h>
#include <string.h>

#include "cases/tensor.h"
#include "tests/fuzz/fuzz.h"

static void touch(const ug_tensor *t)
{
    volatile float sink = 0;
    if (t->rows < 1 || t->n < 1) return;
    sink += ug_tensor_at(t, 0, 0);
    sink += ug_tensor_at(t, t->rows - 1, 0);
    sink += ug_tensor_at(t, 0, t->n - 1);
    sink += ug_tensor_at(t, t->rows - 1, t->n - 1);
    (void)sink;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const names[] = {"", "x", "a.weight"};
    unsigned char *exact = malloc(size ? size : 1); /* what lies behind is another's */
    char err[512];
    ug_tensor t;
    if (!exact) return 0;
    memcpy(exact, data, size);
    for (int k = 0; k < 3; k++) {
        ug_dtype raw = (ug_dtype)k;
        err[0] = 0;
        if (!ug_npy_read(exact, size, raw, &t, err, sizeof err))
            touch(&t);
        else
            ug_fuzz_require(err[0], "a refusal without a message");
        err[0] = 0;
        if (!ug_safetensors_read(exact, size, names[k], &t, err, sizeof err))
            touch(&t);
        else
            ug_fuzz_require(err[0], "a refusal without a message");
    }
    free(exact);
    return 0;
}
