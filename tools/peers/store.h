/* SPDX-License-Identifier: Apache-2.0 */
/* Recorded inputs and the answers to them, by what a row and its parameters are. */
#ifndef ULPGATE_PEERS_STORE_H
#define ULPGATE_PEERS_STORE_H

#include "ulpgate/kernel.h"

enum { UG_PEERS_MAX = 32, UG_PEER_NAME = 48 };

typedef struct ug_peer {
    char name[UG_PEER_NAME]; /* of its folder */
    uint32_t dtypes;         /* bit mask of 1u << ug_dtype that it has answers for */
} ug_peer;

/* Names the peers in FOLDER/outputs, sorted, and the dtypes of their answers; returns how many. */
size_t ug_store_peers(const char *folder, ug_peer peers[UG_PEERS_MAX]);

/* Writes the launch's rows, each once, to FOLDER/inputs, in a file named by what they are; a file
 * that is there is left alone. Returns 0, or -1 with args->message. */
int ug_store_record(const char *folder, ug_args *args);

/* Copies the peer's answers into y, all of them or none. Returns 0, or -1 with args->message: a row
 * without an answer. */
int ug_store_replay(const char *folder, const ug_peer *peer, ug_args *args);

/* What identifies a row: its bits, gamma, beta, eps, the types. `params` is that of the launch. */
uint64_t ug_store_params(const ug_args *args);
uint64_t ug_store_row(uint64_t params, const void *bits, size_t bytes);

#endif
