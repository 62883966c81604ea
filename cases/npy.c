/* SPDX-License-Identifier: Apache-2.0 */
/* Reads .npy, versions 1 to 3: magic, version, header length, a Python dict literal, data. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cases/tensor.h"

enum { HEADER_MAX = 1 << 16, RANK_MAX = 32 };

typedef struct header {
    const char *s; /* not terminated */
    size_t length, at;
    char descr[16];
    int fortran; /* -1: not seen */
    int rank;    /* -1: not seen */
    int64_t shape[RANK_MAX];
    char *err;
    size_t cap;
} header;

static int fail(header *h, const char *expected)
{
    snprintf(h->err, h->cap, ".npy header, byte %zu: expected %s", h->at, expected);
    return -1;
}

static void blanks(header *h)
{
    while (h->at < h->length && (h->s[h->at] == ' ' || h->s[h->at] == '\n')) h->at++;
}

/* 1 and moves on when the next character that is no blank is ch. */
static int take(header *h, char ch)
{
    blanks(h);
    if (h->at >= h->length || h->s[h->at] != ch) return 0;
    h->at++;
    return 1;
}

static int quoted(header *h, char *out, size_t cap)
{
    size_t used = 0;
    char quote = take(h, '\'') ? '\'' : take(h, '"') ? '"' : 0;
    if (!quote) return fail(h, "a quoted word");
    while (h->at < h->length && h->s[h->at] != quote) {
        if (used + 1 >= cap || h->s[h->at] == '\\') return fail(h, "a short word");
        out[used++] = h->s[h->at++];
    }
    out[used] = 0;
    return take(h, quote) ? 0 : fail(h, "a closing quote");
}

static int boolean(header *h, int *value)
{
    static const char *const word[] = {"False", "True"};
    blanks(h);
    for (int i = 0; i < 2; i++) {
        size_t length = strlen(word[i]);
        if (h->length - h->at < length || memcmp(h->s + h->at, word[i], length)) continue;
        h->at += length;
        return *value = i, 0;
    }
    return fail(h, "True or False");
}

static int integer(header *h, int64_t *value)
{
    size_t start;
    blanks(h);
    start = h->at;
    for (*value = 0; h->at < h->length; h->at++) {
        int digit = h->s[h->at] - '0';
        if (digit < 0 || digit > 9) break;
        if (__builtin_mul_overflow(*value, 10, value) ||
            __builtin_add_overflow(*value, digit, value))
            return fail(h, "a length below 2^63");
    }
    return h->at > start ? 0 : fail(h, "a length");
}

static int shape(header *h)
{
    if (!take(h, '(')) return fail(h, "'('");
    for (h->rank = 0; !take(h, ')');) {
        if (h->rank == RANK_MAX) return fail(h, "at most 32 lengths");
        if (integer(h, &h->shape[h->rank++])) return -1;
        if (!take(h, ',') && (h->at >= h->length || h->s[h->at] != ')'))
            return fail(h, "',' or ')'");
    }
    return 0;
}

static int dict(header *h)
{
    if (!take(h, '{')) return fail(h, "'{'");
    while (!take(h, '}')) {
        char key[24];
        int again;
        if (quoted(h, key, sizeof key)) return -1;
        if (!take(h, ':')) return fail(h, "':'");
        again = (!strcmp(key, "descr") && *h->descr) ||
                (!strcmp(key, "fortran_order") && h->fortran >= 0) ||
                (!strcmp(key, "shape") && h->rank >= 0);
        if (again) return fail(h, "each key once");
        if (!strcmp(key, "descr")) {
            if (quoted(h, h->descr, sizeof h->descr)) return -1;
            if (!*h->descr) return fail(h, "a type");
        } else if (!strcmp(key, "fortran_order")) {
            if (boolean(h, &h->fortran)) return -1;
        } else if (!strcmp(key, "shape")) {
            if (shape(h)) return -1;
        } else {
            return fail(h, "descr, fortran_order or shape");
        }
        if (!take(h, ',')) {
            if (!take(h, '}')) return fail(h, "',' or '}'");
            break;
        }
    }
    blanks(h);
    if (h->at != h->length) return fail(h, "nothing but blanks after '}'");
    if (!*h->descr || h->fortran < 0 || h->rank < 0)
        return fail(h, "descr, fortran_order and shape");
    return 0;
}

static int element_type(header *h, ug_dtype raw16, ug_tensor *t)
{
    const char *type = h->descr + 1;
    char order = *h->descr;
    int raw = !strcmp(type, "V2") || !strcmp(type, "u2");
    t->big_endian = order == '>';
    if (strchr("<>=|", order)) {
        if (!strcmp(type, "f4") && order != '|') return t->dtype = UG_F32, 0;
        if (!strcmp(type, "f2") && order != '|') return t->dtype = UG_F16, 0;
        if (raw && (raw16 == UG_BF16 || raw16 == UG_F16)) return t->dtype = raw16, 0;
        if (raw) {
            snprintf(h->err, h->cap,
                     ".npy type %s holds bare 16-bit words, expected a case with dtype=bf16 (or "
                     "f16) that says what they are",
                     h->descr);
            return -1;
        }
    }
    snprintf(h->err, h->cap, ".npy type '%s', expected f4, f2, or V2 or u2 for bf16%s", h->descr,
             !strcmp(type, "f8") ? " (binary64 is not narrowed: convert it first)" : "");
    return -1;
}

/* Leading lengths count rows, the last one is n. Column-major order is one of strides for a
 * matrix. */
static int layout(header *h, ug_tensor *t, int64_t elements)
{
    int64_t rows = 1;
    if (h->rank == 0) {
        snprintf(h->err, h->cap, ".npy of rank 0, expected rows of numbers");
        return -1;
    }
    if (h->fortran && h->rank > 2) {
        snprintf(h->err, h->cap, ".npy with fortran_order and rank %d, expected a rank of 1 or 2",
                 h->rank);
        return -1;
    }
    for (int i = 0; i + 1 < h->rank; i++)
        if (__builtin_mul_overflow(rows, h->shape[i], &rows))
            return snprintf(h->err, h->cap, ".npy shape overflows 2^63 elements"), -1;
    t->rows = rows;
    t->n = h->shape[h->rank - 1];
    t->row_stride = h->fortran ? 1 : t->n;
    t->col_stride = h->fortran ? rows : 1;
    if (ug_tensor_check(t, elements, h->err, h->cap)) return -1;
    if (rows * t->n != elements) {
        snprintf(h->err, h->cap,
                 ".npy holds %" PRId64 " elements, expected %" PRId64 " by its shape", elements,
                 rows * t->n);
        return -1;
    }
    return 0;
}

int ug_npy_read(const unsigned char *bytes, size_t size, ug_dtype raw16, ug_tensor *t, char *err,
                size_t cap)
{
    header h = {.fortran = -1, .rank = -1, .err = err, .cap = cap};
    size_t start, width, room;
    if (size < 10 || memcmp(bytes, "\x93NUMPY", 6))
        return snprintf(err, cap, "not a .npy file: its first bytes are not \\x93NUMPY"), -1;
    if (bytes[6] < 1 || bytes[6] > 3)
        return snprintf(err, cap, ".npy version %d, expected 1 to 3", bytes[6]), -1;
    start = bytes[6] == 1 ? 10 : 12;
    if (size < start) return snprintf(err, cap, ".npy cut inside its header"), -1;
    h.length = bytes[8] | (size_t)bytes[9] << 8;
    if (start == 12) h.length |= (size_t)bytes[10] << 16 | (size_t)bytes[11] << 24;
    if (h.length > HEADER_MAX || h.length > size - start)
        return snprintf(err, cap, ".npy header of %zu bytes, expected at most %zu", h.length,
                        size - start < HEADER_MAX ? size - start : (size_t)HEADER_MAX),
               -1;
    h.s = (const char *)bytes + start;
    if (dict(&h) || element_type(&h, raw16, t)) return -1;
    t->data = bytes + start + h.length;
    width = t->dtype == UG_F32 ? 4 : 2;
    room = size - start - h.length;
    if (room % width)
        return snprintf(err, cap, ".npy data of %zu bytes, expected a multiple of %zu", room,
                        width),
               -1;
    return layout(&h, t, (int64_t)(room / width));
}
