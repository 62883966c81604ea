/* SPDX-License-Identifier: Apache-2.0 */
/* `exact` at the price of plain doubles: right, or in doubt.
 *
 * u' = 2^-53, m = mean, v = variance, K = a float near x (x[0], or the mean of the first four), M =
 * m - K, rho = sqrt(v + M^2). No element goes through more than D additions on its way into a sum,
 * and no square through more than D2; the kind of row says what these are. What is computed, with
 * one look at the row and one join:
 *
 *   d = fl(x - K),  S = sum d,  Q = sum d^2,  M^ = fl(S fl(1/N)),  V = fl(Q - S M^),
 *   r = 1 / sqrt(V / N + eps),  t = fl(d r - fl(M^ r)),  w = fl(t gamma + beta),  y = round(w).
 *
 * M^. d and D additions err by (D + 1) u' sum|x - K|, and sum|x - K| <= N rho (Cauchy and Schwarz).
 * With two roundings more, |M^ - M| <= u' ((D + 1) rho + 2 |M|). The mean does not come in.
 *
 * V = N v, as Q = N rho^2. Q has terms of one sign, 2 u' each from d: (D2 + 2) u' N rho^2. S M^ is
 * off by u' N |M| (2 (D + 1) rho + 2 |M|), V by u' of itself. So V / N is off by u' ((D2 + 2) rho^2
 * + 2 (D + 1) |M| rho + 2 M^2 + v).
 *
 * r. With theta = r |M|, p = sqrt(1 + theta^2), rho r <= p, and 2.1 u' for its argument and the
 * root, r is off by R u' of itself, R = (D2 / 2 + 1) p^2 + (D + 1) theta p + theta^2 + 2.6. theta
 * is how far K lies from the mean, in standard deviations: at most sqrt(N) where K is an element.
 * So V is right to 2^-27 at 2^19 elements, where it is worst, and terms of second order are lost in
 * the margins below. Only where V is 0 is v.
 *
 * t. d is off by u' |x - K|, which is at most u' (|xhat| + theta) / r, M^ as above, the product M^
 * r by u' theta, t by u' of itself: |t - xhat| <= (R + 2) u' |xhat| + ((D + 1) p + 4 theta) u'.
 *
 * Together, with |gamma xhat| <= |w| + |beta| but for what margins take in,
 *
 *   |w - y| <= E = u' (C (|w| + |beta|) + A |gamma|),  A = (D + 2) p + 4 theta,
 *   C = (D2 / 2 + 1) p^2 + (D + 1) theta p + theta^2 + 7.
 *
 * For p the smaller of 1 + theta^2 / 2 and 1 + theta stands in, which is more.
 *
 * Where v = 0 all of this is exact and y = beta.
 *
 * An element is in doubt where the middle of two numbers of its type is as near to w as E. For all
 * elements a cheap look is taken: f is the distance of the nearest middle in eighths of w's own
 * spacing, which is at least u' |w|. With l <= 1 / A nothing is in doubt if
 *
 *   (l f / 8 - l C) |y| >= |gamma| + l C |beta| + 2^-101.
 *
 * The last term keeps numbers below the normal floats out, where the middles lie elsewhere: l f / 8
 * < 2^24. What the cheap look leaves open is looked at again with E itself. So are mean and rstd
 * where they are wanted, K + M^ being off by u' (A / r + |m|).
 */
#ifndef ULPGATE_CUDA_EXACT_QUICK_CUH
#define ULPGATE_CUDA_EXACT_QUICK_CUH

#include "cuda/exact.cuh"

/* S and Q. */
struct ug_quick_sums {
    double sum, squares;
    static __device__ ug_quick_sums neutral() { return {0.0, 0.0}; }
};

__device__ __forceinline__ ug_quick_sums join(ug_quick_sums a, ug_quick_sums b)
{
    return {__dadd_rn(a.sum, b.sum), __dadd_rn(a.squares, b.squares)};
}

/* K and M^. */
struct ug_quick_mean {
    double first, rest;
    __device__ __forceinline__ operator double() const { return __dadd_rn(first, rest); }
    __device__ __forceinline__ operator float() const { return __double2float_rn((double)*this); }
};

/* D and D2. */
struct ug_quick_depth {
    int additions, squares;
};

/* V and M^. */
struct ug_quick_spread {
    double sum, rest;
    ug_quick_depth depth;
};

struct ug_quick_moments {
    ug_quick_mean mean;
    ug_quick_spread var;
};

__device__ __forceinline__ ug_quick_moments ug_no_moments(ug_quick_moments *)
{
    const double none = (double)ug_nan();
    return {{none, none}, {none, none, {25, 33}}};
}

struct ug_quick_scale {
    double r, shift; /* M^ r, theta in size */
    float per_look;  /* l / 8 */
    float relative;  /* l C */
    bool flat;       /* v = 0 */
    ug_quick_depth depth;
    __device__ __forceinline__ operator float() const { return __double2float_rn(r); }
    /* Not a number. */
    __device__ __forceinline__ bool lost() const { return !(r >= 0.0); }
};

template <> constexpr bool ug_rolls<ug_quick_scale> = true;

/* 1 / sqrt(v) for 2^-1000 <= v < 2^1000, and 0, within 0.51 ulp. v = f 4^k, f from 1 to 4: a first
 * guess from the bits of f that is off by at most 3.5%, three of Newton's steps in float for some
 * 2^-22 of it, and one of third order in double. */
__device__ __forceinline__ double ug_double_rsqrt(double v)
{
    const long long bits = __double_as_longlong(v), k = ((bits >> 52) - 1023) >> 1;
    const double f = __longlong_as_double(bits - k * 2 * (1LL << 52));
    const float g = __double2float_rn(f), half = __fmul_rn(g, -0.5f);
    float guess = __uint_as_float(0x5f3759dfu - (__float_as_uint(g) >> 1));
    UG_UNROLL
    for (int i = 0; i < 3; i++)
        guess = __fmul_rn(guess, __fmaf_rn(__fmul_rn(guess, half), guess, 1.5f));
    const double r = (double)guess;
    const double h = __fma_rn(-f, __dmul_rn(r, r), 1.0);
    const double root = __fma_rn(__dmul_rn(r, h), __fma_rn(h, 0.375, 0.5), r);
    const double scaled = __dmul_rn(root, __longlong_as_double((1023 - k) << 52));
    if (v == 0.0) return (double)INFINITY;
    return v > 0.0 && v < 0x1p1000 ? scaled : __longlong_as_double(0x7ff8LL << 48);
}

/* At most 1 / x and at least 0.82 of it: the tangent of 1 / m at sqrt(2), x = m 2^e. x >= 1. */
__device__ __forceinline__ float ug_below_inverse(float x)
{
    const unsigned bits = __float_as_uint(x);
    const float m = __uint_as_float((bits & 0x007fffffu) | 0x3f800000u);
    return __fmul_rn(__fmaf_rn(m, -0.5f, 0x1.6a09p0f),
                     __uint_as_float(0x7f000000u - (bits & 0x7f800000u)));
}

/* At least sqrt(1 + theta^2). */
__device__ __forceinline__ float ug_quick_p(float theta)
{
    return fminf(__fmaf_rn(__fmul_rn(theta, 0.5f), theta, 1.0f), __fadd_rn(theta, 1.0f));
}

__device__ __forceinline__ ug_quick_scale ug_rstd(const ug_rows &a, ug_quick_spread q)
{
    const double r = ug_double_rsqrt(__fma_rn(q.sum, a.inverse, (double)a.eps));
    const double shift = __dmul_rn(q.rest, r);
    const float theta = fabsf(__double2float_rn(shift)), p = ug_quick_p(theta);
    const float d = (float)q.depth.additions, half = 0.5f * (float)q.depth.squares;
    const float share = __fmaf_rn(4.0f / (d + 2.0f), theta, p); /* A / (D + 2) */
    const float per_look = __fmul_rn(0.125f / (d + 2.0f), ug_below_inverse(share));
    const float slope = __fmaf_rn(d + 1.0f, p, __fmul_rn(half + 2.0f, theta));
    const float c = __fmaf_rn(slope, theta, half + 8.0f);
    return {r, shift, per_look, __fmul_rn(8.00001f * per_look, c), q.sum == 0.0, q.depth};
}

struct ug_quick_value {
    double w, shift;
    float gamma, beta, per_look, relative;
    ug_quick_depth depth;
};

/* From x - K. */
__device__ __forceinline__ ug_quick_value ug_quick_affine(double d, ug_quick_scale s, float gamma,
                                                          float beta)
{
    const double t = __fma_rn(d, s.r, -s.shift);
    const double w = __fma_rn(t, (double)gamma, (double)beta);
    return {w, s.shift, gamma, beta, s.per_look, s.relative, s.depth};
}

__device__ __forceinline__ ug_quick_value ug_affine(float x, ug_quick_mean mean, ug_quick_scale s,
                                                    float gamma, float beta)
{
    return ug_quick_affine(__dsub_rn((double)x, mean.first), s, gamma, beta);
}

/* Bits of a double that a type rounds off, and the exponent of its smallest normal number. */
__device__ __forceinline__ constexpr int ug_bits_off(float *) { return 29; }
__device__ __forceinline__ constexpr int ug_bits_off(__half *) { return 42; }
__device__ __forceinline__ constexpr int ug_bits_off(__nv_bfloat16 *) { return 45; }
__device__ __forceinline__ constexpr int ug_least_exponent(float *) { return -126; }
__device__ __forceinline__ constexpr int ug_least_exponent(__half *) { return -14; }
__device__ __forceinline__ constexpr int ug_least_exponent(__nv_bfloat16 *) { return -126; }

/* The smallest normal number of a type. */
__device__ __forceinline__ float ug_smallest(__half *) { return 0x1p-14f; }
__device__ __forceinline__ float ug_smallest(void *) { return 0x1p-126f; }

/* Whether numbers within e of w may be rounded differently into T. In units of T's spacing at w:
 * the nearest middle of two numbers, and where w is a power of two, the one below it. */
template <typename T> __device__ __forceinline__ bool ug_near_middle(double w, double e, T *type)
{
    const double size = fabs(w);
    const int exponent = (int)(__double_as_longlong(size) >> 52) - 1023;
    const int least = ug_least_exponent(type);
    const int spacing = (exponent > least ? exponent : least) - 52 + ug_bits_off(type);
    const double per_spacing = __longlong_as_double((long long)(1023 - spacing) << 52);
    const double place = __dmul_rn(size, per_spacing), most = __dmul_rn(e, per_spacing);
    return !(most < fabs(__dsub_rn(__dsub_rn(place, floor(place)), 0.5)) && most < 0.25);
}

/* A and C, from theta. */
struct ug_quick_bound {
    double absolute, relative;
};
__device__ __forceinline__ ug_quick_bound ug_bound_of(double theta, ug_quick_depth depth)
{
    const double d = (double)depth.additions, half = 0.5 * (double)depth.squares;
    const double p = fmin(__fma_rn(0.5 * theta, theta, 1.0), __dadd_rn(theta, 1.0));
    const double slope = __fma_rn(d + 1.0, p, __dmul_rn(half + 2.0, theta));
    return {__fma_rn(d + 2.0, p, 4.0 * theta), __fma_rn(slope, theta, half + 8.0)};
}

/* By E itself. Nothing is in doubt where a row, gamma or beta is no number. */
template <typename T> __device__ __forceinline__ bool ug_in_doubt(ug_quick_value v, T *type)
{
    const double size = fabs(v.w);
    if (!(size < 0x1p1000)) return false;
    const ug_quick_bound bound = ug_bound_of(fabs(v.shift), v.depth);
    const double of_w = __dmul_rn(bound.relative, __dadd_rn(size, fabs((double)v.beta)));
    const double e = __fma_rn(bound.absolute, fabs((double)v.gamma), of_w);
    return ug_near_middle(v.w, __dmul_rn(e, 0x1p-53), type);
}

/* Distance from the nearest middle, in eighths of a spacing of w: at least so much. */
__device__ __forceinline__ float ug_distance(double w, float *)
{
    const unsigned low = (unsigned)__double_as_longlong(w);
    return fabsf((float)(int)(low * 8u + 0x80000000u));
}

/* How far w, or -w, lies above the middle of two numbers of a 16-bit type, in 2^-32 of their
 * spacing, rounded down. */
template <typename T> __device__ __forceinline__ int ug_from_middle(double w, T *t)
{
    const unsigned long long b = (unsigned long long)__double_as_longlong(w);
    const unsigned cut =
        __funnelshift_l((unsigned)b, (unsigned)(b >> 32), (unsigned)(64 - ug_bits_off(t)));
    return (int)(cut ^ 0x80000000u);
}

/* 2^-32 of a spacing of T in eighths of one of w. */
template <typename T> __device__ __forceinline__ constexpr float ug_distance_unit(T *t)
{
    return (float)(1u << (ug_bits_off(t) - 29));
}

template <typename T> __device__ __forceinline__ float ug_distance(double w, T *t)
{
    const float units = fabsf((float)ug_from_middle(w, t));
    return __fmul_rn(__fsub_rn(units, 1.0f), ug_distance_unit(t));
}

/* The cheap look at mean and rstd; sqrt(v) <= 1 / r. */
__device__ __forceinline__ bool ug_stats_to_look_at(double mean, ug_quick_scale s)
{
    const float r = __double2float_rn(s.r), m = fabsf(__double2float_rn(mean));
    const float theta = fabsf(__double2float_rn(s.shift));
    const float of_mean = __fmul_rn(__fmul_rn(ug_distance(mean, (float *)nullptr) - 64.0f, m), r);
    const float of_rstd = __fmul_rn(ug_distance(s.r, (float *)nullptr), s.per_look);
    const float a = (float)(s.depth.additions + 2) * ug_quick_p(theta) + 4.0f * theta;
    return !(of_mean >= 16.0f * a && m < 1e30f && r < 1e30f && of_rstd >= 2.0f * s.relative);
}

/* By their bounds. */
__device__ __forceinline__ bool ug_stats_in_doubt(double mean, ug_quick_scale rstd)
{
    if (rstd.flat || rstd.lost()) return false;
    const ug_quick_bound bound = ug_bound_of(fabs(rstd.shift), rstd.depth);
    const double e = __dadd_rn(__ddiv_rn(bound.absolute, rstd.r), __dmul_rn(2.0, fabs(mean)));
    if (ug_near_middle(mean, __dmul_rn(e, 0x1p-53), (float *)nullptr)) return true;
    const double relative = __dmul_rn(bound.relative, 0x1p-53);
    return ug_near_middle(rstd.r, __dmul_rn(relative, rstd.r), (float *)nullptr);
}

/* A float whose rounding into T is y, and the cheap look. */
template <typename T> __device__ __forceinline__ float ug_settle(ug_quick_value v, bool *doubt)
{
    const float y = ug_float_for<T>(v.w), size = fabsf(y);
    const float f = __fmaf_rn(ug_distance(v.w, (T *)nullptr), v.per_look, -v.relative);
    const float h = __fmaf_rn(f, size, -0x1p-101f);
    *doubt |= !(h >= __fmaf_rn(fabsf(v.beta), v.relative, fabsf(v.gamma)));
    if (sizeof(T) < sizeof(float)) *doubt |= !(size >= ug_smallest((T *)nullptr));
    return y;
}

#endif
