/* SPDX-License-Identifier: Apache-2.0 */
/* The generators: what may stand behind data=, gamma= and beta=, and how their values are made.
 *
 * Values are doubles, made from Philox words by integer arithmetic and by IEEE binary64 operations
 * in the order written (no libm, no contraction), and rounded once to the dtype by ug_narrow.
 */
#ifndef ULPGATE_CASES_GENERATE_H
#define ULPGATE_CASES_GENERATE_H

#include "cases/case.h"
#include "cases/philox.h"

/* Streams: the same seed gives independent values to each operand. */
typedef enum ug_stream {
    UG_STREAM_DATA = 0,
    UG_STREAM_GAMMA = 1,
    UG_STREAM_BETA = 2,
    UG_STREAM_ROW = 8 /* added: what holds for a whole row (its scale, the place of its spike) */
} ug_stream;

enum {
    UG_ARG_INT = 1u << 0,       /* an integer */
    UG_ARG_NONFINITE = 1u << 1, /* nan, inf and -inf too */
    UG_ARG_PLACE = 1u << 2      /* a column, or first, middle, last */
};

enum {
    UG_GEN_DATA = 1u << 0,  /* may stand behind data= */
    UG_GEN_PARAM = 1u << 1, /* may stand behind gamma= and beta= */
    UG_GEN_FILE = 1u << 2,  /* first argument a path, then tensor=NAME */
    UG_GEN_NIST = 1u << 3,  /* first argument the name of a data set */
    UG_GEN_NONE = 1u << 4   /* the operand is absent */
};

typedef struct ug_gen_arg {
    const char *name; /* NULL: no further argument */
    double initial, least, most;
    unsigned flags;
} ug_gen_arg;

/* Where values are wanted: `count` columns from `first` of row `row`. */
typedef struct ug_gen_at {
    const ug_gen *gen;
    ug_dtype dtype;
    int64_t n, row, first;
    int count;
    uint64_t seed;
    int stream;
} ug_gen_at;

typedef struct ug_gen_kind {
    const char *name, *summary;
    unsigned flags;
    ug_gen_arg arg[UG_CASE_ARGS];
    void (*fill)(const ug_gen_at *at, double *value); /* NULL: file, nist, none */
} ug_gen_kind;

const ug_gen_kind *ug_gen_kind_at(int index); /* NULL past the last */
int ug_gen_kind_find(const char *name);       /* -1 when there is none */

/* A generator call with every argument at its default. */
ug_gen ug_gen_default(int kind);

/* The four Philox words of (seed, stream, row, index): the key is the seed; the counter is index,
 * 48 bits, with the stream in the 16 bits above, then row. */
ug_philox ug_gen_words(uint64_t seed, int stream, int64_t row, int64_t index);

/* filler.c: pairs that sum to 2m, and powers of two for gamma and beta. */
void ug_fill_exactsum(const ug_gen_at *at, double *value);
void ug_fill_powers(const ug_gen_at *at, double *value);

/* Normal-like deviate in units of 2^-27 from 64 random bits: the inverse distribution function,
 * linear between nodes, so that the density is a staircase within 3 % of the normal one up to 6
 * sigma. Symmetric, |z| < 6.5. */
int64_t ug_normal_from_bits(uint64_t bits);

/* v rounded once to the dtype, to nearest even, widened to float. */
float ug_narrow(ug_dtype t, double v);

/* The column a place stands for in a row of n, UG_AT_TAIL and UG_AT_ALL excepted. */
int64_t ug_place_column(int64_t place, int64_t n);

#endif
