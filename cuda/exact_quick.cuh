/* SPDX-License-Identifier: Apache-2.0 */
/* `exact` at the price of one double for each float: right, or in doubt.
 *
 * u = 2^-24, u' = 2^-53, c elements a thread, L levels, N elements. With S = hi + lo:
 *
 *   a = fl(fl(N x - hi) - lo),   w = fl(fl(a s) gamma + beta),   s = 1 / (N sqrt(q / N^3 + eps)).
 *
 * S. A thread adds floats; the error of each addition is a float and goes into a double. Where that
 * double sum rounds at all, some element of the thread is below c^2 2^-53 of its largest, X, which
 * makes v at least X^2 / (2 N); S is then off by N c^2 2^-77 X, and gamma xhat by
 * |gamma| c^2 2^-76.5 sqrt(N). Joins of pairs add 2^-101 kappa, below 2^-64 as kappa < 2^37. So the
 * error in S is worth |gamma| slack, slack = c^2 2^-76 sqrt(N) + 2^-64.
 *
 * q = sum (N x - hi)^2 - N lo^2 = sum A^2, as sum A = 0: terms of one sign with 3 roundings each
 * and c + L additions. s: half of that and 5 u'. a: 3.3 u' |A| (variances/exact.cuh says why).
 *
 *   |w - y| <= ((c + L) / 2 + 10) u' |y - beta| + u' |w| + |gamma| slack
 *           <= E = 2^-47 (|w| + |beta|) + |gamma| slack      for c + L <= 100
 *
 * An element is in doubt where w - E and w + E round to different values.
 *
 * Float. That is asked only where a cheap look leaves it open: w within 2^18 of its own spacings
 * (2^-35 |w| at least) of the middle of two floats, or |y| below 2^-10 |beta| + 2^37 slack |gamma|,
 * or below the normal floats. Elsewhere E <= 2^-47 (1 + 2^10) |w| + 2^-37 |w| < 2^-35 |w|.
 *
 * Narrow types. The look decides: within 2^24 spacings (2^-29 |w|) of a middle, |y| below
 * 2^-17 |beta| + 2^37 slack |gamma| or below the normal numbers. Elsewhere E <= 2^-47 (1 + 2^17)
 * |w| + 2^-31 |w| < 2^-29 |w|. About one element in 10^5 is in doubt.
 */
#ifndef ULPGATE_CUDA_EXACT_QUICK_CUH
#define ULPGATE_CUDA_EXACT_QUICK_CUH

#include "cuda/exact.cuh"

struct ug_quick_sum {
    double hi, lo, n;
    __device__ __forceinline__ operator float() const
    {
        return __double2float_rn(__ddiv_rn(hi, n));
    }
};

/* sum A^2 */
struct ug_quick_spread {
    double sum;
    static __device__ ug_quick_spread neutral() { return {0.0}; }
};

__device__ __forceinline__ ug_quick_spread join(ug_quick_spread a, ug_quick_spread b)
{
    return {__dadd_rn(a.sum, b.sum)};
}

struct ug_quick_moments {
    ug_quick_sum mean;
    ug_quick_spread var;
};

__device__ __forceinline__ ug_quick_moments ug_no_moments(ug_quick_moments *)
{
    const double none = (double)ug_nan();
    return {{none, none, none}, {none}};
}

struct ug_quick_scale {
    double s, rstd;
    float slack; /* times 2^37 */
    __device__ __forceinline__ operator float() const { return __double2float_rn(rstd); }
    /* Not a number: in the row, or because its sum of floats passed the largest one. */
    __device__ __forceinline__ bool lost() const { return !(rstd >= 0.0); }
};

/* 1 / sqrt(v) within 0.51 ulp: a float's root, then one step of third order. v = f 4^k. */
__device__ __forceinline__ double ug_double_rsqrt(double v)
{
    if (!(v >= 0x1p-1000 && v <= 0x1p1000)) return __ddiv_rn(1.0, __dsqrt_rn(v));
    const long long bits = __double_as_longlong(v), k = ((bits >> 52) - 1023) >> 1;
    const double f = __longlong_as_double(bits - k * 2 * (1LL << 52));
    const double r = (double)__frsqrt_rn(__double2float_rn(f));
    const double h = __fma_rn(-f, __dmul_rn(r, r), 1.0);
    const double root = __fma_rn(__dmul_rn(r, h), __fma_rn(h, 0.375, 0.5), r);
    return __dmul_rn(root, __longlong_as_double((1023 - k) << 52));
}

__device__ __forceinline__ ug_quick_scale ug_rstd(const ug_rows &a, ug_quick_spread q)
{
    const double per_n2 = __dmul_rn(__dmul_rn(q.sum, a.inverse), a.inverse);
    const double rstd = ug_double_rsqrt(__fma_rn(per_n2, a.inverse, (double)a.eps));
    return {__dmul_rn(rstd, a.inverse), rstd, a.slack};
}

struct ug_quick_value {
    double w;
    float gamma, beta, slack;
};

__device__ __forceinline__ ug_quick_value ug_affine(float x, ug_quick_sum mean, ug_quick_scale s,
                                                    float gamma, float beta)
{
    const double a = __dsub_rn(__fma_rn(mean.n, (double)x, -mean.hi), mean.lo);
    return {__fma_rn(__dmul_rn(a, s.s), (double)gamma, (double)beta), gamma, beta, s.slack};
}

/* Whether w - E and w + E are different floats. Not asked for a row, a gamma or a beta that is no
 * number. */
__device__ __forceinline__ bool ug_in_doubt(ug_quick_value v)
{
    if (!(fabs(v.w) < 0x1p1000)) return false;
    const double e = __fma_rn(0x1p-47, __dadd_rn(fabs(v.w), fabs((double)v.beta)),
                              __dmul_rn(fabs((double)v.gamma), 0x1p-37 * (double)v.slack));
    return __double2float_rn(__dsub_rn(v.w, e)) != __double2float_rn(__dadd_rn(v.w, e));
}

/* 32 bits of w from the first one that is rounded off: the middle of two narrow numbers is 2^31. */
__device__ __forceinline__ unsigned ug_cut_off(double w, int bits)
{
    const unsigned long long b = (unsigned long long)__double_as_longlong(w);
    return __funnelshift_l((unsigned)b, (unsigned)(b >> 32), (unsigned)(64 - bits));
}

__device__ __forceinline__ float ug_least(ug_quick_value v, float beta, float normal)
{
    return __fmaf_rn(fabsf(v.beta), beta, __fmaf_rn(fabsf(v.gamma), v.slack, normal));
}

__device__ __forceinline__ bool ug_doubtful(ug_quick_value v, float y, float *)
{
    const unsigned rest = (unsigned)__double_as_longlong(v.w) & 0x1fffffffu;
    const float least = ug_least(v, 0x1p-10f, 0x1p-126f);
    if (rest - (0x10000000u - 0x40000u) >= 0x80000u && fabsf(y) >= least) return false;
    return ug_in_doubt(v);
}

/* Bits that a narrow type rounds off, and its smallest normal number. */
__device__ __forceinline__ int ug_bits_off(__half *) { return 42; }
__device__ __forceinline__ int ug_bits_off(__nv_bfloat16 *) { return 45; }
__device__ __forceinline__ float ug_smallest(__half *) { return 0x1p-14f; }
__device__ __forceinline__ float ug_smallest(__nv_bfloat16 *) { return 0x1p-126f; }

template <typename T> __device__ __forceinline__ bool ug_doubtful(ug_quick_value v, float y, T *t)
{
    const unsigned rest = ug_cut_off(v.w, ug_bits_off(t));
    const float least = ug_least(v, 0x1p-17f, ug_smallest(t));
    if (rest - (0x80000000u - 0x4000u) >= 0x8000u && fabsf(y) >= least) return false;
    return fabs(v.w) < 0x1p1000; /* as above */
}

template <typename T> __device__ __forceinline__ float ug_settle(ug_quick_value v, bool *doubt)
{
    const float y = ug_float_for<T>(v.w);
    *doubt |= ug_doubtful(v, y, (T *)nullptr);
    return y;
}

#endif
