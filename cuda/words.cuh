/* SPDX-License-Identifier: Apache-2.0 */
/* A row in registers as words of four bytes, for rows whose length no vector of 16 bytes divides:
 * one element of float a word, two of a 16-bit type.
 *
 * Such rows lie one behind the other at every offset from a multiple of 16, so that vectors would
 * be cut and joined for nearly every row. Words of float never are. Those of a 16-bit type are for
 * every other row:
 *
 *   memory   | . e0 | e1 e2 | e3 e4 |        aligned words
 *   words      | e0 e1 | e2 e3 | e4          who has which elements does not depend on the address
 *
 * and then a lane has one half of its word from its own aligned word and the other from its right
 * neighbour's (left neighbour's when y is written). Each warp has a stretch of the row, group after
 * group of as many words as it has lanes, so that the neighbour of its last lane is its first one,
 * one group on. At the ends of a stretch, and of the row, single elements are moved: no byte
 * outside the row is touched.
 */
#ifndef ULPGATE_CUDA_WORDS_CUH
#define ULPGATE_CUDA_WORDS_CUH

#include "cuda/finish.cuh"
#include "cuda/team.cuh"

template <typename T> constexpr int UG_PER_WORD = 4 / (int)sizeof(T);

/* As the elements that they are: of words that are shifted and masked for it (ug_word_part()), more
 * are kept than there are registers for. */
template <typename T> __device__ __forceinline__ void ug_word_open(uint32_t v, float x[], T *)
{
    T e[UG_PER_WORD<T>];
    memcpy(e, &v, sizeof v);
    UG_UNROLL
    for (int i = 0; i < UG_PER_WORD<T>; i++) x[i] = ug_widen(e[i]);
}

/* One 16-bit element in the low half of a word. */
template <typename T> __device__ __forceinline__ uint32_t ug_half_load(const T *p)
{
    return *reinterpret_cast<const uint16_t *>(p);
}
template <typename T> __device__ __forceinline__ void ug_half_store(T *p, uint32_t v)
{
    *reinterpret_cast<uint16_t *>(p) = (uint16_t)v;
}

/* Where a thread's words lie: word k of the thread is word first + 32 k of the row. */
struct ug_stretch {
    unsigned first, lane;
    unsigned mine;  /* words that the thread has */
    unsigned whole; /* of these, such whose second element is there as well */
    unsigned end;   /* of the warp's stretch, in words */
};

/* Groups of 32 words are dealt to the warps in order: `each` to every warp and one more to the
 * first `more` of them. */
template <typename T>
__device__ __forceinline__ ug_stretch ug_stretch_of(unsigned n, unsigned member, unsigned each,
                                                    unsigned more)
{
    const unsigned words = (n + UG_PER_WORD<T> - 1) / UG_PER_WORD<T>, warp = member / UG_WARP;
    const unsigned from = warp * each + (warp < more ? warp : more);
    const unsigned to = from + each + (warp < more ? 1 : 0);
    ug_stretch s;
    s.lane = member % UG_WARP;
    s.first = from * UG_WARP + s.lane;
    s.end = to * UG_WARP < words ? to * UG_WARP : words;
    s.mine = s.first < s.end ? (s.end - s.first + UG_WARP - 1) / UG_WARP : 0;
    const bool last = s.mine && s.first + (s.mine - 1) * UG_WARP + 1 == words;
    s.whole = s.mine - (last && n % UG_PER_WORD<T> ? 1 : 0);
    return s;
}

/* gamma and beta for a word: both there, of type P, and may be read a word at a time. */
template <typename T, typename P> struct ug_word_params {
    static __device__ __forceinline__ void one(const void *p, long long i, bool whole, float v[])
    {
        const P *from = static_cast<const P *>(p) + i;
        if (sizeof(T) == sizeof(float)) {
            v[0] = ug_widen(ug_load_constant(from));
        } else if (!whole) {
            v[0] = ug_widen(ug_load_constant(from));
            v[1] = 0.0f;
        } else if (sizeof(P) == sizeof(float)) {
            const uint2 two = ug_load_constant(reinterpret_cast<const uint2 *>(from));
            memcpy(v, &two, sizeof two);
        } else {
            ug_word_open(ug_load_constant(reinterpret_cast<const uint32_t *>(from)), v,
                         (P *)nullptr);
        }
    }
    static __device__ __forceinline__ void load(const ug_rows &a, long long i, bool whole,
                                                float gamma[], float beta[])
    {
        one(a.gamma, i, whole, gamma);
        one(a.beta, i, whole, beta);
    }
};

template <typename T> struct ug_word_params_any {
    static __device__ __forceinline__ void load(const ug_rows &a, long long i, bool whole,
                                                float gamma[], float beta[])
    {
        UG_UNROLL
        for (int k = 0; k < UG_PER_WORD<T>; k++) {
            const bool there = k == 0 || whole;
            gamma[k] = there ? ug_param<T>(a.gamma, a.wide, i + k, 1.0f) : 0.0f;
            beta[k] = there ? ug_param<T>(a.beta, a.wide, i + k, 0.0f) : 0.0f;
        }
    }
};

/* FULL: threads have at most four words less than there is room for. */
template <typename T, bool FULL> struct ug_word_row {
    static constexpr bool held = true, two_sums = false, narrow = sizeof(T) < sizeof(float);
    static constexpr int WORDS = UG_WORDS_MAX, slots = WORDS;
    static constexpr int additions = UG_PER_WORD<T> * WORDS + 9, squares = additions + 2;
    using vector = uint32_t;
    __device__ __forceinline__ void put_aside(uint32_t to[]) const
    {
        UG_UNROLL
        for (int k = 0; k < WORDS; k++) to[k] = v[k];
    }
    static constexpr int sure = FULL ? WORDS - 4 : 0;
    static constexpr unsigned step = UG_WARP * UG_PER_WORD<T>;
    const ug_stretch *at;
    ug_team *team;
    long long n;
    double inverse; /* 1 / n */
    const unsigned *zero;
    float head;
    uint32_t v[WORDS];

    __device__ __forceinline__ ug_word_row() {}
    __device__ __forceinline__ unsigned word(int k) const { return at->first + k * UG_WARP; }
    __device__ __forceinline__ long long element(int k) const
    {
        return (long long)at->first * UG_PER_WORD<T> + k * (int)step;
    }
    __device__ __forceinline__ bool has(int k) const { return k < sure || (unsigned)k < at->mine; }
    __device__ __forceinline__ bool whole(int k) const
    {
        return !narrow || k < sure - 1 || (unsigned)k < at->whole;
    }
    __device__ __forceinline__ float first() const { return head; }
    template <typename S> __device__ __forceinline__ S join(S s) const { return team->join(s); }

    static __device__ __forceinline__ unsigned shift_of(const T *row)
    {
        return (unsigned)((uintptr_t)row % 4);
    }
    __device__ __forceinline__ void begin(const ug_stretch *s, ug_team *t, const T *x,
                                          const ug_rows &rows)
    {
        at = s;
        team = t;
        n = rows.n;
        inverse = rows.inverse;
        zero = rows.zero;
        head = ug_widen(x[0]);
        load(x);
    }

    __device__ __forceinline__ void load(const T *x)
    {
        const unsigned shift = narrow ? shift_of(x) : 0;
        const T *own = x + element(0) - shift / 2;
        UG_UNROLL
        for (int k = 0; k < WORDS; k++) {
            if (!has(k)) continue;
            if (narrow && k == 0 && shift && at->first == 0)
                v[k] = ug_half_load(x) << 16;
            else if (narrow && !shift && !whole(k))
                v[k] = ug_half_load(own + k * step);
            else
                v[k] = *reinterpret_cast<const uint32_t *>(own + k * step);
        }
        if constexpr (narrow) cut(x, shift);
    }

    /* The second half of a word from the aligned word after it. */
    __device__ __forceinline__ void cut(const T *x, unsigned shift)
    {
        const unsigned right = (at->lane + 1) % UG_WARP;
        UG_UNROLL
        for (int k = 0; k < WORDS; k++) {
            const uint32_t after = k + 1 < WORDS ? v[k + 1 < WORDS ? k + 1 : k] : 0;
            uint32_t next = ug_shuffle_from(at->lane == 0 ? after : v[k], right);
            if (k + 2 > sure && shift && word(k) + 1 == at->end)
                next = whole(k) ? ug_half_load(x + element(k) + 1) : 0;
            v[k] = __funnelshift_r(v[k], next, 8 * shift);
        }
    }

    /* f(i, element) */
    template <typename F> __device__ __forceinline__ void open(int k, uint32_t w, F f) const
    {
        float e[UG_PER_WORD<T>];
        ug_word_open(w, e, (T *)nullptr);
        f(element(k), e[0]);
        if (narrow && whole(k)) f(element(k) + 1, e[UG_PER_WORD<T> - 1]);
    }

    template <typename F> __device__ __forceinline__ void visit(F f) const
    {
        UG_UNROLL
        for (int k = 0; k < WORDS; k++)
            if (has(k)) open(k, v[k], [&](long long, float x) { f(x); });
    }

    /* As ug_held_row has them. */
    template <typename F> __device__ __forceinline__ void visit_from(double from, F f) const
    {
        visit([&](float x) {
            const double d[1] = {__dsub_rn((double)x, from)};
            f(d);
        });
    }
    __device__ __forceinline__ double anew(double x) const { return ug_anew(x, zero[1]); }

    template <typename Params, typename M, typename R>
    __device__ __forceinline__ uint32_t value(const ug_rows &a, int k, uint32_t w, M mean, R rstd,
                                              bool *doubt) const
    {
        float x[UG_PER_WORD<T>], gamma[UG_PER_WORD<T>], beta[UG_PER_WORD<T>];
        const bool all = whole(k);
        ug_word_open(w, x, (T *)nullptr);
        Params::load(a, element(k), all, gamma, beta);
        UG_UNROLL
        for (int i = 0; i < UG_PER_WORD<T>; i++) {
            bool unsure = false;
            x[i] = ug_settle<T>(ug_affine(x[i], mean, rstd, gamma[i], beta[i]), &unsure);
            *doubt |= unsure && (i == 0 || all);
        }
        return ug_word_pack(x[0], x[UG_PER_WORD<T> - 1], (T *)nullptr);
    }

    /* Stores word k of a row of y, `before` the one that the same lane had in the group before. */
    __device__ __forceinline__ void put(T *y, unsigned shift, int k, uint32_t w, uint32_t before,
                                        bool wanted) const
    {
        T *p = y + element(0) - shift / 2 + k * step;
        uint32_t both = w;
        if constexpr (narrow) {
            const uint32_t left = ug_shuffle_from(at->lane + 1 == UG_WARP && k ? before : w,
                                                  (at->lane + UG_WARP - 1) % UG_WARP);
            both = __funnelshift_l(left, w, 8 * shift);
        }
        if (!has(k) || !wanted) return;
        if (narrow && k == 0 && shift && at->lane == 0)
            ug_half_store(p + 1, w);
        else if (narrow && !shift && !whole(k))
            ug_half_store(p, w);
        else
            *reinterpret_cast<uint32_t *>(p) = both;
        if (narrow && k + 2 > sure && shift && whole(k) && word(k) + 1 == at->end)
            ug_half_store(p + 2, w >> 16);
    }

    template <typename Params, typename M, typename R>
    __device__ __forceinline__ bool apply_as(const ug_rows &a, T *y, bool wanted, M mean, R rstd)
    {
        const unsigned shift = narrow ? shift_of(y) : 0;
        bool doubt = false;
        uint32_t before = 0;
        UG_UNROLL
        for (int k = 0; k < WORDS; k++) {
            uint32_t w = 0;
            if (has(k)) w = value<Params>(a, k, v[k], mean, rstd, &doubt);
            put(y, shift, k, w, before, wanted);
            before = w;
        }
        return doubt;
    }

    template <typename M, typename R>
    __device__ __forceinline__ bool apply(const ug_rows &a, T *y, bool wanted, M mean, R rstd)
    {
        if (!(a.gamma && a.beta && a.whole))
            return apply_as<ug_word_params_any<T>>(a, y, wanted, mean, rstd);
        if (narrow && a.wide) return apply_as<ug_word_params<T, float>>(a, y, wanted, mean, rstd);
        return apply_as<ug_word_params<T, T>>(a, y, wanted, mean, rstd);
    }
};

/* As the other ug_aside_row, but that all words are written again. */
template <typename T, bool FULL> struct ug_aside_row<ug_word_row<T, FULL>> {
    const ug_word_row<T, FULL> &row;
    long long n;
    const uint32_t *v;
    __device__ __forceinline__ float first() const { return row.head; }
    template <typename S> __device__ __forceinline__ S join(S s) const { return row.join(s); }

    template <typename F> __device__ __forceinline__ void visit_slots(F f, unsigned set = ~0u) const
    {
        UG_ROLLED
        for (int k = 0; k < UG_WORDS_MAX; k++)
            if ((set >> k & 1) && row.has(k))
                row.open(k, v[k], [&](long long i, float x) {
                    const float e[1] = {x};
                    f(k, i, e);
                });
    }

    template <typename F> __device__ __forceinline__ void visit(F f) const
    {
        visit_slots([&](int, long long, const auto &e) { f(*e); });
    }

    template <typename M, typename R>
    __device__ __forceinline__ void apply(const ug_rows &a, T *y, bool wanted, M mean, R rstd,
                                          unsigned slots) const
    {
        const unsigned shift = row.narrow ? row.shift_of(y) : 0;
        bool doubt = false;
        uint32_t before = 0, w = 0;
        UG_ROLLED
        for (int k = 0; k < UG_WORDS_MAX && slots; k++, before = w) {
            w = 0;
            if (row.has(k))
                w = row.template value<ug_word_params_any<T>>(a, k, v[k], mean, rstd, &doubt);
            row.put(y, shift, k, w, before, wanted);
        }
    }
};

/* Threads a block may have, of which a multiprocessor shall have room for two: see held.cuh. */
template <typename T, typename V>
constexpr bool ug_word_crowd = sizeof(T) < 4 && (V::joins == 1 || V::kind == UG_VAR_PAIRMEAN);
template <typename T, typename V>
constexpr int ug_word_threads = V::kind == UG_VAR_EXACT ? 256
                                : ug_word_crowd<T, V>   ? 384
                                                        : 512;

struct ug_word_rows_args {
    ug_rows rows;
    unsigned members, teams, shift, reach, each, more; /* as in ug_hold; groups of words a warp */
};

template <typename T, typename V, bool FULL>
__global__ void __launch_bounds__(ug_word_threads<T, V>, 2)
    ug_word_rows(ug_overlapped<ug_word_rows_args> later)
{
    const ug_word_rows_args &h = later.wait();
    const ug_rows &a = h.rows;
    const unsigned member = h.members <= UG_WARP ? threadIdx.x & (h.members - 1) : threadIdx.x;
    ug_team team = {member, h.members, 0, h.reach};
    const ug_stretch at = ug_stretch_of<T>((unsigned)a.n, member, h.each, h.more);
    for (long long first = (long long)blockIdx.x * h.teams; first < a.rows;
         first += (long long)gridDim.x * h.teams) {
        const long long r = first + (threadIdx.x >> h.shift), s = r < a.rows ? r : a.rows - 1;
        ug_word_row<T, FULL> row;
        row.begin(&at, &team, static_cast<const T *>(a.x) + s * a.x_stride, a);
        ug_finish_row<V>(a, row, s, static_cast<T *>(a.y) + s * a.y_stride, r < a.rows,
                         member == 0);
    }
}

template <typename T, typename V, bool FULL>
ug_status ug_words_start_as(ug_args *args, const ug_plan &plan, const ug_rows &rows,
                            const ug_choice &choice)
{
    const unsigned shift = choice.members == (int)UG_WARP ? 5 : 31; /* 31: one team a block */
    const unsigned teams = (unsigned)(choice.block / choice.members);
    const unsigned groups = (unsigned)(rows.n * (int64_t)sizeof(T) + 127) / 128;
    const unsigned warps = (unsigned)choice.members / UG_WARP;
    const ug_word_rows_args h = {rows,          (unsigned)choice.members, teams,
                                 shift,         ug_choice_reach(&choice), groups / warps,
                                 groups % warps};
    const int64_t tiles = (rows.rows + teams - 1) / teams;
    const ug_shape shape = {tiles < plan.limits.max_grid ? tiles : plan.limits.max_grid,
                            choice.block, 0, plan.limits};
    return ug_start(args, shape, ug_word_rows<T, V, FULL>, ug_overlapped<ug_word_rows_args>(h));
}

template <typename T, typename V>
ug_status ug_words_start(ug_args *args, const ug_plan &plan, const ug_rows &rows,
                         const ug_choice &choice)
{
    constexpr int64_t most = ug_word_threads<T, V>;
    if (choice.block > most) return ug_block_too_large(args, choice, most);
    const int64_t words = (rows.n + UG_PER_WORD<T> - 1) / UG_PER_WORD<T>;
    /* The lanes that a group lacks have one word less. */
    const int64_t least = (words + UG_WARP - 1) / UG_WARP / (choice.members / UG_WARP) - 1;
    if (least >= UG_WORDS_MAX - 4) return ug_words_start_as<T, V, true>(args, plan, rows, choice);
    return ug_words_start_as<T, V, false>(args, plan, rows, choice);
}

#endif
