/* SPDX-License-Identifier: Apache-2.0 */
/* The values of a row, of gamma and of beta. */
#include <stdio.h>

#include "cases/generate.h"
#include "cases/nist.h"
#include "cases/tensor.h"

enum { CHUNK = 512 };

static int fill(const ug_gen *gen, ug_dtype t, uint64_t seed, int stream, int64_t row, int64_t n,
                float *x, char *err, size_t cap)
{
    const ug_gen_kind *kind = ug_gen_kind_at(gen->kind);
    ug_gen_at at = {gen, t, n, row, 0, 0, seed, stream};
    double v[CHUNK];
    if (kind->flags & UG_GEN_FILE)
        return ug_tensor_file_row(gen->path, gen->tensor, t, row, n, x, err, cap);
    if (kind->flags & UG_GEN_NIST)
        return ug_nist_values(gen->path, (int)gen->arg[0], t, row, n, x, err, cap);
    for (; at.first < n; at.first += at.count) {
        at.count = n - at.first < CHUNK ? (int)(n - at.first) : CHUNK;
        kind->fill(&at, v);
        for (int i = 0; i < at.count; i++) x[at.first + i] = ug_narrow(t, v[i]);
    }
    return 0;
}

static void repeat(const ug_case *c, float *v)
{
    for (int64_t i = ug_case_width(c); i < c->n; i++) v[i] = v[i - c->col_period];
}

static void put_special(const ug_case *c, float *x)
{
    for (int s = 0; s < c->specials; s++) {
        const ug_special *special = &c->special[s];
        float value = ug_narrow(c->dtype, special->value);
        int64_t first = ug_place_column(special->column, c->n), last = first;
        if (special->column == UG_AT_ALL) first = 0;
        if (special->column == UG_AT_TAIL && c->n % 4) first = c->n - c->n % 4;
        for (int64_t i = first; i <= last && i >= 0; i++) x[i] = value;
    }
}

int ug_case_row(const ug_case *c, int64_t row, int with_special, float *x, char *err, size_t cap)
{
    if (row < 0) return snprintf(err, cap, "row %lld, expected 0 or more", (long long)row), -1;
    if (c->xstride == 0) row = 0; /* one row, seen again and again */
    if (c->row_period) row %= c->row_period;
    if (fill(&c->data, c->dtype, c->seed, UG_STREAM_DATA, row, ug_case_width(c), x, err, cap))
        return -1;
    repeat(c, x);
    if (with_special && (c->special_row < 0 || c->special_row == row)) put_special(c, x);
    return 0;
}

static int param(const ug_case *c, const ug_gen *gen, int stream, float *v, char *err, size_t cap)
{
    if (ug_gen_kind_at(gen->kind)->flags & UG_GEN_NONE) return 1;
    if (fill(gen, c->wdtype, c->seed, stream, 0, ug_case_width(c), v, err, cap)) return -1;
    repeat(c, v);
    return 0;
}

int ug_case_gamma(const ug_case *c, float *gamma, char *err, size_t cap)
{
    return param(c, &c->gamma, UG_STREAM_GAMMA, gamma, err, cap);
}

int ug_case_beta(const ug_case *c, float *beta, char *err, size_t cap)
{
    return param(c, &c->beta, UG_STREAM_BETA, beta, err, cap);
}
