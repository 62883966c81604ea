/* SPDX-License-Identifier: Apache-2.0 */
/* The run as its threads share it, and what one judge does with one case. */
#ifndef ULPGATE_JOB_H
#define ULPGATE_JOB_H

#include <pthread.h>

#include "audit/results.h"

/* Records of one case, in the order of the selection. */
typedef struct ug_slot {
    char **line; /* NULL: not made (kept from before, or the run stopped) */
    unsigned char *verdict;
    int ready;
} ug_slot;

typedef struct ug_run_state {
    const ug_run_options *options;
    const ug_selection *selection;
    const ug_reference *reference;
    size_t first_case, first_kernel; /* where the run starts: what is before is in the file */
    uint32_t threads;                /* host threads a launch may use */
    pthread_mutex_t lock;
    pthread_cond_t changed;
    ug_slot *slots;   /* one a case */
    size_t next_case; /* to be taken up */
    int stop;         /* take up nothing more */
    int running;      /* judges at work */
    char error[512];  /* why the run cannot go on; "" while it can */
} ug_run_state;

/* Thread body of a judge: takes cases until none is left. arg: ug_run_state. */
void *ug_job(void *arg);

void ug_slot_free(ug_slot *slot, size_t kernels);

/* Writes the bits of y (rows * n elements) to DIR/ID-KERNEL.bin. Returns 0, or -1 with err. */
int ug_keep_output(const char *dir, const char *id, const char *kernel, const void *y, size_t bytes,
                   char *err, size_t cap);

#endif
