/* SPDX-License-Identifier: Apache-2.0 */
/* What all structures share: the operands of a launch as the kernel sees them, and the arithmetic
 * of a row once its elements can be visited. */
#ifndef ULPGATE_CUDA_LAYERNORM_CUH
#define ULPGATE_CUDA_LAYERNORM_CUH

#include <math.h>

#include "cuda/element.cuh"
#include "cuda/plan.h"
#include "cuda/reduce.cuh"

/* For asking whether a type has a member. */
template <typename...> struct ug_any_type {
    using type = void;
};

struct ug_rows {
    const void *x;
    void *y;
    const void *gamma, *beta; /* NULL: 1 and 0 */
    float *mean, *rstd;       /* NULL: not wanted */
    long long rows, n, x_stride, y_stride;
    float eps;
    bool wide;        /* gamma and beta are float, whatever x is */
    bool staged;      /* the row is kept in shared memory */
    bool aligned;     /* four elements may be moved at once */
    bool approx;      /* rsqrtf instead of the correctly rounded root; device only */
    bool straight;    /* every row of y begins on a multiple of 16 bytes */
    bool whole;       /* gamma and beta may be read 16 bytes at a time */
    double inverse;   /* 1 / n */
    unsigned zero[2]; /* 0, which the compiler does not know */
};

/* Has the cache of the device brought row r, if there is one, of whole vectors on multiples of 16
 * bytes; by one of those who share it. */
template <typename T>
__device__ __forceinline__ void ug_ask_for_row(const ug_rows &a, long long r, bool mine)
{
    if (mine && r < a.rows)
        ug_prefetch_kept(static_cast<const T *>(a.x) + r * a.x_stride, (unsigned)(a.n * sizeof(T)));
}

/* What a variance finds. The mean is whatever ug_affine() can subtract, and converts to the float
 * that a caller sees. */
struct ug_moments {
    float mean, var;
};

/* A mean in two parts, subtracted one after the other, so that the difference is rounded relative
 * to itself and not to the mean. */
struct ug_steps {
    float first, second;
    __device__ __forceinline__ float of(float x) const
    {
        return __fsub_rn(__fsub_rn(x, first), second);
    }
    __device__ __forceinline__ operator float() const { return __fadd_rn(first, second); }
};

struct ug_step_moments {
    ug_steps mean;
    float var;
};

/* What common practice computes: variances whose mean and variance are one float each. */
template <typename V> constexpr bool ug_by_floats = V::kind <= UG_VAR_WELFORD;

/* s / n, rounded once. Not __fdiv_rn(), of which compilers know less: this becomes a product where
 * n is known to be a power of two, with the same bits. */
__device__ __forceinline__ float ug_over(float s, float n) { return s / n; }
__device__ __forceinline__ double ug_over(double s, double n) { return s / n; }

__device__ __forceinline__ float ug_nan() { return __fdiv_rn(0.0f, 0.0f); }
__device__ __forceinline__ ug_moments ug_no_moments(ug_moments *) { return {ug_nan(), ug_nan()}; }
__device__ __forceinline__ ug_step_moments ug_no_moments(ug_step_moments *)
{
    return {{ug_nan(), ug_nan()}, ug_nan()};
}

/* Mean and variance of a row by variance V. An empty row has neither: NaN, also where the clamp of
 * a variance would hide it. */
template <typename V, typename Row>
__device__ __forceinline__ auto ug_row_moments(const Row &row, long long n)
    -> decltype(V::moments(row, 0.0f))
{
    if (n == 0) return ug_no_moments((decltype(V::moments(row, 0.0f)) *)nullptr);
    return V::moments(row, (float)n);
}

/* 1 / sqrt(v + eps): one rounding in the sum, one in the root (rsqrtf: 2.15 u, numerics of the
 * approximate unit). */
__device__ __forceinline__ float ug_rstd(const ug_rows &a, float var)
{
    const float v = __fadd_rn(var, a.eps);
#ifdef __CUDACC__
    if (a.approx) return rsqrtf(v);
#endif
    return __frsqrt_rn(v);
}

__device__ __forceinline__ void ug_keep_stats(const ug_rows &a, long long r, float mean, float rstd)
{
    if (threadIdx.x != 0) return;
    if (a.mean) a.mean[r] = mean;
    if (a.rstd) a.rstd[r] = rstd;
}

template <typename T>
__device__ __forceinline__ float ug_param(const void *p, bool wide, long long i, float absent)
{
    if (!p) return absent;
    return wide ? static_cast<const float *>(p)[i] : ug_widen(static_cast<const T *>(p)[i]);
}

/* fma(gamma, (x - mean) * rstd, beta): three roundings, then one more into a 16-bit type. */
__device__ __forceinline__ float ug_affine(float x, float mean, float rstd, float gamma, float beta)
{
    return __fmaf_rn(gamma, __fmul_rn(__fsub_rn(x, mean), rstd), beta);
}

/* The same with a mean in two parts: one rounding more. */
__device__ __forceinline__ float ug_affine(float x, ug_steps mean, float rstd, float gamma,
                                           float beta)
{
    return __fmaf_rn(gamma, __fmul_rn(mean.of(x), rstd), beta);
}

/* v, of which the compiler does not know where it came from, `zero` being 0: what was made of it is
 * made again, as there are no registers to keep it. */
__device__ __forceinline__ double ug_anew(double v, unsigned zero)
{
    return __longlong_as_double(__double_as_longlong(v) ^ (long long)zero);
}

/* Scales whose results take so much code that held.cuh has it once, in a loop. */
template <typename R> constexpr bool ug_rolls = false;

/* A float whose rounding into T is the result; says so where it cannot be sure of that. */
template <typename T> __device__ __forceinline__ float ug_settle(float v, bool *) { return v; }

template <typename T, typename M, typename R>
__device__ __forceinline__ auto ug_normalise(const ug_rows &a, float x, M mean, R rstd, long long i)
{
    return ug_affine(x, mean, rstd, ug_param<T>(a.gamma, a.wide, i, 1.0f),
                     ug_param<T>(a.beta, a.wide, i, 0.0f));
}

#endif
