/* SPDX-License-Identifier: Apache-2.0 */
/* Makes a case's values and exact answer once, for all kernels. */
#include "audit/subject.h"

#include "audit/digest.h"
#include "audit/rig.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ulpgate/dtype.h"

/* Held for an element beside its own bits: value, head, tail, rounded answer. */
enum { ELEMENT_BYTES = sizeof(float) + 2 * sizeof(double) + sizeof(uint32_t) };

static void *room(int64_t count, size_t size)
{
    if (count < 0 || (size_t)count > SIZE_MAX / 2 / size) return NULL;
    return malloc(count ? (size_t)count * size : 1);
}

static void encode(void *bits, ug_dtype t, const float *values, int64_t n)
{
    if (t == UG_F32) {
        memcpy(bits, values, (size_t)n * sizeof *values);
        return;
    }
    for (int64_t i = 0; i < n; i++) ug_store(bits, t, i, values[i]);
}

static int make_params(ug_subject *s, char *err, size_t cap)
{
    int (*const make[2])(const ug_case *, float *, char *, size_t) = {ug_case_gamma, ug_case_beta};
    float **values[2] = {&s->gamma, &s->beta};
    void **bits[2] = {&s->gamma_bits, &s->beta_bits};
    for (int k = 0; k < 2; k++) {
        int absent;
        *values[k] = room(s->n, sizeof(float));
        *bits[k] = room(s->n, s->param_size);
        if (!*values[k] || !*bits[k]) return snprintf(err, cap, "out of memory"), -1;
        absent = make[k](s->c, *values[k], err, cap);
        if (absent < 0) return -1;
        if (!absent) {
            encode(*bits[k], s->c->wdtype, *values[k], s->n);
            continue;
        }
        free(*values[k]);
        free(*bits[k]);
        *values[k] = *bits[k] = NULL;
    }
    return 0;
}

/* The row without what makes it non-finite; left NULL when it is finite or has no other version. */
static int make_clean(ug_subject *s, int64_t row, float *values, char *err, size_t cap)
{
    if (s->stats[row].cls != UG_ROW_NONFINITE || !s->c->specials) return 0;
    if (ug_case_row(s->c, row, 0, values, err, cap)) return -1;
    s->clean_bits[row] = room(s->n, s->size);
    if (!s->clean_bits[row]) return snprintf(err, cap, "out of memory"), -1;
    encode(s->clean_bits[row], s->c->dtype, values, s->n);
    return 0;
}

static int make_rows(ug_subject *s, const ug_reference *reference, void *state, char *err,
                     size_t cap)
{
    float *spare = room(s->n, sizeof *spare);
    int rc = spare ? 0 : -1;
    if (rc) snprintf(err, cap, "out of memory");
    for (int64_t r = 0; r < s->sources && !rc; r++) {
        float *x = s->x + r * s->n;
        ug_row_in in;
        ug_row_out truth;
        rc = ug_case_row(s->c, r, 1, x, err, cap);
        if (rc) break;
        encode((char *)s->x_bits + (size_t)(r * s->n) * s->size, s->c->dtype, x, s->n);
        if (!reference) continue;
        ug_subject_row(s, r, &in, &truth);
        rc = s->repeats > 1 ? reference->repeated(state, &in, s->repeats, &truth, &s->stats[r])
                            : reference->row(state, &in, &truth, &s->stats[r]);
        if (rc)
            snprintf(err, cap, "the reference ran out of memory");
        else
            rc = make_clean(s, r, spare, err, cap);
    }
    free(spare);
    return rc;
}

static uint64_t digest_one(const ug_subject *s, const void *bits, ug_dtype t)
{
    return ug_digest_repeated(bits, t, s->n * s->repeats, s->n, 1, NULL, NULL);
}

/* The same on every machine, or the generators are at fault. */
static uint64_t digest_inputs(const ug_subject *s)
{
    uint64_t h = 0;
    for (int64_t r = 0; r < s->sources; r++) {
        const char *x = (const char *)s->x_bits + (size_t)(r * s->n) * s->size;
        h = ug_digest_join(h, digest_one(s, x, s->c->dtype));
    }
    if (s->gamma_bits) h = ug_digest_join(h, digest_one(s, s->gamma_bits, s->c->wdtype));
    if (s->beta_bits) h = ug_digest_join(~h, digest_one(s, s->beta_bits, s->c->wdtype));
    return h;
}

/* s->c, rows, n, sources and repeats are set. */
static int make(ug_subject *s, const ug_reference *reference, void *state, char *err, size_t cap)
{
    const ug_case *c = s->c;
    int64_t all;
    snprintf(s->id, sizeof s->id, "%016" PRIx64, ug_case_hash(c));
    s->size = ug_dtype_size(c->dtype);
    s->param_size = ug_dtype_size(c->wdtype);
    if (__builtin_mul_overflow(s->sources, s->n, &all))
        return snprintf(err, cap, "rows times n overflows"), -1;
    if ((uint64_t)all > ug_memory_most() / (ELEMENT_BYTES + s->size))
        return snprintf(err, cap,
                        "%lld elements and their exact answers need more memory than the"
                        " %llu bytes of this machine",
                        (long long)all, (unsigned long long)ug_memory_most()),
               -1;
    s->x = room(all, sizeof *s->x);
    s->x_bits = room(all, s->size);
    s->head = room(all, sizeof *s->head);
    s->tail = room(all, sizeof *s->tail);
    s->want = room(all, sizeof *s->want);
    s->stats = calloc((size_t)s->sources + 1, sizeof *s->stats);
    s->clean_bits = calloc((size_t)s->sources + 1, sizeof *s->clean_bits);
    if (!s->x || !s->x_bits || !s->head || !s->tail || !s->want || !s->stats || !s->clean_bits)
        return snprintf(err, cap, "out of memory for %lld elements", (long long)all), -1;
    if (make_params(s, err, cap) || make_rows(s, reference, state, err, cap)) return -1;
    s->inputs = digest_inputs(s);
    return 0;
}

static int64_t sources_of(const ug_case *c)
{
    return c->xstride == 0 && c->rows > 1 ? 1 : c->row_period ? c->row_period : c->rows;
}

int ug_subject_make(ug_subject *s, const ug_case *c, const ug_reference *reference, void *state,
                    char *err, size_t cap)
{
    *s = (ug_subject){.c = c, .rows = c->rows, .n = c->n, .sources = sources_of(c), .repeats = 1};
    return make(s, reference, state, err, cap);
}

int ug_subject_make_tile(ug_subject *s, const ug_case *c, const ug_reference *reference,
                         void *state, char *err, size_t cap)
{
    ug_case one = *c;
    int64_t sources = sources_of(c);
    int rc;
    one.n = ug_case_width(c);
    one.col_period = 0;
    *s = (ug_subject){
        .c = &one, .rows = sources, .n = one.n, .sources = sources, .repeats = c->n / one.n};
    rc = make(s, reference, state, err, cap);
    s->c = c;
    snprintf(s->id, sizeof s->id, "%016" PRIx64, ug_case_hash(c));
    return rc;
}

void ug_subject_name(ug_subject *s, const ug_case *c)
{
    *s = (ug_subject){.c = c, .rows = c->rows, .n = c->n, .repeats = 1};
    snprintf(s->id, sizeof s->id, "%016" PRIx64, ug_case_hash(c));
}

void ug_subject_free(ug_subject *s)
{
    for (int64_t r = 0; s->clean_bits && r < s->sources; r++) free(s->clean_bits[r]);
    free(s->clean_bits);
    free(s->x);
    free(s->x_bits);
    free(s->gamma);
    free(s->beta);
    free(s->gamma_bits);
    free(s->beta_bits);
    free(s->stats);
    free(s->head);
    free(s->tail);
    free(s->want);
    *s = (ug_subject){0};
}

void ug_subject_row(const ug_subject *s, int64_t row, ug_row_in *in, ug_row_out *truth)
{
    int64_t at = ug_subject_source(s, row) * s->n;
    *in = (ug_row_in){s->x + at, s->gamma, s->beta, s->n, s->c->eps, s->c->dtype};
    *truth = (ug_row_out){s->head + at, s->tail + at, s->want + at};
}
