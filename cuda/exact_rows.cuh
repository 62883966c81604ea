/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels for `exact` on rows of floats that are aligned and made of whole vectors, with gamma and
 * beta aligned floats, too: all that comes often.
 *
 * A row is looked at twice: for its sums, and for y. In between x - K lies in registers as doubles:
 * a multiprocessor converts 16 numbers a clock, at the speed of a copy seven for each element, and
 * x, gamma, beta and y are four. Long rows stay floats, as twice as many threads for a
 * multiprocessor are worth a fifth conversion. Either way x is read again where an element is in
 * doubt; rows that y takes the place of are left to the other kernels.
 */
#ifndef ULPGATE_CUDA_EXACT_ROWS_CUH
#define ULPGATE_CUDA_EXACT_ROWS_CUH

#include <type_traits>

#include "cuda/exact_narrow.cuh"
#include "cuda/warm.cuh"

/* A row in registers. FULL: all slots are in use. FLOATS: they hold x, otherwise x - K. BLOCKS:
 * that a multiprocessor shall have room for. */
template <int MEMBERS, int SLOTS, bool FULL, bool FLOATS, int BLOCKS>
struct ug_exact_row : ug_exact_place<float, MEMBERS, SLOTS> {
    using base = ug_exact_place<float, MEMBERS, SLOTS>;
    using element_type = float;
    static constexpr int members = MEMBERS, slots = SLOTS;
    static constexpr bool fewer = UG_PAIRS_CROWD && SLOTS == 8 && (!FLOATS || MEMBERS == 224);
    static constexpr int blocks = BLOCKS - fewer;
    /* Of those with floats some have no registers to ask for rows, or it takes them longer; short
     * rows that are to come are there soon enough. */
    static constexpr bool all_of_256 = MEMBERS == 256 && SLOTS == 8 && FULL;
    static constexpr bool asks = !FLOATS || MEMBERS == 512 || all_of_256;
    static constexpr bool spreads = asks, asks_ahead = (!FLOATS && MEMBERS > 64) || all_of_256;
    /* Gamma and beta of the longest rows take too long to come first; one has no registers. */
    static constexpr bool warms = MEMBERS < 512 && MEMBERS != 224;
    /* Whether mean or rstd may be in doubt is noted in shared memory, for want of a register; a
     * place for each thread, at an index of which compilers do not know that it is 0: they have all
     * threads read what one asks for. */
    static constexpr bool notes = !FLOATS && !base::tight;
    /* Others have no registers for it. */
    static constexpr bool last_first = !FLOATS && MEMBERS != 192;
    double inverse; /* 1 / n */
    float head;
    unsigned zero; /* 0, which the compiler does not know */
    mutable std::conditional_t<FLOATS, float, double> kept[SLOTS][4];

    /* In a vector, a thread, and for the levels of warps of 32 lanes. */
    static constexpr int levels = 5 + (MEMBERS > 256 ? 4 : 3);
    static constexpr bool two_sums = true;
    /* Gamma and beta of so long rows fill most of the multiprocessor's cache. */
    static constexpr bool past = MEMBERS * SLOTS >= 4096;
    static constexpr int additions = levels + SLOTS / 2 + 3;
    static constexpr int squares = SLOTS + 2 + levels;
    __device__ __forceinline__ bool has(int k) const { return FULL || base::has(k); }

    __device__ __forceinline__ ug_exact_row(const ug_rows &a, const base &b)
        : base(b), inverse(a.inverse), head(b.center()), zero(a.zero[0])
    {
        const uint4 *from = reinterpret_cast<const uint4 *>(this->x);
        float e[SLOTS][4];
        /* Those that may not be there first: after their branches compilers would begin with what
         * they have before they ask for the rest. */
        UG_UNROLL
        for (int i = 0; i < SLOTS; i++) {
            const int k = last_first ? SLOTS - 1 - i : i;
            uint4 word = {0, 0, 0, 0};
            if (has(k))
                word = past ? ug_load_past(from + this->place(k))
                            : ug_load_stream(from + this->place(k));
            ug_vector_open<float>(word, e[k]);
        }
        UG_UNROLL
        for (int k = 0; k < SLOTS; k++) {
            UG_UNROLL
            for (int i = 0; i < 4; i++)
                if constexpr (FLOATS)
                    kept[k][i] = e[k][i];
                else
                    kept[k][i] = __dsub_rn((double)e[k][i], (double)head);
        }
    }

    /* For the compiler floats are other numbers from here on: it would keep the doubles that it
     * made of them, for which there are no registers. */
    template <typename S> __device__ __forceinline__ S join(S s) const
    {
        if constexpr (FLOATS) {
            UG_UNROLL
            for (int k = 0; k < SLOTS; k++) {
                UG_UNROLL
                for (int i = 0; i < 4; i++)
                    kept[k][i] = __uint_as_float(__float_as_uint(kept[k][i]) ^ zero);
            }
        }
        return base::join(s);
    }

    __device__ __forceinline__ ug_quick_moments checked(ug_quick_moments s) const { return s; }
    __device__ __forceinline__ double first() const { return (double)head; }
    __device__ __forceinline__ double anew(double v) const { return v; }
    __device__ __forceinline__ double from_first(int k, int i) const
    {
        if constexpr (FLOATS) return __dsub_rn((double)kept[k][i], (double)head);
        return kept[k][i];
    }
    template <typename F> __device__ __forceinline__ void visit_from(double, F f) const
    {
        UG_UNROLL
        for (int k = 0; k < SLOTS; k++) {
            const double d[4] = {from_first(k, 0), from_first(k, 1), from_first(k, 2),
                                 from_first(k, 3)};
            if (has(k)) f(d);
        }
    }

    /* Bit k of what is returned: a value of vector k is in doubt. */
    __device__ __forceinline__ unsigned apply(const ug_rows &a, float *y, ug_quick_scale rstd)
    {
        unsigned doubts = 0;
        UG_UNROLL
        for (int k = 0; k < SLOTS; k++) {
            if (!has(k)) continue;
            bool doubt = false;
            float gamma[4], beta[4], e[4];
            base::params::load(a, this->element(k), gamma, beta);
            UG_UNROLL
            for (int i = 0; i < 4; i++)
                e[i] = ug_settle<float>(ug_quick_affine(from_first(k, i), rstd, gamma[i], beta[i]),
                                        &doubt);
            ug_store_stream(reinterpret_cast<uint4 *>(y + this->element(k)), ug_vector_pack(e, y));
            doubts |= doubt ? 1u << k : 0u;
        }
        return doubts;
    }
};

/* Gamma and beta for a block whose threads have SLOTS vectors each. */
template <int SLOTS> __device__ __forceinline__ uint32_t ug_exact_warm(const ug_rows &a)
{
    constexpr int times = (SLOTS + 1) / 2; /* 32 bytes are two vectors */
    const unsigned bytes = (unsigned)a.n * (unsigned)sizeof(float);
    return ug_warm<times>(a.gamma, bytes) | ug_warm<times>(a.beta, bytes);
}

/* A block for each row; x and y are apart. */
template <typename V, typename Row>
__global__ void __launch_bounds__(Row::members, Row::blocks)
    ug_exact_rows(ug_overlapped<ug_rows> later)
{
    using T = typename Row::element_type;
    constexpr int MEMBERS = Row::members;
    const long long r = blockIdx.x;
    const bool lead = threadIdx.x == 0;
    if constexpr (Row::asks)
        later.template meanwhile<true>([&](const ug_rows &b) { ug_ask_for_row<T>(b, r, lead); });
    const ug_rows a = later.wait();
    if constexpr (Row::spreads) later.spread();
    const ug_part_of<T> part = ug_part<T>(a.n, 0, 1, threadIdx.x, MEMBERS);
    ug_exact_team<MEMBERS> team = {0};
    uint32_t read = 0;
    if constexpr (Row::warms) {
        if (later.first_on_its_own()) read = ug_exact_warm<Row::slots>(a);
    }
    Row row(a, {&part, &team, static_cast<const T *>(a.x) + r * a.x_stride, a.n});
    /* The row that will come where this one ends. */
    if constexpr (Row::asks_ahead) ug_ask_for_row<T>(a, r + later.ahead(), lead);
    if constexpr (Row::warms) ug_warmed(read);
    const ug_quick_moments s = row.checked(V::quick::moments(row, (float)a.n));
    const ug_quick_scale rstd = ug_rstd(a, s.var);
    ug_keep_row(a, r, lead, s.mean, rstd);
    bool stats = lead && (a.mean || a.rstd);
    UG_SHARED(bool, noted, Row::notes ? MEMBERS : 1);
    if constexpr (Row::notes) {
        if (stats) noted[threadIdx.x ^ a.zero[1]] = ug_stats_to_look_at((double)s.mean, rstd);
    } else {
        if (!Row::tight) stats = stats && ug_stats_to_look_at((double)s.mean, rstd);
    }
    unsigned doubts = row.apply(a, static_cast<T *>(a.y) + r * a.y_stride, rstd);
    if (rstd.flat || rstd.lost()) doubts = 0;
    if constexpr (Row::notes) stats = lead && (a.mean || a.rstd) && noted[threadIdx.x ^ a.zero[1]];
    if (team.any(doubts || stats || rstd.lost()))
        ug_exact_write_again<T, V, MEMBERS, Row::slots>(a, r, rstd, doubts, stats);
}

template <typename V, typename Row>
ug_status ug_exact_hold(ug_args *args, const ug_plan &plan, const ug_rows &rows)
{
    const ug_shape shape = {rows.rows, Row::members, 0, plan.limits};
    const auto kernel = ug_exact_rows<V, Row>;
    return ug_start(args, shape, kernel,
                    ug_overlapped<ug_rows>(rows, ug_early<Row::asks>(shape, kernel)));
}

/* Of floats. */
template <typename V>
ug_status ug_exact_start_wide(ug_args *args, const ug_plan &plan, const ug_rows &rows,
                              const ug_choice &choice)
{
    const bool full = rows.n == 4LL * choice.members * choice.slots;
    switch (choice.members / 32 * 16 + choice.slots) {
#define UG_EXACT_ROW(MEMBERS, SLOTS, FULL, FLOATS, BLOCKS)                                         \
    ug_exact_hold<V, ug_exact_row<MEMBERS, SLOTS, FULL, FLOATS, BLOCKS>>(args, plan, rows)
#define UG_EXACT_CASE(WARPS, SLOTS, BLOCKS)                                                        \
    case (WARPS)*16 + (SLOTS):                                                                     \
        return UG_EXACT_ROW(32 * (WARPS), SLOTS, false, false, BLOCKS);
#define UG_EXACT_FLOATS(WARPS, BLOCKS)                                                             \
    case (WARPS)*16 + 8:                                                                           \
        return full ? UG_EXACT_ROW(32 * (WARPS), 8, true, true, BLOCKS)                            \
                    : UG_EXACT_ROW(32 * (WARPS), 8, false, true, BLOCKS);
        UG_EXACT_CASE(1, 4, 28)
        UG_EXACT_CASE(2, 4, 16)
        UG_EXACT_CASE(3, 4, 10)
        UG_EXACT_CASE(4, 4, 8)
        UG_EXACT_CASE(3, 6, 8)
        UG_EXACT_CASE(3, 8, 6)
        UG_EXACT_CASE(4, 8, 5)
        UG_EXACT_CASE(5, 8, 4)
        UG_EXACT_CASE(6, 8, 3)
        UG_EXACT_FLOATS(7, 4)
        UG_EXACT_FLOATS(8, 3)
    case 8 * 16 + 6:
        if (!full) return UG_DECLINED;
        return UG_EXACT_ROW(256, 6, true, true, 4);
    case 16 * 16 + 8:
        if (!full) return UG_DECLINED;
        return UG_EXACT_ROW(512, 8, true, true, 2);
    default:
        return UG_DECLINED;
    }
}

/* Of 16-bit elements. */
template <typename T, typename V>
ug_status ug_exact_start_narrow(ug_args *args, const ug_plan &plan, const ug_rows &rows,
                                const ug_choice &choice)
{
    if (choice.slots != 4) return UG_DECLINED;
    switch (choice.members / 32) {
#define UG_EXACT_NARROW(WARPS)                                                                     \
    case WARPS:                                                                                    \
        return ug_exact_hold<V, ug_exact_narrow<T, 32 * (WARPS), 4>>(args, plan, rows);
        UG_EXACT_NARROW(1)
        UG_EXACT_NARROW(2)
        UG_EXACT_NARROW(3)
        UG_EXACT_NARROW(4)
        UG_EXACT_NARROW(5)
        UG_EXACT_NARROW(6)
        UG_EXACT_NARROW(7)
        UG_EXACT_NARROW(8)
    default:
        return UG_DECLINED;
    }
}

/* UG_DECLINED where there is no such kernel for these rows. */
template <typename T, typename V>
ug_status ug_exact_start(ug_args *args, const ug_plan &plan, const ug_rows &rows,
                         const ug_choice &choice)
{
    const bool apart = args->x.data != args->y.data; /* else y takes the place of x */
    if (!ug_choice_plain(args) || !apart || choice.parts != 1 || choice.members != choice.block ||
        choice.stages || rows.rows > plan.limits.max_grid)
        return UG_DECLINED;
    if constexpr (sizeof(T) == sizeof(float))
        return ug_exact_start_wide<V>(args, plan, rows, choice);
    else
        return ug_exact_start_narrow<T, V>(args, plan, rows, choice);
}

#endif
