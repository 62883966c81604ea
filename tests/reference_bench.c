/* SPDX-License-Identifier: Apache-2.0 */
/* Times the references beside a plain 256-bit MPFR loop over the textbook formula, in one run.
 *
 * Usage: reference_bench [REPEATS]. Best of REPEATS (at least 5) for each cell; ns per element of
 * a whole row: statistics, head, tail and rounded output. The plain loop gives the output alone.
 */
#include <inttypes.h>
#include <math.h>
#include <mpfr.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "reference/certified.h"
#include "reference/implementations.h"
#include "reference_families.h"
#include "ulpgate/dtype.h"

enum { LONGEST = 65536, BUILDS = 3 };

typedef struct data {
    const char *name;
    int64_t n;
    float *x, *gamma, *beta;
    double *head, *tail;
    uint32_t *want;
} data;

/* Seconds by a clock: CLOCK_THREAD_CPUTIME_ID for one thread, whose share of a busy machine is not
 * what is measured, CLOCK_MONOTONIC for several. */
static double now(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static data make_data(void)
{
    data d = {"",
              0,
              malloc(4 * LONGEST),
              malloc(4 * LONGEST),
              malloc(4 * LONGEST),
              malloc(8 * LONGEST),
              malloc(8 * LONGEST),
              malloc(4 * LONGEST)};
    if (!d.x || !d.gamma || !d.beta || !d.head || !d.tail || !d.want) exit(1);
    return d;
}

static void free_data(data *d)
{
    free(d->x);
    free(d->gamma);
    free(d->beta);
    free(d->head);
    free(d->tail);
    free(d->want);
}

static void ask(const ug_reference *ref, void *state, data *d)
{
    ug_row_in in = {d->x, d->gamma, d->beta, d->n, 1e-5f, UG_F32};
    ug_row_out out = {d->head, d->tail, d->want};
    ug_row_stats stats;
    if (ref->row(state, &in, &out, &stats)) exit(1);
}

/* kind 0 gaussian, 1 offset 1e4, 2 cancelling, 3 full exponent range */
static void fill(data *d, int kind, int64_t n)
{
    static const char *const names[] = {"gaussian", "offset 1e4", "cancelling", "full range"};
    ug_stream s = {(uint64_t)kind + 1};
    d->name = names[kind];
    d->n = n;
    for (int64_t i = 0; i < n; i++) {
        d->gamma[i] = (float)(1 + 0.25 * ug_stream_gaussian(&s));
        d->beta[i] = kind == 2 ? 0 : (float)(0.5 * ug_stream_gaussian(&s));
        d->x[i] = (float)((kind == 1 ? 1e4 : 0) + ug_stream_gaussian(&s));
        if (kind == 3) d->x[i] = ug_stream_power(&s, -149, 127);
    }
    if (kind != 2) return;
    ug_certified *state = ug_certified_create(ug_vector_ops_best());
    ask(&ug_reference_certified, state, d);
    for (int64_t i = 0; i < n; i++) d->beta[i] = -ug_bits_float(d->want[i]);
    ug_certified_destroy(state);
}

/* Every operation of y = (x - mean) / sqrt(var + eps) gamma + beta in 256 bits, two passes. */
static void plain(data *d)
{
    mpfr_t mean, sum, v, r, t, e;
    mpfr_inits2(256, mean, sum, v, r, t, e, (mpfr_ptr)0);
    mpfr_set_zero(sum, 1);
    mpfr_set_zero(v, 1);
    for (int64_t i = 0; i < d->n; i++) {
        mpfr_set_flt(t, d->x[i], MPFR_RNDN);
        mpfr_add(sum, sum, t, MPFR_RNDN);
    }
    mpfr_div_si(mean, sum, (long)d->n, MPFR_RNDN);
    for (int64_t i = 0; i < d->n; i++) {
        mpfr_set_flt(t, d->x[i], MPFR_RNDN);
        mpfr_sub(t, t, mean, MPFR_RNDN);
        mpfr_sqr(t, t, MPFR_RNDN);
        mpfr_add(v, v, t, MPFR_RNDN);
    }
    mpfr_div_si(v, v, (long)d->n, MPFR_RNDN);
    mpfr_add_d(v, v, (double)1e-5f, MPFR_RNDN);
    mpfr_sqrt(r, v, MPFR_RNDN);
    for (int64_t i = 0; i < d->n; i++) {
        mpfr_set_flt(t, d->x[i], MPFR_RNDN);
        mpfr_sub(t, t, mean, MPFR_RNDN);
        mpfr_set_flt(e, d->gamma[i], MPFR_RNDN);
        mpfr_mul(t, t, e, MPFR_RNDN);
        mpfr_div(t, t, r, MPFR_RNDN);
        mpfr_set_flt(e, d->beta[i], MPFR_RNDN);
        mpfr_add(t, t, e, MPFR_RNDN);
        d->want[i] = ug_float_bits(mpfr_get_flt(t, MPFR_RNDN));
    }
    mpfr_clears(mean, sum, v, r, t, e, (mpfr_ptr)0);
}

/* Best ns per element of `repeats` runs over about `elements` elements each. ref NULL: plain. */
static double best(const ug_reference *ref, void *state, data *d, int repeats, int64_t elements)
{
    int64_t rows = elements / d->n + 1;
    double least = INFINITY;
    for (int k = 0; k < repeats; k++) {
        double start = now(CLOCK_THREAD_CPUTIME_ID), ns;
        for (int64_t r = 0; r < rows; r++) {
            if (ref)
                ask(ref, state, d);
            else
                plain(d);
        }
        ns = (now(CLOCK_THREAD_CPUTIME_ID) - start) * 1e9 / (double)(rows * d->n);
        least = ns < least ? ns : least;
    }
    return least;
}

static void bench_cell(data *d, int repeats)
{
    void *mpfr = ug_reference_mpfr.create();
    double slow = best(NULL, NULL, d, repeats, 4096);
    printf("%-11s %6" PRId64 " %9.1f %9.1f", d->name, d->n, slow,
           best(&ug_reference_mpfr, mpfr, d, repeats, 4096));
    ug_reference_mpfr.destroy(mpfr);
    for (int k = 0; ug_vector_ops_at(k); k++) {
        ug_certified *s = ug_certified_create(ug_vector_ops_at(k));
        double ns = best(&ug_reference_certified, s, d, repeats, 1 << 18), n;
        n = (double)s->counts.elements;
        printf(" %8.2f", ns);
        if (!ug_vector_ops_at(k + 1))
            printf(" %7.0fx %9.2e %9.2e", slow / ns, (double)s->counts.stage2 / n,
                   (double)s->counts.stage3 / n);
        ug_certified_destroy(s);
    }
    printf("\n");
    fflush(stdout);
}

enum { THREAD_ROWS = 20000 };

static void *work(void *unused)
{
    data d = make_data();
    ug_certified *s = ug_certified_create(ug_vector_ops_best());
    (void)unused;
    fill(&d, 0, 1024);
    for (int r = 0; r < THREAD_ROWS; r++) ask(&ug_reference_certified, s, &d);
    ug_certified_destroy(s);
    free_data(&d);
    return NULL;
}

/* Seconds for `threads` threads that do the same work each. */
static double together(int threads)
{
    pthread_t id[2];
    double start = now(CLOCK_MONOTONIC);
    for (int t = 0; t < threads; t++)
        if (pthread_create(&id[t], NULL, work, NULL)) exit(1);
    for (int t = 0; t < threads; t++) pthread_join(id[t], NULL);
    return now(CLOCK_MONOTONIC) - start;
}

int main(int argc, char **argv)
{
    static const int64_t lengths[] = {128, 1024, 65536};
    int repeats = argc > 1 ? atoi(argv[1]) : 5;
    data d = make_data();
    double one = INFINITY, two = INFINITY;
    if (repeats < 5) repeats = 5;
    printf("ns of processor time per element, best of %d, one thread, f32 output\n", repeats);
    printf("%-11s %6s %9s %9s", "data", "n", "plain256", "mpfr");
    for (int k = 0; ug_vector_ops_at(k); k++) printf(" %8s", ug_vector_ops_at(k)->name);
    printf(" %8s %9s %9s\n", "speed-up", "stage 2+", "stage 3");
    for (int kind = 0; kind < 4; kind++)
        for (int i = 0; i < 3; i++) {
            fill(&d, kind, lengths[i]);
            bench_cell(&d, repeats);
        }
    for (int k = 0; k < repeats; k++) {
        double t = together(1);
        one = t < one ? t : one;
        t = together(2);
        two = t < two ? t : two;
    }
    printf("two threads do %.2f times the work of one (gaussian, n 1024)\n", 2 * one / two);
    free_data(&d);
    return 0;
}
