/* SPDX-License-Identifier: Apache-2.0 */
/* The properties of a case in terms of UG_CAN_*. */
#include "audit/needs.h"

#include <string.h>

#include "ulpgate/dtype.h"

enum { VECTOR = 16, GRID = 256 }; /* bytes: what an aligned base is at least, and at best */

static void need_alignment(ug_needs *needs, int64_t offset, size_t size)
{
    if (offset * (int64_t)size % VECTOR) needs->must |= UG_CAN_MISALIGNED;
    if (offset * (int64_t)size % GRID) needs->may |= UG_CAN_MISALIGNED;
}

static void need_strides(ug_needs *needs, const ug_case *c, int64_t stride, int64_t col)
{
    if (col != 1) {
        *(c->n > 1 ? &needs->must : &needs->may) |= UG_CAN_COL_STRIDE;
        needs->may |= UG_CAN_ROW_STRIDE;
    } else if (stride != c->n) {
        *(c->rows > 1 ? &needs->must : &needs->may) |= UG_CAN_ROW_STRIDE;
    }
}

void ug_needs_of(const ug_case *c, const ug_kernel_card *card, int has_gamma, int has_beta,
                 ug_needs *needs)
{
    size_t size = ug_dtype_size(c->dtype), wide = ug_dtype_size(c->wdtype);
    *needs = (ug_needs){0};
    needs->foreign = !(card->ops >> c->op & 1u) || !(card->dtypes >> c->dtype & 1u);
    need_strides(needs, c, c->xstride, c->xcol);
    need_strides(needs, c, c->ystride, c->ycol);
    need_alignment(needs, c->xoffset, size);
    need_alignment(needs, c->yoffset, size);
    if (has_gamma) need_alignment(needs, c->goffset, wide);
    if (has_beta) need_alignment(needs, c->boffset, wide);
    if (c->alias == UG_ALIAS_INPLACE) needs->must |= UG_CAN_IN_PLACE;
    if (!has_gamma) needs->must |= UG_CAN_NO_GAMMA;
    if (!has_beta) needs->must |= UG_CAN_NO_BETA;
    if (c->dtype != UG_F32 && c->wdtype == UG_F32 && (has_gamma || has_beta))
        needs->must |= UG_CAN_WIDE_PARAMS;
    if (c->rows == 0 || c->n == 0) { /* nothing to compute: accepting is no lie */
        needs->may |= needs->must;
        needs->must = 0;
    }
}

void ug_needs_text(uint32_t bits, char *text, size_t cap)
{
    static const char *const names[] = {
        "row strides", "column strides", "misaligned bases", "in place",
        "no gamma",    "no beta",        "statistics",       "float parameters beside narrow x"};
    size_t used = 0;
    snprintf(text, cap, "nothing");
    for (size_t i = 0; i < sizeof names / sizeof *names && used < cap; i++)
        if (bits >> i & 1u)
            used += (size_t)snprintf(text + used, cap - used, "%s%s", used ? ", " : "", names[i]);
}
