/* SPDX-License-Identifier: Apache-2.0 */
/* Reads a gate's text: clauses joined by commas, a name alone or name=limit. */
#include "audit/gate.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "audit/audit.h"

static const char *const names[UG_GATE_KINDS] = {"bound", "sound", "faithful", "exact", "ulp",
                                                 "abs",   "term",  "cond",     "row",   "nmse"};

const char *ug_gate_name(ug_gate_kind kind) { return names[kind]; }

static int parse_clause(const char *at, size_t length, ug_gate *gate, const char *text, char *err,
                        size_t cap)
{
    size_t name = strcspn(at, "=,");
    const char *number = at + name + 1;
    char *end;
    int kind = 0;
    double limit = 0;
    while (kind < UG_GATE_KINDS && !(strlen(names[kind]) == name && !memcmp(names[kind], at, name)))
        kind++;
    if (kind == UG_GATE_KINDS) {
        snprintf(err, cap,
                 "gate '%s': found '%.*s', expected bound, sound, faithful, exact, or one of ulp, "
                 "abs, term, cond, row, nmse with =LIMIT",
                 text, (int)length, at);
        return -1;
    }
    if (kind < UG_GATE_ULP && name != length) {
        snprintf(err, cap, "gate '%s': found '%.*s', expected '%s' alone: it takes no limit", text,
                 (int)length, at, names[kind]);
        return -1;
    }
    if (kind >= UG_GATE_ULP) {
        int digit = name < length && (isdigit((unsigned char)*number) || *number == '.');
        limit = digit ? strtod(number, &end) : NAN;
        if (!digit || end != at + length || !isfinite(limit)) {
            snprintf(err, cap, "gate '%s': found '%.*s', expected %s=LIMIT with a number >= 0",
                     text, (int)length, at, names[kind]);
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
