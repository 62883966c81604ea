/* SPDX-License-Identifier: Apache-2.0 */
/* What the variance `exact` is made of: N (x - mean) as a pair of doubles, its scale, and a result
 * that is rounded once into the output type. The error analysis stands in variances/exact.cuh. */
#ifndef ULPGATE_CUDA_EXACT_CUH
#define ULPGATE_CUDA_EXACT_CUH

#include "cuda/layernorm.cuh"
#include "cuda/pair.cuh"

/* Sum and count. */
struct ug_exact_mean {
    ug_dd sum;
    double n;

    /* N x - S */
    __device__ __forceinline__ ug_dd of(double x) const
    {
        const double p = __dmul_rn(n, x);
        ug_dd a;
        a.hi = ug_two_sum(p, -sum.hi, &a.lo);
        a.lo = __dadd_rn(__dsub_rn(a.lo, sum.lo), __fma_rn(n, x, -p));
        a.hi = ug_two_sum(a.hi, a.lo, &a.lo);
        return a;
    }
    __device__ __forceinline__ operator float() const
    {
        return __double2float_rn(__ddiv_rn(sum.hi, n));
    }
};

/* sum A^2 and count. */
struct ug_exact_spread {
    ug_dd sum;
    double n;
};

struct ug_exact_moments {
    ug_exact_mean mean;
    ug_exact_spread var;
};

__device__ __forceinline__ ug_exact_moments ug_no_moments(ug_exact_moments *)
{
    const double none = (double)ug_nan();
    return {{{none, none}, none}, {{none, none}, none}};
}

/* R, with N R = rstd. */
struct ug_exact_scale {
    ug_dd r;
    double n;
    __device__ __forceinline__ operator float() const
    {
        return __double2float_rn(__dmul_rn(n, r.hi));
    }
};

/* 1 / sqrt(v) from r, which is near it: one Newton step whose residual is exact. Of r's relative
 * error three halves of its square are left. */
__device__ __forceinline__ ug_dd ug_dd_rsqrt_step(ug_dd v, double r)
{
    const double p = __dmul_rn(r, r), p_rest = __fma_rn(r, r, -p);
    const double t = __dmul_rn(v.hi, p), t_rest = __fma_rn(v.hi, p, -t);
    double rest = __dsub_rn(__dsub_rn(1.0, t), t_rest);
    rest = __fma_rn(-v.hi, p_rest, __fma_rn(-v.lo, p, rest));
    return ug_dd_near(r, __dmul_rn(__dmul_rn(0.5, r), rest));
}

__device__ __forceinline__ ug_dd ug_dd_rsqrt(ug_dd v)
{
    return ug_dd_rsqrt_step(v, __ddiv_rn(1.0, __dsqrt_rn(v.hi)));
}

__device__ __forceinline__ ug_exact_scale ug_rstd(const ug_rows &a, ug_exact_spread q)
{
    const double n2 = __dmul_rn(q.n, q.n), root = __dsqrt_rn(q.n);
    const ug_dd n3 = ug_dd_mul(ug_dd{n2, __fma_rn(q.n, q.n, -n2)}, q.n);
    const ug_dd total = join(q.sum, ug_dd_mul(n3, (double)a.eps));
    const double root_rest = __ddiv_rn(__fma_rn(-root, root, q.n), __dadd_rn(root, root));
    return {ug_dd_mul(ug_dd_rsqrt(total), ug_dd{root, root_rest}), q.n};
}

/* The exact answer to about 2^-97, still to be rounded. */
struct ug_exact_value {
    ug_dd y;
};

/* Where gamma or beta is not finite, or the row, a pair is meaningless and one double says all. */
__device__ __forceinline__ ug_exact_value ug_affine(float x, ug_exact_mean mean, ug_exact_scale s,
                                                    float gamma, float beta)
{
    const ug_dd t = ug_dd_mul(mean.of(x), s.r);
    const double plain = __fma_rn(t.hi, (double)gamma, (double)beta);
    if (!(fabs(plain) < 0x1p1000)) return {{plain, 0.0}};
    const ug_dd z = ug_dd_mul(t, (double)gamma);
    double error;
    const double hi = ug_two_sum(z.hi, (double)beta, &error);
    return {ug_dd_near(hi, __dadd_rn(z.lo, error))};
}

/* hi + lo as one double, rounded to odd: of the two doubles around a number that is none, the one
 * with an odd last bit. Rounding that to nearest in fewer than 52 bits is rounding the number. */
__device__ __forceinline__ double ug_odd_double(ug_dd v)
{
    const long long bits = __double_as_longlong(v.hi);
    if (!(v.lo != 0.0) || (bits & 1)) return v.hi;
    return __longlong_as_double((v.lo > 0.0) == (v.hi > 0.0) ? bits + 1 : bits - 1);
}

/* The same from double to float. */
__device__ __forceinline__ float ug_odd_float(double v)
{
    const float f = __double2float_rz(v);
    if (!((double)f != v)) return f;
    return __uint_as_float(__float_as_uint(f) | 1u);
}

/* A float whose rounding into T is the rounding of v into T. */
template <typename T> __device__ __forceinline__ float ug_float_for(double v)
{
    return sizeof(T) < sizeof(float) ? ug_odd_float(v) : __double2float_rn(v);
}

template <typename T> __device__ __forceinline__ float ug_settle(ug_exact_value v, bool *)
{
    return ug_float_for<T>(ug_odd_double(v.y));
}

template <typename T> __device__ __forceinline__ void ug_round(ug_exact_value v, T *out)
{
    ug_round(ug_settle<T>(v, (bool *)nullptr), out);
}

#endif
