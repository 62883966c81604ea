/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of exact_rows.cuh in which an element is in doubt, a few in a hundred of the longest:
 * statistics once more, with more digits, and the few vectors that are in doubt.
 *
 * First from sums whose high parts are exact. The scale of the row is known by now, 1 / r. With u',
 * K, D, theta, p as in exact_quick.cuh, G = 2^q and 2^(2 q + 53) >= 2 N p^2 / r^2,
 *
 *   h = d rounded to a multiple of G, l = d - h,  H = sum h,  HH = sum h^2,
 *   L = sum l,  LL = sum l (h + d),  S = H + L,  Q = HH + LL.
 *
 * h is had by adding 1.5 G 2^52 and taking it away again, as |d| <= sqrt(N) p / r <= 2^26 G; l is
 * exact. Sums of h are multiples of G below 2^53 G, those of h^2 multiples of G^2 and at most
 * (sqrt(Q) + sqrt(N) G / 2)^2 < 2^53 G^2: H and HH are exact in any order (the idea: Rump, Ogita
 * and Oishi, Accurate floating-point summation, 2008). |l| <= G / 2, so that, with D here at most
 * 41,
 *
 *   S errs by D u' N G / 2,  Q by (D + 2) u' N G rho,  and G r <= 2^-24 sqrt(N) p, N <= 2^14.
 *
 * With g = 43 2^-53 2^-24 2^7 the mean is off by g p / (2 r), v by 2 g p^2 / r^2 and r by g p^2 of
 * itself, which begins as that of the first look: y by at most 2 g p^2 (|y| + |beta| + |gamma|)
 * with a margin of one half for the arithmetic in pairs that comes after. That is 2^-63 p^2, some
 * 2^-15 of E. An element that comes out the same at both ends of this is right.
 *
 * All of this wants d to be exact. x - K is a multiple of ulp(x) > 2^-24 |x| or of K's, and at most
 * 2^26 G: it is a double if |x| >= G / 8, or 0, and K as well.
 *
 * What that leaves open has the sums of variances/exact.cuh.
 *
 * With 16-bit elements doubt is rarer by as many bits as they have less: a look with E itself, and
 * what that leaves open has those sums at once.
 */
#ifndef ULPGATE_CUDA_EXACT_AGAIN_CUH
#define ULPGATE_CUDA_EXACT_AGAIN_CUH

#include "cuda/exact_team.cuh"
#include "cuda/finish.cuh"

/* What a member knows of its row. */
template <typename T, int MEMBERS, int SLOTS> struct ug_exact_place {
    using params = ug_params_whole<T, T, true>;
    static constexpr int E = UG_VECTOR<T>;
    const ug_part_of<T> *part;
    ug_exact_team<MEMBERS> *team;
    const T *x;
    long long n;

    /* Threads have too few registers for a cheap look at mean and rstd: where these are wanted,
     * they always get the closer one. */
    static constexpr bool tight = sizeof(T) < sizeof(float) || MEMBERS * SLOTS > 2048 ||
                                  (MEMBERS == 192 && SLOTS == 8);
    /* All slots but the last two are in use. */
    static constexpr int loose = SLOTS > 2 ? 2 : 1;
    __device__ __forceinline__ unsigned place(int k) const { return k * MEMBERS + threadIdx.x; }
    __device__ __forceinline__ bool has(int k) const
    {
        return k + loose < SLOTS || place(k) < part->count;
    }
    __device__ __forceinline__ long long element(int k) const { return (long long)E * place(k); }

    /* K of exact_quick.cuh: the mean of the first four elements, but for rounding. It lies between
     * them, and is nearer to the mean of the row than any one is likely to. */
    __device__ __forceinline__ float center() const
    {
        float e[E];
        ug_vector_open<T>(*reinterpret_cast<const uint4 *>(x), e);
        UG_UNROLL
        for (int i = 0; i < 4; i++) e[i] = __fmul_rn(e[i], 0.25f);
        return __fadd_rn(__fadd_rn(e[0], e[1]), __fadd_rn(e[2], e[3]));
    }
    template <typename S> __device__ __forceinline__ S join(S s) const { return team->join(s); }
};

/* The row as it lies in memory, read for every sweep; as ug_aside_row. */
template <typename T, int MEMBERS, int SLOTS>
struct ug_exact_again : ug_exact_place<T, MEMBERS, SLOTS> {
    using base = ug_exact_place<T, MEMBERS, SLOTS>;
    static constexpr int chains = SLOTS > 4 ? 4 : 2;
    __device__ __forceinline__ explicit ug_exact_again(const base &b) : base(b)
    {
        UG_UNROLL
        for (int k = 0; sizeof(T) < 4 && k < SLOTS; k++)
            if (this->has(k)) ug_prefetch(this->x + this->element(k));
    }

    template <typename F> __device__ __forceinline__ void visit(F f) const { by<1>(f); }
    /* As many vectors at a time as there are registers for: they are on their way together. */
    template <typename F> __device__ __forceinline__ void visit_ahead(F f) const
    {
        constexpr bool crowd =
            MEMBERS > 192 && SLOTS > 4 && (UG_PAIRS_CROWD || MEMBERS * SLOTS != 2048);
        by<!crowd ? 4 : MEMBERS == 512 && !UG_PAIRS_CROWD ? 2 : 1>(f);
    }
    template <int flight, typename F> __device__ __forceinline__ void by(F f) const
    {
        UG_ROLLED
        for (int k = 0; k < SLOTS; k += flight) {
            uint4 w[flight] UG_UNSET;
            UG_UNROLL
            for (int j = 0; j < flight; j++)
                if (this->has(k + j))
                    w[j] = reinterpret_cast<const uint4 *>(this->x)[this->place(k + j)];
            UG_UNROLL
            for (int j = 0; j < flight; j++) {
                if (!this->has(k + j)) continue;
                float e[base::E];
                ug_vector_open<T>(w[j], e);
                UG_UNROLL
                for (auto x : e) f(x);
            }
        }
    }

    /* Those vectors of `set` that the bound itself leaves open; writes what it does not. */
    __device__ __forceinline__ unsigned look(const ug_rows &a, T *y, double first,
                                             ug_quick_scale quick, unsigned set) const
    {
        unsigned open = 0;
        UG_ROLLED
        for (int k = 0; k < SLOTS; k++) {
            if (!(set >> k & 1) || !this->has(k)) continue;
            UG_ROLLED
            for (int j = 0; j < base::E; j++) {
                const long long i = this->element(k) + j;
                const float gamma = ug_param<T>(a.gamma, a.wide, i, 1.0f);
                const float beta = ug_param<T>(a.beta, a.wide, i, 0.0f);
                const double d = __dsub_rn((double)ug_widen(this->x[i]), first);
                const ug_quick_value v = ug_quick_affine(d, quick, gamma, beta);
                if (ug_in_doubt(v, (T *)nullptr)) open |= 1u << k;
                ug_round(ug_float_for<T>(v.w), y + i);
            }
        }
        return open;
    }

    /* Takes the first vector that is in the set of any lane of the warp, bit k for vector k of a
     * lane, and returns one of its elements to each of four lanes and to others that go along; -1:
     * there is none. */
    __device__ __forceinline__ int take(unsigned *set) const
    {
        const unsigned lane = threadIdx.x % UG_WARP, lanes = ug_warp_which(*set != 0);
        if (!lanes) return -1;
        const unsigned from = (unsigned)__ffs(lanes) - 1;
        const int k = __ffs(ug_shuffle_from(*set, from)) - 1;
        if (lane == from) *set &= *set - 1;
        return (int)(4 * (this->place(k) - lane + from) + lane % 4);
    }

    /* As that of ug_aside_row. */
    template <typename M, typename R>
    __device__ __forceinline__ void apply(const ug_rows &a, T *y, M mean, R rstd,
                                          unsigned set) const
    {
        UG_ROLLED
        for (int k = 0; k < SLOTS; k++) {
            if (!(set >> k & 1) || !this->has(k)) continue;
            UG_ROLLED
            for (int j = 0; j < base::E; j++) { /* one at a time, for want of registers */
                const long long i = this->element(k) + j;
                ug_round(ug_normalise<T>(a, ug_widen(this->x[i]), mean, rstd, i), y + i);
            }
        }
    }
};

/* q, for N p^2 and r. */
__device__ __forceinline__ int ug_finer_grid(double spread, double r)
{
    const int of_spread = (int)(__double_as_longlong(spread) >> 52) - 1023;
    const int of_r = (int)(__double_as_longlong(r) >> 52) - 1023;
    return (of_spread - 2 * of_r - 50) >> 1;
}

__device__ __forceinline__ double ug_power_of_two(int exponent)
{
    return __longlong_as_double((long long)(1023 + exponent) << 52);
}

/* S and R of exact.cuh, R^-2 = N Q - S^2 + eps N^2. */
struct ug_finer_moments {
    ug_exact_mean mean;
    ug_exact_scale rstd;
};

/* `unfit`: an element of this thread, or K, is too small. */
template <typename Row>
__device__ __forceinline__ ug_finer_moments ug_moments_finer(const Row &row, double first,
                                                             float eps, double inverse,
                                                             ug_quick_scale quick, bool *unfit)
{
    const double n = (double)row.n;
    const int grid = ug_finer_grid(__dmul_rn(n, __fma_rn(quick.shift, quick.shift, 1.0)), quick.r);
    const double big = 1.5 * ug_power_of_two(52 + grid);
    const float least = __double2float_rn(ug_power_of_two(grid - 3));
    ug_finer_sums s = ug_finer_sums::neutral();
    float smallest = INFINITY;
    row.visit_ahead([&](float x) {
        const double d = __dsub_rn((double)x, first);
        const double h = __dsub_rn(__dadd_rn(d, big), big), l = __dsub_rn(d, h);
        s.high.sum = __dadd_rn(s.high.sum, h);
        s.high.squares = __fma_rn(h, h, s.high.squares);
        s.low.sum = __dadd_rn(s.low.sum, l);
        s.low.squares = __fma_rn(l, __dadd_rn(h, d), s.low.squares);
        if (x != 0.0f) smallest = fminf(smallest, fabsf(x));
    });
    *unfit = !(smallest >= least && (first == 0.0 || fabs(first) >= (double)least));
    s = row.join(s);
    ug_dd sum, squares;
    sum.hi = ug_two_sum(s.high.sum, s.low.sum, &sum.lo);
    squares.hi = ug_two_sum(s.high.squares, s.low.squares, &squares.lo);
    const ug_dd product = ug_dd_mul(sum, sum);
    const double n2 = __dmul_rn(n, n), of_eps = __dmul_rn(n2, (double)eps);
    const ug_dd spread = join(ug_dd_mul(squares, n), ug_dd{-product.hi, -product.lo});
    const ug_dd total = join(spread, ug_dd{of_eps, __fma_rn(n2, (double)eps, -of_eps)});
    return {{join(ug_dd{__dmul_rn(n, first), 0.0}, sum), n},
            {ug_dd_rsqrt_step(total, __dmul_rn(quick.r, inverse)), n}};
}

/* 2 g p^2. */
__device__ __forceinline__ double ug_finer_bound(double theta)
{
    return __dmul_rn(0x1p-63, __fma_rn(theta, theta, 1.0));
}

/* Whether all that lies within e (|y| + |beta| + |gamma|) of v is rounded alike: into *y. */
__device__ __forceinline__ bool ug_finer_settle(ug_exact_value v, double weight, double e, float *y)
{
    const double most = __dmul_rn(e, __dadd_rn(fabs(v.y.hi), weight));
    ug_dd up, down;
    up.hi = ug_two_sum(v.y.hi, __dadd_rn(v.y.lo, most), &up.lo);
    down.hi = ug_two_sum(v.y.hi, __dsub_rn(v.y.lo, most), &down.lo);
    *y = __double2float_rn(ug_odd_double(up));
    return __float_as_uint(*y) == __float_as_uint(__double2float_rn(ug_odd_double(down)));
}

/* An element with its gamma and beta. */
struct ug_finer_element {
    int i; /* -1: there is none */
    float x, gamma, beta;
};

template <typename Row>
__device__ __forceinline__ ug_finer_element ug_finer_load(const ug_rows &a, const Row &row, int i)
{
    if (i < 0) return {i, 0.0f, 0.0f, 0.0f};
    return {i, row.x[i], ug_param<float>(a.gamma, a.wide, i, 1.0f),
            ug_param<float>(a.beta, a.wide, i, 0.0f)};
}

/* Writes what is in doubt, from finer sums. Whether all of it is right now; for this thread. What
 * is wanted first is on its way while these are had. */
template <typename Row>
__device__ __forceinline__ bool ug_write_finer(const ug_rows &a, const Row &row, float *y,
                                               double first, ug_quick_scale quick, unsigned set)
{
    bool unfit, right = true;
    ug_finer_element next = ug_finer_load(a, row, row.take(&set));
    const ug_finer_moments s = ug_moments_finer(row, first, a.eps, a.inverse, quick, &unfit);
    UG_ROLLED
    while (next.i >= 0) {
        const ug_exact_value v = ug_affine(next.x, s.mean, s.rstd, next.gamma, next.beta);
        float out;
        const double e = ug_finer_bound(quick.shift);
        const double weight = fabs((double)next.gamma) + fabs((double)next.beta);
        right &= ug_finer_settle(v, weight, e, &out);
        if (threadIdx.x % UG_WARP < 4) y[next.i] = out;
        next = ug_finer_load(a, row, row.take(&set));
    }
    return right && !unfit;
}

/* A function of its own, as it takes more registers than the threads of long rows have. Memory of
 * the threads for the vectors is no way out: the compiler filled it for every row, in doubt or not,
 * at the cost of a third of the speed. `quick`: what the row had at first; `set`: vectors of the
 * thread that may be in doubt, `stats`: mean or rstd may be. M^ is had from theta and r: that is
 * off by 2 u' |M| more, for which A has room. */
template <typename T, typename V, int MEMBERS, int SLOTS>
__device__ UG_APART void ug_exact_write_again(ug_rows a, long long r, ug_quick_scale quick,
                                              unsigned set, bool stats)
{
    const ug_part_of<T> part = ug_part<T>(a.n, 0, 1, threadIdx.x, MEMBERS);
    ug_exact_team<MEMBERS> team = {0};
    T *y = static_cast<T *>(a.y) + r * a.y_stride;
    const ug_exact_again<T, MEMBERS, SLOTS> row(
        {&part, &team, static_cast<const T *>(a.x) + r * a.x_stride, a.n});
    const double first = (double)row.center();
    bool open = quick.lost();
    if (stats) open |= ug_stats_in_doubt(__dadd_rn(first, __ddiv_rn(quick.shift, quick.r)), quick);
    if ((a.mean || a.rstd) && !team.any(set || open)) return;
    if constexpr (sizeof(T) < sizeof(float)) {
        if (!quick.lost()) open |= (set = row.look(a, y, first, quick, set)) != 0;
    } else {
        if (!quick.lost()) open |= !ug_write_finer(a, row, y, first, quick, set);
    }
    if (!team.any(open)) return;
    const auto sure = ug_row_moments<V>(row, a.n);
    const auto scale = ug_rstd(a, sure.var);
    ug_keep_row(a, r, threadIdx.x == 0, sure.mean, scale);
    row.apply(a, y, sure.mean, scale, quick.lost() ? ~0u : set);
}

#endif
