/* SPDX-License-Identifier: Apache-2.0 */
/* Unevaluated pairs hi + lo: sums and products whose rounding error is kept (Knuth, Dekker). */
#ifndef ULPGATE_CUDA_PAIR_CUH
#define ULPGATE_CUDA_PAIR_CUH

#include "cuda/reduce.cuh"

/* a + b = result + *error exactly, whatever their sizes, unless the sum overflows. */
__device__ __forceinline__ float ug_two_sum(float a, float b, float *error)
{
    const float s = __fadd_rn(a, b), back = __fsub_rn(s, a);
    *error = __fadd_rn(__fsub_rn(a, __fsub_rn(s, back)), __fsub_rn(b, back));
    return s;
}

__device__ __forceinline__ double ug_two_sum(double a, double b, double *error)
{
    const double s = __dadd_rn(a, b), back = __dsub_rn(s, a);
    *error = __dadd_rn(__dsub_rn(a, __dsub_rn(s, back)), __dsub_rn(b, back));
    return s;
}

/* The same for |a| >= |b| or a = 0. */
__device__ __forceinline__ double ug_quick_two_sum(double a, double b, double *error)
{
    const double s = __dadd_rn(a, b);
    *error = __dsub_rn(b, __dsub_rn(s, a));
    return s;
}

/* A sum of floats. */
struct ug_pair {
    float hi, lo;
    static __device__ ug_pair neutral() { return {0.0f, 0.0f}; }
    __device__ __forceinline__ void add(float x)
    {
        float error;
        hi = ug_two_sum(hi, x, &error);
        lo = __fadd_rn(lo, error);
    }
};

__device__ __forceinline__ ug_pair join(ug_pair a, ug_pair b)
{
    float error;
    const float hi = ug_two_sum(a.hi, b.hi, &error);
    return {hi, __fadd_rn(__fadd_rn(a.lo, b.lo), error)};
}
template <> constexpr bool UG_SWAPS<ug_pair> = true;

/* Double-double: |lo| <= ulp(hi) / 2 in what these functions return. u' = 2^-53. */
struct ug_dd {
    double hi, lo;
    static __device__ ug_dd neutral() { return {0.0, 0.0}; }
};

__device__ __forceinline__ ug_dd ug_dd_near(double a, double b)
{
    ug_dd r;
    r.hi = ug_quick_two_sum(a, b, &r.lo);
    return r;
}

/* Error below 2 u'^2 (|a| + |b|). */
__device__ __forceinline__ ug_dd join(ug_dd a, ug_dd b)
{
    double error;
    const double hi = ug_two_sum(a.hi, b.hi, &error);
    return ug_dd_near(hi, __dadd_rn(__dadd_rn(a.lo, b.lo), error));
}

/* Relative error below 4 u'^2. */
__device__ __forceinline__ ug_dd ug_dd_mul(ug_dd a, double b)
{
    const double p = __dmul_rn(a.hi, b);
    return ug_dd_near(p, __fma_rn(a.lo, b, __fma_rn(a.hi, b, -p)));
}

/* Relative error below 8 u'^2. */
__device__ __forceinline__ ug_dd ug_dd_mul(ug_dd a, ug_dd b)
{
    const double p = __dmul_rn(a.hi, b.hi);
    const double cross = __fma_rn(a.hi, b.lo, __dmul_rn(a.lo, b.hi));
    return ug_dd_near(p, __dadd_rn(__fma_rn(a.hi, b.hi, -p), cross));
}

#endif
