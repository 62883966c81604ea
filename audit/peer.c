/* SPDX-License-Identifier: Apache-2.0 */
/* The published comparisons of other suites, each with its source. Where a rule lets a NaN pass, so
 * does this file: it shows what the rule would have said. */
#include "audit/peer.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "ulpgate/dtype.h"

typedef enum reference_kind {
    BY_EXACT, /* the correctly rounded exact result */
    BY_FLOAT, /* two passes in float, one element after the other */
    BY_OWN,   /* in float from the kernel's own mean and rstd */
    BY_FILLED /* in float from the exact mean and variance, as the filler of the data knows them */
} reference_kind;

typedef struct rule {
    const char *name, *source;
    reference_kind reference;
    double abs[UG_DTYPE_COUNT], rel[UG_DTYPE_COUNT]; /* f32, f16, bf16 */
} rule;

static const rule rules[UG_PEER_COUNT] = {
    {"torch",
     "torch.testing.assert_close, default tolerances (pytorch: torch/testing/_comparison.py)",
     BY_EXACT,
     {1e-5, 1e-5, 1e-5},
     {1.3e-6, 1e-3, 1.6e-2}},
    {"ggml",
     "normalised mean square error at most 1e-7 over the tensor, NaN fails, infinities have to "
     "agree (ggml: tests/test-backend-ops.cpp)",
     BY_EXACT,
     {1e-7, 1e-7, 1e-7},
     {0, 0, 0}},
    {"te",
     "fails where the absolute and the relative limit are both passed; statistics against a float "
     "reference, y against one made from the kernel's own statistics; NaN passes "
     "(TransformerEngine: tests/cpp/operator/test_normalization.cu, tests/cpp/test_common.cu)",
     BY_OWN,
     {5e-7, 1e-5, 1e-5},
     {5e-6, 1e-3, 1e-2}},
    {"llmc",
     "1e-5 + FLT_EPSILON |reference| on y, mean and rstd; other references than finite ones are "
     "skipped, NaN passes (llm.c: dev/cuda/common.h, dev/cuda/layernorm_forward.cu)",
     BY_FLOAT,
     {1e-5, 1e-5, 1e-5},
     {FLT_EPSILON, FLT_EPSILON, FLT_EPSILON}},
    {"liger",
     "torch.allclose with 1e-5 and 1e-5 (Liger-Kernel: test/transformers/test_layer_norm.py)",
     BY_EXACT,
     {1e-5, 1e-5, 1e-5},
     {1e-5, 1e-5, 1e-5}},
    {"quack",
     "assert_close with 1e-4, 1e-3 or 1e-2 by type (quack: tests/test_layernorm.py)",
     BY_EXACT,
     {1e-4, 1e-3, 1e-2},
     {1e-4, 1e-3, 1e-2}},
    {"benchdnn",
     "5e-7 relative, absolute up to 1e-5, times 2^(24 - digits) for narrow types; less where beta "
     "cancels; the mean has to be exact (oneDNN: tests/benchdnn/lnorm/lnorm.cpp, compare.cpp)",
     BY_FILLED,
     {5e-7, 5e-7 * 8192, 5e-7 * 65536},
     {5e-7, 5e-7 * 8192, 5e-7 * 65536}},
};

const char *ug_peer_name(ug_peer peer) { return rules[peer].name; }
const char *ug_peer_source(ug_peer peer) { return rules[peer].source; }

/* Statistics of a plain float reference. */
static void float_stats(const ug_row_in *in, float *mean, float *var)
{
    float s = 0, q = 0, n = (float)in->n;
    for (int64_t i = 0; i < in->n; i++) s += in->x[i];
    *mean = s / n;
    for (int64_t i = 0; i < in->n; i++) q += (in->x[i] - *mean) * (in->x[i] - *mean);
    *var = q / n;
}

/* A statistic, or 0 where it still holds the poison (twice the pattern of a narrow type). */
static float written(float value, uint32_t poison, ug_dtype t)
{
    uint32_t low = poison & 0xffffu;
    return ug_float_bits(value) == (t == UG_F32 ? poison : low << 16 | low) ? 0 : value;
}

static float element(const void *y, ug_dtype t, int64_t i, uint32_t poison)
{
    uint16_t half;
    if (t == UG_F32) return written(ug_load(y, t, i), poison, t);
    memcpy(&half, (const char *)y + 2 * i, 2);
    return half == (uint16_t)poison ? 0 : ug_load(y, t, i);
}

static float affine(const ug_row_in *in, int64_t i, float mean, float rstd)
{
    float xhat = (in->x[i] - mean) * rstd;
    return xhat * (in->gamma ? in->gamma[i] : 1) + (in->beta ? in->beta[i] : 0);
}

/* torch: equal values (infinities too) agree, NaN agrees with nothing. */
static int close(double got, double want, double abs, double rel)
{
    return got == want || fabs(got - want) <= abs + rel * fabs(want);
}

/* Both limits have to be passed to fail, which no NaN does. Narrow results are forgiven when they
 * are the two roundings of their middle. */
static int te_close(ug_dtype t, double got, double want, double abs, double rel)
{
    double middle, up, down;
    if (!(fabs(got - want) > abs && (want == 0 || fabs((got - want) / want) > rel))) return 1;
    if (t == UG_F32) return 0;
    middle = (got + want) / 2;
    up = ug_round_to(t, (float)(middle >= 0 ? middle * (1 + 1e-6) : middle * (1 - 1e-6)));
    down = ug_round_to(t, (float)(middle >= 0 ? middle * (1 - 1e-6) : middle * (1 + 1e-6)));
    return down == fmin(got, want) && up == fmax(got, want);
}

static int llmc_close(double got, double want, double abs, double rel)
{
    return !isfinite(want) || !(fabs(want - got) > abs + fabs(want) * rel);
}

static int benchdnn_close(double got, double want, double limit, double beta)
{
    double diff = fabs(want - got), scale = fabs(want), part = fabs(want - beta);
    if (got == want || (isnan(got) && isnan(want))) return 1;
    if ((scale > 1e-5 ? diff / scale : diff) <= limit) return 1;
    /* beta cancels gamma xhat: that part alone is compared. */
    if (!(part / (scale > FLT_MIN ? scale : 1) > 1)) return 0;
    return diff / (part > FLT_MIN ? part : 1) <= limit;
}

static int element_close(ug_peer peer, ug_dtype t, double got, double want, double beta)
{
    const rule *r = &rules[peer];
    switch (peer) {
    case UG_PEER_TE:
        return te_close(t, got, want, r->abs[t], r->rel[t]);
    case UG_PEER_LLMC:
        return llmc_close(got, want, r->abs[t], r->rel[t]);
    case UG_PEER_BENCHDNN:
        return benchdnn_close(got, want, r->rel[t], beta);
    case UG_PEER_GGML: /* NaN fails, infinities have to agree; the rest is in the sum */
        return !isnan(got) && !isnan(want) && isinf(got) == isinf(want) &&
               (!isinf(got) || got == want);
    default:
        return close(got, want, r->abs[t], r->rel[t]);
    }
}

static void note(ug_peer_score *s, int ok, int64_t row, int64_t col, double got, double want)
{
    s->compared++;
    if (ok) return;
    if (!s->failed++) {
        s->row = row;
        s->col = col;
        s->got = got;
        s->want = want;
    }
}

/* te and llmc compare both statistics with a float reference, benchdnn the mean with the exact one.
 */
static void compare_stats(ug_peer peer, ug_peer_score *s, int64_t row, float mean, float rstd,
                          float got_mean, float got_rstd)
{
    if (peer == UG_PEER_TE) {
        note(s, te_close(UG_F32, got_mean, mean, 1e-6, 5e-5), row, -1, got_mean, mean);
        note(s, te_close(UG_F32, got_rstd, rstd, 1e-6, 5e-5), row, -2, got_rstd, rstd);
    } else if (peer == UG_PEER_LLMC) {
        note(s, llmc_close(got_mean, mean, 1e-5, FLT_EPSILON), row, -1, got_mean, mean);
        note(s, llmc_close(got_rstd, rstd, 1e-5, FLT_EPSILON), row, -2, got_rstd, rstd);
    } else if (peer == UG_PEER_BENCHDNN) {
        note(s, got_mean == mean, row, -1, got_mean, mean);
    }
}

void ug_peer_row(ug_peer peer, ug_peer_score *s, int64_t row, const ug_row_in *in,
                 const ug_row_stats *stats, const ug_row_out *truth, const void *y, uint32_t poison,
                 const float *mean, const float *rstd)
{
    reference_kind kind = rules[peer].reference;
    float ref_mean, ref_rstd, var;
    /* Rows without a finite exact answer: what a reference in float makes of them. */
    if (stats->cls != UG_ROW_REGULAR && kind == BY_EXACT) kind = BY_FLOAT;
    float_stats(in, &ref_mean, &var);
    if (kind == BY_FILLED) {
        ref_mean = (float)stats->mean;
        var = (float)stats->var;
    }
    ref_rstd = 1 / sqrtf(var + in->eps);
    if (mean && rstd) {
        float got_mean = written(*mean, poison, in->out),
              got_rstd = written(*rstd, poison, in->out);
        compare_stats(peer, s, row, ref_mean, ref_rstd, got_mean, got_rstd);
        if (kind == BY_OWN) {
            ref_mean = got_mean;
            ref_rstd = got_rstd;
        }
    }
    for (int64_t i = 0; i < in->n; i++) {
        double got = element(y, in->out, i, poison), beta = in->beta ? in->beta[i] : 0, want;
        if (kind == BY_EXACT) {
            uint16_t half = (uint16_t)truth->want[i];
            want = in->out == UG_F32 ? ug_bits_float(truth->want[i]) : ug_load(&half, in->out, 0);
        } else {
            want = ug_round_to(in->out, affine(in, i, ref_mean, ref_rstd));
        }
        note(s, element_close(peer, in->out, got, want, beta), row, i, got, want);
        if (peer != UG_PEER_GGML || isinf(got)) continue;
        s->err_sq += (got - want) * (got - want);
        s->got_sq += got * got; /* of the tested output: so it is in the source */
    }
}

static void say_where(const ug_peer_score *s, char *text, size_t cap)
{
    if (s->col < 0)
        snprintf(text, cap, "%s of row %lld", s->col == -1 ? "mean" : "rstd", (long long)s->row);
    else
        snprintf(text, cap, "row %lld col %lld", (long long)s->row, (long long)s->col);
}

int ug_peer_judge(ug_peer peer, const ug_peer_score *s, char *why, size_t cap)
{
    double limit = rules[peer].abs[UG_F32], nmse = s->err_sq / s->got_sq;
    char where[64];
    if (!s->compared) return -1;
    if (s->failed) {
        say_where(s, where, sizeof where);
        snprintf(why, cap, "%s %lld of %lld values, first %.9g for %.9g at %s", rules[peer].name,
                 (long long)s->failed, (long long)s->compared, s->got, s->want, where);
        return 0;
    }
    /* 0/0 is NaN and passes: so it does in the source. */
    if (peer == UG_PEER_GGML && nmse > limit) {
        snprintf(why, cap, "%s nmse %.4g > %.4g", rules[peer].name, nmse, limit);
        return 0;
    }
    return 1;
}
