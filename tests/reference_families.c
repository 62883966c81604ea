/* SPDX-License-Identifier: Apache-2.0 */
/* The families: ordinary rows, offsets, extreme exponents, ties, cancellation, very long sums. */
#include "reference_families.h"

#include <math.h>

#include "ulpgate/dtype.h"

uint64_t ug_stream_bits(ug_stream *s)
{
    uint64_t z = s->state += 0x9e3779b97f4a7c15u; /* splitmix64 */
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

double ug_stream_uniform(ug_stream *s)
{
    return ((double)(ug_stream_bits(s) >> 12) + 0.5) * 0x1p-52;
}

double ug_stream_gaussian(ug_stream *s)
{
    double r = sqrt(-2 * log(ug_stream_uniform(s)));
    return r * cos(6.283185307179586 * ug_stream_uniform(s));
}

float ug_stream_power(ug_stream *s, int low, int high)
{
    int e = low + (int)(ug_stream_bits(s) % (unsigned)(high - low + 1));
    float v = (float)ldexp(1 + ug_stream_uniform(s), e);
    return ug_stream_bits(s) & 1 ? v : -v;
}

static int64_t below(ug_stream *s, int64_t n) { return (int64_t)(ug_stream_bits(s) % (uint64_t)n); }

static float any_eps(ug_stream *s)
{
    static const float eps[] = {1e-5f, 1e-12f, 0, 1e-6f, 1e-3f};
    return eps[below(s, 5)];
}

/* The length and ordinary parameters. */
static void begin(ug_stream *s, ug_family_row *r, int64_t least, int64_t most, float eps)
{
    if (most > r->most) most = r->most;
    r->n = least + below(s, most - least + 1);
    r->eps = eps;
    r->cancel = 0;
    for (int64_t i = 0; i < r->n; i++) {
        r->gamma[i] = (float)(1 + 0.25 * ug_stream_gaussian(s));
        r->beta[i] = (float)(0.5 * ug_stream_gaussian(s));
    }
}

static void gaussian(ug_stream *s, ug_family_row *r)
{
    begin(s, r, 1, 2048, any_eps(s));
    for (int64_t i = 0; i < r->n; i++) r->x[i] = (float)ug_stream_gaussian(s);
}

static void offset(ug_stream *s, ug_family_row *r)
{
    double mean = pow(10, 2 + 6 * ug_stream_uniform(s));
    begin(s, r, 1, 2048, any_eps(s));
    for (int64_t i = 0; i < r->n; i++) r->x[i] = (float)(mean + ug_stream_gaussian(s));
}

static void constant(ug_stream *s, ug_family_row *r)
{
    float v = ug_stream_power(s, -126, 127);
    begin(s, r, 1, 1024, 1e-5f);
    for (int64_t i = 0; i < r->n; i++) r->x[i] = v;
}

static void almost_constant(ug_stream *s, ug_family_row *r)
{
    uint32_t bits = ug_float_bits(ug_stream_power(s, -100, 100));
    begin(s, r, 2, 1024, any_eps(s));
    for (int64_t i = 0; i < r->n; i++) r->x[i] = ug_bits_float(bits + (uint32_t)below(s, 3) - 1);
}

static void full_range(ug_stream *s, ug_family_row *r)
{
    begin(s, r, 1, 1024, any_eps(s));
    for (int64_t i = 0; i < r->n; i++) r->x[i] = ug_stream_power(s, -149, 127);
}

static void full_range_all(ug_stream *s, ug_family_row *r)
{
    begin(s, r, 1, 512, any_eps(s));
    for (int64_t i = 0; i < r->n; i++) {
        r->x[i] = ug_stream_power(s, -149, 127);
        r->gamma[i] = ug_stream_power(s, -149, 127);
        r->beta[i] = ug_stream_power(s, -149, 127);
    }
}

/* Exponents that span 15 to 50 binades: the borders between the ways of summing. */
static void middle_range(ug_stream *s, ug_family_row *r)
{
    int span = 15 + (int)below(s, 36), top = -60 + (int)below(s, 120);
    begin(s, r, 1, 2048, any_eps(s));
    for (int64_t i = 0; i < r->n; i++) r->x[i] = ug_stream_power(s, top - span, top);
}

static void subnormal_rows(ug_stream *s, ug_family_row *r)
{
    begin(s, r, 2, 512, 0);
    for (int64_t i = 0; i < r->n; i++)
        r->x[i] = ug_bits_float((uint32_t)(ug_stream_bits(s) & 0x807fffffu));
}

static void subnormal_outputs(ug_stream *s, ug_family_row *r)
{
    int top = (int)below(s, 3); /* of f32, f16, bf16 */
    int scale = top == 0 ? -150 : top == 1 ? -25 : -134;
    begin(s, r, 2, 512, 1e-5f);
    for (int64_t i = 0; i < r->n; i++) {
        r->x[i] = (float)ug_stream_gaussian(s);
        r->gamma[i] = (float)ldexp(ug_stream_gaussian(s), scale + (int)below(s, 20));
        r->beta[i] = top == 0 ? ug_bits_float((uint32_t)(ug_stream_bits(s) & 0x800000ffu))
                              : (float)ldexp((double)(below(s, 64) - 32), scale + 1);
    }
}

static void overflowing_outputs(ug_stream *s, ug_family_row *r)
{
    int top = below(s, 2) ? 127 : 15;
    begin(s, r, 2, 512, 1e-5f);
    for (int64_t i = 0; i < r->n; i++) {
        r->x[i] = (float)ug_stream_gaussian(s);
        r->gamma[i] = ug_stream_power(s, top - 2, top);
        r->beta[i] = ug_stream_power(s, top - 2, top);
    }
}

static void cancelling(ug_stream *s, ug_family_row *r)
{
    begin(s, r, 2, 1024, 1e-5f);
    r->cancel = 1;
    for (int64_t i = 0; i < r->n; i++) r->x[i] = (float)(10 * ug_stream_gaussian(s));
}

/* xhat = +-1 and gamma, beta of 24 bits with exponents apart: sums of up to 28 bits, many ties. */
static void ties_of_signs(ug_stream *s, ug_family_row *r)
{
    begin(s, r, 2, 1024, 0);
    r->n -= r->n & 1;
    for (int64_t i = 0; i < r->n; i++) {
        int e = (int)below(s, 40) - 20;
        r->x[i] = i & 1 ? 1.0f : -1.0f;
        r->gamma[i] = (float)ldexp((double)below(s, 1 << 24), e - 24);
        r->beta[i] = (float)ldexp((double)below(s, 1 << 24), e - (int)below(s, 3));
    }
}

/* Two values with N = a^2 + b^2 elements, a^2 of the first: xhat = b/a and -a/b. */
static void ties_of_squares(ug_stream *s, ug_family_row *r)
{
    static const int squares[][2] = {{1, 2}, {4, 5}, {15, 17}, {14, 18}, {6, 8}, {1, 3}, {16, 24}};
    const int *ab = squares[below(s, 7)];
    float low = (float)(below(s, 2000) - 1000), high = low + 1 + (float)below(s, 1000);
    int64_t n = ab[0] * ab[0] + ab[1] * ab[1];
    begin(s, r, n, n, 0);
    for (int64_t i = 0; i < r->n; i++) {
        r->x[i] = i < ab[0] * ab[0] ? high : low;
        r->gamma[i] = (float)ldexp((double)below(s, 1 << 24), -(int)below(s, 4));
        r->beta[i] = (float)((1 << 23) + below(s, 1 << 22));
        if (below(s, 4) == 0) r->beta[i] = (float)ldexp(r->beta[i], -(int)below(s, 30));
    }
}

/* Values symmetric about 3, and 3 itself: x = mean exactly. */
static void at_the_mean(ug_stream *s, ug_family_row *r)
{
    begin(s, r, 3, 513, any_eps(s));
    r->n |= 1;
    if (r->n > r->most) r->n -= 2;
    for (int64_t i = 0; i + 1 < r->n; i += 2) {
        r->x[i] = (float)below(s, 64);
        r->x[i + 1] = 6 - r->x[i];
    }
    r->x[r->n - 1] = 3;
    r->gamma[r->n - 1] = 1;
    if (below(s, 2)) r->beta[r->n - 1] = 0;
}

static void long_sums(ug_stream *s, ug_family_row *r)
{
    double mean = pow(10, 4 + 3 * ug_stream_uniform(s));
    begin(s, r, 8, 520, any_eps(s));
    for (int64_t i = 0; i < r->n; i++) r->x[i] = (float)(mean + ug_stream_gaussian(s));
    for (int k = 0; k < 4; k++) r->x[below(s, r->n)] = ug_stream_power(s, -60, -20);
}

/* x within 2^-20 to 2^-170 of the mean: c, 2c and tiny values. */
static void near_the_mean(ug_stream *s, ug_family_row *r)
{
    int k = 1 + (int)below(s, 5), plain = (int)below(s, 2);
    float c = ug_stream_power(s, 20, 60);
    begin(s, r, 2 * k + 4, 2 * k + 67, below(s, 2) ? 0 : 1e-5f);
    for (int64_t i = 0; i < r->n; i++) {
        r->x[i] = c;
        r->gamma[i] = ug_stream_power(s, -3, 3);
        r->beta[i] = plain ? 0 : ug_stream_power(s, -149, -30);
    }
    for (int j = 0; j < k; j++) {
        r->x[2 * j] = 2 * c;
        r->x[2 * j + 1] = (float)ldexp(ug_stream_power(s, -20, 0), -(int)below(s, 34) * (j + 1));
    }
}

/* S1 needs 277 bits. */
static void widest_sums(ug_stream *s, ug_family_row *r)
{
    begin(s, r, 8, 40, 0);
    for (int64_t i = 0; i < r->n; i++) {
        r->x[i] = 0;
        r->gamma[i] = ug_stream_power(s, 120, 127);
        r->beta[i] = 0;
    }
    r->x[0] = 0x1p127f;
    r->x[1] = ug_bits_float(1 + (uint32_t)below(s, 1000));
    r->x[2] = -0x1p127f;
}

/* X, -X, a tiny t and zeros, N = 2 k^2: xhat = k - t/(k N X) + ..., so beta = -k gamma leaves next
 * to nothing of the sum, of either sign, down to 2^-270 of it, or exactly nothing. */
static void deep_cancellation(ug_stream *s, ug_family_row *r)
{
    int k = 1 + (int)below(s, 5), e = (int)below(s, 255) - 127;
    float big = (float)ldexp(1, e), t = ug_stream_power(s, -149, e - 20 > -149 ? e - 20 : -149);
    begin(s, r, 2 * k * k, 2 * k * k, 0);
    if (k == 1 || below(s, 8) == 0) t = 0;
    for (int64_t i = 0; i < r->n; i++) {
        r->gamma[i] = (float)ldexp((double)(1 + below(s, 1 << 20)), (int)below(s, 40) - 30);
        r->x[i] = i == 0 ? big : i == 1 ? -big : i == 2 ? t : 0;
        r->beta[i] = i == 0 ? -(float)k * r->gamma[i] : i == 1 ? (float)k * r->gamma[i] : 0;
    }
}

static void not_finite(ug_stream *s, ug_family_row *r)
{
    static const float bad[] = {NAN, INFINITY, -INFINITY};
    gaussian(s, r);
    if (below(s, 2)) {
        r->x[below(s, r->n)] = bad[below(s, 3)];
        return;
    }
    r->gamma[below(s, r->n)] = bad[below(s, 3)];
    r->beta[below(s, r->n)] = bad[below(s, 3)];
}

const ug_family ug_families[] = {
    {"gaussian", gaussian},
    {"offset", offset},
    {"constant", constant},
    {"almost constant", almost_constant},
    {"full range", full_range},
    {"full range, parameters too", full_range_all},
    {"middle range", middle_range},
    {"subnormal rows", subnormal_rows},
    {"subnormal outputs", subnormal_outputs},
    {"overflowing outputs", overflowing_outputs},
    {"cancelling", cancelling},
    {"ties, xhat +-1", ties_of_signs},
    {"ties, two values", ties_of_squares},
    {"x = mean", at_the_mean},
    {"long sums", long_sums},
    {"x near the mean", near_the_mean},
    {"widest sums", widest_sums},
    {"deep cancellation", deep_cancellation},
    {"not finite", not_finite},
};
const int ug_family_count = sizeof ug_families / sizeof *ug_families;
