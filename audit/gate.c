/* SPDX-License-Identifier: Apache-2.0 */
/* Reads a gate's text: clauses joined by commas, a name alone or name=limit. */
#include "audit/gate.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "audit/audit.h"

static const char *const names[UG_GATE_PEER] = {"bound", "sound", "faithful", "exact", "ulp",
                                                "abs",   "term",  "cond",     "row",   "nmse"};

const char *ug_gate_name(ug_gate_kind kind)
{
    return kind < UG_GATE_PEER ? names[kind] : ug_peer_name((ug_peer)(kind - UG_GATE_PEER));
}

static int has_limit(int kind) { return kind >= UG_GATE_ULP && kind < UG_GATE_PEER; }

/* The kind that `name` of so many characters stands for, or UG_GATE_KINDS. */
static int find_kind(const char *name, size_t length)
{
    for (int kind = 0; kind < UG_GATE_KINDS; kind++) {
        const char *known = ug_gate_name((ug_gate_kind)kind);
        if (strlen(known) == length && !memcmp(known, name, length)) return kind;
    }
    return UG_GATE_KINDS;
}

static int unknown_clause(const char *at, size_t length, const char *text, char *err, size_t cap)
{
    char peers[128] = "";
    size_t used = 0;
    for (int k = 0; k < UG_PEER_COUNT && used < sizeof peers; k++)
        used += (size_t)snprintf(peers + used, sizeof peers - used, "%s%s", k ? ", " : "",
                                 ug_peer_name((ug_peer)k));
    snprintf(err, cap,
             "gate '%s': found '%.*s', expected bound, sound, faithful, exact, one of ulp, abs, "
             "term, cond, row, nmse with =LIMIT, or the rule of another suite: %s",
             text, (int)length, at, peers);
    return -1;
}

static int parse_clause(const char *at, size_t length, ug_gate *gate, const char *text, char *err,
                        size_t cap)
{
    size_t name = strcspn(at, "=,");
    const char *number = at + name + 1;
    char *end;
    int kind = find_kind(at, name);
    double limit = 0;
    if (kind == UG_GATE_KINDS) return unknown_clause(at, length, text, err, cap);
    if (!has_limit(kind) && name != length) {
        snprintf(err, cap, "gate '%s': found '%.*s', expected '%s' alone: it takes no limit", text,
                 (int)length, at, ug_gate_name((ug_gate_kind)kind));
        return -1;
    }
    if (has_limit(kind)) {
        int digit = name < length && (isdigit((unsigned char)*number) || *number == '.');
        limit = digit ? strtod(number, &end) : NAN;
        if (!digit || end != at + length || !isfinite(limit)) {
            snprintf(err, cap, "gate '%s': found '%.*s', expected %s=LIMIT with a number >= 0",
                     text, (int)length, at, ug_gate_name((ug_gate_kind)kind));
            return -1;
        }
    }
    gate->clause[gate->count].kind = (ug_gate_kind)kind;
    gate->clause[gate->count++].limit = limit;
    return 0;
}

int ug_gate_parse(const char *text, ug_gate *gate, char *err, size_t cap)
{
    const char *at = text;
    gate->count = 0;
    if (strlen(text) >= UG_GATE_TEXT) {
        snprintf(err, cap, "gate '%.40s...': found %zu characters, expected at most %d", text,
                 strlen(text), UG_GATE_TEXT - 1);
        return -1;
    }
    for (;;) {
        size_t length = strcspn(at, ",");
        if (gate->count == UG_GATE_CLAUSES) {
            snprintf(err, cap, "gate '%s': found more than %d clauses", text, UG_GATE_CLAUSES);
            return -1;
        }
        if (parse_clause(at, length, gate, text, err, cap)) return -1;
        if (!at[length]) return 0;
        at += length + 1;
    }
}

int ug_gate_check(const char *gate, char *err, size_t cap)
{
    ug_gate parsed;
    return ug_gate_parse(gate, &parsed, err, cap);
}
