/* SPDX-License-Identifier: Apache-2.0 */
/* Eight bytes of length, a JSON header, data. */
#include "safetensors.h"

#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ulpgate/dtype.h"

static const char *const type_names[UG_DTYPE_COUNT] = {"F32", "F16", "BF16"};

int ug_tensor_open(ug_tensor_file *file, const char *path)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    uint64_t length;
    struct stat st;
    memset(file, 0, sizeof *file);
    if (fd < 0) return -1;
    if (!fstat(fd, &st) && st.st_size > (off_t)sizeof length) {
        void *map = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
        if (map != MAP_FAILED) {
            file->map = map;
            file->map_bytes = (size_t)st.st_size;
        }
    }
    close(fd);
    if (!file->map) return -1;
    memcpy(&length, file->map, sizeof length); /* little-endian, as is every host of this tool */
    if (length > file->map_bytes - sizeof length) return -1;
    file->data = file->map + sizeof length + length;
    file->data_bytes = file->map_bytes - sizeof length - length;
    file->header = json_loadb(file->map + sizeof length, length, 0, NULL);
    return json_is_object(file->header) ? 0 : -1;
}

void ug_tensor_close(ug_tensor_file *file)
{
    json_decref(file->header);
    if (file->map) munmap((void *)file->map, file->map_bytes);
    memset(file, 0, sizeof *file);
}

static int dtype_of(const json_t *entry)
{
    const char *name = json_string_value(json_object_get(entry, "dtype"));
    for (int t = 0; name && t < UG_DTYPE_COUNT; t++)
        if (!strcmp(name, type_names[t])) return t;
    return -1;
}

int ug_tensor_get(const ug_tensor_file *file, const char *name, ug_tensor *tensor)
{
    const json_t *entry = json_object_get(file->header, name);
    const json_t *shape = json_object_get(entry, "shape");
    const json_t *offsets = json_object_get(entry, "data_offsets");
    const json_int_t first = json_integer_value(json_array_get(offsets, 0));
    const json_int_t last = json_integer_value(json_array_get(offsets, 1));
    const int dtype = dtype_of(entry);
    const size_t dims = json_array_size(shape);
    if (!entry) return 1;
    if (dtype < 0 || dims < 1 || dims > 2 || first < 0 || last < first ||
        (uint64_t)last > file->data_bytes)
        return -1;
    tensor->dtype = (ug_dtype)dtype;
    tensor->rows = dims == 2 ? json_integer_value(json_array_get(shape, 0)) : 1;
    tensor->cols = json_integer_value(json_array_get(shape, dims - 1));
    tensor->data = file->data + first;
    if (tensor->rows < 0 || tensor->cols < 0) return -1;
    return (__int128)tensor->rows * tensor->cols * (int64_t)ug_dtype_size(tensor->dtype) ==
                   last - first
               ? 0
               : -1;
}

const char *ug_tensor_metadata(const ug_tensor_file *file, const char *key)
{
    const json_t *metadata = json_object_get(file->header, "__metadata__");
    const char *text = json_string_value(json_object_get(metadata, key));
    return text ? text : "";
}

json_t *ug_tensor_entry(ug_dtype dtype, int64_t rows, int64_t cols, size_t at, size_t bytes)
{
    json_t *shape = rows ? json_pack("[I, I]", (json_int_t)rows, (json_int_t)cols)
                         : json_pack("[I]", (json_int_t)cols);
    return json_pack("{s:s, s:o, s:[I, I]}", "dtype", type_names[dtype], "shape", shape,
                     "data_offsets", (json_int_t)at, (json_int_t)(at + bytes));
}
