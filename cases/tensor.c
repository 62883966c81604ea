/* SPDX-License-Identifier: Apache-2.0 */
/* Tensors of files as rows of floats. */
#include "cases/tensor.h"

#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cases/generate.h"
#include "ulpgate/dtype.h"

enum { FILE_MAX = 1 << 30, PATH_ROOM = 4096 };

/* Read files stay until the program ends: a suite takes many rows of few files. */
typedef struct loaded {
    char path[PATH_ROOM];
    unsigned char *bytes;
    size_t size;
    struct loaded *next;
} loaded;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static loaded *files;

int ug_tensor_check(const ug_tensor *t, int64_t elements, char *err, size_t cap)
{
    int64_t total, a, b;
    if (t->rows < 0 || t->n < 0 || __builtin_mul_overflow(t->rows, t->n, &total))
        return snprintf(err, cap, "the shape overflows 2^63 elements"), -1;
    if (total == 0) return 0;
    if (__builtin_mul_overflow(t->rows - 1, t->row_stride, &a) ||
        __builtin_mul_overflow(t->n - 1, t->col_stride, &b) || __builtin_add_overflow(a, b, &a) ||
        a >= elements)
        return snprintf(err, cap,
                        "shape %" PRId64 ",%" PRId64 " with stride %" PRId64 ",%" PRId64
                        " reaches past the %" PRId64 " elements that are stored",
                        t->rows, t->n, t->row_stride, t->col_stride, elements),
               -1;
    return 0;
}

float ug_tensor_at(const ug_tensor *t, int64_t r, int64_t c)
{
    size_t width = ug_dtype_size(t->dtype);
    const unsigned char *p = t->data + (size_t)(r * t->row_stride + c * t->col_stride) * width;
    uint32_t bits = 0;
    for (size_t i = 0; i < width; i++)
        bits |= (uint32_t)p[i] << 8 * (t->big_endian ? width - 1 - i : i);
    return t->dtype == UG_F32   ? ug_bits_float(bits)
           : t->dtype == UG_F16 ? ug_f16_to_float((uint16_t)bits)
                                : ug_bf16_to_float((uint16_t)bits);
}

void ug_tensor_bits(const ug_tensor *t, void *bits)
{
    size_t width = ug_dtype_size(t->dtype), row = (size_t)t->n * width;
    unsigned char *out = bits;
    for (int64_t r = 0; r < t->rows; r++, out += row) {
        const unsigned char *p = t->data + (size_t)(r * t->row_stride) * width;
        if (t->col_stride == 1 && !t->big_endian) {
            memcpy(out, p, row);
            continue;
        }
        for (int64_t c = 0; c < t->n; c++, p += (size_t)t->col_stride * width)
            for (size_t i = 0; i < width; i++)
                out[(size_t)c * width + i] = p[t->big_endian ? width - 1 - i : i];
    }
}

static int read_file(FILE *in, const char *path, unsigned char **bytes, size_t *size, char *err,
                     size_t cap)
{
    struct stat info;
    if (fstat(fileno(in), &info) || !S_ISREG(info.st_mode))
        return snprintf(err, cap, "%s is no regular file", path), -1;
    if (info.st_size > FILE_MAX)
        return snprintf(err, cap, "%s holds %lld bytes, expected at most %d", path,
                        (long long)info.st_size, FILE_MAX),
               -1;
    *size = (size_t)info.st_size;
    *bytes = malloc(*size + 1);
    if (!*bytes) return snprintf(err, cap, "out of memory for %s", path), -1;
    if (fread(*bytes, 1, *size, in) == *size) return 0;
    free(*bytes);
    *bytes = NULL;
    return snprintf(err, cap, "cannot read %s", path), -1;
}

int ug_tensor_load(const char *path, unsigned char **bytes, size_t *size, char *err, size_t cap)
{
    FILE *in = fopen(path, "rb");
    int rc, absent = !in && errno == ENOENT;
    *bytes = NULL;
    if (!in)
        return snprintf(err, cap, "cannot open %s: %s", path, strerror(errno)), absent ? 1 : -1;
    rc = read_file(in, path, bytes, size, err, cap);
    fclose(in);
    return rc;
}

static loaded *load(const char *path, char *err, size_t cap)
{
    loaded *file;
    for (file = files; file; file = file->next)
        if (!strcmp(file->path, path)) return file;
    file = calloc(1, sizeof *file);
    if (!file) return snprintf(err, cap, "out of memory"), NULL;
    snprintf(file->path, sizeof file->path, "%s", path);
    if (ug_tensor_load(path, &file->bytes, &file->size, err, cap)) {
        free(file);
        return NULL;
    }
    file->next = files;
    return files = file;
}

static int open_tensor(const loaded *file, const char *name, ug_dtype raw16, ug_tensor *t,
                       char *err, size_t cap)
{
    size_t length = strlen(file->path);
    char why[512] = "";
    int failed;
    int npy = length > 4 && !strcmp(file->path + length - 4, ".npy");
    if (!npy && !(length > 12 && !strcmp(file->path + length - 12, ".safetensors")))
        return snprintf(err, cap, "%s: expected a .npy or .safetensors file", file->path), -1;
    if (npy && *name)
        return snprintf(err, cap, "%s: a .npy file has no tensor names", file->path), -1;
    failed = npy ? ug_npy_read(file->bytes, file->size, raw16, t, why, sizeof why)
                 : ug_safetensors_read(file->bytes, file->size, name, t, why, sizeof why);
    if (failed) snprintf(err, cap, "%s: %s", file->path, why);
    return failed;
}

int ug_tensor_file_open(const char *path, const char *name, ug_dtype raw16, ug_tensor *t, char *err,
                        size_t cap)
{
    char full[PATH_ROOM];
    loaded *file;
    snprintf(full, sizeof full, "%s/%s", ug_data_dir(), path);
    if (*path == '/' || access(full, R_OK)) snprintf(full, sizeof full, "%s", path);
    pthread_mutex_lock(&lock);
    file = load(full, err, cap);
    pthread_mutex_unlock(&lock);
    return file ? open_tensor(file, name, raw16, t, err, cap) : -1;
}

int ug_tensor_file_row(const char *path, const char *name, ug_dtype t, int64_t row, int64_t n,
                       float *x, char *err, size_t cap)
{
    ug_tensor tensor;
    if (ug_tensor_file_open(path, name, t, &tensor, err, cap)) return -1;
    if (tensor.n != n || row >= tensor.rows)
        return snprintf(err, cap,
                        "%s%s%s holds %" PRId64 " rows of %" PRId64 ", the case wants row %" PRId64
                        " of %" PRId64,
                        path, *name ? " " : "", name, tensor.rows, tensor.n, row, n),
               -1;
    for (int64_t i = 0; i < n; i++) x[i] = ug_narrow(t, (double)ug_tensor_at(&tensor, row, i));
    return 0;
}
