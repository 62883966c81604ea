/* SPDX-License-Identifier: Apache-2.0 */
/* A row whose vectors lie in registers, and one that is read again for every sweep: the same
 * elements of the same threads in the same order, so the same bits.
 *
 * A part of the row (all of it, or a block's share in a cluster) has vectors [first, first +
 * count); member t of M has t, t + M, t + 2 M... of these. What no vector takes (n mod E elements)
 * goes to the last part, element j to member j.
 */
#ifndef ULPGATE_CUDA_HELD_CUH
#define ULPGATE_CUDA_HELD_CUH

#include "cuda/choice.h"
#include "cuda/layernorm.cuh"
#include "cuda/vector.cuh"

/* A part of a row, as one member sees it. */
template <typename T> struct ug_part_of {
    unsigned first, count; /* vectors */
    unsigned all;          /* vectors of the whole row */
    unsigned member, members;
    bool rest; /* has element 16 / sizeof(T) all + member */

    /* Whether vector k of the part shares a word with what is not the row. */
    __device__ __forceinline__ bool edge(unsigned k) const
    {
        return first + k == 0 || first + k + 1 == all;
    }
    __device__ __forceinline__ long long element(unsigned k) const
    {
        return (long long)(first + k) * UG_VECTOR<T>;
    }
    __device__ __forceinline__ long long rest_element() const
    {
        return (long long)all * UG_VECTOR<T> + member;
    }
};

template <typename T>
__device__ __forceinline__ ug_part_of<T> ug_part(long long n, unsigned part, unsigned parts,
                                                 unsigned member, unsigned members)
{
    const unsigned all = (unsigned)((unsigned long long)n / UG_VECTOR<T>),
                   share = (all + parts - 1) / parts;
    const unsigned first = part * share < all ? part * share : all;
    const unsigned end = first + share < all ? first + share : all;
    return {first,   end - first,
            all,     member,
            members, part + 1 == parts && (long long)member < n - (long long)all * UG_VECTOR<T>};
}

/* Mean and rstd of a row, by one of those who share it. */
template <typename M, typename R>
__device__ __forceinline__ void ug_keep_row(const ug_rows &a, long long r, bool mine, M mean,
                                            R rstd)
{
    if (!mine) return;
    if (a.mean) a.mean[r] = mean;
    if (a.rstd) a.rstd[r] = rstd;
}

/* How gamma and beta are had: one of these is chosen for a row, not for every vector of it, so that
 * the loads of all vectors can be on their way together. */
template <typename T, bool FAR> struct ug_params_any {
    static __device__ __forceinline__ void load(const ug_rows &a, long long i, float gamma[],
                                                float beta[])
    {
        ug_vector_params<T, FAR>(a.gamma, a.wide, a.whole, i, 1.0f, gamma);
        ug_vector_params<T, FAR>(a.beta, a.wide, a.whole, i, 0.0f, beta);
    }
};

/* Both are there, of type P, and may be read 16 bytes at a time. */
template <typename T, typename P, bool FAR> struct ug_params_whole {
    static __device__ __forceinline__ void load(const ug_rows &a, long long i, float gamma[],
                                                float beta[])
    {
        constexpr int E = UG_VECTOR<T>, step = UG_VECTOR<P>;
        UG_UNROLL
        for (int k = 0; k < E; k += step) {
            ug_vector_param<FAR>(static_cast<const P *>(a.gamma) + i + k, true, gamma + k);
            ug_vector_param<FAR>(static_cast<const P *>(a.beta) + i + k, true, beta + k);
        }
    }
};

/* One vector of a row, from x in registers to y in memory. */
template <typename T, typename Params, typename M, typename R>
__device__ __forceinline__ uint4 ug_apply_vector(const ug_rows &a, uint4 v, long long element,
                                                 M mean, R rstd, bool *doubt)
{
    float x[UG_VECTOR<T>], gamma[UG_VECTOR<T>], beta[UG_VECTOR<T>];
    ug_vector_open<T>(v, x);
    Params::load(a, element, gamma, beta);
    UG_UNROLL
    for (int k = 0; k < UG_VECTOR<T>; k++)
        x[k] = ug_settle<T>(ug_affine(x[k], mean, rstd, gamma[k], beta[k]), doubt);
    return ug_vector_pack(x, (T *)nullptr);
}

/* Threads a block may have, and blocks a multiprocessor shall have room for: together they say how
 * many registers a thread gets; the build looks that none of these kernels spills. VECTORS: of all
 * rows that a thread has in flight. */
template <typename V, int VECTORS, bool RING>
constexpr int64_t UG_THREADS_MOST = VECTORS && !RING                     ? UG_HELD_BLOCK / 2
                                    : VECTORS || V::kind == UG_VAR_EXACT ? UG_HELD_BLOCK
                                                                         : (int64_t)UG_BLOCK_MAX;
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 900
constexpr bool UG_PAIRS_CROWD = true; /* more registers for pairs of doubles, or they spill */
#else
constexpr bool UG_PAIRS_CROWD = false;
#endif
template <typename T, typename V, int VECTORS, bool RING> constexpr int ug_blocks_least()
{
    constexpr bool pairs = V::kind == UG_VAR_EXACT;
    if (VECTORS == 0 || (pairs && UG_PAIRS_CROWD)) return 1;
    if (RING) return VECTORS > 4 || pairs || sizeof(T) < sizeof(float) ? 1 : 2;
    if (VECTORS > 6 && sizeof(T) < sizeof(float)) return 1;
    return VECTORS > 4 || pairs || (VECTORS == 4 && V::joins == 1) ? 2 : 3;
}

inline ug_status ug_block_too_large(ug_args *args, const ug_choice &choice, int64_t most)
{
    snprintf(args->message, sizeof args->message, "a block of %d threads, expected at most %d",
             choice.block, (int)most);
    return UG_DECLINED;
}

template <typename T, typename Team, int SLOTS> struct ug_held_row {
    static constexpr bool held = true, two_sums = false;
    static constexpr int slots = SLOTS;
    /* See exact_quick.cuh: 8 vectors of 8 elements and one more, 2^13 threads for a row. 3 in a
     * vector, 9 in a thread, 13 levels; 18 for squares in a thread. */
    static constexpr int additions = 25, squares = 33;
    using any_params = ug_params_any<T, Team::far>;
    const ug_part_of<T> *part;
    Team *team;
    long long n;
    float head; /* element 0 */
    T rest;
    uint4 v[SLOTS];
    double inverse; /* 1 / n */
    const unsigned *zero;
    mutable int sweep;

    __device__ __forceinline__ ug_held_row() {}

    __device__ __forceinline__ unsigned place(int k) const
    {
        return k * part->members + part->member;
    }
    /* All slots but the last two are in use: ug_choice_fit() sees to it, or to more in rings. */
    static constexpr int loose = Team::sparse ? (SLOTS > 4 ? 5 : SLOTS) : SLOTS > 2 ? 2 : 1;
    __device__ __forceinline__ bool has(int k) const
    {
        return k + loose < SLOTS || place(k) < part->count;
    }
    /* Whether the vector shares a word with what is not the row, if the row is not aligned. */
    __device__ __forceinline__ bool edge(int k) const
    {
        return (k == 0 || k + loose >= SLOTS) && part->edge(place(k));
    }

    __device__ __forceinline__ void start(const ug_part_of<T> *p, Team *t, const ug_rows &rows)
    {
        part = p;
        team = t;
        n = rows.n;
        inverse = rows.inverse;
        zero = rows.zero;
        sweep = 0;
    }

    /* What is not in a vector. */
    __device__ __forceinline__ void begin(const ug_part_of<T> *p, Team *t, const T *x,
                                          const ug_rows &rows)
    {
        start(p, t, rows);
        head = n > 0 ? ug_widen(x[0]) : 0.0f;
        if (part->rest) rest = x[part->rest_element()];
    }

    template <typename Ahead>
    __device__ __forceinline__ void begin(const ug_part_of<T> *p, Team *t, const T *,
                                          const ug_rows &rows, const Ahead &ahead)
    {
        start(p, t, rows);
        head = ahead.head;
        rest = ahead.rest;
    }

    __device__ __forceinline__ void load(const T *x)
    {
        const unsigned shift = ug_shift_of(x);
        const T *own = x + part->element(part->member);
        if (shift == 0) {
            UG_UNROLL
            for (int k = 0; k < SLOTS; k++)
                if (has(k))
                    v[k] = ug_load_stream(reinterpret_cast<const uint4 *>(
                        own + (long long)k * UG_VECTOR<T> * part->members));
        } else {
            UG_UNROLL
            for (int k = 0; k < SLOTS; k++)
                if (has(k))
                    v[k] = ug_vector_load(own + (long long)k * UG_VECTOR<T> * part->members, shift,
                                          edge(k));
        }
    }

    __device__ __forceinline__ float first() const { return head; }
    template <typename S> __device__ __forceinline__ S join(S s) const { return team->join(s); }

    template <typename F> __device__ __forceinline__ void visit(F f) const
    {
        visit_vectors([&](const auto &e) {
            UG_UNROLL
            for (auto x : e) f(x);
        });
    }

    /* f takes an array: the elements of a vector, or a single one. */
    template <typename F> __device__ __forceinline__ void visit_vectors(F f) const
    {
        const int turn = sweep++;
        UG_UNROLL
        for (int k = 0; k < SLOTS; k++)
            if (has(k)) open(packed(k, turn), f);
        open_rest(f);
    }

    /* The same of x - first, in doubles. */
    template <typename F> __device__ __forceinline__ void visit_from(double first, F f) const
    {
        visit_vectors([&](const auto &x) {
            constexpr int count = sizeof x / sizeof *x;
            double d[count];
            UG_UNROLL
            for (int k = 0; k < count; k++) d[k] = __dsub_rn((double)x[k], first);
            f(d);
        });
    }

    __device__ __forceinline__ double anew(double x) const { return ug_anew(x, zero[1]); }

    /* Elements of 16 bits stay packed between sweeps, as floats they would take twice the
     * registers: the compiler does not know that these words are zero. */
    __device__ __forceinline__ uint4 packed(int k, int turn) const
    {
        if (sizeof(T) == sizeof(float) || SLOTS < 4 || turn == 0) return v[k];
        const unsigned z = zero[turn % 2];
        return {v[k].x ^ z, v[k].y ^ z, v[k].z ^ z, v[k].w ^ z};
    }

    template <typename F> __device__ __forceinline__ void open(uint4 x, F &&f) const
    {
        float e[UG_VECTOR<T>];
        ug_vector_open<T>(x, e);
        f(e);
    }

    template <typename F> __device__ __forceinline__ void open_rest(F &&f) const
    {
        if (!part->rest) return;
        const float e[1] = {ug_widen(rest)};
        f(e);
    }

    /* For ug_aside_row. */
    using vector = uint4;
    __device__ __forceinline__ void put_aside(uint4 to[]) const
    {
        UG_UNROLL
        for (int k = 0; k < SLOTS; k++) to[k] = v[k];
    }
    __device__ __forceinline__ long long element(int k) const { return part->element(place(k)); }
    template <typename M, typename R>
    __device__ __forceinline__ void put_again(const ug_rows &a, T *y, bool wanted, int k, uint4 x,
                                              M mean, R rstd) const
    {
        bool doubt = false;
        put<any_params, false>(a, y, wanted, k, x, mean, rstd, &doubt);
    }

    /* STRAIGHT: the row of y begins on a multiple of 16 bytes. */
    template <typename Params, bool STRAIGHT, typename M, typename R>
    __device__ __forceinline__ void put(const ug_rows &a, T *y, bool wanted, int k, uint4 x, M mean,
                                        R rstd, bool *doubt) const
    {
        const long long element = part->element(place(k));
        if (has(k)) x = ug_apply_vector<T, Params>(a, x, element, mean, rstd, doubt);
        if constexpr (STRAIGHT) {
            if (has(k) && wanted) ug_store_stream(reinterpret_cast<uint4 *>(y + element), x);
        } else {
            const unsigned lanes = part->members < UG_WARP ? part->members : UG_WARP;
            const unsigned lane = part->member % lanes;
            ug_vector_store(y + element, x, ug_shift_of(y), has(k) && wanted, lane == 0,
                            lane + 1 == lanes || place(k) + 1 == part->count);
        }
    }

    template <typename M, typename R>
    __device__ __forceinline__ void put_rest(const ug_rows &a, T *y, bool wanted, M mean, R rstd,
                                             bool *doubt) const
    {
        if (!part->rest) return;
        const long long i = part->rest_element();
        const float value = ug_settle<T>(ug_normalise<T>(a, ug_widen(rest), mean, rstd, i), doubt);
        if (wanted) ug_round(value, y + i);
    }

    template <typename Params, bool STRAIGHT, typename M, typename R>
    __device__ __forceinline__ bool apply_as(const ug_rows &a, T *y, bool wanted, M mean, R rstd)
    {
        bool doubt = false;
        const int turn = sweep++;
        if constexpr (ug_rolls<R>) {
            uint4 aside[SLOTS];
            put_aside(aside);
            UG_ROLLED
            for (int k = 0; k < SLOTS; k++)
                put<Params, STRAIGHT>(a, y, wanted, k, aside[k], mean, rstd, &doubt);
        } else {
            UG_UNROLL
            for (int k = 0; k < SLOTS; k++)
                put<Params, STRAIGHT>(a, y, wanted, k, packed(k, turn), mean, rstd, &doubt);
        }
        put_rest(a, y, wanted, mean, rstd, &doubt);
        return doubt;
    }

    template <typename Params, typename M, typename R>
    __device__ __forceinline__ bool apply_with(const ug_rows &a, T *y, bool wanted, M mean, R rstd)
    {
        /* Rows of one warp may differ in where they begin; its lanes must not part here. */
        if (part->members < UG_WARP ? a.straight : ug_shift_of(y) == 0)
            return apply_as<Params, true>(a, y, wanted, mean, rstd);
        return apply_as<Params, false>(a, y, wanted, mean, rstd);
    }

    /* Writes the row to y, if `wanted`. Returns whether a value was in doubt. */
    template <typename M, typename R>
    __device__ __forceinline__ bool apply(const ug_rows &a, T *y, bool wanted, M mean, R rstd)
    {
        constexpr bool far = Team::far;
        if (!(a.gamma && a.beta && a.whole))
            return apply_as<any_params, false>(a, y, wanted, mean, rstd);
        if (sizeof(T) < sizeof(float) && a.wide)
            return apply_with<ug_params_whole<T, float, far>>(a, y, wanted, mean, rstd);
        return apply_with<ug_params_whole<T, T, far>>(a, y, wanted, mean, rstd);
    }
};

/* A held row whose vectors were put aside into memory of the thread, so that a loop goes over them
 * with one copy of its body, and with its registers free. For what is seldom done. */
template <typename Row> struct ug_aside_row {
    const Row &row;
    long long n;
    const typename Row::vector *v; /* Row::slots of them */

    __device__ __forceinline__ float first() const { return row.first(); }
    template <typename S> __device__ __forceinline__ S join(S s) const { return row.join(s); }

    /* f(k, i, elements) for every vector k of a set of slots, from element i on, and f(Row::slots,
     * i, element) for what is in none. */
    template <typename F> __device__ __forceinline__ void visit_slots(F f, unsigned set = ~0u) const
    {
        UG_ROLLED
        for (int k = 0; k < Row::slots; k++)
            if ((set >> k & 1) && row.has(k))
                row.open(v[k], [&](const auto &e) { f(k, row.element(k), e); });
        row.open_rest([&](const auto &e) { f(Row::slots, row.part->rest_element(), e); });
    }

    template <typename F> __device__ __forceinline__ void visit(F f) const
    {
        visit_slots([&](int, long long, const auto &e) {
            UG_UNROLL
            for (auto x : e) f(x);
        });
    }

    /* As Row::apply(), for a set of slots that is the same in all lanes of a warp: bit k for vector
     * k, bit Row::slots for what is in none. */
    template <typename T, typename M, typename R>
    __device__ __forceinline__ void apply(const ug_rows &a, T *y, bool wanted, M mean, R rstd,
                                          unsigned slots) const
    {
        bool doubt = false;
        UG_ROLLED
        for (int k = 0; k < Row::slots; k++)
            if (slots >> k & 1) row.put_again(a, y, wanted, k, v[k], mean, rstd);
        if (slots >> Row::slots & 1) row.put_rest(a, y, wanted, mean, rstd, &doubt);
    }
};

#endif
