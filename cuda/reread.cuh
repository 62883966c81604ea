/* SPDX-License-Identifier: Apache-2.0 */
/* A row that is not held: its vectors are read again for every sweep. */
#ifndef ULPGATE_CUDA_REREAD_CUH
#define ULPGATE_CUDA_REREAD_CUH

#include "cuda/held.cuh"

/* SLOTS 0: nothing is held. */
template <typename T, typename Team> struct ug_held_row<T, Team, 0> {
    static constexpr bool held = false;
    const ug_part_of<T> *part;
    Team *team;
    const T *x;
    long long n;
    float head;

    __device__ __forceinline__ void begin(const ug_part_of<T> *p, Team *t, const T *row,
                                          const ug_rows &rows)
    {
        part = p;
        team = t;
        x = row;
        n = rows.n;
        head = n > 0 ? ug_widen(x[0]) : 0.0f;
    }
    template <typename Ahead>
    __device__ __forceinline__ void begin(const ug_part_of<T> *p, Team *t, const T *row,
                                          const ug_rows &rows, const Ahead &ahead)
    {
        part = p;
        team = t;
        x = row;
        n = rows.n;
        head = ahead.head;
    }
    __device__ __forceinline__ void load(const T *) {}
    __device__ __forceinline__ float first() const { return head; }
    template <typename S> __device__ __forceinline__ S join(S s) const { return team->join(s); }

    __device__ __forceinline__ uint4 vector(unsigned k, bool whole) const
    {
        const T *p = x + part->element(k);
        return whole ? *reinterpret_cast<const uint4 *>(p) : ug_vector_gather(p);
    }

    template <typename F> __device__ __forceinline__ void visit(F f) const
    {
        const bool whole = ug_shift_of(x) == 0;
        UG_ROLLED
        for (unsigned k = part->member; k < part->count; k += part->members) {
            float e[UG_VECTOR<T>];
            ug_vector_open<T>(vector(k, whole), e);
            UG_UNROLL
            for (int i = 0; i < UG_VECTOR<T>; i++) f(e[i]);
        }
        if (part->rest) f(ug_widen(x[part->rest_element()]));
    }

    template <typename M, typename R>
    __device__ __forceinline__ bool apply(const ug_rows &a, T *y, bool wanted, M mean, R rstd) const
    {
        const bool whole = ug_shift_of(x) == 0, whole_y = ug_shift_of(y) == 0;
        bool doubt = false;
        UG_ROLLED
        for (unsigned k = part->member; k < part->count && wanted; k += part->members) {
            const long long element = part->element(k);
            const uint4 out = ug_apply_vector<T, ug_params_any<T, Team::far>>(
                a, vector(k, whole), element, mean, rstd, &doubt);
            T e[UG_VECTOR<T>], *const one = ug_unaligned(y + element);
            memcpy(e, &out, sizeof e);
            if (whole_y)
                *reinterpret_cast<uint4 *>(y + element) = out;
            else
                for (int i = 0; i < UG_VECTOR<T>; i++) one[i] = e[i];
        }
        if (part->rest && wanted) {
            const long long i = part->rest_element();
            ug_round(ug_settle<T>(ug_normalise<T>(a, ug_widen(x[i]), mean, rstd, i), &doubt),
                     y + i);
        }
        return doubt;
    }
};

#endif
