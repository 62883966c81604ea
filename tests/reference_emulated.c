/* SPDX-License-Identifier: Apache-2.0 */
/* Float emulations of the algorithms that bounds are for. */
#include "reference_emulated.h"

#include <math.h>

typedef struct running {
    float n, mean, m2;
} running;

ug_geometry emulated_geometry(const shape *k, int n)
{
    ug_geometry g = {k->threads, 0, 0};
    int groups = (n + k->vector - 1) / k->vector;
    g.chain = (int64_t)((groups + k->threads - 1) / k->threads) * k->vector;
    for (int t = 1; t < k->threads; t *= 2) g.levels++;
    return g;
}

static float join(float *v, int count)
{
    int half = 1;
    while (half < count) half *= 2;
    for (half /= 2; half; half /= 2)
        for (int i = 0; i < half; i++) v[i] += v[i + half];
    return v[0];
}

static float divide(const shape *k, float s, int n)
{
    return k->reciprocal ? s * (1.0f / (float)n) : s / (float)n;
}

static float accumulate(const shape *k, float d, float sum)
{
    return k->fma ? fmaf(d, d, sum) : sum + d * d;
}

static int owner(const shape *k, int i) { return i / k->vector % k->threads; }

static void emulated_sums(const shape *k, int two_pass, const float *x, int n, float *mean,
                          float *var)
{
    float s[EMULATED_THREADS] = {0}, q[EMULATED_THREADS] = {0}, m, v;
    for (int i = 0; i < n; i++) s[owner(k, i)] += x[i];
    if (!two_pass)
        for (int i = 0; i < n; i++) q[owner(k, i)] = accumulate(k, x[i], q[owner(k, i)]);
    *mean = m = divide(k, join(s, k->threads), n);
    if (two_pass)
        for (int i = 0; i < n; i++) q[owner(k, i)] = accumulate(k, x[i] - m, q[owner(k, i)]);
    v = divide(k, join(q, k->threads), n);
    if (!two_pass) v = k->fma ? fmaf(-m, m, v) : v - m * m;
    *var = v < 0 ? 0 : v;
}

static running merge(const shape *k, running a, running b)
{
    running r;
    float d, f;
    if (b.n == 0) return a;
    if (a.n == 0) return b;
    r.n = a.n + b.n;
    d = b.mean - a.mean;
    f = b.n / r.n;
    r.mean = k->fma ? fmaf(d, f, a.mean) : a.mean + d * f;
    r.m2 = a.m2 + b.m2;
    r.m2 = k->fma ? fmaf(d * d, a.n * f, r.m2) : r.m2 + d * d * (a.n * f);
    return r;
}

static void emulated_welford(const shape *k, const float *x, int n, float *mean, float *var)
{
    running w[EMULATED_THREADS] = {{0, 0, 0}};
    int half = 1;
    for (int i = 0; i < n; i++) {
        running *r = &w[owner(k, i)];
        float d = x[i] - r->mean, e;
        r->n += 1;
        r->mean += k->reciprocal ? d * (1.0f / r->n) : d / r->n;
        e = x[i] - r->mean;
        r->m2 = k->fma ? fmaf(d, e, r->m2) : r->m2 + d * e;
    }
    while (half < k->threads) half *= 2;
    for (half /= 2; half; half /= 2)
        for (int i = 0; i < half; i++) w[i] = merge(k, w[i], w[i + half]);
    *mean = w[0].mean;
    *var = w[0].m2 / (float)n;
}

/* Two passes a thread over x - from, then merges; the mean is left less `from`. */
static emulated own_passes(const shape *k, const float *x, int n, float from)
{
    running w[EMULATED_THREADS] = {{0, 0, 0}};
    int half = 1;
    for (int i = 0; i < n; i++) {
        running *r = &w[owner(k, i)];
        r->n += 1;
        r->mean += x[i] - from; /* exact for 0 */
    }
    for (int t = 0; t < k->threads; t++)
        if (w[t].n > 0)
            w[t].mean = k->reciprocal ? w[t].mean * (1.0f / w[t].n) : w[t].mean / w[t].n;
    for (int i = 0; i < n; i++) {
        running *r = &w[owner(k, i)];
        r->m2 = accumulate(k, (x[i] - from) - r->mean, r->m2);
    }
    while (half < k->threads) half *= 2;
    for (half /= 2; half; half /= 2)
        for (int i = 0; i < half; i++) w[i] = merge(k, w[i], w[i + half]);
    return (emulated){from + w[0].mean, from, w[0].mean, divide(k, w[0].m2, n)};
}

/* The error of a + b, exact where double holds both: it is added, not used to correct. */
static float lost(float a, float b)
{
    double s = (double)(a + b);
    return fabsf(a) > fabsf(b) ? (float)((a - s) + b) : (float)((b - s) + a);
}

static emulated pairmean(const shape *k, const float *x, int n)
{
    float hi[EMULATED_THREADS] = {0}, lo[EMULATED_THREADS] = {0}, q[EMULATED_THREADS] = {0};
    int half = 1;
    for (int i = 0; i < n; i++) {
        int t = owner(k, i);
        lo[t] += lost(hi[t], x[i]);
        hi[t] += x[i];
    }
    while (half < k->threads) half *= 2;
    for (half /= 2; half; half /= 2)
        for (int i = 0; i < half; i++) {
            lo[i] = (lo[i] + lo[i + half]) + lost(hi[i], hi[i + half]);
            hi[i] += hi[i + half];
        }
    double mean = ((double)hi[0] + lo[0]) / n;
    emulated e = {(float)mean, (float)mean, (float)(mean - (float)mean), 0};
    for (int i = 0; i < n; i++) {
        int t = owner(k, i);
        q[t] = accumulate(k, (x[i] - e.first) - e.second, q[t]);
    }
    e.var = divide(k, join(q, k->threads), n);
    return e;
}

emulated emulated_row(ug_variance variance, const shape *k, const float *x, int n)
{
    emulated e = {0, 0, 0, 0};
    if (variance == UG_VAR_SHIFTED) return own_passes(k, x, n, x[0]);
    if (variance == UG_VAR_PAIRWISE) return own_passes(k, x, n, 0);
    if (variance == UG_VAR_PAIRMEAN) return pairmean(k, x, n);
    if (variance == UG_VAR_WELFORD)
        emulated_welford(k, x, n, &e.mean, &e.var);
    else
        emulated_sums(k, variance == UG_VAR_TWOPASS, x, n, &e.mean, &e.var);
    e.first = e.mean;
    return e;
}
