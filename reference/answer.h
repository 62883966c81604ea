/* SPDX-License-Identifier: Apache-2.0 */
/* Answers that need no arithmetic: rows without one, parameters that are no numbers. */
#ifndef ULPGATE_REFERENCE_ANSWER_H
#define ULPGATE_REFERENCE_ANSWER_H

#include <math.h>

#include "reference/format.h"
#include "reference/truth.h"

static inline void ug_answer_none(const ug_row_in *in, const ug_row_out *out)
{
    for (int64_t i = 0; i < in->n; i++) {
        if (out->head) out->head[i] = NAN;
        if (out->tail) out->tail[i] = NAN;
        if (out->want) out->want[i] = ug_format_of(in->out)->nan;
    }
}

/* A gamma_i or beta_i that is no number: IEEE's rules on the exact xhat, of which only the sign
 * matters (Inf times 0 is NaN, and finite times anything is finite). */
static inline void ug_answer_special(const ug_format *f, int sign, float gamma, float beta,
                                     double *head, uint32_t *want)
{
    double y = (double)gamma * sign + (double)beta;
    *head = y;
    *want = isnan(y) ? f->nan : (y < 0 ? f->sign : 0) | f->infinity;
}

#endif
