/* SPDX-License-Identifier: Apache-2.0 */
/* Two independent references must agree bit for bit on families of rows that are hard for both.
 *
 * "mpfr" decides by MPFR at a fixed pair of precisions, "certified" by double arithmetic with
 * proven bounds; every build of the latter's inner loops that the processor can run takes part.
 * Usage: test_reference_agree [ELEMENTS_PER_FAMILY [SEED]].
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "reference/certified.h"
#include "reference/fast_sum.h"
#include "reference/implementations.h"
#include "reference_families.h"
#include "ulpgate/dtype.h"

enum { MOST = 2048, BUILDS = 3 };

typedef struct answer {
    ug_row_stats stats;
    double head[MOST], tail[MOST];
    uint32_t want[MOST];
} answer;

typedef struct tally {
    int64_t rows, elements, failures;
} tally;

static void *oracle_state;
static ug_certified *build[BUILDS];
static int builds;

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

static int same_sums(ug_certified *s, const ug_row_in *in)
{
    static ug_exact_sums a, b;
    static int ready;
    int same;
    if (!ready++) {
        ug_exact_sums_init(&a);
        ug_exact_sums_init(&b);
    }
    ug_exact_sums_of(&a, in->x, in->n);
    ug_fast_sums_of(s->ops, &b, in->x, in->n);
    same = a.nonfinite == b.nonfinite;
    if (!same || a.nonfinite) return same;
    return !mpz_cmp(a.s1, b.s1) && !mpz_cmp(a.a1, b.a1) && !mpz_cmp(a.s2, b.s2) && a.min == b.min &&
           a.max == b.max;
}

static void compare(const char *name, const ug_row_in *in, const ug_row_kind *kind, tally *t)
{
    static answer want, got;
    ug_row_out out = {want.head, want.tail, want.want};
    ug_mpfr_row(oracle_state, in, kind, &out, &want.stats);
    out = (ug_row_out){got.head, got.tail, got.want};
    for (int k = 0; k < builds; k++) {
        ug_certified_row(build[k], in, kind, &out, &got.stats);
        if (!same_sums(build[k], in)) {
            t->failures++;
            printf("%s, %s: exact sums differ, n %" PRId64 "\n", name, build[k]->ops->name, in->n);
        }
        if (!same_stats(&got.stats, &want.stats)) {
            t->failures++;
            printf("%s, %s: statistics differ, n %" PRId64 "\n", name, build[k]->ops->name, in->n);
        }
        for (int64_t i = 0; i < in->n; i++) {
            if (got.want[i] == want.want[i] && same_value(in->out, &got, &want, i)) continue;
            if (t->failures++ < 5)
                printf("%s, %s, dtype %d, n %" PRId64 ", element %" PRId64
                       ": %x %a %a, mpfr %x %a %a (x %a gamma %a beta %a eps %a)\n",
                       name, build[k]->ops->name, (int)in->out, in->n, i, got.want[i], got.head[i],
                       got.tail[i], want.want[i], want.head[i], want.tail[i], (double)in->x[i],
                       in->gamma ? (double)in->gamma[i] : 1, in->beta ? (double)in->beta[i] : 0,
                       (double)in->eps);
        }
    }
    t->rows++;
    t->elements += in->n;
}

/* beta = -RN(gamma xhat), in f32. */
static void cancel(ug_row_in *in, const ug_row_kind *kind, float *beta)
{
    static uint32_t want[MOST];
    ug_row_out out = {NULL, NULL, want};
    ug_dtype type = in->out;
    ug_row_stats stats;
    in->beta = NULL;
    in->out = UG_F32;
    ug_mpfr_row(oracle_state, in, kind, &out, &stats);
    for (int64_t i = 0; i < in->n; i++) beta[i] = -ug_bits_float(want[i]);
    in->beta = beta;
    in->out = type;
}

/* So often that the row has 2^29 +- a few, or up to 2^32, elements. */
static int64_t long_repeats(ug_stream *s, int64_t n)
{
    static const int64_t lengths[] = {1 << 28, (1 << 29) - 1, 1 << 29, 1l << 31, (1l << 32) - 1};
    return lengths[ug_stream_bits(s) % 5] / n;
}

static tally run_family(const ug_family *family, int64_t elements, uint64_t seed)
{
    static float x[MOST], gamma[MOST], beta[MOST];
    ug_stream s = {seed};
    tally t = {0, 0, 0};
    while (t.elements < elements) {
        ug_family_row r = {x, gamma, beta, MOST, 0, 0, 0};
        ug_row_in in;
        ug_row_kind kind = {t.rows % 4 == 3, 1};
        family->make(&s, &r);
        in = (ug_row_in){x, gamma, beta, r.n, r.eps, (ug_dtype)(t.rows % 3)};
        if (t.rows % 8 == 2) kind.repeats = long_repeats(&s, r.n);
        if (r.cancel)
            cancel(&in, &kind, beta);
        else if (ug_stream_bits(&s) % 8 == 0)
            in.gamma = NULL;
        else if (ug_stream_bits(&s) % 8 == 0)
            in.beta = NULL;
        compare(family->name, &in, &kind, &t);
    }
    return t;
}

int main(int argc, char **argv)
{
    int64_t elements = argc > 1 ? atoll(argv[1]) : 120000, failures = 0, all = 0;
    uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 0) : 1;
    oracle_state = ug_reference_mpfr.create();
    for (; builds < BUILDS && ug_vector_ops_at(builds); builds++)
        build[builds] = ug_certified_create(ug_vector_ops_at(builds));
    for (int f = 0; f < ug_family_count; f++) {
        ug_certified_counts before = build[0]->counts, *after = &build[0]->counts;
        tally t = run_family(&ug_families[f], elements, seed + (uint64_t)f);
        double n = (double)t.elements;
        printf("%-28s %7" PRId64 " rows %9" PRId64 " elements, stage 2 %.1e, stage 3 %.1e, precise "
               "%.1e, failures %" PRId64 "\n",
               ug_families[f].name, t.rows, t.elements, (double)(after->stage2 - before.stage2) / n,
               (double)(after->stage3 - before.stage3) / n,
               (double)(after->precise - before.precise) / n, t.failures);
        failures += t.failures;
        all += t.elements;
    }
    printf("%" PRId64 " elements by %d builds, seed %" PRIu64 ": %" PRId64 " failures\n", all,
           builds, seed, failures);
    for (int k = 0; k < builds; k++) ug_certified_destroy(build[k]);
    ug_reference_mpfr.destroy(oracle_state);
    return failures != 0;
}
