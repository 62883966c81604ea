/* SPDX-License-Identifier: Apache-2.0 */
/* Two independent references must agree bit for bit on families of rows that are hard for both.
 *
 * "mpfr" decides by MPFR at a fixed pair of precisions, "certified" by double arithmetic with
 * proven bounds; every build of the latter's inner loops that the processor can run takes part.
 * Usage: test_reference_agree [ELEMENTS_PER_FAMILY [SEED]].
 */
#include <inttypes.h>
#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "reference/certified.h"
#include "reference/fast_sum.h"
#include "reference/implementations.h"
#include "reference_families.h"
#include "ulpgate/dtype.h"

enum { MOST = 2048, BUILDS = 3, SHOWN = 5 };

typedef struct answer {
    ug_row_stats stats;
    double head[MOST], tail[MOST];
    uint32_t want[MOST];
} answer;

/* What one thread works with. */
typedef struct worker {
    void *mpfr;
    ug_certified *build[BUILDS];
    int builds;
    answer want, got, first; /* first: of the first build */
    ug_exact_sums slow, fast;
    float x[MOST], gamma[MOST], beta[MOST];
} worker;

typedef struct tally {
    int64_t rows, elements, failures;
    ug_certified_counts counts; /* of the first build */
} tally;

static worker *begin(void)
{
    worker *w = calloc(1, sizeof *w);
    if (!w) exit(2);
    w->mpfr = ug_reference_mpfr.create();
    for (; w->builds < BUILDS && ug_vector_ops_at(w->builds); w->builds++)
        w->build[w->builds] = ug_certified_create(ug_vector_ops_at(w->builds));
    ug_exact_sums_init(&w->slow);
    ug_exact_sums_init(&w->fast);
    return w;
}

static void end(worker *w)
{
    for (int k = 0; k < w->builds; k++) ug_certified_destroy(w->build[k]);
    ug_reference_mpfr.destroy(w->mpfr);
    ug_exact_sums_clear(&w->slow);
    ug_exact_sums_clear(&w->fast);
    free(w);
}

static int same_stats(const ug_row_stats *a, const ug_row_stats *b)
{
    const double *p = &a->mean, *q = &b->mean;
    int same = a->cls == b->cls && a->n == b->n;
    for (int i = 0; i < 8; i++) same &= p[i] == q[i] || (isnan(p[i]) && isnan(q[i]));
    return same;
}

/* 2^-20 ulp of the output type at y, twice (each side is allowed one). */
static double slack(ug_dtype t, double y)
{
    static const int precision[] = {24, 11, 8}, quantum[] = {-149, -24, -133};
    int e;
    frexp(y, &e);
    e -= precision[t];
    return ldexp(1, (e > quantum[t] ? e : quantum[t]) - 19);
}

static int same_value(ug_dtype t, const answer *a, const answer *b, int64_t i)
{
    double d = (a->head[i] - b->head[i]) + (a->tail[i] - b->tail[i]);
    if (!isfinite(b->head[i]))
        return isnan(b->head[i]) ? isnan(a->head[i]) : a->head[i] == b->head[i];
    return fabs(d) <= slack(t, b->head[i]);
}

static int same_sums(worker *w, const ug_vector_ops *ops, const ug_row_in *in)
{
    const ug_exact_sums *a = &w->slow, *b = &w->fast;
    ug_fast_sums_of(ops, &w->fast, in->x, in->n);
    if (a->nonfinite || b->nonfinite) return a->nonfinite == b->nonfinite;
    return !mpz_cmp(a->s1, b->s1) && !mpz_cmp(a->a1, b->a1) && !mpz_cmp(a->s2, b->s2) &&
           a->min == b->min && a->max == b->max;
}

/* All builds give the same bits, head and tail included. */
static int same_bits(worker *w, int k, int64_t n)
{
    if (k == 0) w->first = w->got;
    return !memcmp(w->got.head, w->first.head, (size_t)n * sizeof *w->got.head) &&
           !memcmp(w->got.tail, w->first.tail, (size_t)n * sizeof *w->got.tail);
}

static void complain(const worker *w, const char *name, const char *isa, const ug_row_in *in,
                     int64_t i)
{
    printf("%s, %s, dtype %d, n %" PRId64 ", element %" PRId64
           ": %x %a %a, mpfr %x %a %a (x %a gamma %a beta %a eps %a)\n",
           name, isa, (int)in->out, in->n, i, w->got.want[i], w->got.head[i], w->got.tail[i],
           w->want.want[i], w->want.head[i], w->want.tail[i], (double)in->x[i],
           in->gamma ? (double)in->gamma[i] : 1, in->beta ? (double)in->beta[i] : 0,
           (double)in->eps);
}

static void compare(worker *w, const char *name, const ug_row_in *in, const ug_row_kind *kind,
                    tally *t)
{
    ug_row_out out = {w->want.head, w->want.tail, w->want.want};
    ug_mpfr_row(w->mpfr, in, kind, &out, &w->want.stats);
    ug_exact_sums_of(&w->slow, in->x, in->n);
    out = (ug_row_out){w->got.head, w->got.tail, w->got.want};
    for (int k = 0; k < w->builds; k++) {
        const char *isa = w->build[k]->ops->name;
        ug_certified_row(w->build[k], in, kind, &out, &w->got.stats);
        if (!same_sums(w, w->build[k]->ops, in) || !same_stats(&w->got.stats, &w->want.stats))
            if (t->failures++ < SHOWN)
                printf("%s, %s: sums or statistics differ, n %" PRId64 "\n", name, isa, in->n);
        if (!same_bits(w, k, in->n) && t->failures++ < SHOWN)
            printf("%s, %s: head or tail differ from those of %s\n", name, isa,
                   w->build[0]->ops->name);
        for (int64_t i = 0; i < in->n; i++) {
            if (w->got.want[i] == w->want.want[i] && same_value(in->out, &w->got, &w->want, i))
                continue;
            if (t->failures++ < SHOWN) complain(w, name, isa, in, i);
        }
    }
    t->rows++;
    t->elements += in->n;
}

/* beta = -RN(gamma xhat), in f32. */
static void cancel(worker *w, ug_row_in *in, const ug_row_kind *kind)
{
    ug_row_out out = {NULL, NULL, w->want.want};
    ug_dtype type = in->out;
    in->beta = NULL;
    in->out = UG_F32;
    ug_mpfr_row(w->mpfr, in, kind, &out, NULL);
    for (int64_t i = 0; i < in->n; i++) w->beta[i] = -ug_bits_float(w->want.want[i]);
    in->beta = w->beta;
    in->out = type;
}

/* So often that the row has 2^29 +- a few, or up to 2^32, elements. */
static int64_t long_repeats(ug_stream *s, int64_t n)
{
    static const int64_t lengths[] = {1 << 28, (1 << 29) - 1, 1 << 29, 1l << 31, (1l << 32) - 1};
    return lengths[ug_stream_bits(s) % 5] / n;
}

/* Set by the first failure: every thread ends its family there. */
static atomic_int failed;

static tally run_family(worker *w, const ug_family *family, int64_t elements, uint64_t seed)
{
    ug_certified_counts before = w->build[0]->counts;
    ug_stream s = {seed};
    tally t = {0, 0, 0, w->build[0]->counts};
    while (t.elements < elements && !failed) {
        ug_family_row r = {w->x, w->gamma, w->beta, MOST, 0, 0, 0};
        ug_row_in in;
        ug_row_kind kind = {t.rows % 4 == 3, 1};
        family->make(&s, &r);
        in = (ug_row_in){w->x, w->gamma, w->beta, r.n, r.eps, (ug_dtype)(t.rows % 3)};
        if (t.rows % 8 == 2) kind.repeats = long_repeats(&s, r.n);
        if (r.cancel)
            cancel(w, &in, &kind);
        else if (ug_stream_bits(&s) % 8 == 0)
            in.gamma = NULL;
        else if (ug_stream_bits(&s) % 8 == 0)
            in.beta = NULL;
        compare(w, family->name, &in, &kind, &t);
        if (t.failures) failed = 1;
    }
    t.counts = w->build[0]->counts;
    t.counts.stage2 -= before.stage2;
    t.counts.stage3 -= before.stage3;
    t.counts.precise -= before.precise;
    return t;
}

int main(int argc, char **argv)
{
    int64_t elements = argc > 1 ? atoll(argv[1]) : 2000000, failures = 0, all = 0;
    uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 0) : 1;
#pragma omp parallel reduction(+ : failures, all)
    {
        worker *w = begin();
#pragma omp for schedule(dynamic, 1)
        for (int f = 0; f < ug_family_count; f++) {
            tally t = run_family(w, &ug_families[f], elements, seed + (uint64_t)f);
            double n = (double)t.elements;
            printf("%-28s %7" PRId64 " rows %9" PRId64
                   " elements, stage 2 %.1e, stage 3 %.1e, precise %.1e, failures %" PRId64 "\n",
                   ug_families[f].name, t.rows, t.elements, (double)t.counts.stage2 / n,
                   (double)t.counts.stage3 / n, (double)t.counts.precise / n, t.failures);
            failures += t.failures;
            all += t.elements;
        }
        end(w);
    }
    printf("%" PRId64 " elements, seed %" PRIu64 ": %" PRId64 " failures\n", all, seed, failures);
    return failures != 0 || all == 0;
}
