/* SPDX-License-Identifier: Apache-2.0 */
/* An independent model of the kernels' reduction order, and the error bounds that follow from it.
 */
#include "kernel_model.h"

#include <math.h>
#include <stdlib.h>

#include "ulpgate/dtype.h"

#define U 0x1p-24

/* A partial result: sums s (with the errors of its additions in lo) and q, or count, mean and M2;
 * depth -1 for an empty one. */
typedef struct part {
    float s, lo, q, n, mean, m2;
    int64_t count, depth;
} part;

/* What a + b loses in rounding: the larger one first, every difference is exact in double. */
static float lost(float a, float b)
{
    const double s = (double)(a + b), big = fabsf(a) > fabsf(b) ? a : b;
    return (float)((big - s) + (fabsf(a) > fabsf(b) ? b : a));
}

static part join(part a, part b)
{
    if (b.depth < 0) return a;
    if (a.depth < 0) return b;
    const float n = a.n + b.n, share = b.n / n, d = b.mean - a.mean;
    part r = a;
    r.s = a.s + b.s;
    r.lo = (a.lo + b.lo) + lost(a.s, b.s);
    r.q = a.q + b.q;
    r.n = n;
    r.mean = fmaf(d, share, a.mean);
    r.m2 = fmaf(d * d, a.n * share, a.m2 + b.m2);
    r.depth = (a.depth > b.depth ? a.depth : b.depth) + 1;
    return r;
}

/* 32 lanes: lane i takes in lane i + 16, then i + 8... */
static part tree32(part *lane)
{
    for (int o = 16; o; o >>= 1)
        for (int i = 0; i < o; i++) lane[i] = join(lane[i], lane[i + o]);
    return lane[0];
}

static part block_tree(part *thread, int64_t threads)
{
    part warp[32];
    for (int w = 0; w < 32; w++) {
        part lane[32];
        for (int l = 0; l < 32; l++)
            lane[l] = 32 * w + l < threads ? thread[32 * w + l] : (part){.depth = -1};
        warp[w] = tree32(lane);
    }
    return tree32(warp);
}

/* Every part of the row by itself, then the parts. */
static part whole_tree(part *thread, const model_deal *deal)
{
    part part_of[32];
    if (deal->parts <= 0) return block_tree(thread, deal->threads);
    for (int k = 0; k < 32; k++) {
        const int64_t block = deal->threads / deal->parts;
        part_of[k] = (part){.depth = -1};
        if (k < deal->parts) part_of[k] = block_tree(thread + k * block, block);
    }
    return tree32(part_of);
}

/* Runs of 32 groups go to the warps in order. */
static int64_t owner_in_runs(int64_t group, int64_t groups, int64_t warps)
{
    const int64_t runs = (groups + 31) / 32, run = group / 32;
    int64_t warp = 0, end = 0; /* of the runs of this warp; the first ones have one more */
    while (run >= (end += runs / warps + (warp < runs % warps))) warp++;
    return 32 * warp + group % 32;
}

/* Groups go round the threads of their part of the row; what no group takes goes to the last part,
 * one element a thread. */
static int64_t owner(int64_t i, int64_t n, const model_deal *deal)
{
    if (deal->parts == 0)
        return owner_in_runs(i / deal->group, (n + deal->group - 1) / deal->group,
                             deal->threads / 32);
    if (deal->parts == -1) {
        const int64_t whole = n / deal->group * deal->group;
        if (i >= whole) return i - whole;
        return owner_in_runs(i / deal->group, n / deal->group, deal->threads / 32);
    }
    const int64_t groups = n / deal->group, parts = deal->parts, block = deal->threads / parts;
    const int64_t share = (groups + parts - 1) / parts, g = i / deal->group;
    if (g >= groups) return (parts - 1) * block + i - groups * deal->group;
    return g / share * block + g % share % block;
}

typedef void fold(part *p, float x, const model_row *m);

static void fold_sums(part *p, float x, const model_row *m)
{
    (void)m;
    p->lo = p->lo + lost(p->s, x);
    p->s = p->s + x;
    p->q = fmaf(x, x, p->q);
}

static float centred(const model_row *m, float x)
{
    return (x - m->first) - m->second; /* subtracting 0 is exact */
}

static void fold_squares(part *p, float x, const model_row *m)
{
    const float d = centred(m, x);
    p->q = fmaf(d, d, p->q);
}

static void fold_welford(part *p, float x, const model_row *m)
{
    (void)m;
    p->n += 1;
    const float d = x - p->mean;
    p->mean = p->mean + d / p->n;
    p->m2 = fmaf(d, x - p->mean, p->m2);
}

/* A thread's own two passes over x - K, K 0 or an element: the sum, then M2 about its mean. */
static void fold_from_first(part *p, float x, const model_row *m)
{
    p->n += 1;
    p->s = p->s + (x - m->first);
}

static void fold_about_own(part *p, float x, const model_row *m)
{
    const float d = (x - m->first) - p->mean;
    p->m2 = fmaf(d, d, p->m2);
}

static part sweep(const float *x, int64_t n, const model_deal *deal, fold *f, fold *again,
                  model_row *m)
{
    part *p = malloc((size_t)deal->threads * sizeof *p);
    if (!p) abort();
    for (int64_t t = 0; t < deal->threads; t++) p[t] = (part){.depth = -1};
    for (int64_t i = 0; i < n; i++) {
        part *own = &p[owner(i, n, deal)];
        own->depth = 0;
        f(own, x[i], m);
        if (++own->count > m->chain) m->chain = own->count;
    }
    for (int64_t t = 0; again && t < deal->threads; t++)
        if (p[t].depth == 0) p[t].mean = p[t].s / p[t].n;
    for (int64_t i = 0; again && i < n; i++) again(&p[owner(i, n, deal)], x[i], m);
    const part r = whole_tree(p, deal);
    free(p);
    return r;
}

/* 1/sqrt to 113 bits: Newton from a double. */
static model_wide wide_rsqrt(model_wide v)
{
    model_wide r = (model_wide)(1 / sqrt((double)v));
    for (int k = 0; k < 2; k++) r += r * (1 - v * r * r) / 2;
    return r;
}

/* sum (N x - S)^2 = N^3 v */
static void exact_stats(const float *x, int64_t n, float eps, model_row *m)
{
    const model_wide count = (model_wide)n;
    model_wide q = 0;
    m->sum = 0;
    for (int64_t i = 0; i < n; i++) m->sum += x[i];
    for (int64_t i = 0; i < n; i++) q += (count * x[i] - m->sum) * (count * x[i] - m->sum);
    const model_wide total = q + count * count * count * eps;
    m->scale = wide_rsqrt(total) * (count * wide_rsqrt(count));
    m->mean = (float)(m->sum / count);
    m->rstd = (float)(m->scale * count);
}

static void float_stats(const float *x, int64_t n, float eps, const model_deal *deal, part p,
                        model_row *m)
{
    m->first = m->mean = p.s / (float)n;
    switch (m->variance) {
    case UG_VAR_WELFORD:
        m->first = m->mean = p.mean;
        m->var = p.m2 / (float)n;
        break;
    case UG_VAR_SHIFTED:
        m->first = x[0];
        p = sweep(x, n, deal, fold_from_first, fold_about_own, m);
        m->second = p.mean;
        m->mean = m->first + m->second;
        m->var = p.m2 / (float)n;
        break;
    case UG_VAR_PAIRWISE:
        m->first = 0;
        p = sweep(x, n, deal, fold_from_first, fold_about_own, m);
        m->first = m->mean = p.mean;
        m->var = p.m2 / (float)n;
        break;
    case UG_VAR_PAIRMEAN: {
        const double mean = ((double)p.s + p.lo) / (double)n;
        m->first = m->mean = (float)mean;
        m->second = (float)(mean - m->first);
        m->var = sweep(x, n, deal, fold_squares, NULL, m).q / (float)n;
        break;
    }
    case UG_VAR_TWOPASS:
        m->var = sweep(x, n, deal, fold_squares, NULL, m).q / (float)n;
        break;
    default:
        m->var = fmaf(-m->mean, m->mean, p.q / (float)n);
        if (!(m->var > 0)) m->var = 0; /* the clamp hides a NaN too */
        break;
    }
    /* 64 bits of precision: the nearest float, but for ties that no float argument comes near. */
    m->rstd = (float)(1.0L / sqrtl((long double)(m->var + eps)));
}

model_row model_stats(const float *x, int64_t n, float eps, ug_variance variance,
                      const model_deal *deal)
{
    model_row m = {.variance = variance, .n = n};
    const part p =
        sweep(x, n, deal, variance == UG_VAR_WELFORD ? fold_welford : fold_sums, NULL, &m);
    m.levels = p.depth;
    if (variance == UG_VAR_EXACT)
        exact_stats(x, n, eps, &m);
    else
        float_stats(x, n, eps, deal, p, &m);
    return m;
}

/* Rounded to odd, so that the rounding into 16 bits is the only one. */
static float odd(model_wide y)
{
    float f = (float)y;
    if ((model_wide)f == y || !isfinite(f)) return f;
    if (fabs((double)((model_wide)f - y)) > 0 && ((model_wide)f > y) == (f > 0) && f != 0)
        f = nextafterf(f, 0);
    return ug_bits_float(ug_float_bits(f) | 1u);
}

float model_apply(const model_row *m, ug_dtype type, float x, float gamma, float beta)
{
    if (m->variance != UG_VAR_EXACT) return fmaf(gamma, centred(m, x) * m->rstd, beta);
    const model_wide y = ((model_wide)m->n * x - m->sum) * m->scale * gamma + beta;
    return type == UG_F32 ? (float)y : odd(y);
}

model_exact model_exact_row(const float *x, int64_t n)
{
    model_exact e = {(double)n, 0, 0, 0, 0, 0};
    long double s = 0, a = 0, q = 0;
    for (int64_t i = 0; i < n; i++) {
        s += x[i];
        a += fabsl((long double)x[i]);
        e.x_max = fmax(e.x_max, fabs((double)x[i]));
    }
    for (int64_t i = 0; i < n; i++) {
        const long double d = x[i] - s / n;
        q += d * d;
        e.dev_max = fmax(e.dev_max, (double)fabsl(d));
    }
    e.mean = (double)(s / n);
    e.abs_mean = (double)(a / n);
    e.var = (double)(q / n);
    return e;
}

static double gamma_of(double k) { return k * U / (1 - k * U); }

/* Welford a thread and Chan merges: the mean's error e grows along the chain and the levels, and
 * Cauchy-Schwarz over the whole merge tree bounds what it does to M2. */
static void bound_welford(const model_exact *e, double c, double levels, double *mean, double *var)
{
    const double grow = 1 / (1 - 2 * (c + 2 * levels) * U), x = e->x_max, d = e->dev_max;
    double s = 0;
    for (double j = 2; j <= c; j++) {
        const double ej = U * (x * (j + 1) / 2 + 6 * d) * grow;
        s += 2 * ej * ej / c;
    }
    const double e0 = c == 1 ? 0 : U * (x * (c + 1) / 2 + 6 * d) * grow;
    for (double l = 0; l < levels; l++) {
        const double el = e0 + l * U * (x + 6 * d) * grow;
        s += el * el;
    }
    const double p = 2 * sqrt(e->var * s) + s;
    *mean = e0 + levels * U * (x + 6 * d) * grow;
    *var = gamma_of(c + 2 * levels + 7) * (e->var + p) + p;
}

/* Two passes a thread over values of variance v, at most x large and d off their mean: Welford's
 * merges, from a thread's mean that is off by (c + 1) u x. */
static void bound_pairwise(double v, double x, double d, double c, double levels, model_limits *b)
{
    const double grow = 1 / (1 - 2 * (c + 6 * levels + 6) * U);
    const double e0 = gamma_of(c + 1) * x, step = U * (x + 6 * d);
    double s = 0;
    for (double l = 0; l < levels; l++) s += pow((e0 + l * step) * grow, 2);
    s = 2 * sqrt(v * s) + s + e0 * e0;
    b->var = gamma_of(c + 2 * levels + 8) * (v + s) + s;
    b->mean = b->centre = (e0 + levels * step) * grow;
}

/* The same less the first element, the largest |x - K| <= 2 D. */
static void bound_shifted(const model_exact *e, double c, double levels, model_limits *b)
{
    const double sd = sqrt(e->var), d = e->dev_max, p = U * hypot(sd, d), shift = p * (2 * sd + p);
    bound_pairwise(e->var + shift, 2 * d * (1 + U), d * (1 + 4 * U), c, levels, b);
    b->var += shift;
    b->centre += U * (sd + d);
    b->mean = b->centre + U * (fabs(e->mean) + b->centre);
    b->centre = (b->centre + U * (d + 2 * b->centre)) * (1 + U);
}

/* The errors of all additions are kept, but for the roundings of their own sum. */
static void bound_pairmean(const model_exact *e, double c, double levels, model_limits *b)
{
    const double h = c - 1 + levels, m = fabs(e->mean), sd = sqrt(e->var);
    const double ds = gamma_of(h + levels) * U * h * (1 + gamma_of(h)) * e->abs_mean;
    const double dc = ds + 0x1p-47 * (m + ds), lo = U * (m + dc), g2 = gamma_of(2);
    b->centre = (dc + U * (lo + dc)) * (1 + U);
    const double norm = (1 + g2) * sd + b->centre, p = norm * norm - e->var;
    b->mean = dc + lo * (1 + U);
    b->var = gamma_of(h + 3) * (e->var + p) + p;
}

model_limits model_bound(const model_exact *e, const ug_kernel *kernel, const ug_geometry *geometry)
{
    const double c = (double)geometry->chain, levels = (double)geometry->levels;
    const double h = c - 1 + levels, dm = gamma_of(h + 1) * e->abs_mean, v = e->var;
    const double m = fabs(e->mean);
    model_limits b = {dm, 0, dm, 2};
    switch (kernel->variance) {
    case UG_VAR_SUM2:
        b.var =
            (1 + U) * (gamma_of(h + 2) * (v + m * m) + (1 + U) * (2 * m * dm + dm * dm)) + U * v;
        break;
    case UG_VAR_TWOPASS:
        b.var = gamma_of(h + 4) * (v + dm * dm) + dm * dm;
        break;
    case UG_VAR_WELFORD:
        bound_welford(e, c, levels, &b.mean, &b.var);
        b.centre = b.mean;
        break;
    case UG_VAR_PAIRWISE:
        bound_pairwise(v, e->x_max, e->dev_max, c, levels, &b);
        break;
    case UG_VAR_SHIFTED:
        bound_shifted(e, c, levels, &b);
        b.roundings = 3;
        break;
    case UG_VAR_PAIRMEAN:
        bound_pairmean(e, c, levels, &b);
        b.roundings = 3;
        break;
    default: /* rounded once */
        b = (model_limits){U * m, 0, 0, 0};
        break;
    }
    return b;
}

double model_element_bound(const model_exact *e, const model_limits *b, const ug_kernel *kernel,
                           double eps, double x, double gamma, double y)
{
    const double rho = kernel->rsqrt_error * U, v = e->var, low = fmax(v - b->var, 0);
    const double up = sqrt((v + eps) / ((low + eps) * (1 - U))) * (1 + rho) - 1;
    const double down = 1 - sqrt((v + eps) / ((v + b->var + eps) * (1 + U))) * (1 - rho);
    const double t = (1 + fmax(up, down)) * (1 + gamma_of(b->roundings)) - 1;
    const double r = 1 / sqrt(v + eps);
    const double z = fabs(gamma) * r * (fabs(x - e->mean) * t + b->centre * (1 + t));
    if (kernel->variance == UG_VAR_EXACT) return U * fabs(y) + 0x1p-149;
    return z * (1 + U) + U * fabs(y) + 0x1p-148;
}
