/* SPDX-License-Identifier: Apache-2.0 */
/* An independent model of the kernels' reduction order, and the error bounds that follow from it.
 */
#include "kernel_model.h"

#include <math.h>
#include <stdlib.h>

#define U 0x1p-24

/* A partial result: sums s and q, or Welford's count, mean and M2; depth -1 for an empty one. */
typedef struct part {
    float s, q, n, mean, m2;
    int64_t count, depth;
} part;

static part join(part a, part b)
{
    if (b.depth < 0) return a;
    if (a.depth < 0) return b;
    const float n = a.n + b.n, share = b.n / n, d = b.mean - a.mean;
    part r = a;
    r.s = a.s + b.s;
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
        warp[w] = (part){.depth = -1};
        if (w < threads / 32) warp[w] = tree32(thread + 32 * w);
    }
    return tree32(warp);
}

static int64_t owner(int64_t i, int64_t n, int64_t threads, int64_t group)
{
    const int64_t whole = n / group * group;
    return i < whole ? i / group % threads : i - whole;
}

typedef void fold(part *p, float x, float mean);

static void fold_sums(part *p, float x, float mean)
{
    (void)mean;
    p->s = p->s + x;
    p->q = fmaf(x, x, p->q);
}

static void fold_squares(part *p, float x, float mean)
{
    const float d = x - mean;
    p->q = fmaf(d, d, p->q);
}

static void fold_welford(part *p, float x, float mean)
{
    (void)mean;
    p->n += 1;
    const float d = x - p->mean;
    p->mean = p->mean + d / p->n;
    p->m2 = fmaf(d, x - p->mean, p->m2);
}

static part sweep(const float *x, int64_t n, int64_t threads, int64_t group, fold *f, float mean,
                  int64_t *chain)
{
    part *p = malloc((size_t)threads * sizeof *p);
    if (!p) abort();
    for (int64_t t = 0; t < threads; t++) p[t] = (part){.depth = -1};
    for (int64_t i = 0; i < n; i++) {
        part *own = &p[owner(i, n, threads, group)];
        own->depth = 0;
        f(own, x[i], mean);
        if (++own->count > *chain) *chain = own->count;
    }
    const part r = block_tree(p, threads);
    free(p);
    return r;
}

model_row model_stats(const float *x, int64_t n, float eps, ug_variance variance, int64_t threads,
                      int64_t group)
{
    model_row m = {0, 0, 0, 0, 0};
    part p = sweep(x, n, threads, group, variance == UG_VAR_WELFORD ? fold_welford : fold_sums, 0,
                   &m.chain);
    m.levels = p.depth;
    m.mean = p.s / (float)n;
    switch (variance) {
    case UG_VAR_WELFORD:
        m.mean = p.mean;
        m.var = p.m2 / (float)n;
        break;
    case UG_VAR_TWOPASS:
        p = sweep(x, n, threads, group, fold_squares, m.mean, &m.chain);
        m.var = p.q / (float)n;
        break;
    default:
        m.var = fmaf(-m.mean, m.mean, p.q / (float)n);
        if (!(m.var > 0)) m.var = 0; /* the clamp hides a NaN too */
        break;
    }
    /* 64 bits of precision: the nearest float, but for ties that no float argument comes near. */
    m.rstd = (float)(1.0L / sqrtl((long double)(m.var + eps)));
    return m;
}

float model_apply(const model_row *m, float x, float gamma, float beta)
{
    return fmaf(gamma, (x - m->mean) * m->rstd, beta);
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

void model_bound(const model_exact *e, const ug_kernel *kernel, const ug_geometry *geometry,
                 double *mean, double *var)
{
    const double h = (double)(geometry->chain - 1 + geometry->levels);
    const double dm = gamma_of(h + 1) * e->abs_mean, v = e->var, m = fabs(e->mean);
    *mean = dm;
    switch (kernel->variance) {
    case UG_VAR_SUM2:
        *var = (1 + U) * (gamma_of(h + 2) * (v + m * m) + (1 + U) * (2 * m * dm + dm * dm)) + U * v;
        break;
    case UG_VAR_TWOPASS:
        *var = gamma_of(h + 4) * (v + dm * dm) + dm * dm;
        break;
    default:
        bound_welford(e, (double)geometry->chain, (double)geometry->levels, mean, var);
        break;
    }
}

double model_element_bound(const model_exact *e, double bound_mean, double bound_var,
                           double rsqrt_error, double eps, double x, double gamma, double y)
{
    const double rho = rsqrt_error * U, v = e->var, low = fmax(v - bound_var, 0);
    const double up = sqrt((v + eps) / ((low + eps) * (1 - U))) * (1 + rho) - 1;
    const double down = 1 - sqrt((v + eps) / ((v + bound_var + eps) * (1 + U))) * (1 - rho);
    const double t = (1 + fmax(up, down)) * (1 + gamma_of(2)) - 1, r = 1 / sqrt(v + eps);
    const double z = fabs(gamma) * r * (fabs(x - e->mean) * t + bound_mean * (1 + t));
    return z * (1 + U) + U * fabs(y) + 0x1p-148;
}
