/* SPDX-License-Identifier: Apache-2.0 */
/* One kernel on one case's buffers: prepare, launch, and what the launch did to the memory. */
#ifndef ULPGATE_TRIAL_H
#define ULPGATE_TRIAL_H

#include "audit/device_lock.h"
#include "audit/measure.h"
#include "audit/rig.h"
#include "audit/subject.h"

/* How a command ended. */
typedef enum ug_end {
    UG_END_OK = 0,
    UG_END_DECLINED, /* by the kernel, or for want of device memory */
    UG_END_ERROR,    /* the kernel or its device reported a failure, threw or made no sense */
    UG_END_CRASH,
    UG_END_HANG,
    UG_END_STOPPED /* the run is to stop */
} ug_end;

typedef struct ug_trial {
    const ug_subject *s;
    const ug_kernel_card *card;
    uint32_t kernel; /* index in the plugin */
    ug_client *client;
    ug_rig *rig;
    int device;                /* the plugin has a memory space of its own */
    const ug_profile *profile; /* or NULL */
    uint32_t threads;
    double time_limit; /* seconds a launch */
    ug_layout_in in;
    const struct ug_tile_plan *tile; /* NULL: the launch's buffers are those of the arena */
    ug_layout_in large;              /* tile: the device's buffers */
    ug_layout large_layout;
    uint32_t capture; /* tile: of the next launch, see ug_wire_tile */
    int64_t shift;
    ug_device_hold hold;                /* of the device, for buffers that fill much of it */
    const void *gamma_bits, *beta_bits; /* what lies there; NULL when absent */
    char why[UG_REASON_TEXT]; /* of the last end that is not OK; also a kernel's message */
} ug_trial;

/* Outputs of one launch, compact: places * n elements, places floats each. */
typedef struct ug_outputs {
    void *y;
    float *mean, *rstd; /* NULL when not asked for */
} ug_outputs;

typedef struct ug_launch {
    int number; /* from 0, for messages */
    uint32_t variation;
    int64_t places;     /* rows of this launch */
    const int64_t *row; /* which row of the case lies at each place */
    int clean;          /* rows with non-finite values lie there without them */
    uint64_t workspace; /* bytes the kernel asked for */
} ug_launch;

/* Shapes of the case as it is, for at most `places` rows; stats: mean and rstd are asked for. */
void ug_trial_shapes(ug_trial *t, int64_t places, int stats);

/* Shapes of a plain launch of the same size: contiguous, aligned, gamma, beta and y of their own.
 * ones: n elements of the parameters' type that stand in for what the case lacks. */
void ug_trial_plain(ug_trial *t, const void *ones);

/* Shapes of the same operands, contiguous, aligned, y of its own. */
void ug_trial_contiguous(ug_trial *t);

/* Starts a worker where there is none, lays the buffers out, and asks for workspace and geometry of
 * launches of `places` rows. */
ug_end ug_trial_prepare(ug_trial *t, int64_t places, uint64_t *workspace, ug_geometry *geometry,
                        int *has_geometry);

/* Makes room for `bytes` of workspace behind the other buffers. */
ug_end ug_trial_workspace(ug_trial *t, uint64_t bytes);

/* One launch. Changed guards, padding and inputs become reasons of m (at most one of a kind). out
 * is filled whenever the kernel answered (OK and DECLINED); time_us: of launch and synchronisation.
 */
ug_end ug_trial_launch(ug_trial *t, const ug_launch *l, ug_outputs *out, double *time_us,
                       ug_measure *m);

/* 1 when a launch that was declined left y, mean and rstd as they were. */
int ug_trial_untouched(const ug_trial *t, const ug_launch *l, const ug_outputs *out);

/* Gives large buffers back to the device, and the device to the next judge. */
void ug_trial_release(ug_trial *t);

/* Bits of the row at a place. */
const void *ug_trial_bits(const ug_trial *t, const ug_launch *l, int64_t place);

/* Adds a reason unless one of the same tag (first word) is there. */
void ug_note(ug_measure *m, const char *tag, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
