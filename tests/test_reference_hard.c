/* SPDX-License-Identifier: Apache-2.0 */
/* Inputs built backwards from outputs next to where rounding changes.
 *
 * With rational xhat: an odd multiple of 5 with one bit more than the output type is a midpoint m;
 * the row of 16 ones and 25 zeros has xhat = 5/4 at eps 0, so gamma = 4/5 m gives y = m exactly,
 * and beta = +-2^-149 moves it by less than 2^-100 of itself. What must come out follows from the
 * construction. With irrational xhat: beta = RN(m - gamma xhat) for the midpoint m next to gamma
 * xhat leaves y within 2^-25 of a spacing from m; the MPFR reference says which side. The count of
 * elements that really were hard (left the first stage) is printed and must reach a minimum.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "reference/certified.h"
#include "reference/implementations.h"
#include "reference_families.h"
#include "ulpgate/dtype.h"

enum { N = 512, ENOUGH = 10000 };

static const int precision[] = {24, 11, 8}, quantum[] = {-149, -24, -133};

/* Exponent of the spacing of the output type at |v|. */
static int spacing(ug_dtype t, double v)
{
    int e;
    frexp(v, &e);
    e -= precision[t];
    return e > quantum[t] ? e : quantum[t];
}

static uint32_t rounded(ug_dtype t, double v) /* v is a number of the type */
{
    float f = (float)v;
    return t == UG_F32 ? ug_float_bits(f) : t == UG_F16 ? ug_float_to_f16(f) : ug_float_to_bf16(f);
}

/* gamma xhat + beta = 0 exactly: +0 and nothing in head and tail; a little less: -0. */
static int64_t check_zeros(ug_certified *s)
{
    static const float t[] = {0, 0x1p-100f, -0x1p-100f};
    int64_t failures = 0;
    for (int k = 0; k < 3; k++)
        for (int type = 0; type < UG_DTYPE_COUNT; type++) {
            /* xhat = 3 - t/6 + ... for the first element, -3 - t/6 for the second */
            float x[18] = {1, -1, t[k]}, gamma[18] = {5, 5}, beta[18] = {-15, 15};
            double head[18], tail[18];
            uint32_t want[18], below_0 = type == UG_F32 ? 0x80000000u : 0x8000u;
            ug_row_in in = {x, gamma, beta, 18, 0, (ug_dtype)type};
            ug_row_out out = {head, tail, want};
            ug_certified_row(s, &in, NULL, &out, NULL);
            for (int i = 0; i < 2; i++) {
                double y = -5 * (double)t[k] / 6;
                int small = type == UG_F16; /* 2^-100 is a number of the others */
                failures += fabs(head[i] - y) > 1e-9 * fabs(y) || (y == 0 && tail[i] != 0);
                if (y == 0)
                    failures += want[i] != 0;
                else if (small)
                    failures += want[i] != (y < 0 ? below_0 : 0);
                else
                    failures += want[i] != rounded((ug_dtype)type, (float)y);
            }
        }
    return failures;
}

/* N = 2 k^2, x = 1, -1 and zeros: xhat = +-k, and gamma k - gamma k is 0, whatever rounding does to
 * 1/sqrt(Q) = 1/(2 k). */
static int64_t check_exact_zeros(ug_certified *s)
{
    int64_t failures = 0;
    for (int k = 2; k <= 15; k++)
        for (int g = 1; g < 40; g += 2) {
            float x[450] = {1, -1}, gamma[450] = {(float)g, (float)g};
            float beta[450] = {(float)(-g * k), (float)(g * k)};
            double head[450], tail[450];
            uint32_t want[450];
            ug_row_in in = {x, gamma, beta, 2 * k * k, 0, UG_F32};
            ug_row_out out = {head, tail, want};
            ug_certified_row(s, &in, NULL, &out, NULL);
            for (int i = 0; i < 2; i++) failures += want[i] != 0 || head[i] != 0 || tail[i] != 0;
        }
    return failures;
}

typedef struct element {
    float gamma, beta;
    uint32_t want;
} element;

/* m = 5 j 2^e with 5 j odd and of precision + 1 bits; side -1, 0, 1 moves y off it. */
static element rational(ug_stream *s, ug_dtype t)
{
    int64_t least = (int64_t)1 << precision[t], k = 0;
    int side = (int)(ug_stream_bits(s) % 3) - 1, e = (int)(ug_stream_bits(s) % 12) - 6;
    double unit, below, above;
    element r;
    while (k < least || k % 2 == 0)
        k = 5 * (int64_t)(ug_stream_bits(s) % (uint64_t)(2 * least / 5));
    if (ug_stream_bits(s) & 1) side = -side, e = -e, k = -k;
    unit = ldexp(1, e - precision[t]);
    below = (double)(k - 1) * unit;
    above = (double)(k + 1) * unit;
    r.gamma = (float)((double)(k / 5) * 4 * unit);
    r.beta = (float)side * 0x1p-149f;
    if (side == 0) side = (k - 1) / 2 % 2 == 0 ? -1 : 1; /* to the even one */
    r.want = rounded(t, side < 0 ? below : above);
    return r;
}

typedef struct tally {
    int64_t elements, failures;
} tally;

static void check_rational(ug_certified *s, ug_stream *stream, ug_dtype t, tally *all)
{
    float x[41], gamma[41], beta[41];
    uint32_t want[41], expected[41];
    ug_row_in in = {x, gamma, beta, 41, 0, t};
    ug_row_out out = {NULL, NULL, want};
    for (int i = 0; i < 41; i++) {
        element e = rational(stream, t);
        x[i] = i < 16 ? 1.0f : 0.0f;
        gamma[i] = e.gamma;
        beta[i] = e.beta;
        expected[i] = e.want;
    }
    ug_certified_row(s, &in, NULL, &out, NULL);
    for (int i = 0; i < 16; i++) {
        if (want[i] != expected[i] && all->failures++ < 5)
            printf("rational, dtype %d: gamma %a beta %a: %x, expected %x\n", (int)t,
                   (double)gamma[i], (double)beta[i], want[i], expected[i]);
    }
    all->elements += 16;
}

static void check_irrational(ug_certified *s, void *mpfr, ug_stream *stream, ug_dtype t, tally *all)
{
    static float x[N], gamma[N], beta[N];
    static double head[N], tail[N];
    static uint32_t want[N], expected[N];
    ug_row_in in = {x, gamma, NULL, N, 1e-5f, t};
    ug_row_out out = {head, tail, NULL};
    for (int i = 0; i < N; i++) {
        x[i] = (float)ug_stream_gaussian(stream);
        gamma[i] = (float)(1 + 0.25 * ug_stream_gaussian(stream));
    }
    ug_mpfr_row(mpfr, &in, NULL, &out, NULL);
    for (int i = 0; i < N; i++) {
        double unit = ldexp(1, spacing(t, head[i])), m = (floor(head[i] / unit) + 0.5) * unit;
        beta[i] = (float)((m - head[i]) - tail[i]);
    }
    in.beta = beta;
    out = (ug_row_out){NULL, NULL, expected};
    ug_mpfr_row(mpfr, &in, NULL, &out, NULL);
    out.want = want;
    ug_certified_row(s, &in, NULL, &out, NULL);
    for (int i = 0; i < N; i++) {
        if (want[i] != expected[i] && all->failures++ < 5)
            printf("irrational, dtype %d: x %a gamma %a beta %a: %x, mpfr %x\n", (int)t,
                   (double)x[i], (double)gamma[i], (double)beta[i], want[i], expected[i]);
    }
    all->elements += N;
}

int main(void)
{
    void *mpfr = ug_reference_mpfr.create();
    int failed = 0;
    for (int k = 0; ug_vector_ops_at(k); k++) {
        ug_certified *s = ug_certified_create(ug_vector_ops_at(k));
        ug_stream stream = {7};
        tally all = {0, 0};
        int64_t hard, exact;
        for (int r = 0; r < 1200; r++) check_rational(s, &stream, (ug_dtype)(r % 3), &all);
        for (int r = 0; r < 90; r++) check_irrational(s, mpfr, &stream, (ug_dtype)(r % 3), &all);
        all.failures += check_zeros(s) + check_exact_zeros(s);
        hard = s->counts.stage2;
        exact = s->counts.stage3;
        printf("%s: %" PRId64 " elements, %" PRId64 " left the first stage, %" PRId64
               " were decided in integers, %" PRId64 " failures\n",
               s->ops->name, all.elements, hard, exact, all.failures);
        failed |= all.failures != 0 || hard < ENOUGH || exact < ENOUGH;
        ug_certified_destroy(s);
    }
    ug_reference_mpfr.destroy(mpfr);
    return failed;
}
