/* SPDX-License-Identifier: Apache-2.0 */
/* What one (case, kernel) pair is measured by: element classes, metrics, gates.
 *
 * Pure functions of inputs, truth and outputs; no processes, no files. A measure is filled row by
 * row and then judged. Definitions: docs/metrics.md.
 */
#ifndef ULPGATE_MEASURE_H
#define ULPGATE_MEASURE_H

#include "audit/audit.h"
#include "audit/peer.h"
#include "reference/bound.h"
#include "reference/truth.h"

enum { UG_HIST_BINS = 24, UG_REASONS = 16, UG_REASON_TEXT = 200 };

typedef enum ug_class {
    UG_CLASS_OK = 0,
    UG_CLASS_NAN_MISSED,   /* NaN expected, something finite or infinite came */
    UG_CLASS_NAN_SPURIOUS, /* NaN came, a number was expected */
    UG_CLASS_INF_MISSED,
    UG_CLASS_INF_SPURIOUS,
    UG_CLASS_SIGN,      /* other sign than the exact value, both not 0 */
    UG_CLASS_FLUSHED,   /* 0 came where the rounded value is a subnormal */
    UG_CLASS_UNWRITTEN, /* still the poison that was there before the launch */
    UG_CLASS_COUNT
} ug_class;

typedef enum ug_metric {
    UG_M_ULP = 0,
    UG_M_ABS,
    UG_M_TERM,
    UG_M_COND,
    UG_M_BOUND,
    UG_M_COUNT
} ug_metric;

typedef struct ug_worst {
    double value; /* -1: no element was measured */
    int64_t row, col;
    double x, got, want, kappa;
} ug_worst;

/* What explicit limits are held against; one for regular rows, one for rows out of range. -1:
 * nothing was measured. NaN and unwritten elements count as infinite errors. */
typedef struct ug_errors {
    ug_worst worst[UG_M_COUNT];
    double err_sq, want_sq; /* sums for nmse, over elements with a finite output */
    double row_err;         /* max over rows of max e / (u max |y|) */
    int64_t nan;            /* elements that are NaN or unwritten where a number was expected */
} ug_errors;

/* Filled by ug_measure_row. Unless a comment says otherwise a field speaks of regular rows. */
typedef struct ug_measure {
    ug_dtype dtype;
    ug_bound_model model;
    ug_rounding rounding; /* set after ug_measure_begin when it is not UG_ROUND_ONCE */
    ug_promise promise;   /* likewise: added to the default gate */
    unsigned peers;       /* likewise: 1u << ug_peer for each rule to apply; see ug_gate_peers */
    int64_t n;            /* elements of the last row, all of it */
    double sound_chain;   /* c of the gate `sound` */
    double sound_limit;   /* 8 + c/4 */
    ug_errors regular, range;
    ug_worst sound_worst; /* largest cond among the rows that `sound` judges */
    double bound_abs;     /* B_i at the worst place of UG_M_BOUND */
    double sum_ulp;       /* over elements with a finite error */
    int64_t elements, correctly_rounded, near_ties, near_tie_misses, not_exact, not_faithful;
    int64_t hist[UG_HIST_BINS];
    int64_t classes[UG_CLASS_COUNT]; /* unwritten: of all rows */
    /* Of these, values in rows with eps 0 that no bound applies to, where rounding may bring the
     * variance to 0: only `sound` judges them, and of the rows that it judges: */
    int64_t loose[UG_CLASS_COUNT], loose_unsound;
    ug_worst class_first[UG_CLASS_COUNT], exact_first, faithful_first, finite_first;
    int64_t rows[UG_ROW_CLASS_COUNT];
    int64_t compared; /* rows compared bit for bit with measured ones that have the same values */
    int64_t blind, range_wrong, unjudged, all_nan_rows, finite_in_nonfinite;
    double mean_err, var_err,
        rstd_err;      /* |m^-m|/(u M1), variance implied by rstd / (u v), |r^-r|/(u r); -1: none */
    int64_t stats_bad; /* rows with mean or rstd outside the row's bound, NaN or not written */
    int64_t stats_unsound; /* likewise against the limits of `sound` */
    int64_t stats_row;     /* first row counted in either */
    double kappa_max;      /* -1: no regular row */
    double vs_abs, vs_ulp; /* distance from the yardstick's output; -1: none */
    double sound_ratio;    /* max cond / limit over judged rows; -1: none judged */
    int64_t bound_rows;    /* rows that a bound applied to */
    const char *bound_why; /* why it did not apply to the last other regular row, or NULL */
    double bound_ratio;    /* max e / B over them; -1: none */
    ug_peer_score peer[UG_PEER_COUNT]; /* of all rows, where `peers` asks for it */
    char reasons[UG_REASONS][UG_REASON_TEXT];
    int reason_count;
} ug_measure;

/* model: the kernel's declaration with this launch's geometry; geometry.threads 0 when the kernel
 * declares none (serial for the bound, n/32 for `sound`). */
void ug_measure_begin(ug_measure *m, ug_dtype dtype, const ug_bound_model *model);

/* One row. y: n contiguous elements of the dtype. truth: head, tail and want, all present. mean,
 * rstd: the kernel's, or NULL. yardstick: another kernel's y of the same row, or NULL. poison: the
 * 32- or 16-bit pattern that y, mean and rstd (32 bits: poison, or poison twice) were filled with.
 */
void ug_measure_row(ug_measure *m, int64_t row, const ug_row_in *in, const ug_row_stats *stats,
                    const ug_row_out *truth, const void *y, uint32_t poison, const float *mean,
                    const float *rstd, const void *yardstick);

/* Moves every noted place in column `from` or later `by` columns on: for rows of which only a part
 * was measured. */
void ug_measure_move(ug_measure *m, int64_t from, int64_t by);

/* Normalised mean square error: sum of squared errors over sum of y^2, 0/0 = 0. */
double ug_measure_nmse(const ug_errors *errors);

/* Appends a reason ("TAG text"); it fails the case whatever the gate, save where the tag is `note`.
 * At most UG_REASONS are kept. */
void ug_measure_reason(ug_measure *m, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

typedef struct ug_verdict {
    int pass;                   /* the gate and every reason tag considered */
    int bound_pass, sound_pass; /* 1, 0, -1: nothing to judge by it */
    char gate[128];             /* the gate that was applied, resolved */
    char reasons[UG_REASONS][UG_REASON_TEXT];
    int reason_count;
} ug_verdict;

/* The rules of other suites that a gate names, as a mask for ug_measure.peers; NULL: none. */
unsigned ug_gate_peers(const char *gate);

/* gate: as in ug_gate_check, or NULL for the default of the kernel's variance. promise rules
 * faithful/exact. */
int ug_gate_judge(const char *gate, const ug_measure *m, ug_verdict *verdict, char *err,
                  size_t cap);

#endif
