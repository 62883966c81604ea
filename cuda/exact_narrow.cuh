/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of 16-bit elements for exact_rows.cuh. They lie in registers as they come.
 *
 * A multiprocessor converts 16 numbers a clock between floats and doubles. Here four elements come
 * in that time at the speed of a copy, of which x is wanted twice, gamma, beta and y once: twenty.
 * So x gets along without. The bits of a float, sign apart three places further down, are those of
 * a double that is 2^-896 of it: zeros and subnormal numbers as well, as these have the exponent 0
 * in both. From there x - K is one fused multiplication and addition, rounded once. Infinity and
 * NaN become numbers of 2^128 and more; a variance of 2^240 says that the row may have some, and
 * the row is lost: it has the sums of variances/exact.cuh, which know them.
 */
#ifndef ULPGATE_CUDA_EXACT_NARROW_CUH
#define ULPGATE_CUDA_EXACT_NARROW_CUH

#include "cuda/exact_again.cuh"

/* 2^-896 of the float with these bits, of which the last 13 are 0. */
__device__ __forceinline__ double ug_far_below(uint32_t bits)
{
    const uint32_t high = (uint32_t)((int32_t)bits >> 3) & 0x8fffffffu;
    return __longlong_as_double((long long)((unsigned long long)high << 32));
}

/* ug_odd_float() for numbers that are normal floats, with one conversion less: cut off, with the
 * last bit set if anything was. */
__device__ __forceinline__ float ug_cut_float(double w)
{
    const float f = __double2float_rz(w);
    const unsigned rest = (unsigned)__double_as_longlong(w) & 0x1fffffffu;
    return __uint_as_float(__float_as_uint(f) | (rest ? 1u : 0u));
}

/* The cheap look of exact_quick.cuh at several results together: with the smallest of them, the
 * least distance and the largest of what these are compared with. It leaves open little more, as
 * what is looked for is 2^16 and more times rarer than with floats. */
template <typename T> struct ug_narrow_look {
    /* A float nearest to w rounds as w does unless it is the middle of two numbers itself, where w
     * is within half its last place: so much in 2^-32 of a spacing of T. That is in doubt as well,
     * but for __half, of which it is too often: these are cut off and have the last bit set if
     * anything was, which is right always. */
    static constexpr bool cut = ug_bits_off((T *)nullptr) < 45;
    static constexpr uint32_t least = cut ? 1 : (1u << 15) + 1;
    uint32_t nearest = 0xffffffffu;
    float size = INFINITY, weight = 0.0f;

    __device__ __forceinline__ float settle(ug_quick_value v)
    {
        const float y = cut ? ug_cut_float(v.w) : __double2float_rn(v.w);
        const int from = ug_from_middle(v.w, (T *)nullptr);
        const uint32_t far = (uint32_t)(from < 0 ? -(int64_t)from : from);
        nearest = far < nearest ? far : nearest;
        size = fminf(size, fabsf(y));
        weight = fmaxf(weight, __fmaf_rn(fabsf(v.beta), v.relative, fabsf(v.gamma)));
        return y;
    }

    __device__ __forceinline__ bool doubt(ug_quick_scale s) const
    {
        const float distance = __fmul_rn((float)(nearest - 1), ug_distance_unit((T *)nullptr));
        const float h = __fmaf_rn(__fmaf_rn(distance, s.per_look, -s.relative), size, -0x1p-101f);
        return !(nearest > least && h > weight && size >= ug_smallest((T *)nullptr));
    }
};

template <typename T, int MEMBERS, int SLOTS>
struct ug_exact_narrow : ug_exact_place<T, MEMBERS, SLOTS> {
    using base = ug_exact_place<T, MEMBERS, SLOTS>;
    using element_type = T;
    static constexpr int members = MEMBERS, slots = SLOTS;
    static constexpr bool asks = true, spreads = false, asks_ahead = false;
    static constexpr bool notes = false, warms = false;
    static constexpr bool half = ug_narrow_look<T>::cut;
    static constexpr int registers = UG_PAIRS_CROWD ? 88 : half ? 80 : 64;
    static constexpr int blocks = 65536 / registers / MEMBERS; /* on a multiprocessor */
    double inverse;                                            /* 1 / n */
    float head;
    unsigned zero; /* 0, which the compiler does not know */
    mutable uint4 kept[SLOTS];

    /* In a vector, whose halves are added one after the other, a thread, and for the levels. */
    static constexpr int levels = 5 + 3;
    static constexpr bool two_sums = true;
    static constexpr int additions = levels + SLOTS + 3;
    static constexpr int squares = 2 * SLOTS + 2 + levels;

    __device__ __forceinline__ ug_exact_narrow(const ug_rows &a, const base &b)
        : base(b), inverse(a.inverse), head(b.center()), zero(a.zero[0])
    {
        const uint4 *from = reinterpret_cast<const uint4 *>(this->x);
        UG_UNROLL
        for (int k = 0; k < SLOTS; k++) {
            kept[k] = {0, 0, 0, 0};
            if (this->has(k)) kept[k] = ug_load_stream(from + this->place(k));
        }
    }

    /* For the compiler these are other numbers from here on: it would keep the doubles that it made
     * of them, for which there are no registers. */
    template <typename S> __device__ __forceinline__ S join(S s) const
    {
        UG_UNROLL
        for (int k = 0; k < SLOTS; k++)
            kept[k] = {kept[k].x ^ zero, kept[k].y ^ zero, kept[k].z ^ zero, kept[k].w ^ zero};
        return base::join(s);
    }

    /* A row that may have infinities or NaN is lost. */
    __device__ __forceinline__ ug_quick_moments checked(ug_quick_moments s) const
    {
        if (!(s.var.sum < 0x1p240)) s.var.sum = (double)ug_nan();
        return s;
    }

    __device__ __forceinline__ double first() const { return (double)head; }
    __device__ __forceinline__ double anew(double v) const { return v; }

    /* x - K for half a vector. */
    __device__ __forceinline__ void from_first(int k, int half, double d[4]) const
    {
        float e[base::E];
        ug_vector_open<T>(kept[k], e);
        UG_UNROLL
        for (int i = 0; i < 4; i++)
            d[i] = __fma_rn(ug_far_below(__float_as_uint(e[4 * half + i])), 0x1p896, -first());
    }
    template <typename F> __device__ __forceinline__ void visit_from(double, F f) const
    {
        UG_UNROLL
        for (int k = 0; k < SLOTS; k++) {
            UG_UNROLL
            for (int half = 0; half < 2; half++) {
                double d[4];
                from_first(k, half, d);
                if (this->has(k)) f(d);
            }
        }
    }

    /* Bit k of what is returned: a value of vector k is in doubt. */
    __device__ __forceinline__ unsigned apply(const ug_rows &a, T *y, ug_quick_scale rstd) const
    {
        unsigned doubts = 0;
        UG_UNROLL
        for (int k = 0; k < SLOTS; k++) {
            if (!this->has(k)) continue;
            ug_narrow_look<T> look;
            float gamma[base::E], beta[base::E], e[base::E];
            base::params::load(a, this->element(k), gamma, beta);
            UG_UNROLL
            for (int half = 0; half < 2; half++) {
                double d[4];
                from_first(k, half, d);
                UG_UNROLL
                for (int i = 0; i < 4; i++) {
                    const int at = 4 * half + i;
                    e[at] = look.settle(ug_quick_affine(d[i], rstd, gamma[at], beta[at]));
                }
            }
            ug_store_stream(reinterpret_cast<uint4 *>(y + this->element(k)),
                            ug_vector_pack(e, (T *)nullptr));
            doubts |= look.doubt(rstd) ? 1u << k : 0u;
        }
        return doubts;
    }
};

#endif
