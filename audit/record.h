/* SPDX-License-Identifier: Apache-2.0 */
/* The result record of one (case, kernel) pair as JSON, and how any record becomes a line of text.
 *
 * Field names and meaning: docs/results.md.
 */
#ifndef ULPGATE_RECORD_H
#define ULPGATE_RECORD_H

#include <jansson.h>

#include "audit/audit.h"
#include "audit/measure.h"

/* What a result record is made from; the caller keeps everything. */
typedef struct ug_record_in {
    const ug_case *tested;
    const ug_kernel_card *kernel;
    const char *path;            /* the code path that the kernel reported, or NULL */
    const ug_geometry *geometry; /* of this launch, or NULL when undeclared */
    const char *verdict;         /* PASS, FAIL, DECLINED, CRASH, HANG or ERROR */
    const char
        *reason; /* first reason, tag and all ("declined needs a row stride of n"), or NULL */
    const ug_measure *measure; /* NULL when nothing was measured: metrics, rows, worst are absent */
    const ug_verdict *judged;  /* likewise: gate, passes and the reasons of the gate are absent */
    int has_digest;            /* 0: neither digest is known */
    uint64_t digest, inputs;   /* of the outputs; of x, gamma and beta */
    const uint64_t *row_digests; /* row_digest_count of them, or NULL */
    size_t row_digest_count;
    double time_us;            /* negative or NaN: not measured */
    const char *not_exchanged; /* tags with ", " between them, or NULL */
} ug_record_in;

/* The record; the caller owns the reference. NULL when out of memory. */
json_t *ug_record(const ug_record_in *in);

/* One line of text without its line end, numbers in their shortest form that reads back the same;
 * the caller frees. NULL when out of memory or when `value` holds what JSON cannot. */
char *ug_record_text(const json_t *value);

/* Names as records have them; sum2, twopass... */
extern const char *const ug_variance_names[UG_VAR_COUNT];

/* A measured number as JSON: always a real; "nan", "inf", "-inf" for what is not finite. */
json_t *ug_record_number(double value);

/* "guards, repeat" as a list of strings. */
json_t *ug_record_list(const char *text);

/* A string as JSON; bytes that are no UTF-8 come out as '?', so that no message is ever lost. */
json_t *ug_record_string(const char *text);

#endif
