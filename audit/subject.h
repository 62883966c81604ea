/* SPDX-License-Identifier: Apache-2.0 */
/* What all kernels of one case share: its values as bits, its exact answer. */
#ifndef ULPGATE_SUBJECT_H
#define ULPGATE_SUBJECT_H

#include "cases/case.h"
#include "reference/truth.h"

typedef struct ug_subject {
    const ug_case *c;
    char id[17]; /* ug_case_hash as text */
    int64_t rows, n;
    int64_t repeats;         /* a row is these n columns so often; 1: it is what it says */
    int64_t sources;         /* rows of different data; row r has those of row r mod sources */
    size_t size, param_size; /* bytes an element of x and y, of gamma and beta */
    float *x;                /* sources * n, widened */
    void *x_bits;            /* the same in the case's dtype */
    void **clean_bits;       /* per source: the row without its special values where it has a NaN or
                                Inf, else NULL */
    float *gamma, *beta;     /* NULL when absent */
    void *gamma_bits, *beta_bits;
    ug_row_stats *stats; /* per source */
    double *head, *tail; /* sources * n */
    uint32_t *want;
    uint64_t inputs; /* digest of x, gamma and beta as bits */
} ug_subject;

/* Fills s from the case and the reference; state is the reference's, of this thread. reference
 * NULL: the values alone, no answers. Returns 0, or -1 with err; ug_subject_free is allowed in both
 * cases. */
int ug_subject_make(ug_subject *s, const ug_case *c, const ug_reference *reference, void *state,
                    char *err, size_t cap);
void ug_subject_free(ug_subject *s);

/* Likewise, but of a case whose rows or columns repeat only what does: rows = sources, and the n
 * columns of one period with the statistics of a whole row. */
int ug_subject_make_tile(ug_subject *s, const ug_case *c, const ug_reference *reference,
                         void *state, char *err, size_t cap);

static inline int64_t ug_subject_source(const ug_subject *s, int64_t row)
{
    return s->sources ? row % s->sources : 0;
}

/* Only what names the case: no row can be asked for. */
void ug_subject_name(ug_subject *s, const ug_case *c);

/* Inputs and truth of a row, for the measure. */
void ug_subject_row(const ug_subject *s, int64_t row, ug_row_in *in, ug_row_out *truth);

/* Whether 8 times the row and 64 times eps must give the same bits of y. */
int ug_scale_fits(const ug_row_stats *stats);

#endif
