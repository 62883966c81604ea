/* SPDX-License-Identifier: Apache-2.0 */
/* Carries out the judge's commands on one plugin. */
#ifndef ULPGATE_WORKER_SERVE_H
#define ULPGATE_WORKER_SERVE_H

#include "audit/worker/device.h"

typedef struct ug_server {
    ug_wire *wire;
    const ug_plugin *plugin;
    ug_arena arena;
    ug_device device;
    uint64_t generation; /* of the layout that is mapped */
    ug_profile profile;
    char profile_name[32];
    struct ug_bench *bench; /* memory and slots of a bench; NULL: none */
    ug_device large;        /* buffers of tiled launches */
} ug_server;

/* A call into the plugin. */
typedef struct ug_call {
    ug_server *server;
    const ug_kernel *kernel;
    ug_args args;
} ug_call;

/* Launches, for ug_catch; what: ug_call. Leaves status, message and path in wire. */
void ug_call_launch(void *what);

double ug_now_us(void);

/* Does wire->command and leaves the answer in wire. */
void ug_serve(ug_server *server);

#endif
