/* SPDX-License-Identifier: Apache-2.0 */
/* A launch on 8 x with 64 eps: powers of two change no rounding, so y keeps its bits, mean is 8
 * times and rstd an eighth of what it was. What differs has a constant of its own: a floor, a
 * clamp, an eps. */
#include <stdlib.h>

#include "audit/pair_parts.h"

enum { SCALE = 8 };

/* Within these no sum or square of a right kernel comes near the ends of binary32, before or after
 * the scaling; what underflows beside them is too small to show. */
int ug_scale_fits(const ug_row_stats *s)
{
    double v = s->var + s->eps;
    return s->cls == UG_ROW_REGULAR && s->x_max >= 0x1p-20 && s->x_max <= 0x1p50 && v >= 0x1p-60 &&
           v <= 0x1p60 && (s->eps == 0 || s->eps >= 0x1p-100);
}

int ug_work_can_scale(const ug_work *w)
{
    const ug_subject *s = w->in->s;
    if (s->c->dtype != UG_F32 || w->in->card->depends == UG_DEPENDS_ANY || !w->in->card->repeatable)
        return 0;
    for (int64_t r = 0; r < s->sources; r++)
        if (!ug_scale_fits(&s->stats[r])) return 0;
    return s->sources > 0 && s->n > 0;
}

ug_end ug_work_launch_scaled(ug_work *w, int k, ug_outputs *to)
{
    ug_subject scaled = *w->in->s;
    ug_case c = *scaled.c;
    int64_t all = scaled.sources * scaled.n;
    float *x = malloc((size_t)all * sizeof *x);
    ug_end end;
    if (!x) return UG_END_ERROR;
    for (int64_t i = 0; i < all; i++) x[i] = scaled.x[i] * SCALE;
    c.eps *= SCALE * SCALE;
    scaled.c = &c;
    scaled.x_bits = x;
    w->trial.s = &scaled;
    end = ug_work_launch(w, k, (uint32_t)k, 0, to);
    w->trial.s = w->in->s;
    free(x);
    for (int64_t p = 0; p < w->places[k] && end == UG_END_OK && to->mean; p++) {
        to->mean[p] /= SCALE;
        to->rstd[p] *= SCALE;
    }
    return end;
}
