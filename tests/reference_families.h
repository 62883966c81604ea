/* SPDX-License-Identifier: Apache-2.0 */
/* Families of rows that are hard for a reference, for tests and the benchmark.
 *
 * Each call fills x, gamma, beta and eps of one row from a seeded stream; the same seed gives the
 * same rows.
 */
#ifndef ULPGATE_TESTS_REFERENCE_FAMILIES_H
#define ULPGATE_TESTS_REFERENCE_FAMILIES_H

#include <stdint.h>

#include "reference/truth.h"

typedef struct ug_stream {
    uint64_t state;
} ug_stream;

uint64_t ug_stream_bits(ug_stream *s);
double ug_stream_uniform(ug_stream *s); /* inside (0, 1) */
double ug_stream_gaussian(ug_stream *s);
/* +-m 2^e, m in [1, 2), e uniform in [low, high] */
float ug_stream_power(ug_stream *s, int low, int high);

typedef struct ug_family_row {
    float *x, *gamma, *beta; /* room for `most` elements each, owned by the caller */
    int64_t most, n;         /* in: room; out: length */
    float eps;
    int cancel; /* out: the caller sets beta to -RN(gamma xhat) */
} ug_family_row;

typedef struct ug_family {
    const char *name;
    void (*make)(ug_stream *s, ug_family_row *row);
} ug_family;

extern const ug_family ug_families[];
extern const int ug_family_count;

#endif
