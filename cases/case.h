/* SPDX-License-Identifier: Apache-2.0 */
/* A case: everything one launch is judged on, named by one line of text.
 *
 * The canonical form (sorted keys, defaults left out) is the case's id; parse and format are
 * inverse on it. Values come from a counter-based generator: any row alone, the same bits on every
 * machine. Functions that can fail return 0, or -1 with a message; nothing is allocated on failure.
 */
#ifndef ULPGATE_CASE_H
#define ULPGATE_CASE_H

#include <stddef.h>
#include <stdint.h>

#include "ulpgate/kernel.h"

enum {
    UG_CASE_TEXT = 1024,
    UG_CASE_ARGS = 4,
    UG_CASE_SPECIALS = 8,
    UG_CASE_PATH = 256,
    UG_CASE_TENSOR = 96
};

typedef enum ug_alias { UG_ALIAS_NONE = 0, UG_ALIAS_INPLACE = 1 } ug_alias;

/* Why a line was refused: line and column count from 1; column 0 when the whole line is meant. */
typedef struct ug_case_error {
    char file[UG_CASE_PATH];
    int line, column;
    char text[512];
} ug_case_error;

/* A generator call such as normal(mean=1e4,std=1): which one, and its arguments in the order the
 * generator declares them, as doubles nearest to the literals; `path` for file(...), nist(...). */
typedef struct ug_gen {
    int kind; /* index into the generator table (generate.h) */
    double arg[UG_CASE_ARGS];
    char path[UG_CASE_PATH];
    char tensor[UG_CASE_TENSOR]; /* tensor inside a .safetensors file */
} ug_gen;

/* One value written over the generated data: special=nan@3 puts NaN at column 3 of the special
 * rows. */
typedef struct ug_special {
    double value;   /* may be NaN or infinite; rounded to the case's dtype */
    int64_t column; /* >= 0, or a ug_place */
} ug_special;

enum ug_place {
    UG_AT_FIRST = -1,
    UG_AT_MIDDLE = -2,
    UG_AT_LAST = -3,
    UG_AT_TAIL = -4, /* the last n % 4 columns; the last column when n is a multiple of 4 */
    UG_AT_ALL = -5
};

typedef struct ug_case {
    ug_op op;
    ug_dtype dtype;  /* of x and y */
    ug_dtype wdtype; /* of gamma and beta: f32 (default) or dtype */
    int64_t rows, n;
    int64_t xstride, ystride; /* row strides, elements; resolved (default: n * column stride) */
    int64_t xcol, ycol;       /* column strides, elements (default 1) */
    int64_t xoffset, yoffset; /* elements from a 256-byte boundary (default 0) */
    int64_t goffset, boffset; /* likewise for gamma and beta */
    float eps;
    ug_gen gamma, beta; /* kind of "none": the operand is absent */
    ug_gen data;
    ug_special special[UG_CASE_SPECIALS];
    int specials;
    int64_t special_row; /* the row that receives them; -1: every row; default 0 */
    int64_t row_period;  /* rows repeat the first so many; 0: each is its own */
    int64_t col_period;  /* so do the columns of x, gamma and beta; divides n */
    ug_alias alias;
    int stats;     /* 1: mean and rstd are asked for (default), 0: not */
    int64_t batch; /* rows of the third launch (0: the same as rows) */
    uint64_t seed;
    char profile[32]; /* "" : whatever the run uses */
    char family[8];   /* F01..F27 of the bug log; from the suite file, not part of the id */
    char suite[32];   /* likewise */
    char tier[8];     /* smoke, default, full, huge, speed: likewise */
} ug_case;

/* Parses one line. On failure fills *error (file and line stay as the caller set them) and returns
 * -1. */
int ug_case_parse(const char *text, ug_case *c, ug_case_error *error);

/* Canonical form into text[cap]; returns its length, or -1 when cap is too small. */
int ug_case_format(const ug_case *c, char *text, size_t cap);

/* 64-bit FNV-1a of the canonical form. */
uint64_t ug_case_hash(const ug_case *c);

/* Key and resolved value of every parameter, defaults included, in canonical order. index from 0;
 * returns 0 past the last. */
int ug_case_param(const ug_case *c, int index, const char **key, char value[UG_CASE_TEXT]);

typedef struct ug_case_list {
    ug_case *item;
    size_t count, room;
} ug_case_list;

void ug_case_list_free(ug_case_list *list);

/* Appends the cases of a suite file up to and including `tier` (smoke < default < full < huge <
 * speed; the last holds what is timed, not judged row by row), in
 * file order, repeats of the same id left out. `name` is a suite's name, looked up in the data
 * directory, or a path. */
int ug_suite_load(const char *name, const char *tier, ug_case_list *list, ug_case_error *error);

/* Names of the suites in the data directory, sorted; free with ug_suite_names_free. */
int ug_suite_names(char ***names, size_t *count, char *err, size_t cap);
void ug_suite_names_free(char **names, size_t count);

/* The folder of suites and tensors: $ULPGATE_DATA, else the build's source folder, else the
 * installed one. */
const char *ug_data_dir(void);

/* Where that folder comes from, for messages that it lacks something: names ULPGATE_DATA. */
void ug_data_places(char *text, size_t cap);

/* Columns after which x, gamma and beta repeat: n where they do not. */
static inline int64_t ug_case_width(const ug_case *c)
{
    return c->col_period ? c->col_period : c->n;
}

/* The n values of one row, each already rounded to c->dtype and widened to float. `with_special` 0
 * leaves the special values out. Rows are independent: row r is the same whatever the number of
 * rows. Thread-safe. */
int ug_case_row(const ug_case *c, int64_t row, int with_special, float *x, char *err, size_t cap);

/* The n values of gamma or beta, rounded to c->wdtype and widened; returns 1 when the operand is
 * absent. */
int ug_case_gamma(const ug_case *c, float *gamma, char *err, size_t cap);
int ug_case_beta(const ug_case *c, float *beta, char *err, size_t cap);

/* Named device limits: "h200", "default", "tiny"...; NULL when there is none of that name. */
const ug_profile *ug_profile_find(const char *name);
const ug_profile *ug_profile_at(size_t index); /* NULL past the last */

#endif
