/* SPDX-License-Identifier: Apache-2.0 */
/* Two results files of the same kernels, before and after: what got worse, by the rule of
 * docs/reports.md. */
#ifndef ULPGATE_REPORT_DIFF_H
#define ULPGATE_REPORT_DIFF_H

#include "report/report.h"
#include "report/table.h"

/* What may be said of a (case, kernel). Those of UG_DIFF_WORSE make it worse, others are notes. */
enum {
    UG_DIFF_VERDICT = 1 << 0, /* a worse verdict */
    UG_DIFF_JUDGED = 1 << 1,  /* passed bound or sound and no longer does */
    UG_DIFF_INPUTS = 1 << 2,  /* the inputs are not the same bits */
    UG_DIFF_BITS = 1 << 3,    /* the outputs are not */
    UG_DIFF_GREW = 1 << 4,    /* cond or bound grew past the rule's allowance */
    UG_DIFF_GONE = 1 << 5,    /* only the old side has it */
    UG_DIFF_WORSE = (1 << 6) - 1,
    UG_DIFF_FREE = 1 << 6,     /* bits differ and may */
    UG_DIFF_MORE = 1 << 7,     /* an error grew within the allowance */
    UG_DIFF_LESS = 1 << 8,     /* an error shrank */
    UG_DIFF_BETTER = 1 << 9,   /* a better verdict, or sound or bound now pass */
    UG_DIFF_TIGHTER = 1 << 10, /* the bound of the same element is smaller */
    UG_DIFF_LOOSER = 1 << 11,
    UG_DIFF_NEW = 1 << 12, /* only the new side has it */
    UG_DIFF_KINDS = 13
};

typedef struct ug_diff_item {
    const ug_rec *was, *is; /* NULL on the side that lacks it */
    unsigned what;
    int counts;                  /* 0: a yardstick, or left out by --common */
    int64_t row, col;            /* the first that differs, -1: not known */
    double old_value, new_value; /* of that element */
} ug_diff_item;

typedef struct ug_diff_kernel {
    const char *kernel;
    int yardstick;
    int64_t cases, worse, kind[UG_DIFF_KINDS]; /* cases: on both sides */
} ug_diff_kernel;

/* One fact of the surroundings that differs; "" where a side lacks it. */
typedef struct ug_diff_fact {
    char what[96];
    const char *was, *is;
} ug_diff_fact;

typedef struct ug_diff_options {
    const char *const *any_bits; /* globs of kernels whose bits may differ; none: "*rsqrtf*" */
    size_t any_bits_count;
    int common;             /* leave out what only one side has */
    const char *outputs[2]; /* folders of --keep-outputs, old and new, or NULL */
} ug_diff_options;

typedef struct ug_diff {
    const ug_results *results;
    ug_diff_item *item; /* those with something to say, the worst first */
    size_t items, worse;
    ug_diff_kernel *kernel; /* in order of first appearance */
    size_t kernels;
    ug_diff_fact *fact;
    size_t facts;
    int64_t matched, cases; /* (case, kernel) pairs on both sides; cases among them */
} ug_diff;

/* results holds two files: the old and the new. Returns 0, or -1 when out of memory; free in both
 * cases. */
int ug_diff_make(const ug_results *results, const ug_diff_options *options, ug_diff *diff);
void ug_diff_free(ug_diff *diff);

/* Facts of the surroundings that differ. */
int ug_diff_surroundings(const ug_results *results, ug_diff *diff);

/* Fills row, col and values of an item whose bits differ, as far as they are known. */
void ug_diff_locate(const ug_diff_options *options, ug_diff_item *item);

/* What an item says, in one line: first what makes it worse. */
void ug_diff_text(const ug_diff_item *item, char *text, size_t cap);

typedef enum ug_diff_format { UG_DIFF_TEXT, UG_DIFF_MD, UG_DIFF_HTML } ug_diff_format;

/* `failures`: worse cases listed at most, 0: 20. Returns 0, or -1 when out of memory. */
int ug_diff_print(const ug_diff *diff, ug_diff_format format, const ug_report_options *options,
                  FILE *out);

/* Writes the results of one file in the compact form of a baseline: a line a case. Returns 0, or -1
 * with err. */
int ug_baseline_write(const ug_results *results, int run, FILE *out, char *err, size_t cap);

#endif
