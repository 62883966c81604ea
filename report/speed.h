/* SPDX-License-Identifier: Apache-2.0 */
/* Timed kernels summed up: by case over repeated runs, and by kernel over cases, with the errors of
 * the same kernel beside its speed. */
#ifndef ULPGATE_REPORT_SPEED_H
#define ULPGATE_REPORT_SPEED_H

#include "report/report.h"
#include "report/summary.h"
#include "report/table.h"

/* A kernel on a case. Times are medians over the runs that hold it, the spread is the largest of
 * theirs; errors are the worst of them. NaN: not known. */
typedef struct ug_speed {
    const ug_rec_bench *first; /* for everything that all runs share */
    size_t case_at;            /* cases in order of first appearance */
    int runs;                  /* that timed it */
    double us, spread, gbps, share;
    double abs, ulp, cond, cr; /* of the judged rows; cr: share correctly rounded */
    int sound;                 /* 1, 0, -1: not judged */
    int fastest;               /* of its case, yardsticks aside */
} ug_speed;

/* A kernel over all cases that it was timed on. */
typedef struct ug_speed_sum {
    const char *kernel;
    int yardstick, emulated;
    int64_t cases, timed, fastest, unsound; /* unsound: cases whose judged rows failed `sound` */
    double share_geo, share_least;          /* of copy; NaN without a yardstick */
    const ug_speed *least;                  /* the case of share_least, or NULL */
    double cond, cr;                        /* worst of its judged rows */
    const ug_kernel_sum *judged;            /* results of the same kernel in the files, or NULL */
} ug_speed_sum;

typedef struct ug_speeds {
    ug_speed *item; /* by case, the fastest first, yardsticks before all, untimed ones last */
    size_t count, cases;
    ug_speed_sum *kernel; /* yardsticks first, then by share of copy */
    size_t kernels;
    int runs;     /* most runs that an item has */
    int emulated; /* some times mean nothing */
} ug_speeds;

/* Returns 0, or -1 when out of memory; free in both cases. summary: of the same results. */
int ug_speed_sums(const ug_results *results, const ug_summary *summary, ug_speeds *speeds);
void ug_speeds_free(ug_speeds *speeds);

/* "f32 4096 x 1024" into text[cap]. */
void ug_speed_case(const ug_rec *rec, char *text, size_t cap);

/* One row a kernel; one row a case and kernel, `most` kernels a case (0: all). 0, or -1 when out of
 * memory. */
int ug_speed_kernel_table(const ug_speeds *speeds, ug_table *table);
int ug_speed_case_table(const ug_speeds *speeds, size_t most, ug_table *table);

/* What has to be known beside the tables; index from 0, returns 0 past the last. */
int ug_speed_note(const ug_speeds *speeds, size_t index, char *text, size_t cap);

/* The blocks of a terminal report, or of a Markdown one; nothing when nothing was timed. */
int ug_screen_speed(const ug_results *results, const ug_summary *summary, size_t most,
                    const ug_report_options *options, FILE *out);
int ug_md_speed(const ug_results *results, const ug_summary *summary, size_t rows, FILE *out);

#endif
