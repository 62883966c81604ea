/* SPDX-License-Identifier: Apache-2.0 */
/* The worker's part of a bench: memory that is larger than the cache, launches recorded over it,
 * their replay. */
#ifndef ULPGATE_WORKER_BENCH_H
#define ULPGATE_WORKER_BENCH_H

#include "audit/worker/serve.h"

enum { UG_BENCH_SETS = 256, UG_BENCH_SLOTS = 512 };

/* What is recorded over all sets: a kernel's launches, or copies of x to y. */
typedef struct ug_bench_slot {
    const ug_kernel *kernel; /* NULL: a copy */
    int way;                 /* of copying */
    ug_args args;            /* of the launch on set 0 */
    ug_profile profile;
    char profile_name[32];
    char *workspace;
    void *graph; /* NULL: launched one by one */
} ug_bench_slot;

typedef struct ug_bench {
    const ug_space *space;   /* NULL: host memory */
    const ug_timing *timing; /* NULL: the host's clock */
    void *stream;
    uint32_t sets, slots;
    char *x[UG_BENCH_SETS], *y[UG_BENCH_SETS]; /* element (0, 0) lies x_skew, y_skew behind */
    size_t x_skew, y_skew, copy_bytes;
    char *gamma, *beta; /* element 0 lies gamma_skew, beta_skew behind */
    size_t gamma_skew, beta_skew;
    char *mean, *rstd;
    ug_bench_slot slot[UG_BENCH_SLOTS];
} ug_bench;

/* Does one of the bench commands; what it says stands in the wire. */
ug_answer ug_bench_serve(ug_server *server);

/* Allocates and fills the sets for the rows that wire->bench and wire->launch name. Returns 0, or
 * -1 with wire->message; the caller closes either way. */
int ug_bench_open(ug_bench *bench, ug_server *server);
void ug_bench_close(ug_bench *bench);

/* Copies the arena's rows of y, mean and rstd to the first set, or back. Returns 0, or -1 with
 * wire->message. */
int ug_bench_push(ug_bench *bench, ug_server *server);
int ug_bench_pull(ug_bench *bench, ug_server *server);

/* Memory of the space, or of the host; NULL with err. */
char *ug_bench_take(const ug_bench *bench, size_t bytes, char *err, size_t cap);
void ug_bench_give(const ug_bench *bench, char *memory);

#endif
