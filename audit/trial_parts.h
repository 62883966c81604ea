/* SPDX-License-Identifier: Apache-2.0 */
/* What the two files of a trial share. */
#ifndef ULPGATE_TRIAL_PARTS_H
#define ULPGATE_TRIAL_PARTS_H

#include "audit/trial.h"

/* Sends the launch and tells how it ended; memory is not looked at. */
ug_end ug_trial_command(ug_trial *t, const ug_launch *l);

/* A vector of `count` elements of `size` bytes as buffer b. */
void ug_trial_vector(ug_layout_in *in, ug_buffer b, int present, int64_t count, size_t size,
                     int64_t offset);

/* Lays out the device's buffers of a tiled trial. Returns 0, or -1 with err. */
int ug_trial_lay_tile(ug_trial *t, char *err, size_t cap);

/* Tells the worker of a tiled launch. */
void ug_trial_show_tile(const ug_trial *t);

#endif
