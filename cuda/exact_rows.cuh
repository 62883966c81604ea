/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels for `exact` on rows of floats that are aligned and made of whole vectors, with gamma and
 * beta aligned floats, too: all that comes often.
 *
 * x - K lies in registers as doubles: a multiprocessor converts 16 numbers a clock, at the speed of
 * a copy seven for each element, and x, gamma, beta and y are four. x itself cannot be had back
 * from that, so that it is read again where an element is in doubt; rows that y takes the place of
 * are left to the other kernels. Who has which elements, and the trees of the joins, are the same
 * there, and so are the bits of mean and rstd.
 */
#ifndef ULPGATE_CUDA_EXACT_ROWS_CUH
#define ULPGATE_CUDA_EXACT_ROWS_CUH

#include "cuda/exact_quick.cuh"
#include "cuda/finish.cuh"

/* A block that shares a row. */
template <int MEMBERS> struct ug_exact_team {
    unsigned turn;

    /* As ug_team::join(), but that every thread folds the slots of all warps itself: that takes
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

    __device__ __forceinline__ bool any(bool mine) const
    {
        if constexpr (MEMBERS == UG_WARP) return ug_warp_any(mine);
        return ug_block_any(mine, reinterpret_cast<unsigned *>(ug_team_slots()));
    }
};

/* x - K of a row, in registers. */
template <int MEMBERS, int SLOTS> struct ug_exact_row {
    using params = ug_params_whole<float, float, true>;
    const ug_part_of<float> *part;
    ug_exact_team<MEMBERS> *team;
    const float *x;
    long long n;
    double inverse; /* 1 / n */
    float head;
    double d[SLOTS][4];

    /* In a vector, a thread, and up to 8 levels; 16 for 512 threads that hold 4 vectors. */
    static constexpr int additions = 10 + SLOTS;
    /* All slots but the last two are in use. */
    static constexpr int loose = SLOTS > 2 ? 2 : 1;
    __device__ __forceinline__ unsigned place(int k) const { return k * MEMBERS + threadIdx.x; }
    __device__ __forceinline__ bool has(int k) const
    {
        return k + loose < SLOTS || place(k) < part->count;
    }

    __device__ __forceinline__ ug_exact_row(const ug_rows &a, const ug_part_of<float> *p,
                                            ug_exact_team<MEMBERS> *t, const float *row)
        : part(p), team(t), x(row), n(a.n), inverse(a.inverse), head(row[0])
    {
        const uint4 *from = reinterpret_cast<const uint4 *>(x);
        uint4 word[SLOTS];
        UG_UNROLL
        for (int k = 0; k < SLOTS; k++) {
            word[k] = {0, 0, 0, 0};
            if (has(k)) word[k] = ug_load_stream(from + place(k));
        }
        UG_UNROLL
        for (int k = 0; k < SLOTS; k++) {
            float e[4];
            ug_vector_open<float>(word[k], e);
            UG_UNROLL
            for (int i = 0; i < 4; i++) d[k][i] = __dsub_rn((double)e[i], (double)head);
        }
    }

    __device__ __forceinline__ double first() const { return (double)head; }
    __device__ __forceinline__ double anew(double v, int) const { return v; }
    template <typename S> __device__ __forceinline__ S join(S s) const { return team->join(s); }
    template <typename F> __device__ __forceinline__ void visit_from(double, F f) const
    {
        UG_UNROLL
        for (int k = 0; k < SLOTS; k++)
            if (has(k)) f(d[k]);
    }

    /* Bit k of what is returned: a value of vector k is in doubt. */
    __device__ __forceinline__ unsigned apply(const ug_rows &a, float *y, ug_quick_scale rstd) const
    {
        unsigned doubts = 0;
        UG_UNROLL
        for (int k = 0; k < SLOTS; k++) {
            if (!has(k)) continue;
            bool doubt = false;
            float gamma[4], beta[4], e[4];
            params::load(a, element(k), gamma, beta);
            UG_UNROLL
            for (int i = 0; i < 4; i++)
                e[i] = ug_settle<float>(ug_quick_affine(d[k][i], rstd, gamma[i], beta[i]), &doubt);
            ug_store_stream(reinterpret_cast<uint4 *>(y + element(k)), ug_vector_pack(e, y));
            doubts |= doubt ? 1u << k : 0u;
        }
        return doubts;
    }

    /* For ug_aside_row. */
    static constexpr int slots = SLOTS;
    using vector = uint4;
    __device__ __forceinline__ long long element(int k) const { return 4LL * place(k); }
    __device__ __forceinline__ void put_aside(uint4 v[]) const
    {
        UG_UNROLL
        for (int k = 0; k < SLOTS; k++)
            if (has(k)) v[k] = reinterpret_cast<const uint4 *>(x)[place(k)];
    }
    template <typename F> __device__ __forceinline__ void open(uint4 v, F &&f) const
    {
        float e[4];
        ug_vector_open<float>(v, e);
        f(e);
    }
    template <typename F> __device__ __forceinline__ void open_rest(F &&) const {}
    template <typename M, typename R>
    __device__ __forceinline__ void put_again(const ug_rows &a, float *y, bool, int k, uint4 v,
                                              M mean, R rstd) const
    {
        bool doubt = false;
        if (has(k))
            reinterpret_cast<uint4 *>(y)[place(k)] =
                ug_apply_vector<float, params>(a, v, element(k), mean, rstd, &doubt);
    }
    template <typename M, typename R>
    __device__ __forceinline__ void put_rest(const ug_rows &, float *, bool, M, R, bool *) const
    {
    }
};

/* A block for each row; x and y are apart. */
template <typename V, int MEMBERS, int SLOTS, int BLOCKS>
__global__ void __launch_bounds__(MEMBERS, BLOCKS) ug_exact_rows(ug_rows a)
{
    const ug_part_of<float> part = ug_part<float>(a.n, 0, 1, threadIdx.x, MEMBERS);
    const long long r = blockIdx.x;
    ug_exact_team<MEMBERS> team = {0};
    const ug_exact_row<MEMBERS, SLOTS> row(a, &part, &team,
                                           static_cast<const float *>(a.x) + r * a.x_stride);
    const ug_quick_moments s = V::quick::moments(row, (float)a.n);
    const ug_quick_scale rstd = ug_rstd(a, s.var);
    ug_keep_row(a, r, threadIdx.x == 0, s.mean, rstd);
    float *y = static_cast<float *>(a.y) + r * a.y_stride;
    unsigned doubts = row.apply(a, y, rstd);
    if (rstd.flat || rstd.lost()) doubts = 0;
    if (team.any(doubts || rstd.lost()))
        ug_write_again<V>(a, row, r, y, true, threadIdx.x == 0, s.mean, rstd, doubts);
}

template <typename V, int MEMBERS, int SLOTS, int BLOCKS>
ug_status ug_exact_hold(ug_args *args, const ug_plan &plan, const ug_rows &rows)
{
    const ug_shape shape = {rows.rows, MEMBERS, 0, plan.limits};
    return ug_start(args, shape, ug_exact_rows<V, MEMBERS, SLOTS, BLOCKS>, rows);
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
    switch (choice.members / 32 * 16 + choice.slots) {
#define UG_EXACT_CASE(WARPS, SLOTS, BLOCKS)                                                        \
    case (WARPS)*16 + (SLOTS):                                                                     \
        return ug_exact_hold<V, 32 * (WARPS), SLOTS, BLOCKS>(args, plan, rows);
        UG_EXACT_CASE(1, 4, 28)
        UG_EXACT_CASE(2, 4, 16)
        UG_EXACT_CASE(2, 6, 12)
        UG_EXACT_CASE(2, 8, 10)
        UG_EXACT_CASE(3, 6, 8)
        UG_EXACT_CASE(3, 8, 6)
        UG_EXACT_CASE(4, 8, 5)
        UG_EXACT_CASE(5, 8, 4)
        UG_EXACT_CASE(6, 8, 3)
        UG_EXACT_CASE(7, 8, 2)
        UG_EXACT_CASE(8, 8, 2)
    default:
        return UG_DECLINED;
    }
}

#endif
