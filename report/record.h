/* SPDX-License-Identifier: Apache-2.0 */
/* JSON objects of a results file into records; used by the reader alone. */
#ifndef ULPGATE_REPORT_RECORD_H
#define ULPGATE_REPORT_RECORD_H

#include <jansson.h>

#include "report/report.h"
#include "report/strings.h"

/* Where reading stands, for messages. The first error is kept; later ones are ignored. */
typedef struct ug_reading {
    const char *file;
    long line;
    ug_strings *strings;
    char *err;
    size_t cap;
    int failed;
} ug_reading;

void ug_reading_fail(ug_reading *at, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Each returns 0, or -1 when *at has failed. `object` is a JSON object. */
int ug_record_run(ug_reading *at, const json_t *object, ug_rec_run *run);
int ug_record_result(ug_reading *at, const json_t *object, ug_rec *rec);

/* What a result says of its case, and the rest; ug_record_result takes both from one object. */
int ug_record_case(ug_reading *at, const json_t *object, ug_rec *rec);
int ug_record_outcome(ug_reading *at, const json_t *object, ug_rec *rec);

/* Whether an object has a field that ug_record_case reads. */
int ug_record_has_case(const json_t *object);

int ug_record_bench(ug_reading *at, const json_t *object, ug_rec_bench *bench);
int ug_record_end(ug_reading *at, const json_t *object, ug_rec_run *run);

/* The case of a baseline record, and the index-th kernel of its outcomes; 1 past the last. */
int ug_record_baseline(ug_reading *at, const json_t *object, size_t index, ug_rec *rec);

/* Fields of an object, shared by the kinds of record. `where` names the object in messages ("" or
 * "metrics."). Absent fields give "", -1, NaN. */
const char *ug_field_text(ug_reading *at, const json_t *object, const char *where, const char *key);
int64_t ug_field_integer(ug_reading *at, const json_t *object, const char *where, const char *key);
double ug_field_number(ug_reading *at, const json_t *object, const char *where, const char *key,
                       int *present);
const json_t *ug_field_object(ug_reading *at, const json_t *object, const char *key);

#endif
