/* SPDX-License-Identifier: Apache-2.0 */
/* Reads .safetensors: u64 header size, a JSON header, bytes. Every rule of the format is checked,
 * for all tensors of the file, before one of them is read. */
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cases/tensor.h"
#include "cases/text.h"

enum { HEADER_MAX = 100000000 };

typedef struct entry {
    const char *name;
    char dtype[16];
    int64_t begin, end, elements;
    json_t *shape;
} entry;

typedef struct header {
    json_t *root, *metadata;
    entry *tensor;
    size_t count;
    int64_t data_bytes;
    char *err;
    size_t cap;
} header;

static const struct {
    const char *name;
    int bits;
} dtypes[] = {{"F64", 64},        {"F32", 32},        {"F16", 16},   {"BF16", 16},   {"I64", 64},
              {"I32", 32},        {"I16", 16},        {"I8", 8},     {"U64", 64},    {"U32", 32},
              {"U16", 16},        {"U8", 8},          {"BOOL", 8},   {"F8_E4M3", 8}, {"F8_E5M2", 8},
              {"F8_E4M3FNUZ", 8}, {"F8_E5M2FNUZ", 8}, {"F8_E8M0", 8}};

static int fail(const header *h, const char *name, const char *what)
{
    snprintf(h->err, h->cap, "tensor '%.80s': %s", name, what);
    return -1;
}

static int dtype_bits(const char *name)
{
    for (size_t i = 0; i < sizeof dtypes / sizeof *dtypes; i++)
        if (!strcmp(dtypes[i].name, name)) return dtypes[i].bits;
    return 0;
}

/* A JSON integer that is not negative. */
static int count_of(const json_t *value, int64_t *count)
{
    if (!json_is_integer(value) || json_integer_value(value) < 0) return -1;
    *count = json_integer_value(value);
    return 0;
}

static int read_entry(const header *h, const char *name, json_t *value, entry *e)
{
    const json_t *offsets = json_object_get(value, "data_offsets");
    const char *dtype = json_string_value(json_object_get(value, "dtype"));
    int64_t bytes, length;
    int bits;
    e->name = name;
    e->shape = json_object_get(value, "shape");
    if (!json_is_object(value) || json_object_size(value) != 3 || !dtype ||
        !json_is_array(e->shape) || !json_is_array(offsets))
        return fail(h, name, "expected exactly dtype, shape and data_offsets");
    bits = dtype_bits(dtype);
    if (!bits) return fail(h, name, "unknown dtype");
    snprintf(e->dtype, sizeof e->dtype, "%s", dtype);
    e->elements = 1;
    for (size_t i = 0; i < json_array_size(e->shape); i++) {
        if (count_of(json_array_get(e->shape, i), &length))
            return fail(h, name, "a length of its shape is no integer from 0 up");
        if (__builtin_mul_overflow(e->elements, length, &e->elements))
            return fail(h, name, "its shape overflows 2^63 elements");
    }
    if (json_array_size(offsets) != 2 || count_of(json_array_get(offsets, 0), &e->begin) ||
        count_of(json_array_get(offsets, 1), &e->end) || e->begin > e->end ||
        e->end > h->data_bytes)
        return fail(h, name, "data_offsets, expected [begin, end] inside the data");
    if (__builtin_mul_overflow(e->elements, bits / 8, &bytes) || bytes != e->end - e->begin)
        return fail(h, name, "its data_offsets do not hold what shape and dtype say");
    return 0;
}

static int by_begin(const void *a, const void *b)
{
    const entry *p = a, *q = b;
    if (p->begin != q->begin) return p->begin < q->begin ? -1 : 1;
    return p->end < q->end ? -1 : p->end > q->end;
}

/* Sorted by place, each tensor begins where the one before ends: no overlap, no hole. */
static int check_places(header *h)
{
    int64_t at = 0;
    qsort(h->tensor, h->count, sizeof *h->tensor, by_begin);
    for (size_t i = 0; i < h->count; i++) {
        if (h->tensor[i].begin < at) return fail(h, h->tensor[i].name, "overlaps the one before");
        if (h->tensor[i].begin > at) return fail(h, h->tensor[i].name, "a hole lies before it");
        at = h->tensor[i].end;
    }
    if (at == h->data_bytes) return 0;
    snprintf(h->err, h->cap, "%" PRId64 " bytes lie behind the last tensor", h->data_bytes - at);
    return -1;
}

static int read_entries(header *h)
{
    const char *name;
    json_t *value;
    h->tensor = calloc(json_object_size(h->root) + 1, sizeof *h->tensor);
    if (!h->tensor) return snprintf(h->err, h->cap, "out of memory"), -1;
    json_object_foreach(h->root, name, value)
    {
        if (strcmp(name, "__metadata__")) {
            if (read_entry(h, name, value, &h->tensor[h->count++])) return -1;
            continue;
        }
        h->metadata = value;
        if (!json_is_object(value)) return fail(h, name, "expected an object of strings");
        json_t *text;
        const char *key;
        json_object_foreach(value, key, text)
        {
            if (!json_is_string(text)) return fail(h, key, "metadata that is no string");
        }
    }
    return check_places(h);
}

/* "a,b" in the metadata under NAME.what: 1 when it is there, 0 when not, -1 when it is damaged. */
static int metadata_pair(const header *h, const char *name, const char *what, int64_t pair[2])
{
    char key[UG_CASE_TENSOR + 16];
    const char *text;
    ug_span rest, part;
    if (!h->metadata) return 0;
    snprintf(key, sizeof key, "%s.%s", name, what);
    text = json_string_value(json_object_get(h->metadata, key));
    if (!text) return 0;
    rest = (ug_span){text, (int)strnlen(text, 64), 1};
    part = ug_span_cut(&rest, ',');
    if (ug_span_int(part, &pair[0]) || rest.len < 0 || ug_span_int(rest, &pair[1]) || pair[0] < 0 ||
        pair[1] < 0)
        return fail(h, key, "metadata, expected two integers from 0 up, such as 772,1");
    return 1;
}

static int view(const header *h, const entry *e, const unsigned char *data, ug_tensor *t)
{
    int64_t shape[2], stride[2];
    size_t rank = json_array_size(e->shape);
    int strided = metadata_pair(h, e->name, "stride", stride);
    int shaped = metadata_pair(h, e->name, "shape", shape);
    if (strided < 0 || shaped < 0) return -1;
    t->dtype = !strcmp(e->dtype, "F32") ? UG_F32 : !strcmp(e->dtype, "F16") ? UG_F16 : UG_BF16;
    if (t->dtype == UG_BF16 && strcmp(e->dtype, "BF16"))
        return fail(h, e->name, "its dtype is none of F32, F16, BF16");
    if (strided != shaped || (strided && rank != 1))
        return fail(h, e->name,
                    "strides in the metadata need .stride, .shape and a stored base of rank 1");
    if (rank == 0) return fail(h, e->name, "rank 0, expected rows of numbers");
    t->big_endian = 0;
    t->data = data + e->begin;
    if (strided) {
        t->rows = shape[0], t->n = shape[1];
        t->row_stride = stride[0], t->col_stride = stride[1];
    } else {
        t->n = json_integer_value(json_array_get(e->shape, rank - 1));
        t->rows = 1;
        for (size_t i = 0; i + 1 < rank; i++)
            if (__builtin_mul_overflow(
                    t->rows, (int64_t)json_integer_value(json_array_get(e->shape, i)), &t->rows))
                return fail(h, e->name, "its shape overflows 2^63 rows");
        t->row_stride = t->n, t->col_stride = 1;
    }
    return ug_tensor_check(t, e->elements, h->err, h->cap);
}

static int pick(const header *h, const char *name, const unsigned char *data, ug_tensor *t)
{
    char known[320] = "";
    if (!*name && h->count == 1) return view(h, h->tensor, data, t);
    for (size_t i = 0; i < h->count; i++)
        if (!strcmp(h->tensor[i].name, name)) return view(h, &h->tensor[i], data, t);
    for (size_t i = 0; i < h->count; i++) ug_list_name(known, sizeof known, h->tensor[i].name);
    if (*name)
        snprintf(h->err, h->cap, "no tensor '%s' among the %zu of the file: %s", name, h->count,
                 known);
    else
        snprintf(h->err, h->cap, "%zu tensors, expected tensor=NAME to choose one of %s", h->count,
                 known);
    return *name ? 1 : -1;
}

int ug_safetensors_read(const unsigned char *bytes, size_t size, const char *name, ug_tensor *t,
                        char *err, size_t cap)
{
    header h = {.err = err, .cap = cap};
    json_error_t json;
    uint64_t length = 0;
    int failed;
    if (size < 9) return snprintf(err, cap, "%zu bytes are no .safetensors file", size), -1;
    for (int i = 7; i >= 0; i--) length = length << 8 | bytes[i];
    if (length > HEADER_MAX || length > size - 8)
        return snprintf(err, cap, "a header of %" PRIu64 " bytes, expected at most %zu", length,
                        size - 8 < HEADER_MAX ? size - 8 : (size_t)HEADER_MAX),
               -1;
    if (bytes[8] != '{') return snprintf(err, cap, "the header does not begin with '{'"), -1;
    h.root = json_loadb((const char *)bytes + 8, (size_t)length, JSON_REJECT_DUPLICATES, &json);
    if (!h.root) return snprintf(err, cap, "header, byte %d: %s", json.position, json.text), -1;
    h.data_bytes = (int64_t)(size - 8 - (size_t)length);
    failed = !json_is_object(h.root) ? snprintf(err, cap, "the header is no object"),
    -1                               : read_entries(&h);
    if (!failed) failed = pick(&h, name, bytes + 8 + length, t);
    free(h.tensor);
    json_decref(h.root);
    return failed;
}
