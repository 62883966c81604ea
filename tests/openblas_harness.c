/* SPDX-License-Identifier: Apache-2.0 */
/* Buffers, inputs and launches of the OpenBLAS plugin's tests. */
#include "openblas_harness.h"

#include <dlfcn.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

enum { CANARY = 0xa5, LEAD = 256 };

const ug_plugin *harness_plugin(void)
{
    static const ug_plugin *plugin;
    union {
        void *object;
        const ug_plugin *(*function)(void);
    } entry;
    void *library;
    if (plugin) return plugin;
    library = dlopen(UG_OPENBLAS_PLUGIN, RTLD_NOW | RTLD_LOCAL);
    if (!library) fail_msg("%s", dlerror());
    entry.object = dlsym(library, "ulpgate_plugin");
    assert_non_null(entry.object);
    plugin = entry.function();
    return plugin;
}

const ug_kernel *harness_kernel(void) { return &harness_plugin()->kernels[0]; }

/* `bytes` of data that end right before an inaccessible page, or as little earlier as their start
 * needs to be a multiple of `align`; canaries before them and up to that page. */
static void watched_open(watched *w, size_t bytes, size_t align)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE),
           size = (bytes + LEAD + 256 + page - 1) / page * page;
    w->bytes = bytes;
    w->mapped = size + page;
    w->map = mmap(NULL, w->mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (w->map == MAP_FAILED) fail_msg("out of memory: %zu bytes", w->mapped);
    memset(w->map, CANARY, size);
    assert_int_equal(mprotect(w->map + size, page, PROT_NONE), 0);
    w->base = w->map + (size - bytes) / align * align; /* a map starts on a page */
}

static void watched_close(watched *w)
{
    if (w->map) munmap(w->map, w->mapped);
    w->map = NULL;
}

static void watched_check(const watched *w)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    const char *end = w->map + w->mapped - page;
    for (const char *p = w->base - LEAD; p < w->base; p++) assert_int_equal(*p & 0xff, CANARY);
    for (const char *p = w->base + w->bytes; p < end; p++) assert_int_equal(*p & 0xff, CANARY);
}

/* Uniform in [-1, 1), by a linear congruence. */
static double uniform(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return (double)(*state >> 8) / 8388608.0 - 1.0;
}

static int64_t span(int64_t rows, int64_t n, int64_t stride)
{
    return rows > 0 && n > 0 ? (rows - 1) * stride + n : 0;
}

static void fill_x(trial_run *run)
{
    const trial *t = run->t;
    size_t size = ug_dtype_size(t->dtype);
    int64_t elements = (int64_t)(run->x.bytes / size);
    uint32_t state = t->seed * 2654435761u + 1u;
    for (int64_t i = 0; i < elements; i++) ug_store(run->x.base, t->dtype, i, NAN);
    for (int64_t r = 0; r < t->rows; r++)
        for (int64_t i = 0; i < t->n; i++)
            ug_store(run->x.base, t->dtype, t->xoffset + r * run->xstride + i,
                     (float)(t->mean + t->std * 1.7320508 * uniform(&state)));
    run->x_before = malloc(run->x.bytes + 1);
    assert_non_null(run->x_before);
    memcpy(run->x_before, run->x.base, run->x.bytes);
}

static void *fill_operand(watched *w, const trial *t, double centre)
{
    uint32_t state = t->seed + 77u + (uint32_t)(centre * 16);
    size_t size = ug_dtype_size(t->wdtype);
    watched_open(w, (size_t)t->n * size, size);
    for (int64_t i = 0; i < t->n; i++)
        ug_store(w->base, t->wdtype, i, (float)(centre + uniform(&state)));
    return w->base;
}

static void open_view(ug_view *view, const watched *w, const trial *t, int64_t stride,
                      int64_t offset)
{
    view->data = w->base + offset * (int64_t)ug_dtype_size(t->dtype);
    view->rows = t->rows;
    view->cols = t->n;
    view->row_stride = stride;
    view->col_stride = 1;
    view->dtype = t->dtype;
}

static int64_t resolved(int64_t stride, int64_t n)
{
    return stride == TRIAL_BROADCAST ? 0 : stride ? stride : n;
}

void trial_open(trial_run *run, const trial *t)
{
    size_t size = ug_dtype_size(t->dtype);
    memset(run, 0, sizeof *run);
    run->t = t;
    run->xstride = resolved(t->xstride, t->n);
    run->ystride = resolved(t->ystride, t->n);
    watched_open(&run->x, (size_t)(span(t->rows, t->n, run->xstride) + t->xoffset) * size, size);
    fill_x(run);
    run->args.size = sizeof run->args;
    open_view(&run->args.x, &run->x, t, run->xstride, t->xoffset);
    if (t->in_place) {
        run->args.y = run->args.x;
    } else {
        watched_open(&run->y, (size_t)(span(t->rows, t->n, run->ystride) + t->yoffset) * size,
                     size);
        memset(run->y.base, CANARY, run->y.bytes);
        open_view(&run->args.y, &run->y, t, run->ystride, t->yoffset);
    }
    run->args.param_dtype = t->wdtype;
    if (!t->no_gamma) run->args.gamma = fill_operand(&run->gamma, t, 1.0);
    if (!t->no_beta) run->args.beta = fill_operand(&run->beta, t, 0.25);
    if (!t->no_stats) {
        watched_open(&run->mean, (size_t)t->rows * 4, 4);
        watched_open(&run->rstd, (size_t)t->rows * 4, 4);
        run->args.mean = (float *)run->mean.base;
        run->args.rstd = (float *)run->rstd.base;
    }
    run->args.eps = t->eps;
    run->args.threads = t->threads;
}

ug_status trial_launch(trial_run *run)
{
    size_t need = harness_kernel()->workspace_size(&run->args);
    watched_close(&run->work);
    watched_open(&run->work, need, 256);
    for (size_t i = 0; i < need / 4; i++) ug_store(run->work.base, UG_F32, (int64_t)i, NAN);
    run->args.workspace = run->work.base;
    run->args.workspace_bytes = need;
    return harness_kernel()->launch(&run->args);
}

void trial_close(trial_run *run)
{
    watched *all[] = {&run->x,    &run->y,    &run->gamma, &run->beta,
                      &run->mean, &run->rstd, &run->work};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) watched_close(all[i]);
    free(run->x_before);
}

uint32_t trial_bits(const trial_run *run, int64_t r, int64_t i)
{
    size_t size = ug_dtype_size(run->t->dtype);
    uint32_t bits = 0;
    memcpy(&bits, (const char *)run->args.y.data + (r * run->args.y.row_stride + i) * (int64_t)size,
           size);
    return bits;
}

/* Foreign bytes: x as it was, canaries between the rows of y and around every buffer. */
static void check_foreign(const trial_run *run)
{
    const trial *t = run->t;
    const watched *all[] = {&run->x,    &run->y,    &run->gamma, &run->beta,
                            &run->mean, &run->rstd, &run->work};
    const watched *out = t->in_place ? &run->x : &run->y;
    size_t size = ug_dtype_size(t->dtype);
    int64_t stride = run->args.y.row_stride, offset = t->in_place ? t->xoffset : t->yoffset;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (all[i]->map) watched_check(all[i]);
    if (!t->in_place) assert_memory_equal(run->x.base, run->x_before, run->x.bytes);
    for (int64_t e = 0; e < (int64_t)(out->bytes / size); e++) {
        int64_t at = e - offset;
        if (at >= 0 && at % stride < t->n) continue;
        for (size_t b = 0; b < size; b++) {
            int want = t->in_place ? run->x_before[e * (int64_t)size + (int64_t)b] & 0xff : CANARY;
            assert_int_equal(out->base[e * (int64_t)size + (int64_t)b] & 0xff, want);
        }
    }
}

typedef struct row_truth {
    long double mean, var, rstd, abs_mean;
    long double mean_err, rstd_rel; /* bounds */
} row_truth;

/* The serial two-pass bound, u = 2^-24, g_k = k u / (1 - k u):
 *   mean      E = g_(n+1) mean|x|: n - 1 additions, the division, one to spare
 *   deviation |D - d| <= E + u (|d| + E)
 *   variance  sum of (D_i)^2 / n: at most ((1 + u)^2 (1 + g_(n+2))) (v + E^2)
 *   rstd      from v -+ dv, then v + eps, the root and the division: 1.5 u + u, taken as 3 u
 * 2^-149 in each covers results that underflow. */
static void row_bound(row_truth *w, int64_t n, float eps)
{
    long double u = 0x1p-24L, e = (n + 1) * u / (1 - (n + 1) * u);
    long double g = (n + 2) * u / (1 - (n + 2) * u), dv, low, high;
    w->mean_err = e * w->abs_mean + 0x1p-148L;
    dv = ((1 + u) * (1 + u) * (1 + g) - 1) * w->var +
         (1 + u) * (1 + u) * (1 + g) * w->mean_err * w->mean_err + 0x1p-148L;
    high = sqrtl((w->var + eps) / (w->var + eps + dv));
    low = w->var + eps > dv ? sqrtl((w->var + eps) / (w->var + eps - dv)) : INFINITY;
    w->rstd_rel = fmaxl(1 - high, low - 1) * (1 + 3 * u) + 3 * u;
}

static void row_truth_of(const trial_run *run, int64_t r, row_truth *w)
{
    const trial *t = run->t;
    int64_t base = t->xoffset + r * run->xstride;
    long double sum = 0, square = 0;
    w->abs_mean = 0;
    for (int64_t i = 0; i < t->n; i++) {
        long double x = ug_load(run->x_before, t->dtype, base + i);
        sum += x;
        w->abs_mean += fabsl(x);
    }
    w->abs_mean /= t->n;
    w->mean = sum / t->n;
    for (int64_t i = 0; i < t->n; i++) {
        long double d = ug_load(run->x_before, t->dtype, base + i) - w->mean;
        square += d * d;
    }
    w->var = square / t->n;
    w->rstd = 1 / sqrtl(w->var + t->eps);
    row_bound(w, t->n, t->eps);
}

/* Half a spacing of the output type at magnitude `a`: what its one rounding may add. */
static long double half_spacing(ug_dtype dtype, long double a)
{
    int bits = dtype == UG_F16 ? 10 : 7, floor = dtype == UG_F16 ? -14 : -126, e;
    if (dtype == UG_F32) return 0;
    frexpl(a, &e);
    e = a > 0 && e - 1 > floor ? e - 1 : floor;
    return ldexpl(0.5L, e - bits);
}

static double check_element(const trial_run *run, int64_t r, int64_t i, const row_truth *w)
{
    const trial *t = run->t;
    long double u = 0x1p-24L, x, d, dd, y, term, bound, got, error;
    long double gamma = t->no_gamma ? 1 : ug_load(run->gamma.base, t->wdtype, i);
    long double beta = t->no_beta ? 0 : ug_load(run->beta.base, t->wdtype, i);
    x = ug_load(run->x_before, t->dtype, t->xoffset + r * run->xstride + i);
    d = x - w->mean;
    y = gamma * d * w->rstd + beta;
    dd = w->mean_err + u * (fabsl(d) + w->mean_err);
    term = fabsl(gamma) * w->rstd * (fabsl(d) + dd) * (1 + w->rstd_rel) * (1 + 2 * u) * (1 + 2 * u);
    bound = fabsl(gamma) * w->rstd * (dd + (fabsl(d) + dd) * w->rstd_rel) + 2 * u * term +
            u * (term + fabsl(beta)) + 0x1p-147L;
    bound = bound * (1 + 1e-6L);
    bound += half_spacing(t->dtype, fabsl(y) + bound);
    got = ug_load(run->args.y.data, t->dtype, r * run->args.y.row_stride + i);
    error = fabsl(got - y);
    if (!(error <= bound))
        fail_msg("rows %lld n %lld dtype %s row %lld column %lld: %.9Lg, expected %.9Lg +- %.3Lg",
                 (long long)t->rows, (long long)t->n, ug_dtype_name(t->dtype), (long long)r,
                 (long long)i, got, y, bound);
    return (double)(error / bound);
}

double trial_check(const trial_run *run)
{
    const trial *t = run->t;
    double worst = 0;
    check_foreign(run);
    for (int64_t r = 0; r < t->rows; r++) {
        row_truth w;
        row_truth_of(run, r, &w);
        for (int64_t i = 0; i < t->n; i++) worst = fmax(worst, check_element(run, r, i, &w));
        if (t->no_stats) continue;
        assert_true(fabsl(run->args.mean[r] - w.mean) <= w.mean_err * (1 + 1e-6L));
        assert_true(fabsl(run->args.rstd[r] / w.rstd - 1) <= w.rstd_rel * (1 + 1e-6L));
    }
    return worst;
}
