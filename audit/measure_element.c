/* SPDX-License-Identifier: Apache-2.0 */
/* The errors of one row's elements: the hot path, some fifteen million elements a kernel. */
#include "audit/measure_row.h"

#define HOT static inline __attribute__((always_inline))

/* A float result f with |f - y| <= allowed is rounded once into the output type, so what comes out
 * lies within half a spacing of f, and the spacing is taken where f may be largest, |y| + allowed.
 * Taking that half off leaves e <= allowed for every right kernel. For a kernel that also rounds
 * xhat, the same holds of xhat, and gamma scales it. Float outputs are not rounded again. */
HOT double output_rounding(const ug_row_work *w, ug_dtype t, double size, double allowed,
                           double gamma, double product)
{
    double before = 0;
    if (t == UG_F32) return 0;
    if (w->rounding == UG_ROUND_BEFORE_AFFINE && gamma != 0)
        before = 0.5 * fabs(gamma) * ug_spacing(t, (product + allowed) / fabs(gamma));
    return before + 0.5 * ug_spacing(t, size + allowed + before);
}

static void raise(ug_row_work *w, ug_metric metric, double value, int64_t i)
{
    if (value <= w->best[metric]) return;
    w->best[metric] = isnan(value) ? INFINITY : value;
    w->at[metric] = i;
}

/* Bins (0.5 2^(k-1), 0.5 2^k] by the exponent alone; the first holds all from 0 to 0.5. */
HOT int histogram_bin(double ulp)
{
    int64_t k = (int64_t)((ug_double_bits(ulp) + 0xfffffffffffffull) >> 52) - 1022;
    return k < 0 ? 0 : k < UG_HIST_BINS ? (int)k : UG_HIST_BINS - 1;
}

/* Would the row still pass `sound` at element i if the kernel had answered beta? */
static int beta_passes(const ug_row_work *w, ug_dtype t, int64_t i, double gamma, double beta,
                       double allowed)
{
    double head = w->truth->head[i], tail = w->truth->tail[i], product = fabs(head - beta + tail);
    float rounded = ug_round_to(t, (float)beta);
    double stand_in = isinf(rounded) ? copysign(ldexp(1, ug_exponent_max(t) + 1), beta) : rounded;
    double e = ug_distance(stand_in, head, tail) -
               output_rounding(w, t, fabs(head), allowed, gamma, product);
    return e <= allowed;
}

/* Is `bits`, not the correctly rounded result, the other neighbour of y? over: |want| - |y|. */
static int is_neighbour(ug_dtype t, uint32_t bits, uint32_t want, double over, int negative)
{
    uint32_t sign = ug_sign_bit(t), magnitude = want & ~sign, other;
    if (magnitude == ug_inf_bits(t))
        other = magnitude - 1;
    else if (over == 0)
        return 0;
    else
        other = over < 0 ? magnitude + 1 : magnitude - 1;
    return (bits & ~sign) == other && (other == 0 || !(bits & sign) == !negative);
}

/* The element is not the correctly rounded result; d: its distance, s: the spacing at y. */
static void count_inexact(ug_row_work *w, ug_dtype t, int64_t i, uint32_t bits, double s)
{
    double head = w->truth->head[i], tail = w->truth->tail[i];
    uint32_t want = w->truth->want[i];
    double value = ug_bits_value(t, want),
           over = (fabs(value) - fabs(head)) - (head < 0 ? -tail : tail);
    int tie = fabs(fabs(over) - 0.5 * s) < 0x1p-16 * s;
    int neighbour = is_neighbour(t, bits, want, over, head < 0 || (head == 0 && tail < 0));
    w->near_ties += tie;
    if (tie && neighbour) {
        w->near_tie_misses++;
    } else {
        if (!w->not_exact++) w->exact_at = i;
        if (!neighbour && !w->not_faithful++) w->faithful_at = i;
    }
}

HOT void count_rounding(ug_row_work *w, ug_dtype t, int64_t i, uint32_t bits, double d, double s)
{
    uint32_t want = w->truth->want[i];
    if (bits == want || !((bits | want) & ~ug_sign_bit(t))) {
        w->correctly_rounded++;
        w->near_ties += fabs(d - 0.5 * s) < 0x1p-16 * s;
    } else {
        count_inexact(w, t, i, bits, s);
    }
}

HOT void count_class(ug_row_work *w, ug_dtype t, int64_t i, double got)
{
    uint32_t want = w->truth->want[i] & ~ug_sign_bit(t);
    if (got * w->truth->head[i] < 0) ug_class_count(w, UG_CLASS_SIGN, i);
    if (got == 0 && want && want >> ug_fraction_bits(t) == 0)
        ug_class_count(w, UG_CLASS_FLUSHED, i);
}

HOT void measure_element(ug_row_work *w, ug_dtype t, int64_t i, double scale, double b)
{
    uint32_t bits = ug_load_bits(w->y, t, i), finite = ug_inf_bits(t), sign = ug_sign_bit(t);
    double gamma = w->in->gamma ? w->in->gamma[i] : 1;
    double beta = w->in->beta ? w->in->beta[i] : 0;
    double head = w->truth->head[i], tail = w->truth->tail[i], got, off, d, s, product, ulp, term;
    double allowed, e, eb = 0;
    int special = 0;
    if ((bits & ~sign) >= finite || (w->truth->want[i] & ~sign) >= finite || bits == w->poison) {
        special = ug_class_special(w, i, bits);
        if (!special) return;
    }
    got = ug_bits_value(t, bits);
    off = ug_distance(got, head, tail);
    d = special == 2 ? 0 : off;
    s = ug_spacing_real(t, head, tail);
    product = fabs(head - beta + tail); /* |gamma xhat| */
    ulp = d * ug_reciprocal(s);
    term = d * ug_reciprocal(ug_spacing(t, product + fabs(beta)));
    allowed = w->limit * scale;
    e = d - output_rounding(w, t, fabs(head), allowed, gamma, product);
    e = e > 0 ? e : 0;
    if (w->bound) {
        eb = d - output_rounding(w, t, fabs(head), b, gamma, product);
        eb = eb > 0 ? eb : 0;
        if (!(eb <= w->best[UG_M_BOUND] * b)) {
            raise(w, UG_M_BOUND, eb / b, i);
            if (w->at[UG_M_BOUND] == i) w->bound_abs = b;
        }
    }
    if (!(d <= w->best[UG_M_ABS])) raise(w, UG_M_ABS, d, i);
    if (!(ulp <= w->best[UG_M_ULP])) raise(w, UG_M_ULP, ulp, i);
    if (!(term <= w->best[UG_M_TERM])) raise(w, UG_M_TERM, term, i);
    if (!(e <= w->best[UG_M_COND] * scale)) raise(w, UG_M_COND, e / scale, i);
    w->elements++;
    w->hist[histogram_bin(ulp)]++;
    w->sum_ulp += ulp;
    w->err_sq += d * d;
    w->want_sq += head * head;
    w->max_e = e > w->max_e ? e : w->max_e;
    w->max_y = fabs(head) > w->max_y ? fabs(head) : w->max_y;
    count_rounding(w, t, i, bits, off, s);
    if (special == 1 && !(e <= allowed) && !(w->bound && eb <= b))
        ug_class_count(w, (bits & ~sign) == finite ? UG_CLASS_INF_SPURIOUS : UG_CLASS_INF_MISSED,
                       i);
    else
        count_class(w, t, i, got);
    if (w->blind) w->blind = beta_passes(w, t, i, gamma, beta, allowed);
}

/* What each of `count` elements from `first` on is measured by: the denominators of cond and bound.
 * A loop of its own, since calls in the sweep would cost it every register. */
static void find_scales(const ug_row_work *w, int64_t first, int64_t count, double *scale,
                        double *bound)
{
    const ug_row_in *in = w->in;
    for (int64_t k = 0, i = first; k < count; k++, i++) {
        double gamma = in->gamma ? in->gamma[i] : 1, beta = in->beta ? in->beta[i] : 0;
        scale[k] = ug_cond_scale(w->stats, in->x[i], gamma, beta);
        bound[k] = w->bound ? ug_bound_element(w->bound, in->x[i], gamma, beta, w->truth->head[i])
                            : INFINITY;
    }
}

HOT void sweep(ug_row_work *w, ug_dtype t)
{
    enum { BLOCK = 256 };
    double scale[BLOCK], bound[BLOCK];
    for (int64_t first = 0, n = w->in->n; first < n; first += BLOCK) {
        int64_t count = n - first < BLOCK ? n - first : BLOCK;
        find_scales(w, first, count, scale, bound);
        for (int64_t k = 0; k < count; k++) measure_element(w, t, first + k, scale[k], bound[k]);
    }
}

void ug_sweep_row(ug_row_work *w)
{
    if (w->in->out == UG_F32)
        sweep(w, UG_F32);
    else if (w->in->out == UG_F16)
        sweep(w, UG_F16);
    else
        sweep(w, UG_BF16);
}

HOT void compare(const ug_row_work *w, ug_dtype t, const void *yardstick, double *abs, double *ulp)
{
    double most = *abs, most_ulp = *ulp;
    for (int64_t i = 0; i < w->in->n; i++) {
        uint32_t bits = ug_load_bits(w->y, t, i), other = ug_load_bits(yardstick, t, i);
        double got, d, s;
        if (bits == other || !isfinite(w->truth->head[i])) continue;
        got = ug_bits_value(t, bits);
        d = fabs(got - ug_bits_value(t, other));
        s = ug_spacing_real(t, w->truth->head[i], w->truth->tail[i]);
        if (isnan(d)) d = isnan(got) && isnan(ug_bits_value(t, other)) ? 0 : INFINITY;
        if (d > most) most = d;
        if (d * ug_reciprocal(s) > most_ulp) most_ulp = d * ug_reciprocal(s);
    }
    *abs = most;
    *ulp = most_ulp;
}

void ug_compare_row(const ug_row_work *w, const void *yardstick, double *abs, double *ulp)
{
    if (w->in->out == UG_F32)
        compare(w, UG_F32, yardstick, abs, ulp);
    else if (w->in->out == UG_F16)
        compare(w, UG_F16, yardstick, abs, ulp);
    else
        compare(w, UG_BF16, yardstick, abs, ulp);
}
