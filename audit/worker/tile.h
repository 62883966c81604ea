/* SPDX-License-Identifier: Apache-2.0 */
/* Launches on matrices that only the device holds. */
#ifndef ULPGATE_WORKER_TILE_H
#define ULPGATE_WORKER_TILE_H

#include "audit/worker/serve.h"

/* Device memory for wire->tile.layout. Returns 0, or -1 with wire->message. */
int ug_tile_reserve(ug_server *server);

/* One tiled launch: fills, launches, compares; leaves what it found in wire->tile. */
ug_answer ug_tile_serve(ug_server *server, ug_call *call);

#endif
