/* SPDX-License-Identifier: Apache-2.0 */
/* The reference "certified": rows, chunks, and the way from stage to stage. */
#include "reference/certified.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "reference/answer.h"
#include "reference/fast_sum.h"
#include "reference/implementations.h"

ug_certified *ug_certified_create(const ug_vector_ops *ops)
{
    ug_certified *s = calloc(1, sizeof *s);
    if (!s) return NULL;
    s->ops = ops;
    s->stage1_limit = (int64_t)1 << 29; /* N x is a double below: 24 + 29 bits */
    ug_row_init(&s->row);
    mpz_inits(s->p, s->b, s->work, s->part, (mpz_ptr)0);
    mpfr_inits2(512, s->y, s->t, (mpfr_ptr)0);
    for (int i = 0; i < UG_CHUNK; i++) s->ones[i] = 1;
    return s;
}

void ug_certified_destroy(ug_certified *s)
{
    if (!s) return;
    ug_row_clear(&s->row);
    mpz_clears(s->p, s->b, s->work, s->part, (mpz_ptr)0);
    mpfr_clears(s->y, s->t, (mpfr_ptr)0);
    free(s);
}

/* y + e to odd: of the two doubles around high + low + e the one with an odd last bit, unless it
 * is a double itself. Rounding that to 51 bits or fewer is rounding y + e once. */
static double round_to_odd(double high, double low, double e)
{
    double add = low + e, sum = high + add, back = sum - high, rest;
    uint64_t bits;
    rest = (high - (sum - back)) + (add - back);
    if (rest == 0) return sum;
    memcpy(&bits, &sum, sizeof bits);
    if (bits & 1u) return sum;
    bits += (rest > 0) == (sum > 0) ? 1u : UINT64_MAX;
    memcpy(&sum, &bits, sizeof sum);
    return sum;
}

/* One element from stage 2 on; returns 0 with head, tail and want set. */
static void element(ug_certified *s, float x, float gamma, float beta, double *head, double *tail,
                    uint32_t *want)
{
    ug_stage2 y;
    uint32_t low, high;
    int zero = 0;
    s->counts.stage2++;
    ug_certified_prepare_stage2(s);
    if (!isfinite(gamma) || !isfinite(beta)) {
        /* the sign of A is right in stage 2: its relative error is below 1 */
        s->ops->stage2(&s->c, x, 1, 0, &y);
        ug_answer_special(s->format, (y.high > 0) - (y.high < 0), gamma, beta, head, want);
        *tail = 0;
        return;
    }
    s->ops->stage2(&s->c, x, gamma, beta, &y);
    low = ug_format_of_double(s->format, round_to_odd(y.high, y.low, -y.error));
    high = ug_format_of_double(s->format, round_to_odd(y.high, y.low, y.error));
    if (low != high) {
        s->counts.stage3++;
        high = ug_certified_decide(s, x, gamma, beta, low, high, &zero);
    }
    *want = high;
    *head = zero ? 0 : y.high + 0.0;
    *tail = zero ? 0 : y.low + 0.0;
    if (!zero && !(y.error <= s->c.ulp_share * fabs(y.high) || y.error <= s->c.ulp_least)) {
        s->counts.precise++;
        ug_certified_precise(s, x, gamma, beta, head, tail);
    }
}

/* At most UG_CHUNK elements, operands present. */
static void chunk_of(ug_certified *s, const float *x, const float *gamma, const float *beta,
                     int count, const ug_row_out *out)
{
    int whole = (count + UG_STEP - 1) / UG_STEP * UG_STEP;
    double *head = out->head && whole == count ? out->head : s->head;
    uint32_t *want = out->want && whole == count ? out->want : s->want;
    if (out->tail) memset(out->tail, 0, (size_t)count * sizeof *out->tail);
    if (s->row.n >= s->stage1_limit) {
        memset(s->flag, 1, sizeof s->flag);
    } else if (whole == count) {
        s->ops->stage1[s->out](&s->c, x, gamma, beta, count, head, want, s->flag);
    } else {
        size_t bytes = (size_t)count * sizeof *x;
        memcpy(s->x, x, bytes);
        memcpy(s->gamma, gamma, bytes);
        memcpy(s->beta, beta, bytes);
        s->ops->stage1[s->out](&s->c, s->x, s->gamma, s->beta, whole, head, want, s->flag);
    }
    for (int i = 0; i < count; i++) {
        double tail;
        if (!s->flag[i]) continue;
        element(s, x[i], gamma[i], beta[i], &head[i], &tail, &want[i]);
        if (out->tail) out->tail[i] = tail;
    }
    if (out->head && head != out->head) memcpy(out->head, head, (size_t)count * sizeof *head);
    if (out->want && want != out->want) memcpy(out->want, want, (size_t)count * sizeof *want);
}

void ug_certified_elements(ug_certified *s, const float *x, const float *gamma, const float *beta,
                           int64_t count, const ug_row_out *out)
{
    for (int64_t i = 0; i < count; i += UG_CHUNK) {
        int now = count - i < UG_CHUNK ? (int)(count - i) : UG_CHUNK;
        ug_row_out part = {out->head ? out->head + i : NULL, out->tail ? out->tail + i : NULL,
                           out->want ? out->want + i : NULL};
        chunk_of(s, x + i, gamma ? gamma + i : s->ones, beta ? beta + i : s->zeros, now, &part);
    }
    s->counts.elements += count;
}

static void *create(void) { return ug_certified_create(ug_vector_ops_best()); }

static void destroy(void *state) { ug_certified_destroy(state); }

static int row(void *state, const ug_row_in *in, const ug_row_out *out, ug_row_stats *stats)
{
    ug_certified *s = state;
    ug_row_class cls;
    s->row.n = in->n;
    s->row.eps = in->eps;
    ug_fast_sums_of(s->ops, &s->row.sums, in->x, in->n);
    cls = ug_row_close(&s->row);
    if (stats) ug_certified_describe(&s->row, cls, stats);
    if (cls == UG_ROW_NONFINITE || cls == UG_ROW_DEGENERATE) {
        ug_answer_none(in, out);
        return 0;
    }
    if (!out->head && !out->tail && !out->want) return 0;
    ug_certified_prepare(s, in->out);
    ug_certified_elements(s, in->x, in->gamma, in->beta, in->n, out);
    return 0;
}

const ug_reference ug_reference_certified = {"certified", create, destroy, row};
