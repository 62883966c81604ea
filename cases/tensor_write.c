/* SPDX-License-Identifier: Apache-2.0 */
/* Writes tensor files beside their name and renames them when they are complete. */
#include "cases/tensor_write.h"

#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ulpgate/dtype.h"

enum { PATH_ROOM = 4096, NPY_ALIGN = 64, NPY_HEADER = 256 };

typedef struct part {
    const void *data;
    size_t bytes;
} part;

static int write_parts(const char *path, const part *parts, size_t count, char *err, size_t cap)
{
    char partial[PATH_ROOM];
    int bad = 0, open;
    FILE *f;
    if ((size_t)snprintf(partial, sizeof partial, "%s.partial", path) >= sizeof partial)
        return snprintf(err, cap, "too long a path: %.200s...", path), -1;
    f = fopen(partial, "wb");
    open = f != NULL;
    for (size_t i = 0; f && i < count && !bad; i++)
        bad = parts[i].bytes && fwrite(parts[i].data, 1, parts[i].bytes, f) != parts[i].bytes;
    if (f && fclose(f)) bad = 1;
    if (f && !bad && !rename(partial, path)) return 0;
    snprintf(err, cap, "cannot write %s: %s", path, strerror(errno));
    if (open) unlink(partial);
    return -1;
}

static int64_t elements(const ug_tensor_out *t)
{
    return t->rank == 2 ? t->shape[0] * t->shape[1] : t->shape[0];
}

static size_t bytes_of(const ug_tensor_out *t)
{
    return (size_t)elements(t) * ug_dtype_size(t->dtype);
}

int ug_npy_write(const char *path, const ug_tensor_out *t, char *err, size_t cap)
{
    static const char *const types[UG_DTYPE_COUNT] = {"<f4", "<f2", "<u2"};
    char header[NPY_HEADER], shape[64];
    size_t used, whole;
    if (t->rank == 2)
        snprintf(shape, sizeof shape, "%" PRId64 ", %" PRId64, t->shape[0], t->shape[1]);
    else
        snprintf(shape, sizeof shape, "%" PRId64 ",", t->shape[0]);
    memset(header, ' ', sizeof header);
    memcpy(header, "\x93NUMPY\x01\x00", 8);
    used = 10 + (size_t)snprintf(header + 10, sizeof header - 10,
                                 "{'descr': '%s', 'fortran_order': False, 'shape': (%s), }",
                                 types[t->dtype], shape);
    header[used] = ' ';
    whole = (used + 1 + NPY_ALIGN - 1) / NPY_ALIGN * NPY_ALIGN;
    header[whole - 1] = '\n';
    header[8] = (char)((whole - 10) & 0xff);
    header[9] = (char)((whole - 10) >> 8);
    return write_parts(path, (part[]){{header, whole}, {t->data, bytes_of(t)}}, 2, err, cap);
}

static json_t *entry(const ug_tensor_out *t, size_t at)
{
    static const char *const types[UG_DTYPE_COUNT] = {"F32", "F16", "BF16"};
    json_t *shape = json_array();
    for (int i = 0; i < t->rank; i++) json_array_append_new(shape, json_integer(t->shape[i]));
    return json_pack("{s:s, s:o, s:[I, I]}", "dtype", types[t->dtype], "shape", shape,
                     "data_offsets", (json_int_t)at, (json_int_t)(at + bytes_of(t)));
}

/* The JSON text; order[] gets the tensors as they lie in the file. */
static char *header_text(const ug_tensor_out *tensors, size_t count,
                         const char *const metadata[][2], size_t pairs, size_t order[])
{
    json_t *root = json_object(), *about = json_object();
    size_t at = 0, used = 0;
    int bad = !root || !about;
    char *text;
    for (size_t size = sizeof(float); size; size /= 2) {
        for (size_t i = 0; i < count; i++)
            if (ug_dtype_size(tensors[i].dtype) == size) order[used++] = i;
    }
    for (size_t i = 0; i < pairs; i++)
        bad |= json_object_set_new(about, metadata[i][0], json_string(metadata[i][1]));
    if (pairs) bad |= json_object_set(root, "__metadata__", about);
    for (size_t i = 0; i < count; i++) {
        const ug_tensor_out *t = &tensors[order[i]];
        bad |= json_object_set_new(root, t->name, entry(t, at));
        at += bytes_of(t);
    }
    text = bad ? NULL : json_dumps(root, JSON_COMPACT);
    json_decref(about);
    json_decref(root);
    return text;
}

int ug_safetensors_write(const char *path, const ug_tensor_out *tensors, size_t count,
                         const char *const metadata[][2], size_t pairs, char *err, size_t cap)
{
    size_t order[UG_TENSORS_MOST], length, padded;
    part parts[UG_TENSORS_MOST + 3];
    unsigned char size[8];
    char *text;
    int rc;
    if (count > UG_TENSORS_MOST) return snprintf(err, cap, "too many tensors"), -1;
    text = header_text(tensors, count, metadata, pairs, order);
    if (!text) return snprintf(err, cap, "out of memory"), -1;
    length = strlen(text);
    padded = (length + 7) / 8 * 8;
    for (int i = 0; i < 8; i++) size[i] = (unsigned char)((uint64_t)padded >> 8 * i);
    parts[0] = (part){size, sizeof size};
    parts[1] = (part){text, length};
    parts[2] = (part){"       ", padded - length};
    for (size_t i = 0; i < count; i++)
        parts[3 + i] = (part){tensors[order[i]].data, bytes_of(&tensors[order[i]])};
    rc = write_parts(path, parts, 3 + count, err, cap);
    free(text);
    return rc;
}

int ug_text_write(const char *path, const char *text, char *err, size_t cap)
{
    return write_parts(path, &(part){text, strlen(text)}, 1, err, cap);
}
