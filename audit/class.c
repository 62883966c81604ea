/* SPDX-License-Identifier: Apache-2.0 */
/* Elements that are no finite number, or were never written. */
#include "audit/measure_row.h"

void ug_class_count(ug_row_work *w, ug_class cls, int64_t i)
{
    if (!w->classes[cls]++) w->class_at[cls] = i;
}

/* An element that holds no number where one was expected has an infinite error. */
static int no_number(ug_row_work *w, ug_class cls, int64_t i)
{
    ug_class_count(w, cls, i);
    for (int k = 0; k < UG_M_COUNT; k++) {
        if (k == UG_M_BOUND && !w->bound) continue;
        if (w->best[k] == INFINITY) continue;
        w->best[k] = INFINITY;
        w->at[k] = i;
        if (k == UG_M_BOUND) w->bound_abs = 0;
    }
    w->nan++;
    w->elements++;
    w->hist[UG_HIST_BINS - 1]++;
    w->max_e = INFINITY;
    if (!w->not_exact++) w->exact_at = i;
    if (!w->not_faithful++) w->faithful_at = i;
    w->blind = 0;
    return 0;
}

/* gamma_i or beta_i is not finite, so y_i follows from IEEE rules on the exact xhat_i and is
 * compared by class. Where xhat_i is so near 0 that a sound kernel may see it with either sign, or
 * as 0, an infinite gamma may give any of NaN, Inf and -Inf. */
static int by_class(ug_row_work *w, int64_t i, uint32_t bits)
{
    ug_dtype t = w->in->out;
    uint32_t sign = ug_sign_bit(t), inf = ug_inf_bits(t), want = w->truth->want[i];
    int got_nan = (bits & ~sign) > inf, got_inf = (bits & ~sign) == inf;
    int want_nan = (want & ~sign) > inf;
    double xhat = (w->in->x[i] - w->stats->mean) * w->stats->rstd;
    double gamma = w->in->gamma ? w->in->gamma[i] : 1, beta = w->in->beta ? w->in->beta[i] : 0;
    double allowed = w->limit * ug_cond_scale(w->stats, w->in->x[i], 1, 0);
    int unclear = isinf(gamma) && !isnan(beta) && fabs(xhat) <= allowed;
    if (unclear && (got_nan || got_inf)) return 0;
    if (want_nan) {
        if (!got_nan) ug_class_count(w, UG_CLASS_NAN_MISSED, i);
    } else if (got_nan) {
        ug_class_count(w, UG_CLASS_NAN_SPURIOUS, i);
    } else if (bits != want) {
        ug_class_count(w, UG_CLASS_INF_MISSED, i);
    }
    return 0;
}

int ug_class_special(ug_row_work *w, int64_t i, uint32_t bits)
{
    ug_dtype t = w->in->out;
    double gamma = w->in->gamma ? w->in->gamma[i] : 1, beta = w->in->beta ? w->in->beta[i] : 0;
    if (bits == w->poison) return no_number(w, UG_CLASS_UNWRITTEN, i);
    if (!isfinite(gamma) || !isfinite(beta)) return by_class(w, i, bits);
    if ((bits & ~ug_sign_bit(t)) > ug_inf_bits(t)) return no_number(w, UG_CLASS_NAN_SPURIOUS, i);
    return bits == w->truth->want[i] && (bits & ~ug_sign_bit(t)) == ug_inf_bits(t) ? 2 : 1;
}

static void first_place(ug_worst *first, int64_t row, int64_t col, const ug_row_in *in, double got)
{
    first->row = row;
    first->col = col;
    first->x = in->x[col];
    first->got = got;
    first->want = NAN;
    first->kappa = NAN;
}

static void count_unwritten(ug_measure *m, int64_t row, int64_t col, const ug_row_in *in)
{
    if (!m->classes[UG_CLASS_UNWRITTEN]++)
        first_place(&m->class_first[UG_CLASS_UNWRITTEN], row, col, in, NAN);
}

void ug_class_nonfinite_row(ug_measure *m, int64_t row, const ug_row_in *in, const void *y,
                            uint32_t poison)
{
    uint32_t sign = ug_sign_bit(in->out), inf = ug_inf_bits(in->out);
    int64_t nans = 0;
    for (int64_t i = 0; i < in->n; i++) {
        uint32_t bits = ug_load_bits(y, in->out, i), magnitude = bits & ~sign;
        if (bits == poison) {
            count_unwritten(m, row, i, in);
        } else if (magnitude < inf) {
            if (!m->finite_in_nonfinite++)
                first_place(&m->finite_first, row, i, in, ug_bits_value(in->out, bits));
        } else {
            nans += magnitude > inf;
        }
    }
    m->all_nan_rows += in->n > 0 && nans == in->n;
}

void ug_class_degenerate_row(ug_measure *m, int64_t row, const ug_row_in *in, const void *y,
                             uint32_t poison)
{
    for (int64_t i = 0; i < in->n; i++)
        if (ug_load_bits(y, in->out, i) == poison) count_unwritten(m, row, i, in);
}
