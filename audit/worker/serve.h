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
} ug_server;

/* Does wire->command and leaves the answer in wire. */
void ug_serve(ug_server *server);

#endif
