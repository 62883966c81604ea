/* SPDX-License-Identifier: Apache-2.0 */
/* Long rows that fill the threads of a cluster, several of them in work at a time, so that nobody
 * waits for what the blocks of a row tell each other.
 *
 * A variance with J joins has J + 1 steps: step j takes what join j needs from the elements, with
 * the results of the joins before; the last one writes y. In round i a warp does step 0 of row i,
 * step 1 of row i - 1, ..., and the last step of row i - J:
 *
 *   round      0         1         2         3
 *   step 0   row 0     row 1     row 2     row 3
 *   step 1             row 0     row 1     row 2
 *   step 2                       row 0     row 1
 *
 * Rows are copied ahead into a ring of stages in shared memory, stay there and are read from there
 * by every step. Two more warps do what is done once a block: one joins the results of the others,
 * sends them to the blocks of the cluster and makes mean and rstd of what comes from there, one
 * asks for the next rows. The block never meets as a whole. Who has which elements and the tree of
 * the joins are those of multi.cuh, and so are the bits.
 *
 * All threads of a cluster wait J + 1 times a round, or say that they have nothing to wait for: the
 * executor makes a barrier of each (host/cluster_shim.h).
 */
#ifndef ULPGATE_CUDA_PIPE_CUH
#define ULPGATE_CUDA_PIPE_CUH

#include "cuda/finish.cuh"
#include "cuda/pipe_team.cuh"

struct ug_pipe_rows {
    ug_rows rows;
    unsigned parts, stages;
};

#if UG_HAVE_CLUSTERS
/* What step STEP sees of a row: results of the joins before it, and, but for the last one, the
 * elements on the way to join STEP. What comes after that is computed with results that nobody
 * uses, which the compiler sees. SEND: the same step for the warp that joins. */
template <typename T, unsigned MEMBERS, int SLOTS, int STEP, bool SEND> struct ug_step_row {
    const ug_pipe_team<MEMBERS> &team;
    const uint4 *stage;
    unsigned i; /* how many rows the cluster had before */
    long long n;
    mutable int joins;

    __device__ __forceinline__ float first() const
    {
        return ug_widen(*reinterpret_cast<const T *>(stage + MEMBERS * SLOTS));
    }

    template <typename S> __device__ __forceinline__ S join(S s) const
    {
        const int own = joins++;
        if (own < STEP) return SEND ? s : team.template result<S>(own, i);
        if (own == STEP) {
            if (SEND)
                team.template send<S>(own, i);
            else
                team.leave(own, i, s);
        }
        return s;
    }

    template <typename F> __device__ __forceinline__ void visit(F f) const
    {
        if (joins != STEP || SEND) return;
        ug_forget();
        uint4 v[SLOTS];
        UG_UNROLL
        for (int k = 0; k < SLOTS; k++) v[k] = stage[k * MEMBERS + threadIdx.x];
        UG_UNROLL
        for (int k = 0; k < SLOTS; k++) {
            float e[UG_VECTOR<T>];
            ug_vector_open<T>(v[k], e);
            UG_UNROLL
            for (int j = 0; j < UG_VECTOR<T>; j++) f(e[j]);
        }
    }
};

/* gamma and beta of the part: a thread's own in registers, or all in shared memory. */
template <typename T, unsigned MEMBERS, int SLOTS, bool REGS> struct ug_pipe_params {
    uint4 g[REGS ? SLOTS : 1], b[REGS ? SLOTS : 1];
    uint4 *kept;

    __device__ __forceinline__ void open(const ug_rows &a, unsigned rank)
    {
        constexpr unsigned words = MEMBERS * SLOTS;
        const uint4 *gamma = static_cast<const uint4 *>(a.gamma) + (size_t)rank * words;
        const uint4 *beta = static_cast<const uint4 *>(a.beta) + (size_t)rank * words;
        if (threadIdx.x >= MEMBERS) return;
        UG_UNROLL
        for (int k = 0; k < SLOTS; k++) {
            const uint4 of_gamma = ug_load_constant(gamma + k * MEMBERS + threadIdx.x);
            const uint4 of_beta = ug_load_constant(beta + k * MEMBERS + threadIdx.x);
            (REGS ? g[REGS ? k : 0] : kept[k * MEMBERS + threadIdx.x]) = of_gamma;
            (REGS ? b[REGS ? k : 0] : kept[words + k * MEMBERS + threadIdx.x]) = of_beta;
        }
    }
    /* Each thread reads what it wrote itself. */
    __device__ __forceinline__ void load(int k, float gamma[], float beta[]) const
    {
        const unsigned own = k * MEMBERS + threadIdx.x;
        ug_vector_open<T>(REGS ? g[REGS ? k : 0] : kept[own], gamma);
        ug_vector_open<T>(REGS ? b[REGS ? k : 0] : kept[MEMBERS * SLOTS + own], beta);
    }
};

template <typename T, typename V, unsigned MEMBERS, int SLOTS, bool REGS> struct ug_pipe {
    static constexpr unsigned J = V::joins, words = MEMBERS * SLOTS;
    const ug_rows &a;
    ug_pipe_team<MEMBERS> team;
    ug_pipe_params<T, MEMBERS, SLOTS, REGS> params;
    uint4 *ring;
    unsigned stages, stage, turn; /* where row i is, and how often the ring has gone round */
    long long begin, step;        /* the cluster's first row, and from one to the next */
    unsigned count;

    __device__ __forceinline__ unsigned before(unsigned back) const
    {
        return stage >= back ? stage - back : stage + stages - back;
    }
    __device__ __forceinline__ unsigned turn_before(unsigned back) const
    {
        return stage >= back ? turn : turn - 1;
    }
    __device__ __forceinline__ void pass()
    {
        if (++stage == stages) {
            stage = 0;
            turn++;
        }
    }

    /* By one thread: the part of the cluster's row i, and the word of the row's first element. */
    __device__ __forceinline__ void ask(unsigned i, unsigned to) const
    {
        const T *x = static_cast<const T *>(a.x) + (begin + i * step) * a.x_stride;
        uint4 *at = ring + to * (words + 1);
        ug_arrivals *filled = ug_pipe_counter(UG_PIPE_FILLED + to);
        ug_bulk_load(at, reinterpret_cast<const uint4 *>(x) + (size_t)team.rank * words, words * 16,
                     filled);
        ug_bulk_load(at + words, x, 16, filled);
    }

    template <int STEP, bool SEND>
    __device__ __forceinline__ ug_step_row<T, MEMBERS, SLOTS, STEP, SEND> row(unsigned i) const
    {
        return {team, ring + before(STEP) * (words + 1), i - STEP, a.n, 0};
    }

    template <bool SEND> __device__ __forceinline__ void step_zero(unsigned i)
    {
        if (i >= count) return ug_arrivals_turn();
        if (!SEND) ug_arrivals_wait(ug_pipe_counter(UG_PIPE_FILLED + stage), turn);
        ug_row_moments<V>(row<0, SEND>(i), a.n);
    }
    template <bool SEND> __device__ __forceinline__ void step_one(unsigned i)
    {
        if (i == 0 || i - 1 >= count) return ug_arrivals_turn();
        if (!SEND) team.wait(0, i - 1);
        ug_row_moments<V>(row<1, SEND>(i), a.n);
    }

    /* Mean and rstd of the row of the last step, for the others. */
    __device__ __forceinline__ void finish(unsigned i)
    {
        const auto s = ug_row_moments<V>(row<J, false>(i), a.n);
        const auto rstd = ug_rstd(a, s.var);
        ug_final *to = ug_pipe_final(i - J);
        static_assert(sizeof s.mean + sizeof rstd <= sizeof *to, "room for mean and rstd");
        if (threadIdx.x % UG_WARP == 0) {
            memcpy(to->byte, &s.mean, sizeof s.mean);
            memcpy(to->byte + sizeof s.mean, &rstd, sizeof rstd);
        }
        team.arrive(team.ready(i - J));
        ug_keep_row(a, begin + (i - J) * step, team.rank == 0 && threadIdx.x % UG_WARP == 0, s.mean,
                    rstd);
    }

    __device__ __forceinline__ void apply(unsigned i)
    {
        const uint4 *from = ring + before(J) * (words + 1) + threadIdx.x;
        T *y = static_cast<T *>(a.y) + (begin + (i - J) * step) * a.y_stride;
        uint4 *to = reinterpret_cast<uint4 *>(y) + (size_t)team.rank * words + threadIdx.x;
        decltype(ug_row_moments<V>(row<J, false>(i), a.n)) s;
        decltype(ug_rstd(a, s.var)) rstd;
        memcpy(&s.mean, ug_pipe_final(i - J)->byte, sizeof s.mean);
        memcpy(&rstd, ug_pipe_final(i - J)->byte + sizeof s.mean, sizeof rstd);
        UG_UNROLL
        for (int k = 0; k < SLOTS; k++) {
            float x[UG_VECTOR<T>], gamma[UG_VECTOR<T>], beta[UG_VECTOR<T>];
            ug_vector_open<T>(from[k * MEMBERS], x);
            params.load(k, gamma, beta);
            UG_UNROLL
            for (int j = 0; j < UG_VECTOR<T>; j++)
                x[j] = ug_affine(x[j], s.mean, rstd, gamma[j], beta[j]);
            ug_store_stream(to + k * MEMBERS, ug_vector_pack(x, (T *)nullptr));
        }
    }

    __device__ __forceinline__ void member(unsigned i)
    {
        step_zero<false>(i);
        if constexpr (J > 1) step_one<false>(i);
        if (i < J) return ug_arrivals_turn();
        ug_arrivals_wait(team.ready(i - J), (i - J) / UG_PIPE_SETS);
        apply(i);
        team.arrive(ug_pipe_counter(UG_PIPE_DONE + before(J)));
    }

    __device__ __forceinline__ void joiner(unsigned i)
    {
        if (i >= J) {
            team.wait(J - 1, i - J);
            finish(i);
        } else {
            ug_arrivals_turn();
        }
        step_zero<true>(i);
        if constexpr (J > 1) step_one<true>(i);
    }

    __device__ __forceinline__ void asker(unsigned i)
    {
        const unsigned next = i - J - 1 + stages, free = before(J + 1);
        if (i > J && next < count) {
            ug_arrivals_wait(ug_pipe_counter(UG_PIPE_DONE + free), turn_before(J + 1));
            if (threadIdx.x % UG_WARP == 0) ask(next, free);
        } else {
            ug_arrivals_turn();
        }
        for (unsigned k = 0; k < J; k++) ug_arrivals_turn();
    }
};
#endif

template <typename T, typename V, unsigned MEMBERS, int SLOTS, bool REGS>
__global__ void __launch_bounds__(MEMBERS + UG_PIPE_MORE, MEMBERS > 256 ? 1 : 2)
    ug_pipe_kernel([[maybe_unused]] ug_overlapped<ug_pipe_rows> later)
{
#if UG_HAVE_CLUSTERS
    UG_DYNAMIC_SHARED(uint4, ring);
    using Team = ug_pipe_team<MEMBERS>;
    const ug_pipe_rows &m = later.wait();
    Team::open();
    const ug_rows &a = m.rows;
    const Team team = {ug_cluster_rank(), m.parts};
    const long long step = gridDim.x / m.parts, begin = blockIdx.x / m.parts;
    const unsigned count = begin < a.rows ? (unsigned)((a.rows - begin + step - 1) / step) : 0;
    ug_pipe<T, V, MEMBERS, SLOTS, REGS> p = {a, team, {}, ring, m.stages, 0, 0, begin, step, count};
    p.params.kept = ring + m.stages * (p.words + 1);
    __syncthreads(); /* the counters are there */
    if (threadIdx.x == MEMBERS)
        for (unsigned s = 0; s < m.stages && s < p.count; s++) p.ask(s, s);
    p.params.open(a, team.rank);
    /* Everyone is there before anyone stores into others' shared memory, and until they have. */
    ug_cluster_sync();
    const unsigned warp = threadIdx.x / UG_WARP;
    for (unsigned i = 0; i < p.count + V::joins; i++) {
        if (warp < Team::warps)
            p.member(i);
        else if (warp == Team::warps)
            p.joiner(i);
        else
            p.asker(i);
        p.pass();
    }
    ug_cluster_sync();
#endif
}

template <typename T, typename V, unsigned MEMBERS, int SLOTS, bool REGS>
ug_status ug_pipe_launch(ug_args *args, const ug_plan &plan, const ug_rows &rows,
                         const ug_choice &choice)
{
    static_assert(MEMBERS / UG_WARP <= UG_PIPE_WARPS && V::joins <= UG_JOINS_MAX, "raise these");
    constexpr int64_t words = (int64_t)MEMBERS * SLOTS, kept = REGS ? 0 : 2 * words;
    const auto kernel = ug_pipe_kernel<T, V, MEMBERS, SLOTS, REGS>;
    const int64_t parts = choice.parts, room = plan.limits.max_shared - UG_PIPE_RESERVE;
    const int64_t fit_stages = (room / 16 - kept) / (words + 1);
    const int64_t stages = fit_stages < UG_PIPE_STAGES ? fit_stages : UG_PIPE_STAGES;
    ug_shape shape = {0, (int64_t)(MEMBERS + UG_PIPE_MORE),
                      (size_t)(stages * (words + 1) + kept) * 16, plan.limits};
    if (stages < V::joins + 2 || shape.block > plan.limits.max_block) return UG_DECLINED;
    const int64_t fit = ug_cluster_resident(shape, (unsigned)parts, kernel);
    const int64_t most = (fit < plan.limits.max_grid ? fit : plan.limits.max_grid) / parts;
    if (most == 0) return UG_DECLINED;
    /* Clusters that all have the same number of rows, or one less. */
    const int64_t rounds = (rows.rows + most - 1) / most;
    shape.grid = (rows.rows + rounds - 1) / rounds * parts;
    const ug_pipe_rows m = {rows, (unsigned)parts, (unsigned)stages};
    return ug_start_clusters(args, shape, (unsigned)parts, kernel, ug_overlapped<ug_pipe_rows>(m));
}

/* UG_DECLINED where rows do not fill their threads, or there are no such kernels. */
template <typename T, typename V>
ug_status ug_pipe_start(ug_args *args, const ug_plan &plan, const ug_rows &rows,
                        const ug_choice &choice)
{
    constexpr bool regs = sizeof(T) == sizeof(float);
    const int64_t vectors = ug_choice_vectors(rows.n, args->x.dtype);
    const int64_t threads = (int64_t)choice.parts * choice.members;
    if (!ug_choice_plain(args) || vectors % threads) return UG_DECLINED;
    if (choice.members == 512 && vectors == threads * 4)
        return ug_pipe_launch<T, V, 512, 4, regs>(args, plan, rows, choice);
    /* So long a part leaves room for three stages, and too few registers for shifted. */
    if constexpr (regs && V::joins == 1 && V::kind != UG_VAR_SHIFTED)
        if (choice.members == 512 && vectors == threads * 8)
            return ug_pipe_launch<T, V, 512, 8, regs>(args, plan, rows, choice);
    return UG_DECLINED;
}

#endif
