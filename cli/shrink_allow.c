/* SPDX-License-Identifier: Apache-2.0 */
/* Gates as absolute errors: docs/metrics.md has the formulas. */
#include "cli/shrink_allow.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "audit/measure_row.h"

/* A float chain of c terms is judged by `sound` up to this c kappa. */
static const double judged_chain_kappa = 0x1p26;

/* The limit of a clause of the gate, NaN when the gate has none such. "name" alone has limit 0. */
static double limit_of(const char *gate, const char *name)
{
    size_t length = strlen(name);
    for (const char *at = gate; *at; at += strcspn(at, ","), at += *at == ',') {
        if (strncmp(at, name, length)) continue;
        if (at[length] == '=') return strtod(at + length + 1, NULL);
        if (!at[length] || at[length] == ',') return 0;
    }
    return NAN;
}

void ug_allow_begin(ug_allow *a, const ug_shrink_failure *f, const ug_kernel_card *card)
{
    int64_t n = f->c.n;
    double threads = f->threads > 0 ? (double)f->threads : 32;
    a->failure = f;
    a->card = card;
    a->model = (ug_bound_model){card->variance, {0}, card->rsqrt_error};
    if (f->threads > 0) a->model.geometry = (ug_geometry){f->threads, f->chain, f->levels};
    a->chain = ceil((double)n / threads);
    a->sound = ug_sound_limit(a->chain);
}

/* Roundings into a narrower type come on top of an error; see output_rounding of the measure. */
static double with_rounding(const ug_allow *a, double y, double product, double gamma, double e)
{
    ug_dtype t = a->failure->c.dtype;
    double before = 0;
    if (t == UG_F32 || isinf(e)) return e;
    if (a->card->rounding == UG_ROUND_BEFORE_AFFINE && gamma != 0)
        before = 0.5 * fabs(gamma) * ug_spacing(t, (product + e) / fabs(gamma));
    return e + before + 0.5 * ug_spacing(t, fabs(y) + e + before);
}

typedef struct element {
    double x, gamma, beta, y, product;
    int bound, sound; /* whether the row is judged by them */
} element;

static double allowed_of(const ug_allow *a, const ug_row_stats *stats, const ug_row_bound *b,
                         const element *el)
{
    const char *gate = a->failure->gate;
    ug_dtype t = a->failure->c.dtype;
    double scale = ug_cond_scale(stats, el->x, el->gamma, el->beta), least = INFINITY, limit;
    double spacing = ug_spacing(t, fabs(el->y));
    if (!isnan(limit_of(gate, "bound")) && el->bound)
        least = with_rounding(a, el->y, el->product, el->gamma,
                              ug_bound_element(b, el->x, el->gamma, el->beta, el->y));
    limit = isnan(limit_of(gate, "sound")) ? NAN : el->sound ? a->sound : INFINITY;
    limit = fmin(limit, limit_of(gate, "cond"));
    if (!isnan(limit))
        least = fmin(least, with_rounding(a, el->y, el->product, el->gamma, limit * scale));
    least = fmin(least, limit_of(gate, "abs"));
    least = fmin(least, limit_of(gate, "ulp") * spacing);
    least = fmin(least, limit_of(gate, "term") * ug_spacing(t, el->product + fabs(el->beta)));
    /* Near ties may go either way. */
    if (!isnan(limit_of(gate, "exact"))) least = fmin(least, spacing * (0.5 + 0x1p-16));
    if (!isnan(limit_of(gate, "faithful"))) least = fmin(least, spacing);
    return least;
}

static int is_whole(const char *why)
{
    int whole = !strcmp(why, "row") || !strcmp(why, "nmse");
    for (int k = 0; k < UG_PEER_COUNT; k++) whole |= !strcmp(why, ug_peer_name((ug_peer)k));
    return whole;
}

/* Gates that hold a whole case against something: half of the largest error that was seen. */
static void halve_worst(const ug_allow *a, int64_t row, double *allowed)
{
    const ug_rec_place *at = &a->failure->worst[UG_REC_max_abs];
    double error = a->failure->metric[UG_REC_max_abs];
    if (!is_whole(a->failure->why) || !at->known || at->row != row || isnan(error)) return;
    if (at->col >= 0 && at->col < a->failure->c.n)
        allowed[at->col] = fmin(allowed[at->col], error / 2);
}

static void allow_stats(const ug_allow *a, const ug_row_stats *stats, const ug_row_bound *b,
                        int bound, int sound, double *mean, double *rstd)
{
    double u = 0x1p-24, least = 0x1p-149;
    *mean = *rstd = INFINITY;
    if (!isnan(limit_of(a->failure->gate, "bound")) && bound) {
        *mean = b->mean + least;
        *rstd = b->rstd_rel * stats->rstd;
    }
    if (!isnan(limit_of(a->failure->gate, "sound")) && sound) {
        double relative = a->sound * u * (stats->x_max + stats->abs_mean) / stats->dev_max;
        *mean = fmin(*mean, a->sound * ug_cond_mean(stats));
        if (stats->dev_max > 0) *rstd = fmin(*rstd, relative * stats->rstd);
    }
}

void ug_allow_row(const ug_allow *a, const ug_subject *s, int64_t row, double *allowed,
                  double *mean, double *rstd)
{
    const ug_row_stats *stats = &s->stats[row];
    int64_t at = row * s->n;
    ug_row_bound b;
    int regular = stats->cls == UG_ROW_REGULAR;
    ug_bound_row(&a->model, stats, &b);
    for (int64_t i = 0; i < s->n; i++) {
        element el = {s->x[at + i],
                      s->gamma ? s->gamma[i] : 1,
                      s->beta ? s->beta[i] : 0,
                      s->head[at + i],
                      0,
                      regular && b.applies,
                      regular && a->chain * stats->kappa <= judged_chain_kappa};
        el.product = fabs(el.y - el.beta + s->tail[at + i]);
        allowed[i] =
            regular || stats->cls == UG_ROW_RANGE ? allowed_of(a, stats, &b, &el) : INFINITY;
    }
    halve_worst(a, row, allowed);
    allow_stats(a, stats, &b, regular && b.applies,
                regular && a->chain * stats->kappa <= judged_chain_kappa, mean, rstd);
}
