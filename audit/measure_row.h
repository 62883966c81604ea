/* SPDX-License-Identifier: Apache-2.0 */
/* What measuring one row leaves behind, and the formats' numbers that it is measured with.
 *
 * Private to the files measure*.c and class.c. A row is measured into a ug_row_work, which is small
 * enough to stay in the cache, and then merged into the case's ug_measure.
 */
#ifndef ULPGATE_MEASURE_ROW_H
#define ULPGATE_MEASURE_ROW_H

#include <math.h>

#include "audit/measure.h"
#include "ulpgate/dtype.h"

#define UG_U 0x1p-24 /* the unit of every bound: binary32's, whatever the type */

typedef struct ug_row_work {
    const ug_row_in *in;
    const ug_row_stats *stats;
    const ug_row_out *truth;
    const ug_row_bound *bound; /* NULL: no bound applies to this row */
    const void *y;
    uint32_t poison;
    ug_rounding rounding;
    double limit; /* of cond, by the gate `sound` */
    double best[UG_M_COUNT];
    int64_t at[UG_M_COUNT];
    double bound_abs; /* B_i at at[UG_M_BOUND] */
    double max_e, max_y, sum_ulp, err_sq, want_sq;
    int64_t elements, correctly_rounded, near_ties, near_tie_misses, not_exact, not_faithful, nan;
    int64_t exact_at, faithful_at; /* first such element, -1: none */
    int64_t hist[UG_HIST_BINS], classes[UG_CLASS_COUNT], class_at[UG_CLASS_COUNT];
    int blind; /* every element so far would pass as y = beta too */
} ug_row_work;

/* Fraction bits, and exponents of the smallest and largest normal binade. */
static inline int ug_fraction_bits(ug_dtype t) { return t == UG_F32 ? 23 : t == UG_F16 ? 10 : 7; }
static inline int ug_exponent_min(ug_dtype t) { return t == UG_F16 ? -14 : -126; }
static inline int ug_exponent_max(ug_dtype t) { return t == UG_F16 ? 15 : 127; }

static inline uint32_t ug_sign_bit(ug_dtype t) { return t == UG_F32 ? 0x80000000u : 0x8000u; }
static inline uint32_t ug_inf_bits(ug_dtype t)
{
    return t == UG_F32 ? 0x7f800000u : t == UG_F16 ? 0x7c00u : 0x7f80u;
}

static inline uint32_t ug_load_bits(const void *p, ug_dtype t, int64_t i)
{
    uint32_t w;
    uint16_t h;
    if (t == UG_F32) {
        memcpy(&w, (const char *)p + 4 * i, 4);
        return w;
    }
    memcpy(&h, (const char *)p + 2 * i, 2);
    return h;
}

/* The number that bits stand for; an infinity stands for the power of two past the largest finite
 * number, where a format with one more binade would go on. NaN stays NaN. */
static inline double ug_bits_value(ug_dtype t, uint32_t bits)
{
    uint32_t magnitude = bits & ~ug_sign_bit(t);
    float f;
    if (magnitude == ug_inf_bits(t)) {
        double past = t == UG_F16 ? 0x1p16 : 0x1p128;
        return bits == magnitude ? past : -past;
    }
    f = t == UG_F32   ? ug_bits_float(bits)
        : t == UG_F16 ? ug_f16_to_float((uint16_t)bits)
                      : ug_bf16_to_float((uint16_t)bits);
    return f;
}

static inline uint64_t ug_double_bits(double v)
{
    uint64_t b;
    memcpy(&b, &v, sizeof b);
    return b;
}

/* Spacing of the format in the binade of the positive double with these bits, clamped at both ends.
 */
static inline double ug_spacing_bits(ug_dtype t, uint64_t magnitude)
{
    int64_t e = (int64_t)(magnitude >> 52), low = 1023 + ug_exponent_min(t),
            high = 1023 + ug_exponent_max(t);
    uint64_t b;
    double s;
    e = e < low ? low : e;
    e = e > high ? high : e;
    b = (uint64_t)(e - ug_fraction_bits(t)) << 52;
    memcpy(&s, &b, sizeof s);
    return s;
}

static inline double ug_spacing(ug_dtype t, double magnitude)
{
    return ug_spacing_bits(t, ug_double_bits(magnitude));
}

/* Goldberg's ulp extended to the reals by Muller (INRIA RR-5504): the spacing in the binade of the
 * real number head + tail. Where head is a power of two and tail points to 0 that is the binade
 * below: the double before head lies in it. */
static inline double ug_spacing_real(ug_dtype t, double head, double tail)
{
    uint64_t magnitude = ug_double_bits(fabs(head));
    magnitude -= head > 0 ? tail < 0 : head < 0 && tail > 0;
    return ug_spacing_bits(t, magnitude);
}

/* 1 / s for a power of two s between 2^-1021 and 2^1021, without a division. */
static inline double ug_reciprocal(double s)
{
    uint64_t b = (2046ull << 52) - ug_double_bits(s);
    memcpy(&s, &b, sizeof s);
    return s;
}

/* |value - (head + tail)|: the difference's rounding error is kept (Knuth's two-sum). */
static inline double ug_distance(double value, double head, double tail)
{
    double s = value - head, back = s - value;
    double lost = (value - (s - back)) - (head + back);
    return fabs(s + (lost - tail));
}

/* Measures every element of a row whose exact answer is finite. */
void ug_sweep_row(ug_row_work *w);

/* Largest distance from another output of the same row. */
void ug_compare_row(const ug_row_work *w, const void *yardstick, double *abs, double *ulp);

/* One element whose bits or wanted bits are no finite number, or still the poison. Counts it and
 * returns 0 when there is nothing to measure; 1 when it is to be measured with the value that its
 * bits stand for; 2 when it is the wanted infinity. */
int ug_class_special(ug_row_work *w, int64_t i, uint32_t bits);

/* Counts an element's class and remembers the first place. */
void ug_class_count(ug_row_work *w, ug_class cls, int64_t i);

/* A row that holds a NaN or an infinity: counts what is finite or unwritten. */
void ug_class_nonfinite_row(ug_measure *m, int64_t row, const ug_row_in *in, const void *y,
                            uint32_t poison);

/* A row without an exact answer: counts what is unwritten, nothing else. */
void ug_class_degenerate_row(ug_measure *m, int64_t row, const ug_row_in *in, const void *y,
                             uint32_t poison);

/* The kernel's mean and rstd of one regular row; sound: the row is judged by `sound`. */
void ug_measure_stats(ug_measure *m, int64_t row, const ug_row_stats *stats,
                      const ug_row_bound *bound, int sound, const float *mean, const float *rstd);

#endif
