/* SPDX-License-Identifier: Apache-2.0 */
/* Between the files that read and write a case's text. Functions return 0, or -1 with *error. */
#ifndef ULPGATE_CASES_SYNTAX_H
#define ULPGATE_CASES_SYNTAX_H

#include "cases/text.h"

/* The keys, in canonical order; UG_KEY_OFFSET is only read. */
typedef enum ug_key {
    UG_KEY_ALIAS,
    UG_KEY_BATCH,
    UG_KEY_BETA,
    UG_KEY_BOFFSET,
    UG_KEY_COLPERIOD,
    UG_KEY_DATA,
    UG_KEY_DTYPE,
    UG_KEY_EPS,
    UG_KEY_GAMMA,
    UG_KEY_GOFFSET,
    UG_KEY_N,
    UG_KEY_PROFILE,
    UG_KEY_ROWPERIOD,
    UG_KEY_ROWS,
    UG_KEY_SEED,
    UG_KEY_SPECIAL,
    UG_KEY_SPECIALROW,
    UG_KEY_STATS,
    UG_KEY_WDTYPE,
    UG_KEY_XCOL,
    UG_KEY_XOFFSET,
    UG_KEY_XSTRIDE,
    UG_KEY_YCOL,
    UG_KEY_YOFFSET,
    UG_KEY_YSTRIDE,
    UG_KEY_OFFSET,
    UG_KEY_COUNT
} ug_key;

/* How a key is written and which member it fills; `kind` of UG_KIND_INT keys are int64_t in
 * [least, most]. */
typedef enum ug_key_kind { UG_KIND_INT, UG_KIND_OTHER } ug_key_kind;

typedef struct ug_key_info {
    const char *name;
    ug_key_kind kind;
    size_t at; /* offset in ug_case */
    int64_t initial, least, most;
} ug_key_info;

extern const ug_key_info ug_keys[UG_KEY_COUNT];

/* Largest count of bytes from the first to the last element of an operand. */
#define UG_EXTENT_MAX ((int64_t)1 << 46)

/* Every key at its default, strides unresolved (-1). */
void ug_case_defaults(ug_case *c);

/* Ranges and contradictions between keys; column[k] is the place of key k, 0 when it is absent.
 * Resolves strides. */
int ug_case_check(ug_case *c, const int column[UG_KEY_COUNT], ug_case_error *error);

/* allowed: UG_GEN_DATA or UG_GEN_PARAM. */
int ug_gen_parse(ug_span text, unsigned allowed, ug_gen *gen, ug_case_error *error);
int ug_gen_format(const ug_gen *gen, char *text, size_t cap); /* length, or -1 */
int ug_gen_same(const ug_gen *a, const ug_gen *b);

/* c->dtype must be set: max, min and subnormal are those of the dtype. */
int ug_special_parse(ug_span text, ug_case *c, ug_case_error *error);
int ug_special_format(const ug_case *c, char *text, size_t cap);

#endif
