/* SPDX-License-Identifier: Apache-2.0 */
/* One case's measure: rows go to the sweep that their class asks for, and are merged. */
#include "audit/measure_row.h"

#include <stdarg.h>
#include <stdio.h>

/* A float sum of c terms a thread that meets rows of condition kappa loses everything once c kappa
 * u passes 4: beyond that `sound` shows and does not judge. */
static const double judged_chain_kappa = 0x1p26;

static void clear_errors(ug_errors *e)
{
    for (int k = 0; k < UG_M_COUNT; k++) e->worst[k].value = -1;
    e->row_err = -1;
}

void ug_measure_begin(ug_measure *m, ug_dtype dtype, const ug_bound_model *model)
{
    memset(m, 0, sizeof *m);
    m->dtype = dtype;
    m->model = *model;
    clear_errors(&m->regular);
    clear_errors(&m->range);
    m->sound_worst.value = m->sound_ratio = m->bound_ratio = -1;
    m->mean_err = m->var_err = m->rstd_err = m->kappa_max = m->vs_abs = m->vs_ulp = -1;
    m->stats_row = -1;
}

double ug_measure_nmse(const ug_errors *e) { return e->err_sq == 0 ? 0 : e->err_sq / e->want_sq; }

static void move(ug_worst *place, int64_t from, int64_t by)
{
    if (place->col >= from) place->col += by;
}

void ug_measure_move(ug_measure *m, int64_t from, int64_t by)
{
    for (int k = 0; k < UG_M_COUNT; k++) {
        move(&m->regular.worst[k], from, by);
        move(&m->range.worst[k], from, by);
    }
    for (int k = 0; k < UG_CLASS_COUNT; k++) move(&m->class_first[k], from, by);
    move(&m->sound_worst, from, by);
    move(&m->exact_first, from, by);
    move(&m->faithful_first, from, by);
    move(&m->finite_first, from, by);
    for (int k = 0; k < UG_PEER_COUNT; k++)
        if (m->peer[k].col >= from) m->peer[k].col += by;
}

void ug_measure_reason(ug_measure *m, const char *format, ...)
{
    va_list args;
    if (m->reason_count == UG_REASONS) return;
    va_start(args, format);
    vsnprintf(m->reasons[m->reason_count++], UG_REASON_TEXT, format, args);
    va_end(args);
}

static void fill_worst(ug_worst *to, const ug_row_work *w, int64_t row, int64_t col, double value)
{
    to->value = value;
    to->row = row;
    to->col = col;
    to->x = w->in->x[col];
    to->got = ug_load(w->y, w->in->out, col);
    to->want = w->truth->head[col];
    to->kappa = w->stats->kappa;
}

static void merge_errors(ug_errors *e, const ug_row_work *w, int64_t row)
{
    double scale = UG_U * w->max_y, relative = w->max_e == 0 ? 0 : w->max_e / scale;
    for (int k = 0; k < UG_M_COUNT; k++)
        if (w->best[k] > e->worst[k].value) fill_worst(&e->worst[k], w, row, w->at[k], w->best[k]);
    e->err_sq += w->err_sq;
    e->want_sq += w->want_sq;
    e->nan += w->nan;
    if (w->elements && relative > e->row_err) e->row_err = relative;
}

static void merge_counts(ug_measure *m, const ug_row_work *w, int64_t row)
{
    int64_t other = 0;
    m->sum_ulp += w->sum_ulp;
    m->elements += w->elements;
    m->correctly_rounded += w->correctly_rounded;
    m->near_ties += w->near_ties;
    m->near_tie_misses += w->near_tie_misses;
    if (w->not_exact && !m->not_exact) fill_worst(&m->exact_first, w, row, w->exact_at, 0);
    if (w->not_faithful && !m->not_faithful)
        fill_worst(&m->faithful_first, w, row, w->faithful_at, 0);
    m->not_exact += w->not_exact;
    m->not_faithful += w->not_faithful;
    for (int k = 0; k < UG_HIST_BINS; k++) m->hist[k] += w->hist[k];
    for (int k = 1; k < UG_CLASS_COUNT; k++) {
        if (w->classes[k] && !m->classes[k])
            fill_worst(&m->class_first[k], w, row, w->class_at[k], 0);
        m->classes[k] += w->classes[k];
        other += w->classes[k];
    }
    m->classes[UG_CLASS_OK] += w->in->n - other;
}

/* With eps 0 a right kernel of a declared algorithm may end at variance 0 and divide by it, on rows
 * whose bound on the variance reaches v: the worst case holds no finite value, so NaN and Inf are
 * within it. `sound` goes on judging such rows. */
static void merge_loose(ug_measure *m, const ug_row_work *w, const ug_row_bound *bound, int judged)
{
    static const ug_class kinds[] = {UG_CLASS_NAN_SPURIOUS, UG_CLASS_INF_SPURIOUS,
                                     UG_CLASS_INF_MISSED};
    if (bound->applies || w->in->eps != 0 || m->model.variance == UG_VAR_UNKNOWN) return;
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        m->loose[kinds[k]] += w->classes[kinds[k]];
        if (judged) m->loose_unsound += w->classes[kinds[k]];
    }
}

/* A row that y = beta would pass as well says nothing for the kernel when it passes; when it fails
 * it still fails. */
static void judge_sound(ug_measure *m, const ug_row_work *w, int64_t row)
{
    double cond = w->best[UG_M_COND], ratio = cond / m->sound_limit;
    m->blind += w->blind;
    if (cond < 0 || (w->blind && ratio <= 1)) return;
    if (ratio > m->sound_ratio) m->sound_ratio = ratio;
    if (cond > m->sound_worst.value) fill_worst(&m->sound_worst, w, row, w->at[UG_M_COND], cond);
}

static void merge_regular(ug_measure *m, const ug_row_work *w, int64_t row,
                          const ug_row_bound *bound, const void *yardstick)
{
    /* NaN and infinite kappa (a constant row) are not judged either. */
    int judged = m->sound_chain * w->stats->kappa <= judged_chain_kappa;
    merge_errors(&m->regular, w, row);
    merge_counts(m, w, row);
    merge_loose(m, w, bound, judged);
    if (w->stats->kappa > m->kappa_max) m->kappa_max = w->stats->kappa;
    if (bound->applies) {
        m->bound_rows++;
        if (w->best[UG_M_BOUND] > m->bound_ratio) {
            m->bound_ratio = w->best[UG_M_BOUND];
            m->bound_abs = w->bound_abs;
        }
    } else {
        m->bound_why = bound->why;
    }
    if (judged)
        judge_sound(m, w, row);
    else
        m->unjudged++;
    if (yardstick) {
        if (m->vs_abs < 0) m->vs_abs = m->vs_ulp = 0;
        ug_compare_row(w, yardstick, &m->vs_abs, &m->vs_ulp);
    }
}

static void merge_range(ug_measure *m, const ug_row_work *w, int64_t row)
{
    m->range_wrong += w->best[UG_M_COND] > m->sound_limit;
    merge_errors(&m->range, w, row);
    if (!w->classes[UG_CLASS_UNWRITTEN]) return;
    if (!m->classes[UG_CLASS_UNWRITTEN])
        fill_worst(&m->class_first[UG_CLASS_UNWRITTEN], w, row, w->class_at[UG_CLASS_UNWRITTEN], 0);
    m->classes[UG_CLASS_UNWRITTEN] += w->classes[UG_CLASS_UNWRITTEN];
}

/* c and the limit that follows from it: by the kernel's own threads a row, else 32. */
static void set_limit(ug_measure *m, int64_t n)
{
    int64_t threads = m->model.geometry.threads;
    m->n = n;
    if (threads <= 0) threads = 32;
    m->sound_chain = (double)(n / threads + (n % threads != 0));
    m->sound_limit = ug_sound_limit(m->sound_chain);
}

static void find_bound(const ug_measure *m, const ug_row_stats *stats, ug_row_bound *bound)
{
    ug_bound_model model = m->model;
    if (model.geometry.threads <= 0) model.geometry = (ug_geometry){1, stats->n, 0};
    memset(bound, 0, sizeof *bound);
    if (model.variance == UG_VAR_UNKNOWN)
        bound->why = "the kernel declares no algorithm";
    else if (stats->cls != UG_ROW_REGULAR)
        bound->why = "the row is not regular";
    else
        ug_bound_row(&model, stats, bound);
}

void ug_measure_row(ug_measure *m, int64_t row, const ug_row_in *in, const ug_row_stats *stats,
                    const ug_row_out *truth, const void *y, uint32_t poison, const float *mean,
                    const float *rstd, const void *yardstick)
{
    ug_row_bound bound;
    ug_row_work w = {.in = in, .stats = stats, .truth = truth, .y = y, .rounding = m->rounding};
    w.poison = in->out == UG_F32 ? poison : poison & 0xffffu;
    m->rows[stats->cls]++;
    set_limit(m, stats->n);
    for (int k = 0; k < UG_PEER_COUNT; k++)
        if (m->peers >> k & 1)
            ug_peer_row((ug_peer)k, &m->peer[k], row, in, stats, truth, y, poison, mean, rstd);
    if (stats->cls == UG_ROW_NONFINITE) {
        ug_class_nonfinite_row(m, row, in, y, w.poison);
        return;
    }
    if (stats->cls == UG_ROW_DEGENERATE) {
        ug_class_degenerate_row(m, row, in, y, w.poison);
        return;
    }
    find_bound(m, stats, &bound);
    w.bound = bound.applies ? &bound : NULL;
    w.limit = m->sound_limit;
    w.blind = 1;
    w.exact_at = w.faithful_at = -1;
    for (int k = 0; k < UG_M_COUNT; k++) {
        w.best[k] = -1;
        w.at[k] = -1;
    }
    ug_sweep_row(&w);
    if (stats->cls == UG_ROW_RANGE) {
        merge_range(m, &w, row);
        return;
    }
    merge_regular(m, &w, row, &bound, yardstick);
    ug_measure_stats(m, row, stats, w.bound, m->sound_chain * stats->kappa <= judged_chain_kappa,
                     mean, rstd);
}
