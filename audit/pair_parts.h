/* SPDX-License-Identifier: Apache-2.0 */
/* What the files that judge a pair share. */
#ifndef ULPGATE_PAIR_PARTS_H
#define ULPGATE_PAIR_PARTS_H

#include "audit/pair.h"

/* A pair at work. */
typedef struct ug_work {
    const ug_pair_in *in;
    ug_pair *out;
    ug_trial trial;
    int64_t places[UG_LAUNCHES]; /* rows of each launch */
    uint64_t workspace[UG_LAUNCHES];
    int64_t *row; /* most places: which row lies where */
    unsigned char *compared;
    ug_outputs again; /* outputs of a later launch */
} ug_work;

/* Room for the outputs of `places` rows; stats: with mean and rstd. Returns 0, or -1. */
int ug_outputs_make(ug_outputs *o, int64_t places, int64_t n, size_t size, int stats);
void ug_outputs_free(ug_outputs *o);

/* Sets the measure up by the card and the geometry of out. */
void ug_pair_begin(const ug_pair_in *in, ug_pair *out);

/* Measures out->outputs, digests them, and judges. Returns 0, or -1 with err. */
int ug_pair_measure(const ug_pair_in *in, ug_pair *out, char *err, size_t cap);

/* Its last part alone: holds the measure against the gate. */
int ug_pair_finish(const ug_pair_in *in, ug_pair *out, char *err, size_t cap);

/* Workspace and geometry for launches of w->places rows, in the shapes that w->trial has. */
ug_end ug_work_prepare(ug_work *w);

/* A reason when the reported path is none of the card's. */
void ug_work_check_path(ug_work *w);

/* 1, with the reason in w->trial.why, when neither the host nor the device can take the case. */
int ug_work_too_large(ug_work *w);

/* All of a pair whose matrices lie on the device alone. */
ug_end ug_work_tiled(ug_work *w);

/* Launch k (0, 1, 2) into `to`. */
ug_end ug_work_launch(ug_work *w, int k, uint32_t variation, int in_order, ug_outputs *to);

/* The launches after the first and their comparison with it: differences become reasons. */
ug_end ug_work_repeat(ug_work *w);

/* Place of a later launch whose outputs differ from the first launch's row, or -1. */
int64_t ug_work_difference(const ug_work *w, int64_t places);

/* Whether launch 1 may be on scaled values, and that launch, its statistics scaled back. */
int ug_work_can_scale(const ug_work *w);

/* Notes that launch k was declined, if it had the shape of the first one, which was not. */
void ug_work_note_declined(ug_work *w, int k);
ug_end ug_work_launch_scaled(ug_work *w, int k, ug_outputs *to);

/* The same rows in a plain layout, where the case's is another: differences become a reason. The
 * last launch of a pair: the trial's layout is not put back. */
ug_end ug_work_layout(ug_work *w);

/* What to make of a launch that was declined: the verdict and its reason. */
ug_end ug_work_declined(ug_work *w);

/* A reason when the kernel answered a launch that its card does not cover. */
void ug_work_check_card(ug_work *w);

#endif
