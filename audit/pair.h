/* SPDX-License-Identifier: Apache-2.0 */
/* The verdict on one (case, kernel) pair: three launches, their comparison, the gate. */
#ifndef ULPGATE_PAIR_H
#define ULPGATE_PAIR_H

#include "audit/trial.h"

enum { UG_LAUNCHES = 3 };

typedef struct ug_pair_in {
    const ug_subject *s;
    const ug_kernel_card *card;
    uint32_t kernel; /* index in the plugin */
    ug_client *client;
    ug_rig *rig;
    int device;                /* the plugin has a memory space of its own */
    int tiled;                 /* s holds what repeats; the device fills and compares by itself */
    const ug_profile *profile; /* or NULL */
    const char *gate;          /* or NULL */
    const void *yardstick;     /* rows * n elements of another kernel's y, or NULL */
    uint32_t threads;
    double time_limit; /* 0: the default for the case's size */
    int row_digests;
    struct ug_twins *twins; /* of this case, yardstick and gate, or NULL */
} ug_pair_in;

/* Static strings. */
typedef enum ug_pair_verdict {
    UG_PASS = 0,
    UG_FAIL,
    UG_DECLINE,
    UG_CRASH,
    UG_HANG,
    UG_ERROR,
    UG_VERDICT_COUNT
} ug_pair_verdict;

extern const char *const ug_verdict_names[UG_VERDICT_COUNT];

typedef struct ug_pair {
    ug_pair_verdict verdict;
    int stopped; /* the run is to stop: nothing else here means anything */
    char reason[UG_REASON_TEXT];
    char path[64];
    int has_geometry, measured;
    ug_geometry geometry;
    ug_measure measure; /* when measured, so is judged; reasons are valid always */
    ug_verdict judged;
    uint64_t digest, inputs;
    uint64_t *row_digests;
    size_t row_digest_count;
    double time_us;          /* -1: means nothing */
    ug_outputs outputs;      /* of the first launch, when measured */
    size_t output_bytes;     /* of outputs.y */
    char not_exchanged[128]; /* of outputs from files: what was not seen; else "" */
} ug_pair;

/* Judges; out is freed with ug_pair_free whatever came of it. */
void ug_pair_judge(const ug_pair_in *in, ug_pair *out);
void ug_pair_free(ug_pair *pair);

#endif
