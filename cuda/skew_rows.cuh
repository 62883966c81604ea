/* SPDX-License-Identifier: Apache-2.0 */
/* Rows whose length no vector of 16 bytes divides, held in registers: as full.cuh, one team of
 * whole warps a row and hardly a question at run time.
 *
 * Such rows lie one behind the other at every offset from a multiple of 16 (skew.cuh). Each warp
 * has a stretch of the row, group after group of 32 vectors, so that the left neighbour of its
 * first lane is its last one, one group before. What no vector takes goes to the first members, one
 * element to each. So who has which elements, and the bits, do not depend on the address.
 */
#ifndef ULPGATE_CUDA_SKEW_ROWS_CUH
#define ULPGATE_CUDA_SKEW_ROWS_CUH

#include "cuda/full.cuh"
#include "cuda/skew.cuh"

struct ug_skew_args {
    ug_rows rows;
    int n;
    unsigned vectors;    /* of a row */
    unsigned each, more; /* groups that every warp has; the first `more` of them have one more */
    int ahead;           /* rows from one to that which will come where it ends; 0: there is none */
    /* What the cache of the device is brought of a row: all blocks but the first and what no vector
     * takes. */
    unsigned inner_bytes;
};

/* Warps with a row of their own, of elements of 16 bits, of which as many as can be shall be there
 * at once. */
template <typename T, unsigned MEMBERS>
constexpr bool ug_skew_many = MEMBERS == UG_WARP && sizeof(T) < sizeof(float);

template <typename T, unsigned MEMBERS, int SLOTS, bool TIGHT> struct ug_skew_row {
    static constexpr bool held = true, narrow = sizeof(T) < sizeof(float);
    static constexpr int E = UG_VECTOR<T>;
    /* The last slots, which may be empty: one that few lanes have, one that not all warps have, one
     * for rows that want less than SLOTS. TIGHT: only the first of these. */
    static constexpr int loose = TIGHT ? 1 : MEMBERS > UG_WARP ? 3 : 2;
    using Team = ug_full_team<MEMBERS, false>;
    Team *team;
    int n;
    int left;     /* vectors of the warp's stretch from the lane's first one on */
    bool front;   /* the lane's first vector is that of the row */
    bool back;    /* the stretch is the last one of the row */
    bool extra;   /* has an element that no vector takes */
    long long at; /* first element of the lane's first vector */
    T head, rest; /* widened where they are used: that would wait for them */
    float x[SLOTS][E];

    __device__ __forceinline__ ug_skew_row() {}
    __device__ __forceinline__ bool has(int k) const
    {
        return k + loose < SLOTS || left > k * (int)UG_WARP;
    }
    __device__ __forceinline__ bool begins(int k) const { return k == 0 && front; }
    __device__ __forceinline__ bool ends(int k) const
    {
        return k + loose >= SLOTS && left == k * (int)UG_WARP + 1;
    }
    __device__ __forceinline__ int rest_element() const { return n / E * E + (int)Team::member(); }
    template <typename S> __device__ __forceinline__ S join(S s) const { return team->join(s); }
    __device__ __forceinline__ float first() const { return ug_widen(head); }

    __device__ __forceinline__ void load(Team *t, const ug_skew_args &h, const T *row)
    {
        const unsigned warp = Team::member() / UG_WARP, lane = threadIdx.x % UG_WARP;
        const bool one_more = !TIGHT && warp < h.more;
        const unsigned from = TIGHT ? warp * SLOTS : warp * h.each + (one_more ? warp : h.more);
        const unsigned to = (from + (TIGHT ? SLOTS : h.each + one_more)) * UG_WARP;
        const unsigned place = from * UG_WARP + lane;
        const unsigned end = to < h.vectors ? to : h.vectors;
        team = t;
        n = h.n;
        left = (int)(end - place);
        front = place == 0;
        back = end == h.vectors;
        at = (long long)place * E;
        head = row[0];
        extra = rest_element() < n;
        const unsigned shift = ug_shift_of(row);
        ug_skewed<T>(shift,
                     loader{*this, reinterpret_cast<const uint4 *>(ug_word_of(row + at, shift))});
        if (extra) rest = row[rest_element()];
        __syncwarp(); /* or the compiler has what follows once for each place */
    }

    struct loader {
        ug_skew_row &row;
        const uint4 *block;
        template <typename Skew> __device__ __forceinline__ void operator()(Skew skew) const
        {
            row.load_as(skew, block);
        }
    };
    template <typename Skew> __device__ __forceinline__ void load_as(Skew, const uint4 *block)
    {
        constexpr int own = Skew::own, next = Skew::next, SKIP = 4 - own;
        uint32_t w[SLOTS][own + next] UG_UNSET, edge[own + next] UG_UNSET;
        if (Skew::skewed && front) Skew::load_first(block, edge);
        if (Skew::skewed && back && left > 0 && left % UG_WARP == 1)
            Skew::load_last(block + left, edge + own);
        UG_UNROLL
        for (int k = 0; k < SLOTS; k++) {
            if (has(k) && !(Skew::skewed && begins(k)))
                ug_block_load<SKIP, own>(block + k * UG_WARP, w[k]);
            if (has(k) && !(back && ends(k)))
                ug_block_load<0, next>(block + k * UG_WARP + 1, w[k] + own);
        }
        UG_UNROLL
        for (int k = 0; k < SLOTS; k++) {
            if (!has(k)) continue;
            UG_UNROLL
            for (int i = 0; Skew::skewed && i < own + next; i++)
                if (i < own ? begins(k) : (back && ends(k)))
                    w[k][i] = i || Skew::next == SKIP ? edge[i] : edge[i] << 16;
            Skew::open(w[k], x[k]);
        }
    }

    template <typename F> __device__ __forceinline__ void visit(F f) const
    {
        UG_UNROLL
        for (int k = 0; k < SLOTS; k++) {
            if (!has(k)) continue;
            UG_UNROLL
            for (int i = 0; i < E; i++) f(x[k][i]);
        }
        if (extra) f(ug_widen(rest));
    }

    /* x becomes y. TIGHT: without asking whether there is a last vector, as gamma and beta would be
     * waited for after the answer; those of the first one stand in. */
    template <typename Params, typename M, typename R>
    __device__ __forceinline__ void apply_as(const ug_rows &a, M mean, R rstd)
    {
        UG_UNROLL
        for (int k = 0; k < SLOTS; k++) {
            if (!TIGHT && !has(k)) continue;
            float gamma[E], beta[E];
            Params::load(a, TIGHT && !has(k) ? 0 : at + k * (int)UG_WARP * E, gamma, beta);
            UG_UNROLL
            for (int i = 0; i < E; i++) x[k][i] = ug_affine(x[k][i], mean, rstd, gamma[i], beta[i]);
        }
    }

    template <typename M, typename R>
    __device__ __forceinline__ void apply(const ug_rows &a, T *y, M mean, R rstd)
    {
        /* What the statistics made of x is made again: there are no registers to keep it. */
        UG_UNROLL
        for (int k = 0; ug_skew_many<T, MEMBERS> && k < SLOTS; k++) {
            UG_UNROLL
            for (int i = 0; i < E; i++) ug_unknown(x[k][i]);
        }
        const int i = rest_element();
        if constexpr (TIGHT) {
            apply_as<ug_params_whole<T, T, true>>(a, mean, rstd);
            /* Without a branch, in which all would wait for gamma and then for beta. */
            const int own = extra ? i : n - 1;
            const T gamma = ug_load_constant(static_cast<const T *>(a.gamma) + own);
            const T beta = ug_load_constant(static_cast<const T *>(a.beta) + own);
            const float out =
                ug_affine(ug_widen(rest), mean, rstd, ug_widen(gamma), ug_widen(beta));
            if (extra) ug_round(out, y + i);
        } else {
            if (extra) ug_round(ug_normalise<T>(a, ug_widen(rest), mean, rstd, i), y + i);
            apply_as<ug_params_any<T, true>>(a, mean, rstd);
        }
        const unsigned shift = ug_shift_of(y);
        ug_skewed<T>(shift, storer{*this, reinterpret_cast<uint4 *>(ug_word_of(y + at, shift))});
    }

    struct storer {
        const ug_skew_row &row;
        uint4 *block;
        template <typename Skew> __device__ __forceinline__ void operator()(Skew skew) const
        {
            row.store_as(skew, block);
        }
    };
    /* Every lane makes one block of the last words of the vector to its left and the first ones of
     * its own. */
    template <typename Skew> __device__ __forceinline__ void store_as(Skew, uint4 *block) const
    {
        constexpr int own = Skew::own, SKIP = 4 - own;
        constexpr bool HALF = Skew::next > SKIP;
        const unsigned lane = threadIdx.x % UG_WARP, left = (lane + UG_WARP - 1) % UG_WARP;
        uint32_t ahead[4] = {0, 0, 0, 0};
        float last = 0.0f;
        UG_UNROLL
        for (int k = 0; k < SLOTS; k++) {
            const bool turn = k > 0 && lane + 1 == UG_WARP;
            float before = x[k][E - 1];
            if (turn) before = last;
            last = x[k][E - 1];
            if (HALF) before = ug_shuffle_from(before, left);
            uint32_t mine[4], w[4];
            Skew::pack(x[k], before, mine);
            UG_UNROLL
            for (int i = 0; i < 4; i++) {
                if (i < SKIP) {
                    w[i] = mine[own + i];
                    if (turn) w[i] = ahead[own + i];
                    w[i] = ug_shuffle_from(w[i], left);
                } else {
                    w[i] = mine[i - SKIP];
                }
            }
            UG_UNROLL
            for (int i = 0; i < 4; i++) ahead[i] = mine[i];
            if (!has(k)) continue;
            uint4 *to = block + k * UG_WARP;
            if (Skew::skewed && k == 0 && lane == 0)
                Skew::store_first(to, mine);
            else
                ug_store_stream(to, {w[0], w[1], w[2], w[3]});
            if (Skew::skewed && ends(k)) Skew::store_last(to + 1, mine, x[k][E - 1]);
        }
    }
};

/* Registers that a thread may have: what was fastest on an H200, and enough that nothing spills. */
template <typename T, typename V, unsigned MEMBERS, int SLOTS> constexpr int ug_skew_registers()
{
    constexpr bool many = ug_skew_many<T, MEMBERS>, joined = V::joins == 1;
    const int more = (V::kind == UG_VAR_PAIRMEAN || (joined && many) ? 16
                      : joined                                       ? 8
                                                                     : 0) +
                     (UG_PAIRS_CROWD ? 8 : 0);
    if (SLOTS < UG_SKEW_MAX) return more + 56;
    if (sizeof(T) == sizeof(float)) return more + (MEMBERS > 256 ? 64 : 80);
    return more + (many ? 64 : 72);
}

/* Rows of which early blocks go on one after the other. */
template <typename T, unsigned MEMBERS>
constexpr bool ug_skew_spreads = sizeof(T) == sizeof(float) && MEMBERS > 64;

/* Asks for the blocks of row r that it has to itself. */
template <typename T>
__device__ __forceinline__ void ug_skew_ask(const ug_skew_args &h, long long r)
{
    const T *row = static_cast<const T *>(h.rows.x) + r * h.rows.x_stride;
    const T *inner = ug_word_of(row, ug_shift_of(row)) + UG_VECTOR<T>;
    ug_prefetch_kept(inner, h.inner_bytes);
}

/* The row of a thread's team. */
template <unsigned MEMBERS>
__device__ __forceinline__ long long ug_skew_place(unsigned block, unsigned thread)
{
    const unsigned teams = blockDim.x / MEMBERS, own = thread / MEMBERS;
    return MEMBERS > UG_WARP ? block : (long long)block * teams + own;
}

/* See ug_full_rows. TIGHT: all warps have SLOTS groups, and gamma and beta are there in the type of
 * x and may be read 16 bytes at a time. */
template <typename T, typename V, unsigned MEMBERS, int SLOTS, bool TIGHT>
__global__ void __launch_bounds__(UG_FULL_BLOCK<MEMBERS>,
                                  65536 / ug_skew_registers<T, V, MEMBERS, SLOTS>() /
                                      UG_FULL_BLOCK<MEMBERS>)
    ug_skew_rows(ug_overlapped<ug_skew_args> later)
{
    later.template meanwhile<true>([&](const ug_skew_args &early) {
        /* Made again later: there are no registers to keep it. */
        const unsigned zero = ug_some_zero(), block = blockIdx.x ^ zero, own = threadIdx.x ^ zero;
        const long long row = ug_skew_place<MEMBERS>(block, own);
        if (own % MEMBERS == 0 && row < early.rows.rows) ug_skew_ask<T>(early, row);
    });
    const ug_skew_args &h = later.wait();
    if constexpr (ug_skew_spreads<T, MEMBERS>) later.spread();
    const ug_rows &a = h.rows;
    const long long r = ug_skew_place<MEMBERS>(blockIdx.x, threadIdx.x);
    const long long place = MEMBERS > UG_WARP || r < a.rows ? r : a.rows - 1;
    ug_full_team<MEMBERS, false> team = {0};
    ug_skew_row<T, MEMBERS, SLOTS, TIGHT> row;
    row.load(&team, h, static_cast<const T *>(a.x) + place * a.x_stride);
    if (h.ahead && team.member() == 0 && r + h.ahead < a.rows) ug_skew_ask<T>(h, r + h.ahead);
    const auto s = V::moments(row, (float)row.n);
    const auto rstd = ug_rstd(a, s.var);
    if (r >= a.rows) return;
    ug_keep_row(a, r, team.member() == 0, s.mean, rstd);
    row.apply(a, static_cast<T *>(a.y) + r * a.y_stride, s.mean, rstd);
}

template <typename T, typename V, unsigned MEMBERS, int SLOTS, bool TIGHT>
ug_status ug_skew_launch(ug_args *args, const ug_plan &plan, const ug_rows &rows,
                         const ug_choice &choice)
{
    constexpr unsigned warps = MEMBERS / UG_WARP;
    const auto kernel = ug_skew_rows<T, V, MEMBERS, SLOTS, TIGHT>;
    const int64_t teams = choice.block / (int)MEMBERS, most = plan.limits.max_grid * teams;
    const unsigned vectors = (unsigned)(rows.n / UG_VECTOR<T>), groups = (vectors + 31) / 32;
    const int64_t ahead =
        ug_resident(reinterpret_cast<const void *>(kernel), choice.block, 0) * teams;
    ug_skew_args h = {rows,
                      (int)rows.n,
                      vectors,
                      groups / warps,
                      groups % warps,
                      ahead < rows.rows ? (int)ahead : 0,
                      (vectors - 1) * 16};
    ug_status status = UG_OK;
    for (int64_t first = 0; first < rows.rows && status == UG_OK; first += most) {
        const int64_t left = rows.rows - first;
        h.rows.rows = left < most ? left : most;
        h.rows.x = static_cast<const T *>(rows.x) + first * rows.x_stride;
        h.rows.y = static_cast<T *>(rows.y) + first * rows.y_stride;
        if (rows.mean) h.rows.mean = rows.mean + first;
        if (rows.rstd) h.rows.rstd = rows.rstd + first;
        const ug_shape shape = {(h.rows.rows + teams - 1) / teams, choice.block, 0, plan.limits};
        status = ug_start(args, shape, kernel,
                          ug_overlapped<ug_skew_args>(h, ug_early<true>(shape, kernel)));
    }
    return status;
}

/* UG_DECLINED where there is no such kernel for these rows. */
template <typename T, typename V>
ug_status ug_skew_start(ug_args *args, const ug_plan &plan, const ug_rows &rows,
                        const ug_choice &choice)
{
    const int64_t groups = (ug_choice_vectors(rows.n, args->x.dtype) + 31) / 32;
    const bool tight = groups * 32 == (int64_t)choice.members * UG_SKEW_MAX && rows.gamma &&
                       rows.beta && rows.whole && args->param_dtype == args->x.dtype;
#define UG_SKEW_CASE(MEMBERS, SLOTS)                                                               \
    if (choice.members == MEMBERS && (choice.slots == SLOTS || choice.slots + 1 == SLOTS))         \
        return tight && SLOTS == UG_SKEW_MAX                                                       \
                   ? ug_skew_launch<T, V, MEMBERS, SLOTS, SLOTS == UG_SKEW_MAX>(args, plan, rows,  \
                                                                                choice)            \
                   : ug_skew_launch<T, V, MEMBERS, SLOTS, false>(args, plan, rows, choice);
    UG_SKEW_CASE(32, 2)
    UG_SKEW_CASE(32, 4)
    UG_SKEW_CASE(64, 4)
    UG_SKEW_CASE(128, 4)
    UG_SKEW_CASE(256, 4)
    if constexpr (sizeof(T) == sizeof(float))
        if (choice.members == 512 && choice.slots + 1 >= 4)
            return ug_skew_launch<T, V, 512, 4, false>(args, plan, rows, choice);
    return UG_DECLINED;
}

#endif
