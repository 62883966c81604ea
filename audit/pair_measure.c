/* SPDX-License-Identifier: Apache-2.0 */
/* From outputs to metrics, digests and verdict: the same for launches and for files. */
#include <stdlib.h>

#include "audit/digest.h"
#include "audit/image.h"
#include "audit/pair_parts.h"
#include "audit/twin.h"

enum { ROW_DIGESTS_MAX = 4096 };

void ug_pair_begin(const ug_pair_in *in, ug_pair *out)
{
    ug_bound_model model = {in->card->variance, {0}, in->card->rsqrt_error};
    if (out->has_geometry) model.geometry = out->geometry;
    out->inputs = in->s->inputs;
    ug_measure_begin(&out->measure, in->s->c->dtype, &model);
    out->measure.rounding = in->card->rounding;
    out->measure.promise = in->card->promise;
    out->measure.peers = ug_gate_peers(in->gate);
}

static void measure_rows(const ug_pair_in *in, ug_pair *out)
{
    const ug_subject *s = in->s;
    const ug_outputs *o = &out->outputs;
    size_t bytes = (size_t)s->n * s->size;
    for (int64_t r = 0; r < s->rows; r++) {
        const char *yard = in->yardstick;
        ug_row_in row;
        ug_row_out truth;
        ug_subject_row(s, r, &row, &truth);
        ug_measure_row(&out->measure, r, &row, &s->stats[ug_subject_source(s, r)], &truth,
                       (char *)o->y + (size_t)r * bytes, ug_poison_bits(s->c->dtype),
                       o->mean ? o->mean + r : NULL, o->rstd ? o->rstd + r : NULL,
                       yard ? yard + (size_t)r * bytes : NULL);
    }
}

static void digest_rows(const ug_pair_in *in, ug_pair *out)
{
    const ug_subject *s = in->s;
    size_t keep = !in->row_digests            ? 0
                  : s->rows < ROW_DIGESTS_MAX ? (size_t)s->rows
                                              : ROW_DIGESTS_MAX;
    out->row_digests = keep ? malloc(keep * sizeof *out->row_digests) : NULL;
    for (int64_t r = 0; r < s->rows; r++) {
        const ug_outputs *o = &out->outputs;
        uint64_t d = ug_digest_row((char *)o->y + (size_t)(r * s->n) * s->size, s->c->dtype, s->n,
                                   o->mean ? o->mean + r : NULL, o->rstd ? o->rstd + r : NULL);
        out->digest = ug_digest_join(out->digest, d);
        if (out->row_digests && (size_t)r < keep) out->row_digests[out->row_digest_count++] = d;
    }
}

int ug_pair_finish(const ug_pair_in *in, ug_pair *out, char *err, size_t cap)
{
    if (ug_gate_judge(in->gate, &out->measure, &out->judged, err, cap)) return -1;
    out->measured = 1;
    out->verdict = out->judged.pass ? UG_PASS : UG_FAIL;
    return 0;
}

int ug_pair_measure(const ug_pair_in *in, ug_pair *out, char *err, size_t cap)
{
    out->output_bytes = (size_t)(in->s->rows * in->s->n) * in->s->size;
    if (in->twins && !in->row_digests && ug_twins_find(in->twins, in, out))
        return ug_pair_finish(in, out, err, cap);
    measure_rows(in, out);
    digest_rows(in, out);
    if (in->twins) ug_twins_keep(in->twins, in, out);
    return ug_pair_finish(in, out, err, cap);
}
