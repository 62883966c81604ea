/* SPDX-License-Identifier: Apache-2.0 */
/* Rows as most are: of whole vectors, x and y aligned, gamma and beta there in the type of x. How
 * many threads share one and how many vectors each has is known to the compiler; EVEN: all have
 * SLOTS of them, otherwise some lack the last.
 *
 * A kernel for such rows asks hardly anything at run time. It gives the same elements to the same
 * threads as the one for any row (hold.cuh) and joins them in the same tree, so the bits are the
 * same.
 */
#ifndef ULPGATE_CUDA_FULL_CUH
#define ULPGATE_CUDA_FULL_CUH

#include <type_traits>

#include "cuda/finish.cuh"
#include "cuda/team.cuh"

/* The threads that share a row: lanes of a warp, or a block. */
template <unsigned MEMBERS, bool EVEN> struct ug_full_team {
    static constexpr unsigned lanes = MEMBERS < UG_WARP ? MEMBERS : UG_WARP;
    static constexpr unsigned warps = MEMBERS / lanes;
    unsigned turn;

    __device__ static __forceinline__ unsigned member() { return threadIdx.x % MEMBERS; }
    __device__ static __forceinline__ unsigned first_lane()
    {
        return threadIdx.x % UG_WARP & ~(lanes - 1);
    }

    template <typename S> using sides = std::conditional_t<EVEN, ug_even<S>, ug_any_sides<S>>;

    /* See ug_team. */
    template <typename S> __device__ __forceinline__ S join(S v)
    {
        using side = sides<S>;
        UG_UNROLL
        for (unsigned offset = lanes / 2; offset > 0; offset >>= 1) {
            const auto half = side::half(v);
            v = side::merge(v, side::whole(UG_SWAPS<S> ? ug_shuffle_xor(half, offset)
                                                       : ug_shuffle_down(half, offset),
                                           v));
        }
        if constexpr (warps > 1)
            return join_warps(v);
        else
            return UG_SWAPS<S> ? v : side::whole(ug_shuffle_from(side::half(v), first_lane()), v);
    }

    /* Every thread reads the slots of all warps: that takes less time than another tree of
     * shuffles. Two sets of slots in turn, as in ug_team. */
    template <typename S> __device__ __forceinline__ S join_warps(S v)
    {
        using side = sides<S>;
        using half = decltype(side::half(v));
        constexpr unsigned set = warps > 16 ? 32 : 16, size = warps > 16 ? 8 : sizeof(ug_slot);
        static_assert(sizeof(half) <= size && 2 * set * size <= UG_SHARED_RESERVE, "two sets");
        half *slot = reinterpret_cast<half *>(ug_team_slots()->byte + turn++ % 2 * (set * size));
        if (threadIdx.x % UG_WARP == 0) slot[threadIdx.x / UG_WARP] = side::half(v);
        __syncthreads();
        if constexpr (warps > 8) { /* more than registers can take */
            v = side::whole(slot[threadIdx.x % warps], v);
            UG_UNROLL
            for (unsigned offset = warps / 2; offset > 0; offset >>= 1)
                v = side::merge(v, side::whole(ug_shuffle_down(side::half(v), offset), v));
            return side::whole(ug_shuffle_from(side::half(v), 0), v);
        } else {
            S all[warps];
            UG_UNROLL
            for (unsigned i = 0; i < warps; i++) all[i] = side::whole(slot[i], v);
            UG_UNROLL
            for (unsigned offset = warps / 2; offset > 0; offset >>= 1) {
                UG_UNROLL
                for (unsigned i = 0; i < offset; i++) all[i] = side::merge(all[i], all[i + offset]);
            }
            return all[0];
        }
    }
};

/* Vectors of gamma and beta, loaded before the statistics are there where registers allow it
 * without that the multiprocessor has room for too few threads. */
template <typename T, unsigned MEMBERS, int SLOTS, bool EVEN> struct ug_full_params {
    static constexpr int slots = SLOTS;
    static constexpr bool even = EVEN;
    static constexpr bool half = sizeof(T) < sizeof(float);
    static constexpr bool crowd = MEMBERS > 256 && SLOTS > 4;         /* 64 registers a thread */
    static constexpr bool few = half && MEMBERS == 128 && SLOTS == 8; /* blocks are better */
    static constexpr bool alone = MEMBERS == UG_WARP; /* all rows of 4096 at a time is better */
    static constexpr bool early = EVEN && !crowd && SLOTS <= (half && MEMBERS > 128 ? 3 : 4);
    uint4 gamma[early ? SLOTS : 1], beta[early ? SLOTS : 1];

    static __device__ __forceinline__ uint4 one(const void *p, int k)
    {
        return ug_load_constant(static_cast<const uint4 *>(p) + threadIdx.x % MEMBERS +
                                k * MEMBERS);
    }
    __device__ __forceinline__ void load(const ug_rows &a)
    {
        UG_UNROLL
        for (int k = 0; early && k < SLOTS; k++) {
            gamma[k] = one(a.gamma, k);
            beta[k] = one(a.beta, k);
        }
    }
    __device__ __forceinline__ void open(const ug_rows &a, int k, float g[], float b[]) const
    {
        ug_vector_open<T>(early ? gamma[k] : one(a.gamma, k), g);
        ug_vector_open<T>(early ? beta[k] : one(a.beta, k), b);
    }
};

/* The length, known to the compiler where it can be. */
template <long long MOST, bool EVEN> struct ug_full_length {
    long long n;
    __device__ __forceinline__ operator long long() const { return EVEN ? MOST : n; }
};

template <typename T, unsigned MEMBERS, int SLOTS, bool EVEN> struct ug_full_row {
    static constexpr bool held = true;
    using Team = ug_full_team<MEMBERS, EVEN>;
    Team *team;
    ug_full_length<(long long)MEMBERS * SLOTS * UG_VECTOR<T>, EVEN> n;
    bool last; /* has vector SLOTS - 1 */
    const unsigned *zero;
    float head;
    uint4 v[SLOTS];
    mutable int sweep;
    static constexpr int packed = SLOTS > 2; /* between sweeps; few elements may stay floats */

    __device__ __forceinline__ ug_full_row() {}

    __device__ __forceinline__ void load(Team *t, const ug_rows &a, const T *x)
    {
        const uint4 *own = reinterpret_cast<const uint4 *>(x) + Team::member();
        team = t;
        n.n = a.n;
        last = EVEN || Team::member() + (SLOTS - 1) * MEMBERS < (unsigned)(a.n / UG_VECTOR<T>);
        zero = a.zero;
        sweep = 0;
        UG_UNROLL
        for (int k = 0; k < SLOTS; k++)
            if (has(k)) v[k] = ug_load_stream(own + k * MEMBERS);
        if (MEMBERS > UG_WARP) head = ug_widen(x[0]);
    }

    __device__ __forceinline__ bool has(int k) const { return EVEN || k + 1 < SLOTS || last; }

    /* Element 0 of the row; all members ask for it. */
    __device__ __forceinline__ float first() const
    {
        if (MEMBERS > UG_WARP) return head;
        float x[UG_VECTOR<T>];
        ug_vector_open<T>(v[0], x);
        return ug_shuffle_from(x[0], Team::first_lane());
    }

    template <typename S> __device__ __forceinline__ S join(S s) const { return team->join(s); }

    template <typename F> __device__ __forceinline__ void visit(F f) const
    {
        const int turn = packed * sweep++;
        UG_UNROLL
        for (int k = 0; k < SLOTS; k++) {
            if (!has(k)) continue;
            float x[UG_VECTOR<T>];
            ug_vector_open_again<T>(v[k], zero, turn, x);
            UG_UNROLL
            for (int i = 0; i < UG_VECTOR<T>; i++) f(x[i]);
        }
    }

    template <typename Params, typename M, typename R>
    __device__ __forceinline__ void apply(const ug_rows &a, const Params &params, T *y, M mean,
                                          R rstd) const
    {
        uint4 *own = reinterpret_cast<uint4 *>(y) + Team::member();
        const int turn = packed * sweep++;
        UG_UNROLL
        for (int k = 0; k < SLOTS; k++) {
            if (!has(k)) continue;
            /* So that no more of gamma and beta are loaded ahead than there are registers for. */
            if (Params::crowd) __syncwarp();
            float x[UG_VECTOR<T>], gamma[UG_VECTOR<T>], beta[UG_VECTOR<T>];
            ug_vector_open_again<T>(v[k], zero, turn, x);
            params.open(a, k, gamma, beta);
            UG_UNROLL
            for (int i = 0; i < UG_VECTOR<T>; i++)
                x[i] = ug_affine(x[i], mean, rstd, gamma[i], beta[i]);
            ug_store_stream(own + k * MEMBERS, ug_vector_pack(x, (T *)nullptr));
        }
    }
};

/* With so many vectors in 64 registers; best does not have sum2. */
template <typename V, typename Params>
constexpr bool ug_full_spills = V::kind == UG_VAR_WELFORD || V::kind == UG_VAR_SUM2 ||
                                (V::kind == UG_VAR_SHIFTED && !Params::half && !Params::even) ||
                                (V::kind == UG_VAR_PAIRWISE && !Params::half && Params::even &&
                                 (Params::slots == 8 || (UG_PAIRS_CROWD && Params::slots == 6)));

/* Registers that a thread may have: what was fastest on an H200, and enough that nothing spills. */
template <typename V, typename Params> constexpr int ug_full_registers()
{
    if (Params::crowd) return ug_full_spills<V, Params> ? 128 : 64;
    const int more =
        (V::kind == UG_VAR_PAIRMEAN ? 16 : 0) + (UG_PAIRS_CROWD ? 8 : 0) + (Params::even ? 0 : 8);
    if (Params::few) return more + 96;
    switch (Params::slots) {
    case 1:
        return more + 40;
    case 2:
        return more + 48;
    case 3:
    case 5:
        return more + 64;
    case 4:
        if (Params::half && Params::alone && V::kind != UG_VAR_WELFORD) return more + 64;
        return more + (Params::early ? 72 : 64);
    case 6:
        return more + (Params::half || Params::alone ? 64 : 72);
    default:
        return more + (Params::half ? 64 : 88);
    }
}
template <unsigned MEMBERS>
constexpr int UG_FULL_BLOCK = MEMBERS > UG_WARP ? (int)MEMBERS : 128; /* threads at most */

/* Rows of which early blocks ask for their own, however many these are. With others that is
 * nothing, or less, unless they are few: a warp for each row has them all there at once
 * (tune-full.md). */
template <typename T, unsigned MEMBERS, unsigned VECTORS>
constexpr bool ug_full_asks = sizeof(T) < sizeof(float)
                                  ? VECTORS <= 16 || (VECTORS > 128 && MEMBERS <= 256)
                                  : MEMBERS != UG_WARP && (MEMBERS <= 256 || VECTORS <= 2048);
/* Where early blocks go on one after the other. */
template <typename T, unsigned VECTORS>
constexpr bool ug_full_spreads = sizeof(T) == sizeof(float) || VECTORS <= 16 || VECTORS >= 1024;

/* One team a row, and no other row for it. Teams past the last row go along with it, as their warp
 * needs them, and write nothing. */
template <typename T, typename V, unsigned MEMBERS, int SLOTS, bool EVEN>
__global__ void
__launch_bounds__(UG_FULL_BLOCK<MEMBERS>,
                  65536 / ug_full_registers<V, ug_full_params<T, MEMBERS, SLOTS, EVEN>>() /
                      UG_FULL_BLOCK<MEMBERS>) ug_full_rows(ug_overlapped<ug_rows> later)
{
    const unsigned teams = blockDim.x / MEMBERS, own = threadIdx.x / MEMBERS;
    const long long r = (long long)blockIdx.x * teams + own;
    constexpr bool many = ug_full_asks<T, MEMBERS, MEMBERS * SLOTS>;
    if constexpr (many || MEMBERS <= 256) /* others have no registers for it */
        later.template meanwhile<many>(
            [&](const ug_rows &b) { ug_ask_for_row<T>(b, r, threadIdx.x % MEMBERS == 0); });
    const ug_rows &a = later.wait();
    if constexpr (many && ug_full_spreads<T, MEMBERS * SLOTS>) later.spread();
    const long long place = r < a.rows ? r : a.rows - 1;
    ug_full_team<MEMBERS, EVEN> team = {0};
    ug_full_row<T, MEMBERS, SLOTS, EVEN> row;
    ug_full_params<T, MEMBERS, SLOTS, EVEN> params;
    row.load(&team, a, static_cast<const T *>(a.x) + place * a.x_stride);
    params.load(a);
    const auto s = ug_row_moments<V>(row, row.n);
    const auto rstd = ug_rstd(a, s.var);
    if (r >= a.rows) return;
    ug_keep_row(a, r, team.member() == 0, s.mean, rstd);
    row.apply(a, params, static_cast<T *>(a.y) + r * a.y_stride, s.mean, rstd);
}

template <typename T, typename V, unsigned MEMBERS, int SLOTS, bool EVEN>
ug_status ug_full_launch(ug_args *args, const ug_plan &plan, const ug_rows &rows,
                         const ug_choice &choice)
{
    const int64_t teams = choice.block / (int)MEMBERS;
    const ug_shape shape = {(rows.rows + teams - 1) / teams, choice.block, 0, plan.limits};
    if (shape.grid > plan.limits.max_grid || choice.block > UG_FULL_BLOCK<MEMBERS>)
        return UG_DECLINED;
    /* The dispatcher's table has these for one size of element alone. */
    constexpr bool half = sizeof(T) < sizeof(float);
    constexpr bool other =
        (MEMBERS == 128 && SLOTS > 5 && !(half && EVEN)) ||
        (MEMBERS == 512 && (half ? SLOTS == 4 : SLOTS == 7 || (SLOTS == 8 && !EVEN)));
    if constexpr (other ||
                  (MEMBERS > 512 && ug_full_spills<V, ug_full_params<T, MEMBERS, SLOTS, EVEN>>)) {
        return UG_DECLINED;
    } else {
        const auto kernel = ug_full_rows<T, V, MEMBERS, SLOTS, EVEN>;
        constexpr bool many = ug_full_asks<T, MEMBERS, MEMBERS * SLOTS>;
        return ug_start(args, shape, kernel,
                        ug_overlapped<ug_rows>(rows, ug_early<many>(shape, kernel)));
    }
}

/* The table has blocks of more than 512 threads, and of 512 for rows that 256 hold, only for rows
 * whose vectors are dealt evenly. */
template <typename T, typename V, unsigned MEMBERS, int SLOTS>
ug_status ug_full_uneven(ug_args *args, const ug_plan &plan, const ug_rows &rows,
                         const ug_choice &choice)
{
    if constexpr (MEMBERS > 512 || (MEMBERS == 512 && SLOTS <= 4))
        return UG_DECLINED;
    else
        return ug_full_launch<T, V, MEMBERS, SLOTS, false>(args, plan, rows, choice);
}

/* Members and vectors of each: all that the dispatcher's table comes to. The executor has enough of
 * some, which differ from the others in numbers alone. */
#ifdef __CUDACC__
#define UG_FULL_PAIRS(X)                                                                           \
    X(8, 1)                                                                                        \
    X(8, 2)                                                                                        \
    X(16, 2)                                                                                       \
    X(16, 3)                                                                                       \
    X(16, 4)                                                                                       \
    X(32, 3)                                                                                       \
    X(32, 4)                                                                                       \
    X(32, 5)                                                                                       \
    X(32, 6)                                                                                       \
    X(64, 4)                                                                                       \
    X(128, 3)                                                                                      \
    X(128, 4)                                                                                      \
    X(128, 5)                                                                                      \
    X(128, 6)                                                                                      \
    X(128, 7)                                                                                      \
    X(128, 8)                                                                                      \
    X(256, 3)                                                                                      \
    X(256, 4)                                                                                      \
    X(256, 5)                                                                                      \
    X(256, 6)                                                                                      \
    X(256, 7)                                                                                      \
    X(256, 8)                                                                                      \
    X(512, 4)                                                                                      \
    X(512, 5)                                                                                      \
    X(512, 6)                                                                                      \
    X(512, 7)                                                                                      \
    X(512, 8)                                                                                      \
    X(1024, 8)
#else
#define UG_FULL_PAIRS(X) X(8, 2) X(32, 3) X(64, 4) X(128, 4) X(512, 4) X(512, 5)
#endif

/* UG_DECLINED where there is no such kernel for these rows. */
template <typename T, typename V>
ug_status ug_full_start(ug_args *args, const ug_plan &plan, const ug_rows &rows,
                        const ug_choice &choice)
{
    const int64_t vectors = ug_choice_vectors(rows.n, args->x.dtype);
    if (!ug_choice_plain(args)) return UG_DECLINED;
    const bool even = vectors % choice.members == 0;
    switch (choice.members * 16 + (vectors + choice.members - 1) / choice.members) {
#define UG_FULL_CASE(MEMBERS, SLOTS)                                                               \
    case MEMBERS * 16 + SLOTS:                                                                     \
        return even ? ug_full_launch<T, V, MEMBERS, SLOTS, true>(args, plan, rows, choice)         \
                    : ug_full_uneven<T, V, MEMBERS, SLOTS>(args, plan, rows, choice);
        UG_FULL_PAIRS(UG_FULL_CASE)
    default:
        return UG_DECLINED;
    }
}

#endif
