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
    mpfr_inits2(512, s->wide, s->t, (mpfr_ptr)0);
    for (int i = 0; i < UG_CHUNK; i++) s->ones[i] = 1;
    return s;
}

void ug_certified_destroy(ug_certified *s)
{
    if (!s) return;
    ug_row_clear(&s->row);
    mpz_clears(s->p, s->b, s->work, s->part, (mpz_ptr)0);
    mpfr_clears(s->wide, s->t, (mpfr_ptr)0);
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

/* Element i of the operands, which the loop of stage 2 left: the same test without counting the low
 * part as an error, then stage 3; parameters that are no numbers. Results replace those in s->y. */
static void finish(ug_certified *s, int i)
{
    float x = s->in.x[i], gamma = s->in.gamma[i], beta = s->in.beta[i];
    double *high = &s->y.high[i], *low = &s->y.low[i], error = s->y.error[i];
    uint32_t least, most;
    int zero = 0;
    if (!isfinite(gamma) || !isfinite(beta)) {
        ug_answer_special(s->format, ug_certified_sign(s, x), gamma, beta, high, &s->y.want[i]);
        *low = 0;
        return;
    }
    least = ug_format_of_double(s->format, round_to_odd(*high, *low, -error));
    most = ug_format_of_double(s->format, round_to_odd(*high, *low, error));
    if (least != most) {
        s->counts.stage3++;
        most = ug_certified_decide(s, x, gamma, beta, least, most, &zero);
    }
    s->y.want[i] = most;
    if (zero) {
        *high = *low = 0;
    } else if (!(error < fabs(*high)) || /* not even the sign is sure */
               !(error <= s->c.ulp_share * fabs(*high) || error <= s->c.ulp_least)) {
        s->counts.precise++;
        ug_certified_precise(s, x, gamma, beta, high, low);
    }
}

/* The elements flagged in a chunk, gathered. */
static void later_stages(ug_certified *s, const float *x, const float *gamma, const float *beta,
                         int count, double *head, double *tail, uint32_t *want)
{
    int left = 0, whole;
    for (int i = 0; i < count; i += 2) {
        uint64_t two;
        memcpy(&two, s->flag + i, sizeof two);
        if (!two) continue;
        for (int j = i; j < i + 2 && j < count; j++)
            if (s->flag[j]) s->place[left++] = j;
    }
    if (!left) return;
    ug_certified_prepare_stage2(s);
    s->counts.stage2 += left;
    whole = (left + UG_STEP - 1) / UG_STEP * UG_STEP;
    for (int i = 0; i < whole; i++) {
        int j = s->place[i < left ? i : 0];
        s->in.x[i] = x[j];
        s->in.gamma[i] = gamma[j];
        s->in.beta[i] = beta[j];
    }
    s->ops->stage2[s->out](&s->c, &s->in, whole, &s->y);
    for (int i = 0; i < left; i++) {
        int j = s->place[i];
        if (s->y.flag[i]) finish(s, i);
        head[j] = s->y.high[i] + 0.0; /* no -0 */
        want[j] = s->y.want[i];
        if (tail) tail[j] = s->y.low[i] + 0.0;
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
        memcpy(s->in.x, x, bytes);
        memcpy(s->in.gamma, gamma, bytes);
        memcpy(s->in.beta, beta, bytes);
        s->ops->stage1[s->out](&s->c, s->in.x, s->in.gamma, s->in.beta, whole, head, want, s->flag);
    }
    later_stages(s, x, gamma, beta, count, head, out->tail, want);
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

int ug_certified_row(void *state, const ug_row_in *in, const ug_row_kind *kind,
                     const ug_row_out *out, ug_row_stats *stats)
{
    ug_certified *s = state;
    ug_row_class cls;
    ug_fast_sums_of(s->ops, &s->row.sums, in->x, in->n);
    cls = ug_row_close(&s->row, in->n, in->eps, kind);
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

static int row(void *state, const ug_row_in *in, const ug_row_out *out, ug_row_stats *stats)
{
    return ug_certified_row(state, in, NULL, out, stats);
}

static int repeated(void *state, const ug_row_in *in, int64_t repeats, const ug_row_out *out,
                    ug_row_stats *stats)
{
    const ug_row_kind kind = {.repeats = repeats};
    return ug_certified_row(state, in, &kind, out, stats);
}

const ug_reference ug_reference_certified = {"certified", create, destroy, row, repeated};
