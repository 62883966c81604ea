/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels for `exact` on rows of floats that are aligned and made of whole vectors, with gamma and
 * beta aligned floats, too: all that comes often.
 *
 * A row is looked at twice: for its sums, and for y. In between x - K lies in registers as doubles:
 * a multiprocessor converts 16 numbers a clock, at the speed of a copy seven for each element, and
 * x, gamma, beta and y are four. Long rows that fill their threads stay floats, as twice as many
 * threads for a multiprocessor are worth a fifth conversion. Either way x is read again where an
 * element is in doubt; rows that y takes the place of are left to the other kernels.
 */
#ifndef ULPGATE_CUDA_EXACT_ROWS_CUH
#define ULPGATE_CUDA_EXACT_ROWS_CUH

#include "cuda/exact_quick.cuh"
#include "cuda/finish.cuh"

/* A block that shares a row. */
template <int MEMBERS> struct ug_exact_team {
    unsigned turn;

    /* As ug_team::join(), but that every thread folds the slots of few warps itself: that takes
     * less time than a tree of shuffles. */
    template <typename S> __device__ __forceinline__ S join(S v)
    {
        constexpr unsigned warps = MEMBERS / UG_WARP, set = (unsigned)UG_HELD_BLOCK / UG_WARP;
        constexpr unsigned reach = warps <= 2 ? 2 : warps <= 4 ? 4 : warps <= 8 ? 8 : 16;
        v = ug_warp_join(v, UG_WARP / 2);
        if constexpr (warps == 1) return ug_shuffle_from(v, 0);
        S *slot = reinterpret_cast<S *>(ug_team_slots()) + turn++ % 2 * set;
        if (threadIdx.x % UG_WARP == 0) slot[threadIdx.x / UG_WARP] = v;
        __syncthreads();
        if constexpr (warps > 8) { /* more than registers can take */
            const unsigned from = threadIdx.x % reach;
            v = ug_warp_join(from < warps ? slot[from] : S::neutral(), reach / 2);
            return ug_shuffle_from(v, 0);
        } else {
            S all[reach];
            UG_UNROLL
            for (unsigned i = 0; i < warps; i++) all[i] = slot[i];
            UG_UNROLL
            for (unsigned offset = reach / 2; offset > 0; offset >>= 1) {
                UG_UNROLL
                for (unsigned i = 0; i < offset; i++)
                    if (i + offset < warps) all[i] = ::join(all[i], all[i + offset]);
            }
            return all[0];
        }
    }

    __device__ __forceinline__ bool any(bool mine) const
    {
        if constexpr (MEMBERS == UG_WARP) return ug_warp_any(mine);
        return ug_block_any(mine, reinterpret_cast<unsigned *>(ug_team_slots()));
    }
};

/* What a member knows of its row. */
template <int MEMBERS, int SLOTS> struct ug_exact_place {
    using params = ug_params_whole<float, float, true>;
    const ug_part_of<float> *part;
    ug_exact_team<MEMBERS> *team;
    const float *x;
    long long n;

    /* Threads have too few registers for a cheap look at mean and rstd: where these are wanted,
     * they always get the closer one. */
    static constexpr bool tight = MEMBERS * SLOTS > 2048 || (MEMBERS == 192 && SLOTS == 8);
    /* All slots but the last two are in use. */
    static constexpr int loose = SLOTS > 2 ? 2 : 1;
    __device__ __forceinline__ unsigned place(int k) const { return k * MEMBERS + threadIdx.x; }
    __device__ __forceinline__ bool has(int k) const
    {
        return k + loose < SLOTS || place(k) < part->count;
    }
    __device__ __forceinline__ long long element(int k) const { return 4LL * place(k); }
    template <typename S> __device__ __forceinline__ S join(S s) const { return team->join(s); }
};

/* A row in registers. FULL: all slots are in use, and hold floats; otherwise x - K. */
template <bool FULL> struct ug_exact_kept {
    using type = double;
};
template <> struct ug_exact_kept<true> {
    using type = float;
};
template <int MEMBERS, int SLOTS, bool FULL> struct ug_exact_row : ug_exact_place<MEMBERS, SLOTS> {
    using base = ug_exact_place<MEMBERS, SLOTS>;
    double inverse; /* 1 / n */
    float head;
    unsigned zero; /* 0, which the compiler does not know */
    mutable typename ug_exact_kept<FULL>::type kept[SLOTS][4];

    /* In a vector, a thread, and for the levels of warps of 32 lanes. */
    static constexpr int additions = 2 + SLOTS + 5 + (MEMBERS > 256 ? 4 : 3);
    __device__ __forceinline__ bool has(int k) const { return FULL || base::has(k); }

    __device__ __forceinline__ ug_exact_row(const ug_rows &a, const base &b)
        : base(b), inverse(a.inverse), head(b.x[0]), zero(a.zero[0])
    {
        const uint4 *from = reinterpret_cast<const uint4 *>(this->x);
        float e[SLOTS][4];
        UG_UNROLL
        for (int k = 0; k < SLOTS; k++) {
            uint4 word = {0, 0, 0, 0};
            if (has(k)) word = ug_load_stream(from + this->place(k));
            ug_vector_open<float>(word, e[k]);
        }
        UG_UNROLL
        for (int k = 0; k < SLOTS; k++) {
            UG_UNROLL
            for (int i = 0; i < 4; i++)
                if constexpr (FULL)
                    kept[k][i] = e[k][i];
                else
                    kept[k][i] = __dsub_rn((double)e[k][i], (double)head);
        }
    }

    /* For the compiler floats are other numbers from here on: it would keep the doubles that it
     * made of them, for which there are no registers. */
    template <typename S> __device__ __forceinline__ S join(S s) const
    {
        if constexpr (FULL) {
            UG_UNROLL
            for (int k = 0; k < SLOTS; k++) {
                UG_UNROLL
                for (int i = 0; i < 4; i++)
                    kept[k][i] = __uint_as_float(__float_as_uint(kept[k][i]) ^ zero);
            }
        }
        return base::join(s);
    }

    __device__ __forceinline__ double first() const { return (double)head; }
    __device__ __forceinline__ double anew(double v) const { return v; }
    __device__ __forceinline__ double from_first(int k, int i) const
    {
        if constexpr (FULL) return __dsub_rn((double)kept[k][i], (double)head);
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

/* The row as it lies in memory, read for every sweep; as ug_aside_row. */
template <int MEMBERS, int SLOTS> struct ug_exact_again : ug_exact_place<MEMBERS, SLOTS> {
    using base = ug_exact_place<MEMBERS, SLOTS>;
    static constexpr int chains = SLOTS > 4 ? 4 : 2;
    __device__ __forceinline__ explicit ug_exact_again(const base &b) : base(b)
    {
        UG_UNROLL
        for (int k = 0; k < SLOTS; k++)
            if (this->has(k)) ug_prefetch(this->x + this->element(k));
    }
    __device__ __forceinline__ float first() const { return this->x[0]; }
    __device__ __forceinline__ uint4 vector(int k) const
    {
        return reinterpret_cast<const uint4 *>(this->x)[this->place(k)];
    }

    template <typename F> __device__ __forceinline__ void visit_slots(F f, unsigned set = ~0u) const
    {
        UG_ROLLED
        for (int k = 0; k < SLOTS; k++) {
            if (!(set >> k & 1) || !this->has(k)) continue;
            float e[4];
            ug_vector_open<float>(vector(k), e);
            f(k, this->element(k), e);
        }
    }
    template <typename F> __device__ __forceinline__ void visit(F f) const
    {
        visit_slots([&](int, long long, const auto &e) {
            UG_UNROLL
            for (auto x : e) f(x);
        });
    }

    template <typename M, typename R>
    __device__ __forceinline__ void apply(const ug_rows &a, float *y, bool, M mean, R rstd,
                                          unsigned set) const
    {
        UG_ROLLED
        for (int k = 0; k < SLOTS; k++) {
            if (!(set >> k & 1) || !this->has(k)) continue;
            UG_ROLLED
            for (int j = 0; j < 4; j++) { /* one at a time, for want of registers */
                const long long i = this->element(k) + j;
                ug_round(ug_normalise<float>(a, this->x[i], mean, rstd, i), y + i);
            }
        }
    }
};

/* A function of its own, as it takes more registers than the threads of long rows have. Memory of
 * the threads for the vectors is no way out: the compiler filled it for every row, in doubt or not,
 * at the cost of a third of the speed. */
template <typename V, int MEMBERS, int SLOTS>
__device__ UG_APART void ug_exact_write_again(ug_rows a, long long r, double rest,
                                              ug_quick_scale rstd, unsigned doubts, bool stats)
{
    const ug_part_of<float> part = ug_part<float>(a.n, 0, 1, threadIdx.x, MEMBERS);
    ug_exact_team<MEMBERS> team = {1};
    const float *x = static_cast<const float *>(a.x) + r * a.x_stride;
    const ug_exact_again<MEMBERS, SLOTS> row({&part, &team, x, a.n});
    ug_write_again<V>(a, row, &team, r, static_cast<float *>(a.y) + r * a.y_stride, true,
                      threadIdx.x == 0, ug_quick_mean{(double)row.first(), rest}, rstd, doubts,
                      stats);
}

/* A block for each row; x and y are apart. */
template <typename V, int MEMBERS, int SLOTS, bool FULL, int BLOCKS>
__global__ void __launch_bounds__(MEMBERS, BLOCKS) ug_exact_rows(ug_rows a)
{
    const ug_part_of<float> part = ug_part<float>(a.n, 0, 1, threadIdx.x, MEMBERS);
    const long long r = blockIdx.x;
    constexpr bool tight = ug_exact_place<MEMBERS, SLOTS>::tight;
    ug_exact_team<MEMBERS> team = {0};
    ug_exact_row<MEMBERS, SLOTS, FULL> row(
        a, {&part, &team, static_cast<const float *>(a.x) + r * a.x_stride, a.n});
    const ug_quick_moments s = V::quick::moments(row, (float)a.n);
    const ug_quick_scale rstd = ug_rstd(a, s.var);
    ug_keep_row(a, r, threadIdx.x == 0, s.mean, rstd);
    /* The second set of slots has not been used: M^ need not be kept in a register. */
    volatile double *rest =
        reinterpret_cast<double *>(ug_team_slots() + (unsigned)UG_HELD_BLOCK / UG_WARP);
    bool stats = false;
    if (threadIdx.x == 0) {
        *rest = s.mean.rest;
        if (!tight && (a.mean || a.rstd)) stats = ug_stats_to_look_at((double)s.mean, rstd);
    }
    unsigned doubts = row.apply(a, static_cast<float *>(a.y) + r * a.y_stride, rstd);
    if (rstd.flat || rstd.lost()) doubts = 0;
    if (tight) stats = threadIdx.x == 0 && (a.mean || a.rstd);
    if (team.any(doubts || stats || rstd.lost()))
        ug_exact_write_again<V, MEMBERS, SLOTS>(a, r, *rest, rstd, doubts, stats);
}

template <typename V, int MEMBERS, int SLOTS, bool FULL, int BLOCKS>
ug_status ug_exact_hold(ug_args *args, const ug_plan &plan, const ug_rows &rows)
{
    const ug_shape shape = {rows.rows, MEMBERS, 0, plan.limits};
    return ug_start(args, shape, ug_exact_rows<V, MEMBERS, SLOTS, FULL, BLOCKS>, rows);
}

/* UG_DECLINED where there is no such kernel for these rows. */
template <typename V>
ug_status ug_exact_start(ug_args *args, const ug_plan &plan, const ug_rows &rows,
                         const ug_choice &choice)
{
    const bool apart = args->x.data != args->y.data; /* else y takes the place of x */
    if (!ug_choice_plain(args) || !apart || choice.parts != 1 || choice.members != choice.block ||
        choice.stages || rows.rows > plan.limits.max_grid)
        return UG_DECLINED;
    const bool full = rows.n == 4LL * choice.members * choice.slots;
    switch (choice.members / 32 * 16 + choice.slots) {
#define UG_EXACT_CASE(WARPS, SLOTS, FULL, BLOCKS)                                                  \
    case (WARPS)*16 + (SLOTS):                                                                     \
        if (FULL && !full) return UG_DECLINED;                                                     \
        return ug_exact_hold<V, 32 * (WARPS), SLOTS, FULL, BLOCKS>(args, plan, rows);
        UG_EXACT_CASE(1, 4, false, 28)
        UG_EXACT_CASE(2, 4, false, 16)
        UG_EXACT_CASE(3, 4, false, 10)
        UG_EXACT_CASE(4, 4, false, 8)
        UG_EXACT_CASE(3, 6, false, 8)
        UG_EXACT_CASE(3, 8, false, 6)
        UG_EXACT_CASE(4, 8, false, 5)
        UG_EXACT_CASE(5, 8, false, 4)
        UG_EXACT_CASE(6, 8, false, 3)
        UG_EXACT_CASE(7, 8, false, 2)
        UG_EXACT_CASE(16, 8, true, 2)
    case 8 * 16 + 8:
        if (full) return ug_exact_hold<V, 256, 8, true, 3>(args, plan, rows);
        return ug_exact_hold<V, 256, 8, false, 2>(args, plan, rows);
    default:
        return UG_DECLINED;
    }
}

#endif
