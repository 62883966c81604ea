/* SPDX-License-Identifier: Apache-2.0 */
/* Long rows of whole vectors over the threads of a cluster. Clusters stay, and whichever has done
 * with a row draws the next one from a counter that all of them share: with rows dealt out
 * beforehand, the launch takes as long as the cluster that memory serves last.
 *
 * Rows are copied ahead into a ring of stages in shared memory and are read from there by every
 * sweep; gamma and beta of a thread lie in registers. Who has which elements and the tree of the
 * joins are those of multi.cuh, and so are the bits, whoever draws which row.
 *
 *   stage    0        1        2
 *            row r    row s    row t     r is worked on, s and t come in
 *            row u    row s    row t     at r's first join all have done with the row before it;
 *                                        the cluster has drawn u and asks for it in its place
 *
 * In the beginning everything is wanted at once: first rows, second rows, gamma and beta, which a
 * cluster reads once. A first row is brought to the device's cache while the launch before ends;
 * second rows and beta are asked for when it is there, or they would be in its way.
 *
 * The counter lies in the workspace; a launch of one block sets it to 0 first.
 */
#ifndef ULPGATE_CUDA_DRAW_CUH
#define ULPGATE_CUDA_DRAW_CUH

#include "cuda/draw_team.cuh"
#include "cuda/finish.cuh"

struct ug_draw_rows {
    ug_rows rows;
    unsigned parts;
    unsigned *drawn; /* rows drawn, beside those that every cluster begins with */
};

/* A template, so that several files may have it. */
template <typename M> __global__ void ug_draw_open(ug_overlapped<M> later)
{
    const M &m = later.wait();
    if (threadIdx.x == 0) *m.drawn = 0;
}

#if UG_HAVE_CLUSTERS
/* A block's part of a row. EVEN: it fills all slots of all threads. */
template <typename T, unsigned MEMBERS, int SLOTS, bool EVEN> struct ug_draw_part {
    static constexpr unsigned members = MEMBERS, words = MEMBERS * SLOTS;
    unsigned rank;
    ug_part_of<T> share;

    __device__ __forceinline__ ug_draw_part(long long n, unsigned own, unsigned parts)
        : rank(own), share(ug_part<T>(n, own, parts, threadIdx.x, MEMBERS))
    {
    }
    __device__ __forceinline__ unsigned first() const { return EVEN ? rank * words : share.first; }
    __device__ __forceinline__ unsigned count() const { return EVEN ? words : share.count; }
    __device__ __forceinline__ unsigned place(int k) const { return k * MEMBERS + threadIdx.x; }
    __device__ __forceinline__ bool has(int k) const { return EVEN || place(k) < share.count; }
    /* Whether a thread is that which asks for rows: the first warp has more to do. */
    static __device__ __forceinline__ bool asks() { return threadIdx.x == MEMBERS - UG_WARP; }
};

/* gamma and beta of a thread's part of the row. */
template <typename Part, int SLOTS> struct ug_draw_params {
    uint4 gamma[SLOTS], beta[SLOTS];

    static __device__ __forceinline__ void load(const void *from, const Part &part, uint4 to[])
    {
        const uint4 *own = static_cast<const uint4 *>(from) + part.first() + threadIdx.x;
        UG_UNROLL
        for (int k = 0; k < SLOTS; k++) {
            to[k] = {0, 0, 0, 0};
            if (part.has(k)) to[k] = ug_load_constant(own + k * Part::members);
        }
    }
};

/* The ring, as a thread sees it: the stages, then a word for the first element of each row. */
template <typename T, typename Part, int STAGES> struct ug_draw_ring {
    static constexpr unsigned words = Part::words;
    static constexpr unsigned ahead = STAGES - 1; /* rows that come in while one is worked on */
    const ug_rows &a;
    const Part &part;
    uint4 *stages;
    unsigned count; /* rows that the cluster has done with */

    /* By one thread: the part of row r, if there is one, and the word of the row's first element.
     */
    __device__ __forceinline__ void ask(unsigned r, unsigned to) const
    {
        if (!Part::asks()) return;
        const unsigned bytes = r < a.rows ? 16 : 0;
        const T *x = static_cast<const T *>(a.x) + (bytes ? r : 0) * a.x_stride;
        const uint4 *own = reinterpret_cast<const uint4 *>(x) + part.first();
        ug_arrivals *filled = ug_draw_counter(UG_DRAW_FILLED + to);
        ug_draw_places()[to] = r;
        ug_bulk_load(stages + to * words, own, part.count() * bytes, filled);
        ug_bulk_load(stages + STAGES * words + to, x, bytes, filled);
    }

    /* Of the row in work. */
    __device__ __forceinline__ unsigned stage() const { return count % STAGES; }
    __device__ __forceinline__ const uint4 *now() const { return stages + stage() * words; }
    __device__ __forceinline__ float first() const
    {
        return ug_widen(*reinterpret_cast<const T *>(stages + STAGES * words + stage()));
    }

    /* The next row, which is there then; no row of the batch: there are no more. */
    __device__ __forceinline__ unsigned wait() const
    {
        ug_arrivals_wait(ug_draw_counter(UG_DRAW_FILLED + stage()), count / STAGES);
        return ug_draw_places()[stage()];
    }

    /* Row r has been drawn, and the block has done with the row before that in work. */
    __device__ __forceinline__ void refill(unsigned r) const { ask(r, (count + ahead) % STAGES); }
};

template <typename T, typename Ring, unsigned MEMBERS, int SLOTS, bool EVEN, unsigned JOINS>
struct ug_draw_row {
    ug_draw_team<MEMBERS, EVEN> &team;
    Ring &ring;
    const uint4 *stage;
    long long n;
    mutable int joins;

    __device__ __forceinline__ float first() const { return ring.first(); }
    template <typename S> __device__ __forceinline__ S join(S s) const
    {
        s = team.join(s, ring.count * JOINS + (unsigned)joins);
        if (joins++ == 0) ring.refill(team.told);
        return s;
    }
    /* So many vectors at a time as there are registers for: they are on their way together. */
    template <typename F> __device__ __forceinline__ void each(F f) const
    {
        constexpr int flight = SLOTS == 8 && (sizeof(T) == sizeof(float) || JOINS > 1) ? 4 : 2;
        UG_UNROLL
        for (int k = 0; k < SLOTS; k += flight) {
            uint4 v[flight] UG_UNSET;
            UG_UNROLL
            for (int i = 0; i < flight; i++)
                if (ring.part.has(k + i)) v[i] = ug_load_shared(stage + ring.part.place(k + i));
            UG_UNROLL
            for (int i = 0; i < flight; i++) {
                if (!ring.part.has(k + i)) continue;
                float x[UG_VECTOR<T>];
                ug_vector_open<T>(v[i], x);
                f(k + i, x);
            }
        }
    }

    template <typename F> __device__ __forceinline__ void visit(F f) const
    {
        each([&](int, const float x[]) {
            UG_UNROLL
            for (int j = 0; j < UG_VECTOR<T>; j++) f(x[j]);
        });
    }

    template <typename Params, typename M, typename R>
    __device__ __forceinline__ void apply(const Params &params, T *y, M mean, R rstd) const
    {
        uint4 *to = reinterpret_cast<uint4 *>(y) + ring.part.first();
        const unsigned z = ug_some_zero(), zero[2] = {z, z};
        each([&](int k, float x[]) {
            float gamma[UG_VECTOR<T>], beta[UG_VECTOR<T>];
            ug_vector_open_again<T>(params.gamma[k], zero, 1, gamma);
            ug_vector_open_again<T>(params.beta[k], zero, 1, beta);
            UG_UNROLL
            for (int j = 0; j < UG_VECTOR<T>; j++)
                x[j] = ug_affine(x[j], mean, rstd, gamma[j], beta[j]);
            ug_store_stream(to + ring.part.place(k), ug_vector_pack(x, (T *)nullptr));
        });
    }
};
#endif

template <typename T, typename V, unsigned MEMBERS, int SLOTS, int STAGES, bool EVEN>
__global__ void __launch_bounds__(MEMBERS, MEMBERS *SLOTS > 2048 ? 1 : 2)
    ug_draw_kernel([[maybe_unused]] ug_overlapped<ug_draw_rows> later)
{
#if UG_HAVE_CLUSTERS
    UG_DYNAMIC_SHARED(uint4, stages);
    using Part = ug_draw_part<T, MEMBERS, SLOTS, EVEN>;
    using Ring = ug_draw_ring<T, Part, STAGES>;
    ug_draw_team<MEMBERS, EVEN>::open(STAGES); /* no memory but the block's own */
    later.template meanwhile<true>([](const ug_draw_rows &early) {
        const Part part(early.rows.n, ug_cluster_rank(), early.parts);
        const T *x = static_cast<const T *>(early.rows.x);
        x += (long long)(blockIdx.x / early.parts) * early.rows.x_stride;
        if (Part::asks())
            ug_prefetch_far(reinterpret_cast<const uint4 *>(x) + part.first(), part.count() * 16);
    });
    const ug_draw_rows &m = later.wait();
    const ug_rows &a = m.rows;
    ug_draw_team<MEMBERS, EVEN> team = {ug_cluster_rank(), m.parts, 0};
    const Part part(a.n, team.rank, m.parts);
    Ring ring = {a, part, stages, 0};
    const unsigned clusters = gridDim.x / m.parts;
    __syncthreads(); /* the counters are there */
    const unsigned begins = blockIdx.x / m.parts;
    ring.ask(begins, 0);
    ug_draw_params<Part, SLOTS> params;
    params.load(a.gamma, part, params.gamma);
    /* Everyone is there before anyone stores into others' shared memory. Nobody leaves before the
     * results of all have come, after which nobody stores any. */
    ug_cluster_sync();
    /* The counter is far away: what is drawn before a row is written is told at the next one's
     * first join. Whoever is told of a row past the last has not drawn any other since, as the
     * counter only grows. */
    const auto draw = [&] {
        if (team.rank == 0 && threadIdx.x == 0)
            team.told = ug_draw_one(m.drawn) + ring.ahead * clusters;
    };
    draw();
    unsigned r = ring.wait();
    for (unsigned k = 1; k < ring.ahead; k++) ring.ask(begins + k * clusters, k);
    params.load(a.beta, part, params.beta);
    for (; r < a.rows; r = ring.wait()) {
        const ug_draw_row<T, Ring, MEMBERS, SLOTS, EVEN, V::joins> row = {team, ring, ring.now(),
                                                                          a.n, 0};
        const auto s = ug_row_moments<V>(row, a.n);
        const auto rstd = ug_rstd(a, s.var);
        ug_keep_row(a, r, team.rank == 0 && threadIdx.x == 0, s.mean, rstd);
        draw();
        row.apply(params, static_cast<T *>(a.y) + r * a.y_stride, s.mean, rstd);
        ring.count++;
    }
#endif
}

template <typename T, typename V, unsigned MEMBERS, int SLOTS, bool EVEN>
ug_status ug_draw_launch(ug_args *args, const ug_plan &plan, const ug_rows &rows,
                         const ug_choice &choice)
{
    constexpr int STAGES = 3;
    static_assert(STAGES <= UG_DRAW_STAGES && V::joins > 0, "raise UG_DRAW_STAGES");
    const auto kernel = ug_draw_kernel<T, V, MEMBERS, SLOTS, STAGES, EVEN>;
    const int64_t parts = choice.parts, most = plan.limits.max_grid / parts;
    ug_shape shape = {0, (int64_t)MEMBERS, (size_t)STAGES * (MEMBERS * SLOTS + 1) * 16,
                      plan.limits};
    if ((int64_t)shape.shared > plan.limits.max_shared - UG_DRAW_RESERVE ||
        shape.block > plan.limits.max_block || rows.rows > INT32_MAX / 2)
        return UG_DECLINED;
    const int64_t fit = ug_cluster_resident(shape, (unsigned)parts, kernel) / parts;
    const int64_t clusters = fit < most ? fit : most;
    if (clusters == 0) return UG_DECLINED;
    shape.grid = (rows.rows < clusters ? rows.rows : clusters) * parts;
    const ug_draw_rows m = {rows, (unsigned)parts, static_cast<unsigned *>(args->workspace)};
    const ug_shape one = {1, 32, 0, plan.limits};
    const ug_status status =
        ug_start(args, one, ug_draw_open<ug_draw_rows>, ug_overlapped<ug_draw_rows>(m));
    if (status != UG_OK) return status;
    return ug_start_clusters(args, shape, (unsigned)parts, kernel,
                             ug_overlapped<ug_draw_rows>(m, {shape.grid, 1}));
}

/* UG_DECLINED where there are no such kernels: the table has 512 threads for floats, with four
 * vectors each only where all have them. */
template <typename T, typename V>
ug_status ug_draw_start(ug_args *args, const ug_plan &plan, const ug_rows &rows,
                        const ug_choice &choice)
{
    constexpr bool wide = sizeof(T) == sizeof(float);
    const int64_t vectors = ug_choice_vectors(rows.n, args->x.dtype);
    const int64_t threads = (int64_t)choice.parts * choice.members;
    const int64_t share = (vectors + choice.parts - 1) / choice.parts;
    if (!ug_choice_plain(args) || choice.parts == 1) return UG_DECLINED;
    if (choice.members == 256 && vectors <= threads * 8) {
        if (share <= 256 * 6) return ug_draw_launch<T, V, 256, 6, false>(args, plan, rows, choice);
        if constexpr (!wide)
            if (vectors == threads * 8)
                return ug_draw_launch<T, V, 256, 8, true>(args, plan, rows, choice);
        return ug_draw_launch<T, V, 256, 8, false>(args, plan, rows, choice);
    }
    if constexpr (wide) {
        if (choice.members != 512) return UG_DECLINED;
        if (vectors == threads * 4)
            return ug_draw_launch<T, V, 512, 4, true>(args, plan, rows, choice);
        if (vectors == threads * 8)
            return ug_draw_launch<T, V, 512, 8, true>(args, plan, rows, choice);
        if (vectors > threads * 4 && vectors < threads * 8)
            return ug_draw_launch<T, V, 512, 8, false>(args, plan, rows, choice);
    }
    return UG_DECLINED;
}

#endif
