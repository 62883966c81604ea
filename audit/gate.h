/* SPDX-License-Identifier: Apache-2.0 */
/* A gate's text taken apart. Private to gate*.c. */
#ifndef ULPGATE_GATE_H
#define ULPGATE_GATE_H

#include <stddef.h>

#include "audit/peer.h"

enum { UG_GATE_CLAUSES = 8, UG_GATE_TEXT = 128 };

typedef enum ug_gate_kind {
    UG_GATE_BOUND = 0,
    UG_GATE_SOUND,
    UG_GATE_FAITHFUL,
    UG_GATE_EXACT,
    UG_GATE_ULP, /* from here on: a limit, in the order of ug_metric */
    UG_GATE_ABS,
    UG_GATE_TERM,
    UG_GATE_COND,
    UG_GATE_ROW,
    UG_GATE_NMSE,
    UG_GATE_PEER, /* from here on: a peer's rule, in the order of ug_peer */
    UG_GATE_KINDS = UG_GATE_PEER + UG_PEER_COUNT
} ug_gate_kind;

typedef struct ug_gate {
    struct {
        ug_gate_kind kind;
        double limit;
    } clause[UG_GATE_CLAUSES];
    int count;
} ug_gate;

/* 0, or -1 with err. */
int ug_gate_parse(const char *text, ug_gate *gate, char *err, size_t cap);

const char *ug_gate_name(ug_gate_kind kind);

#endif
