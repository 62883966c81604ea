/* SPDX-License-Identifier: Apache-2.0 */
/* The table of generators and what each computes. */
#include "cases/generate.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "ulpgate/dtype.h"

#if FLT_EVAL_METHOD != 0
#error "the generators need each double operation rounded to binary64"
#endif

ug_philox ug_gen_words(uint64_t seed, int stream, int64_t row, int64_t index)
{
    uint64_t r = (uint64_t)row, i = (uint64_t)index;
    ug_philox counter = {{(uint32_t)i, (uint32_t)(i >> 32 & 0xffffu) | (uint32_t)stream << 16,
                          (uint32_t)r, (uint32_t)(r >> 32)}};
    return ug_philox4x32(counter, (uint32_t)seed, (uint32_t)(seed >> 32));
}

static ug_philox words_of(const ug_gen_at *at, int i)
{
    return ug_gen_words(at->seed, at->stream, at->row, at->first + i);
}

static ug_philox row_words(const ug_gen_at *at)
{
    return ug_gen_words(at->seed, at->stream + UG_STREAM_ROW, at->row, 0);
}

static uint64_t join(uint32_t high, uint32_t low) { return (uint64_t)high << 32 | low; }

/* In [0, 1), a multiple of 2^-53: exact. */
static double unit(uint64_t bits) { return (double)(bits >> 11) * 0x1p-53; }

int64_t ug_normal_from_bits(uint64_t bits)
{
    static const int32_t node[] = {
#include "cases/normal_table.inc"
    };
    uint64_t m = bits >> 1; /* the tail's probability is m / 2^64, below 1/2 */
    int64_t z, step, share;
    int octave = m ? __builtin_clzll(m) - 1 : 63, i;
    if (octave > 31) return bits & 1 ? node[0] : -(int64_t)node[0];
    m <<= octave + 1; /* the leading one is bit 63, four bits of node and 24 of share follow */
    i = (31 - octave) * 16 + (int)(m >> 59 & 15u);
    share = (int64_t)(m >> 35 & 0xffffffu);
    step = (int64_t)node[i] - node[i + 1];
    z = node[i] - (step * share >> 24);
    return bits & 1 ? z : -z;
}

static double normal(uint32_t high, uint32_t low)
{
    return (double)ug_normal_from_bits(join(high, low)) * 0x1p-27;
}

/* A power of two in the normal range of binary64. */
static double power_of_two(int e)
{
    uint64_t bits = (uint64_t)(e + 1023) << 52;
    double v;
    memcpy(&v, &bits, sizeof v);
    return v;
}

float ug_narrow(ug_dtype t, double v)
{
    float f = (float)v;
    uint32_t bits;
    if (t == UG_F32 || (double)f == v || v != v) return ug_round_to(t, f);
    /* Rounding to odd into binary32 first keeps what the second rounding must know: 24 bits are
     * more than two above the 11 and 8 of the narrow types. */
    bits = ug_float_bits(f);
    if (fabs((double)f) > fabs(v)) bits--;
    return ug_round_to(t, ug_bits_float(bits | 1u));
}

int64_t ug_place_column(int64_t place, int64_t n)
{
    return place >= 0 ? place : place == UG_AT_FIRST ? 0 : place == UG_AT_MIDDLE ? n / 2 : n - 1;
}

/* With vary, each row has its own scale 2^-6..2^6 and offset -4..4, so that rows mixed up show. */
static void fill_normal(const ug_gen_at *at, double *v)
{
    const double *a = at->gen->arg;
    double scale = 1, offset = 0;
    if (a[2] != 0) {
        ug_philox w = row_words(at);
        scale = power_of_two((int)(w.v[0] % 13u) - 6);
        offset = (double)(w.v[1] >> 8) * 0x1p-21 - 4;
    }
    for (int i = 0; i < at->count; i++) {
        ug_philox w = words_of(at, i);
        v[i] = (a[0] + a[1] * normal(w.v[0], w.v[1])) * scale + offset;
    }
}

static void fill_uniform(const ug_gen_at *at, double *v)
{
    const double *a = at->gen->arg;
    for (int i = 0; i < at->count; i++) {
        ug_philox w = words_of(at, i);
        v[i] = a[0] + (a[1] - a[0]) * unit(join(w.v[0], w.v[1]));
    }
}

static void fill_constant(const ug_gen_at *at, double *v)
{
    for (int i = 0; i < at->count; i++) v[i] = at->gen->arg[0];
}

/* v, of dtype t, moved up by `steps` spacings of the dtype. Bits of one sign are ordered like the
 * values. */
static double move_ulps(ug_dtype t, float v, int64_t steps)
{
    uint32_t bits = t == UG_F32   ? ug_float_bits(v)
                    : t == UG_F16 ? ug_float_to_f16(v)
                                  : ug_float_to_bf16(v);
    uint32_t top = t == UG_F32 ? 0x80000000u : 0x8000u;
    int64_t place = bits & top ? -(int64_t)(bits & ~top) : (int64_t)bits;
    place += steps;
    bits = place < 0 ? (uint32_t)-place | top : (uint32_t)place;
    return (double)(t == UG_F32   ? ug_bits_float(bits)
                    : t == UG_F16 ? ug_f16_to_float((uint16_t)bits)
                                  : ug_bf16_to_float((uint16_t)bits));
}

static void fill_almost(const ug_gen_at *at, double *v)
{
    const double *a = at->gen->arg;
    int64_t odd = ug_place_column((int64_t)a[3], at->n) - at->first;
    fill_constant(at, v);
    if (odd < 0 || odd >= at->count) return;
    if (a[2] != 0)
        v[odd] = move_ulps(at->dtype, ug_narrow(at->dtype, a[0]), (int64_t)a[2]);
    else
        v[odd] = a[0] + a[1];
}

static void fill_ramp(const ug_gen_at *at, double *v)
{
    const double *a = at->gen->arg;
    double start = a[0] + (double)at->row * a[2];
    for (int i = 0; i < at->count; i++) v[i] = start + (double)(at->first + i) * a[1];
}

/* Normal times 2^g, P(g >= k) = 2^-k up to the cap: the tail falls like 1/t. */
static void fill_heavy(const ug_gen_at *at, double *v)
{
    const double *a = at->gen->arg;
    for (int i = 0; i < at->count; i++) {
        ug_philox w = words_of(at, i);
        int g = w.v[2] ? __builtin_ctz(w.v[2]) : 32;
        if (g > (int)a[2]) g = (int)a[2];
        v[i] = a[0] + a[1] * (normal(w.v[0], w.v[1]) * power_of_two(g));
    }
}

/* Normal, and `share` of the elements, one in each row at least, are mean +- height instead. */
static void fill_spiky(const ug_gen_at *at, double *v)
{
    const double *a = at->gen->arg;
    ug_philox r = row_words(at);
    int64_t always = at->n ? (int64_t)(join(r.v[0], r.v[1]) % (uint64_t)at->n) : 0;
    for (int i = 0; i < at->count; i++) {
        ug_philox w = words_of(at, i);
        int spike = at->first + i == always || (double)w.v[2] * 0x1p-32 < a[0];
        double height = w.v[3] & 1 ? a[1] : -a[1];
        v[i] = a[3] + (spike ? height : a[2] * normal(w.v[0], w.v[1]));
    }
}

static void fill_alternating(const ug_gen_at *at, double *v)
{
    for (int i = 0; i < at->count; i++) v[i] = at->gen->arg[(at->first + i) & 1];
}

static void fill_two(const ug_gen_at *at, double *v)
{
    const double *a = at->gen->arg;
    for (int i = 0; i < at->count; i++) {
        ug_philox w = words_of(at, i);
        v[i] = (double)w.v[0] * 0x1p-32 < a[2] ? a[1] : a[0];
    }
}

static void fill_integers(const ug_gen_at *at, double *v)
{
    const double *a = at->gen->arg;
    uint64_t span = a[1] >= a[0] ? (uint64_t)(a[1] - a[0]) + 1 : 1;
    for (int i = 0; i < at->count; i++) {
        ug_philox w = words_of(at, i);
        v[i] = a[0] + (double)(join(w.v[0], w.v[1]) % span);
    }
}

/* +-(1 + unit) 2^e, e an even chance of every exponent from `low` to `high`. */
static void fill_scales(const ug_gen_at *at, double *v)
{
    const double *a = at->gen->arg;
    uint32_t span = a[1] >= a[0] ? (uint32_t)(a[1] - a[0]) + 1 : 1;
    for (int i = 0; i < at->count; i++) {
        ug_philox w = words_of(at, i);
        double magnitude =
            (1 + unit(join(w.v[0], w.v[1]))) * power_of_two((int)a[0] + (int)(w.v[2] % span));
        v[i] = w.v[3] & 1 ? magnitude : -magnitude;
    }
}

/* gamma in [0.5, 1.5), beta in [-1, 1): by the stream. */
static void fill_random(const ug_gen_at *at, double *v)
{
    double low = at->stream == UG_STREAM_GAMMA ? 0.5 : -1;
    double width = at->stream == UG_STREAM_GAMMA ? 1 : 2;
    for (int i = 0; i < at->count; i++) {
        ug_philox w = words_of(at, i);
        v[i] = low + width * unit(join(w.v[0], w.v[1]));
    }
}

/* In (-1.5, -0.5]. */
static void fill_negative(const ug_gen_at *at, double *v)
{
    for (int i = 0; i < at->count; i++) {
        ug_philox w = words_of(at, i);
        v[i] = -0.5 - unit(join(w.v[0], w.v[1]));
    }
}

/* +-[64, 256). */
static void fill_large(const ug_gen_at *at, double *v)
{
    for (int i = 0; i < at->count; i++) {
        ug_philox w = words_of(at, i);
        double magnitude = 64 + 192 * unit(join(w.v[0], w.v[1]));
        v[i] = w.v[2] & 1 ? magnitude : -magnitude;
    }
}

#define VALUE(name, initial)                                                                       \
    {                                                                                              \
        name, initial, -0x1.fffffep127, 0x1.fffffep127, 0                                          \
    }
#define ANY(name, initial)                                                                         \
    {                                                                                              \
        name, initial, -0x1.fffffep127, 0x1.fffffep127, UG_ARG_NONFINITE                           \
    }
#define BOTH (UG_GEN_DATA | UG_GEN_PARAM)

static const ug_gen_kind kinds[] = {
    {"normal",
     "normal-like; vary=1 gives each row its own scale and offset",
     BOTH,
     {VALUE("mean", 0), {"std", 1, 0, 0x1.fffffep127, 0}, {"vary", 0, 0, 1, UG_ARG_INT}},
     fill_normal},
    {"uniform", "uniform in [lo, hi)", BOTH, {VALUE("lo", 0), VALUE("hi", 1)}, fill_uniform},
    {"constant", "every element the same", BOTH, {ANY("c", 1)}, fill_constant},
    {"almost",
     "constant but for one element, off by delta or by so many ulps",
     BOTH,
     {VALUE("c", 1),
      ANY("delta", 0),
      {"ulps", 0, -1048576, 1048576, UG_ARG_INT},
      {"at", UG_AT_MIDDLE, 0, 0x1p46, UG_ARG_INT | UG_ARG_PLACE}},
     fill_almost},
    {"ramp",
     "start + step * column + rowstep * row",
     BOTH,
     {VALUE("start", 0), VALUE("step", 1), VALUE("rowstep", 0)},
     fill_ramp},
    {"heavy",
     "normal times 2^g, P(g >= k) = 2^-k up to cap: tails like 1/t",
     BOTH,
     {VALUE("mean", 0), {"scale", 1, 0, 0x1.fffffep127, 0}, {"cap", 12, 0, 32, UG_ARG_INT}},
     fill_heavy},
    {"spiky",
     "normal, and a share of elements (one a row at least) mean +- height",
     BOTH,
     {{"share", 0, 0, 1, 0},
      VALUE("height", 100),
      {"std", 1, 0, 0x1.fffffep127, 0},
      VALUE("mean", 0)},
     fill_spiky},
    {"alternating",
     "a on even columns, b on odd ones",
     BOTH,
     {VALUE("a", 1), VALUE("b", -1)},
     fill_alternating},
    {"two",
     "b for a share of the elements, a for the others",
     BOTH,
     {VALUE("a", 0), VALUE("b", 1), {"share", 0.5, 0, 1, 0}},
     fill_two},
    {"integers",
     "integers from lo to hi",
     BOTH,
     {{"lo", -8, -0x1p52, 0x1p52, UG_ARG_INT}, {"hi", 8, -0x1p52, 0x1p52, UG_ARG_INT}},
     fill_integers},
    {"scales",
     "both signs, exponents of two even between low and high",
     BOTH,
     {{"low", -20, -149, 127, UG_ARG_INT}, {"high", 20, -149, 127, UG_ARG_INT}},
     fill_scales},
    {"file", "rows of a .npy or .safetensors file", BOTH | UG_GEN_FILE, {{0}}, NULL},
    {"nist",
     "a NIST StRD set times 10^exp, row r rotated by r",
     UG_GEN_DATA | UG_GEN_NIST,
     {{"exp", 0, -30, 30, UG_ARG_INT}},
     NULL},
    {"none", "absent", UG_GEN_PARAM | UG_GEN_NONE, {{0}}, NULL},
    {"random", "gamma in [0.5, 1.5), beta in [-1, 1)", UG_GEN_PARAM, {{0}}, fill_random},
    {"negative", "in (-1.5, -0.5]", UG_GEN_PARAM, {{0}}, fill_negative},
    {"large", "both signs, magnitude in [64, 256)", UG_GEN_PARAM, {{0}}, fill_large},
    {"exactsum",
     "pairs that sum to 2m, m by row: sums exact in any order",
     UG_GEN_DATA,
     {{0}},
     ug_fill_exactsum},
    {"powers",
     "gamma 2^(c % 7) / 8, beta {-1, 0, 1} 2^(c % 7) / 512",
     UG_GEN_PARAM,
     {{0}},
     ug_fill_powers},
};

const ug_gen_kind *ug_gen_kind_at(int index)
{
    return index >= 0 && index < (int)(sizeof kinds / sizeof *kinds) ? &kinds[index] : NULL;
}

int ug_gen_kind_find(const char *name)
{
    for (int i = 0; ug_gen_kind_at(i); i++)
        if (!strcmp(kinds[i].name, name)) return i;
    return -1;
}

ug_gen ug_gen_default(int kind)
{
    ug_gen gen;
    memset(&gen, 0, sizeof gen);
    gen.kind = kind;
    for (int i = 0; i < UG_CASE_ARGS && kinds[kind].arg[i].name; i++)
        gen.arg[i] = kinds[kind].arg[i].initial;
    return gen;
}
