/* SPDX-License-Identifier: Apache-2.0 */
/* Holds a measure against a gate. Every comparison is written so that NaN fails. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "audit/gate.h"
#include "audit/measure.h"

static void add(ug_verdict *v, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void add(ug_verdict *v, const char *format, ...)
{
    va_list args;
    if (v->reason_count == UG_REASONS) return;
    va_start(args, format);
    vsnprintf(v->reasons[v->reason_count++], UG_REASON_TEXT, format, args);
    va_end(args);
}

static int tagged(const char *reason, const char *tag)
{
    size_t n = strlen(tag);
    return !strncmp(reason, tag, n) && (reason[n] == ' ' || reason[n] == 0);
}

/* What fails whatever the gate: values of a class that is never right, elements that were not
 * written, and what the judge found around the launch. Returns the number of faults. */
static int judge_always(const ug_measure *m, ug_verdict *v)
{
    static const struct {
        ug_class cls;
        const char *text;
    } faults[] = {{UG_CLASS_UNWRITTEN, "unwritten"},
                  {UG_CLASS_NAN_MISSED, "class NaN missed in"},
                  {UG_CLASS_NAN_SPURIOUS, "class NaN came in"},
                  {UG_CLASS_INF_MISSED, "class Inf missed in"},
                  {UG_CLASS_INF_SPURIOUS, "class Inf came in"}};
    int count = 0;
    for (size_t k = 0; k < sizeof faults / sizeof faults[0]; k++) {
        const ug_worst *first = &m->class_first[faults[k].cls];
        int64_t loose = m->loose[faults[k].cls];
        if (!m->classes[faults[k].cls]) continue;
        count += m->classes[faults[k].cls] > loose;
        add(v, "%s%s %lld elements, first at row %lld col %lld",
            m->classes[faults[k].cls] > loose ? "" : "note (eps 0, no bound) ", faults[k].text,
            (long long)m->classes[faults[k].cls], (long long)first->row, (long long)first->col);
    }
    if (m->finite_in_nonfinite) {
        count++;
        add(v, "class %lld finite values in rows with NaN or Inf, first %.9g at row %lld col %lld",
            (long long)m->finite_in_nonfinite, m->finite_first.got, (long long)m->finite_first.row,
            (long long)m->finite_first.col);
    }
    for (int i = 0; i < m->reason_count; i++) {
        count += !tagged(m->reasons[i], "note");
        add(v, "%s", m->reasons[i]);
    }
    return count;
}

static void add_limit(ug_verdict *v, const char *tag, const char *what, double value, double limit,
                      const ug_worst *at)
{
    add(v, "%s%s %.4g > %.4g at row %lld col %lld", tag, what, value, limit, (long long)at->row,
        (long long)at->col);
}

static void add_stats(ug_verdict *v, const char *gate, int64_t rows, int64_t first)
{
    add(v, "stats mean or rstd outside the limit of %s in %lld rows, first row %lld", gate,
        (long long)rows, (long long)first);
}

/* 1 passes, 0 fails, -1 nothing was judged. `v` NULL: no reasons wanted. */
static int judge_bound(const ug_measure *m, ug_verdict *v)
{
    const ug_geometry *g = &m->model.geometry;
    int pass = 1;
    if (g->threads > 0 && (double)g->threads * (double)g->chain < (double)m->n) {
        if (v)
            add(v,
                "bound the declared geometry, %lld threads of %lld elements, misses some of %lld",
                (long long)g->threads, (long long)g->chain, (long long)m->n);
        return 0;
    }
    if (!m->bound_rows) return -1;
    if (!(m->bound_ratio <= 1)) {
        pass = 0;
        if (v) add_limit(v, "bound", " e/B", m->bound_ratio, 1, &m->regular.worst[UG_M_BOUND]);
    }
    if (m->stats_bad) {
        pass = 0;
        if (v) add_stats(v, "bound", m->stats_bad, m->stats_row);
    }
    return pass;
}

static int judge_sound(const ug_measure *m, ug_verdict *v)
{
    int pass = m->sound_ratio < 0 ? -1 : 1;
    if (!(m->sound_ratio <= 1)) {
        pass = 0;
        if (v)
            add_limit(v, "sound", " cond", m->sound_worst.value, m->sound_limit, &m->sound_worst);
    }
    if (m->loose_unsound) {
        pass = 0;
        if (v) add(v, "sound NaN or Inf in %lld elements", (long long)m->loose_unsound);
    }
    if (m->stats_unsound) {
        pass = 0;
        if (v) add_stats(v, "sound", m->stats_unsound, m->stats_row);
    }
    return pass;
}

static int judge_promise(const ug_measure *m, ug_gate_kind kind, ug_verdict *v)
{
    int64_t misses = kind == UG_GATE_EXACT ? m->not_exact : m->not_faithful;
    const ug_worst *at = kind == UG_GATE_EXACT ? &m->exact_first : &m->faithful_first;
    if (!m->elements) return -1;
    if (misses)
        add(v, "%s %lld elements are not, first %.9g for %.17g at row %lld col %lld",
            ug_gate_name(kind), (long long)misses, at->got, at->want, (long long)at->row,
            (long long)at->col);
    return !misses;
}

/* Explicit limits hold on regular rows and on rows out of range. */
static int judge_limit(const ug_measure *m, ug_gate_kind kind, double limit, ug_verdict *v)
{
    const ug_errors *errors[2] = {&m->regular, &m->range};
    int pass = -1;
    for (int k = 0; k < 2; k++) {
        const ug_errors *e = errors[k];
        const ug_worst *at = &e->worst[kind <= UG_GATE_COND ? kind - UG_GATE_ULP : UG_M_ABS];
        double value = kind == UG_GATE_ROW    ? e->row_err
                       : kind == UG_GATE_NMSE ? ug_measure_nmse(e)
                                              : at->value;
        if (at->value == -1) continue;
        if (pass < 0) pass = 1;
        if (value <= limit && !e->nan) continue;
        pass = 0;
        add(v, "%s %.4g > %.4g, %s row %lld col %lld%s", ug_gate_name(kind),
            e->nan ? INFINITY : value, limit, kind <= UG_GATE_COND ? "at" : "largest error at",
            (long long)at->row, (long long)at->col, k ? " (a row out of range)" : "");
    }
    return pass;
}

/* The rule of another suite. */
static int judge_peer(const ug_measure *m, ug_peer peer, ug_verdict *v)
{
    char why[UG_REASON_TEXT] = "";
    int pass = ug_peer_judge(peer, &m->peer[peer], why, sizeof why);
    if (pass == 0) add(v, "%s", why);
    return pass;
}

static void note_nothing(const ug_measure *m, const char *gate, ug_verdict *v)
{
    add(v,
        "note %s judged nothing: %lld regular rows (%lld blind, %lld unjudged), %lld non-finite, "
        "%lld degenerate, %lld out of range%s%s",
        gate, (long long)m->rows[UG_ROW_REGULAR], (long long)m->blind, (long long)m->unjudged,
        (long long)m->rows[UG_ROW_NONFINITE], (long long)m->rows[UG_ROW_DEGENERATE],
        (long long)m->rows[UG_ROW_RANGE], m->bound_why ? "; no bound: " : "",
        m->bound_why ? m->bound_why : "");
}

static int judge_clause(const ug_measure *m, ug_gate_kind kind, double limit, ug_verdict *v)
{
    int pass;
    if (kind == UG_GATE_BOUND && m->model.variance == UG_VAR_UNKNOWN) {
        /* A gate that can never judge a kernel must not pass it. */
        add(v, "bound is unknown: the kernel declares no algorithm; use sound");
        return 0;
    }
    if (kind == UG_GATE_BOUND)
        pass = judge_bound(m, v);
    else if (kind == UG_GATE_SOUND)
        pass = judge_sound(m, v);
    else if (kind <= UG_GATE_EXACT)
        pass = judge_promise(m, kind, v);
    else if (kind < UG_GATE_PEER)
        pass = judge_limit(m, kind, limit, v);
    else
        pass = judge_peer(m, (ug_peer)(kind - UG_GATE_PEER), v);
    if (pass < 0) note_nothing(m, ug_gate_name(kind), v);
    if (kind == UG_GATE_BOUND && m->bound_rows && m->bound_rows < m->rows[UG_ROW_REGULAR])
        add(v, "note bound does not apply to %lld of %lld regular rows: %s",
            (long long)(m->rows[UG_ROW_REGULAR] - m->bound_rows),
            (long long)m->rows[UG_ROW_REGULAR], m->bound_why);
    return pass != 0;
}

unsigned ug_gate_peers(const char *gate)
{
    ug_gate parsed;
    char err[8];
    unsigned peers = 0;
    if (!gate || ug_gate_parse(gate, &parsed, err, sizeof err)) return 0;
    for (int i = 0; i < parsed.count; i++)
        if (parsed.clause[i].kind >= UG_GATE_PEER)
            peers |= 1u << (parsed.clause[i].kind - UG_GATE_PEER);
    return peers;
}

static void default_gate(const ug_measure *m, char *text, size_t cap)
{
    snprintf(text, cap, "%s%s", m->model.variance == UG_VAR_UNKNOWN ? "sound" : "bound",
             m->promise == UG_PROMISE_EXACT      ? ",exact"
             : m->promise == UG_PROMISE_FAITHFUL ? ",faithful"
                                                 : "");
}

int ug_gate_judge(const char *gate, const ug_measure *m, ug_verdict *verdict, char *err, size_t cap)
{
    ug_gate parsed;
    int faults;
    memset(verdict, 0, sizeof *verdict);
    if (gate && ug_gate_parse(gate, &parsed, err, cap)) return -1;
    if (gate)
        snprintf(verdict->gate, sizeof verdict->gate, "%s", gate);
    else
        default_gate(m, verdict->gate, sizeof verdict->gate);
    if (!gate && ug_gate_parse(verdict->gate, &parsed, err, cap)) return -1;
    faults = judge_always(m, verdict);
    verdict->pass = !faults;
    for (int i = 0; i < parsed.count; i++)
        verdict->pass &= judge_clause(m, parsed.clause[i].kind, parsed.clause[i].limit, verdict);
    verdict->bound_pass = faults ? 0 : judge_bound(m, NULL);
    verdict->sound_pass = faults ? 0 : judge_sound(m, NULL);
    return 0;
}
