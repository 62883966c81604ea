/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels for rows that several blocks share: a cluster that meets in distributed shared memory, or
 * where there are no clusters one launch for every join. Both merge the blocks' results in the same
 * tree. */
#ifndef ULPGATE_CUDA_MULTI_CUH
#define ULPGATE_CUDA_MULTI_CUH

#include "cuda/cluster.cuh"
#include "cuda/finish.cuh"
#include "cuda/ring.cuh"
#include "cuda/team.cuh"

constexpr unsigned UG_PARTS_MAX = 16;
constexpr int UG_JOINS_MAX = 2;

struct ug_multi_rows {
    ug_rows rows;
    unsigned parts, reach;                    /* of blocks, and see ug_team */
    unsigned stages, stage_words, keep_words; /* the last 0: gamma and beta are not kept */
    uint4 *store;                             /* phases: what ug_phase_team says */
    int phase;
};

/* Partial results of the parts, a power of two, folded by every warp of every block alike. */
template <typename S> __device__ __forceinline__ S ug_join_parts(const uint4 *slot, unsigned parts)
{
    S v;
    memcpy(&v, slot + threadIdx.x % parts, sizeof v);
    return ug_shuffle_from(ug_warp_join(v, parts / 2), 0);
}

#if UG_HAVE_CLUSTERS
/* What a cluster meets with: this block's slots for the results of all parts, in two sets. */
__device__ __forceinline__ ug_arrivals *ug_meeting_arrivals()
{
    UG_SHARED(ug_arrivals, met, 2);
    return met;
}

/* Puts v, if there is one, into slot `index` of block `to`; returns the block's own slots. */
__device__ __forceinline__ const uint4 *ug_meeting(unsigned to, unsigned index, const uint4 *v,
                                                   [[maybe_unused]] ug_arrivals *a)
{
    UG_SHARED(uint4, meeting, 2 * UG_PARTS_MAX);
    if (v) UG_SHARED_PUT(to, meeting, index, *v, a);
    return meeting;
}

struct ug_cluster_team {
    static constexpr bool far = false;
    static constexpr bool sparse = true;
    ug_team block;
    unsigned rank, parts, turn;

    /* Before everyone meets for the first time. */
    __device__ __forceinline__ void open() const
    {
        if (threadIdx.x < 2) ug_arrivals_open(ug_meeting_arrivals() + threadIdx.x);
    }

    /* Every block puts its result into every block's slots, of which there are two sets in turn. A
     * set is free again when its next turn comes: whoever puts something into it has got the
     * results of the turn between, so all threads of the block have read the set and passed a
     * barrier. */
    template <typename S> __device__ __forceinline__ S join(S v)
    {
        static_assert(sizeof(S) <= sizeof(uint4), "states of 16 bytes at most");
        v = block.join(v);
        if (parts == 1) return v;
        const unsigned set = turn % 2, around = turn / 2;
        turn++;
        ug_arrivals *met = ug_meeting_arrivals() + set;
        if (threadIdx.x == 0) ug_arrivals_expect(met, parts * (unsigned)sizeof(uint4));
        if (threadIdx.x < parts) {
            uint4 word = {0, 0, 0, 0};
            memcpy(&word, &v, sizeof v);
            ug_meeting(threadIdx.x, set * UG_PARTS_MAX + rank, &word, met);
        }
        ug_arrivals_wait(met, around);
        const uint4 *slot = ug_meeting(0, 0, nullptr, nullptr) + set * UG_PARTS_MAX;
        return ug_join_parts<S>(slot, parts);
    }

    __device__ __forceinline__ bool any(bool mine)
    {
        return parts == 1 ? block.any(mine) : join(ug_flag{mine}).set != 0;
    }
};
#endif

/* Copies the part's gamma or beta into shared memory; returns where its element 0 would be. */
template <typename T>
__device__ __forceinline__ const void *
ug_keep_params(const ug_rows &a, const void *from, const ug_part_of<T> &part, bool last, uint4 *to)
{
    if (!from) return from;
    const long long size = a.wide ? 4 : (long long)sizeof(T), first = part.element(0);
    const long long bytes = ((last ? a.n : part.element(part.count)) - first) * size;
    const char *source = static_cast<const char *>(from) + first * size;
    long long done = 0;
    if (a.whole) {
        for (long long i = threadIdx.x; i < bytes / 16; i += blockDim.x)
            to[i] = reinterpret_cast<const uint4 *>(source)[i];
        done = bytes / 16 * 16;
    }
    for (long long i = done / 2 + threadIdx.x; i < bytes / 2; i += blockDim.x)
        reinterpret_cast<uint16_t *>(to)[i] = reinterpret_cast<const uint16_t *>(source)[i];
    return reinterpret_cast<const char *>(reinterpret_cast<uintptr_t>(to) -
                                          (uintptr_t)(first * size));
}

/* A cluster takes row after row; the parts of the next rows are on their way into shared memory
 * while this one is worked on. SLOTS 0: no ring, nothing is held. */
template <typename T, typename V, int SLOTS>
__global__ void __launch_bounds__(UG_THREADS_MOST<V, SLOTS, true>,
                                  ug_blocks_least<T, V, SLOTS, true>())
    ug_cluster_rows([[maybe_unused]] ug_multi_rows m)
{
#if UG_HAVE_CLUSTERS
    UG_DYNAMIC_SHARED(uint4, words);
    ug_rows a = m.rows;
    ug_cluster_team team = {{threadIdx.x, blockDim.x, 0, m.reach}, ug_cluster_rank(), m.parts, 0};
    const ug_part_of<T> part = ug_part<T>(a.n, team.rank, m.parts, threadIdx.x, blockDim.x);
    const long long step = gridDim.x / m.parts, begin = blockIdx.x / m.parts;
    ug_ring<T> ring = {words, m.stages, m.stage_words, 0, 0};
    if (SLOTS) ring.open(a, part, begin, step);
    if (SLOTS && m.keep_words) {
        uint4 *room = words + m.stages * m.stage_words;
        a.gamma = ug_keep_params<T>(a, a.gamma, part, team.rank + 1 == m.parts, room);
        a.beta = ug_keep_params<T>(a, a.beta, part, team.rank + 1 == m.parts, room + m.keep_words);
        a.whole = true;
        __syncthreads();
    }
    /* Everyone is there before anyone stores into others' shared memory, and until they have. */
    team.open();
    if (m.parts > 1) ug_cluster_sync();
    ug_ahead<T> ahead;
    if (begin < a.rows) ahead.fetch(a, part, begin);
    for (long long r = begin; r < a.rows; r += step) {
        ug_held_row<T, ug_cluster_team, SLOTS> row;
        const T *x = static_cast<const T *>(a.x) + r * a.x_stride;
        row.begin(&part, &team, x, a, ahead);
        if (r + step < a.rows) ahead.fetch(a, part, r + step);
        if constexpr (SLOTS > 0) {
            ring.take(row, x);
            __syncthreads(); /* everyone has read the stage */
            ring.refill(a, part, r, step);
        }
        ug_finish_row<V>(a, row, r, static_cast<T *>(a.y) + r * a.y_stride, true,
                         team.rank == 0 && threadIdx.x == 0);
    }
    if (m.parts > 1) ug_cluster_sync();
#endif
}

/* Without clusters: launch number `phase` knows the results of all joins before join `phase`, puts
 * its own partial result of that join into the store, and goes through the rest with results that
 * nobody uses; the last launch knows all of them and writes y. For each row the store has
 * UG_JOINS_MAX sets of slots and the row's first element, which y may lie on. */
struct ug_phase_team {
    static constexpr bool far = true;
    static constexpr bool sparse = true;
    ug_team block;
    unsigned rank, parts;
    int phase, turn;
    uint4 *store;

    template <typename S> __device__ __forceinline__ S join(S v)
    {
        static_assert(sizeof(S) <= sizeof(uint4), "states of 16 bytes at most");
        v = block.join(v);
        const int own = turn++;
        uint4 *slot = store + own * parts;
        if (own < phase) return ug_join_parts<S>(slot, parts);
        if (own == phase && threadIdx.x == 0) memcpy(slot + rank, &v, sizeof v);
        return v;
    }
    __device__ __forceinline__ bool any(bool mine) { return mine; }
};

template <typename T, typename V>
__global__ void __launch_bounds__(UG_THREADS_MOST<V, 0, false>, 1) ug_phase_rows(ug_multi_rows m)
{
    const ug_rows &a = m.rows;
    const unsigned rank = blockIdx.x % m.parts, slots = UG_JOINS_MAX * m.parts;
    const ug_part_of<T> part = ug_part<T>(a.n, rank, m.parts, threadIdx.x, blockDim.x);
    ug_phase_team team = {
        {threadIdx.x, blockDim.x, 0, m.reach}, rank, m.parts, m.phase, 0, nullptr};
    for (long long r = blockIdx.x / m.parts; r < a.rows; r += gridDim.x / m.parts) {
        ug_held_row<T, ug_phase_team, 0> row;
        team.turn = 0;
        team.store = m.store + r * (slots + 1);
        float *head = reinterpret_cast<float *>(team.store + slots);
        row.begin(&part, &team, static_cast<const T *>(a.x) + r * a.x_stride, a);
        if (m.phase > 0) row.head = *head;
        if (m.phase == 0 && V::joins > 0 && rank == 0 && threadIdx.x == 0) *head = row.head;
        if (m.phase < V::joins)
            ug_row_moments<V>(row, a.n);
        else
            ug_finish_row<V>(a, row, r, static_cast<T *>(a.y) + r * a.y_stride, true,
                             rank == 0 && threadIdx.x == 0);
    }
}

template <typename T, typename V>
ug_status ug_phases_start(ug_args *args, const ug_plan &plan, const ug_rows &rows,
                          const ug_choice &choice)
{
    static_assert(V::joins <= UG_JOINS_MAX, "raise UG_JOINS_MAX");
    if (choice.block > UG_THREADS_MOST<V, 0, false>)
        return ug_block_too_large(args, choice, UG_THREADS_MOST<V, 0, false>);
    const int64_t parts = choice.parts, most = plan.limits.max_grid / parts;
    const ug_shape shape = {(rows.rows < most ? rows.rows : most) * parts, choice.block, 0,
                            plan.limits};
    ug_multi_rows m = {rows,
                       (unsigned)parts,
                       ug_choice_reach(&choice),
                       0,
                       0,
                       0,
                       static_cast<uint4 *>(args->workspace),
                       0};
    for (; m.phase <= V::joins; m.phase++) {
        const ug_status status = ug_start(args, shape, ug_phase_rows<T, V>, m);
        if (status != UG_OK) return status;
    }
    return UG_OK;
}

template <typename T, typename V, int SLOTS>
ug_status ug_cluster_start(ug_args *args, const ug_plan &plan, const ug_rows &rows,
                           const ug_choice &choice)
{
    if (choice.block > UG_THREADS_MOST<V, SLOTS, true>)
        return ug_block_too_large(args, choice, UG_THREADS_MOST<V, SLOTS, true>);
    const int64_t vectors = ug_choice_vectors(rows.n, args->x.dtype), parts = choice.parts;
    const unsigned words = (unsigned)((vectors + parts - 1) / parts + 2);
    const unsigned keep = choice.keep ? (unsigned)ug_choice_keep_words(args, &choice) : 0;
    const ug_multi_rows m = {rows,
                             (unsigned)parts,
                             ug_choice_reach(&choice),
                             (unsigned)choice.stages,
                             words,
                             keep,
                             nullptr,
                             0};
    const size_t shared = ((size_t)words * (size_t)choice.stages + 2 * (size_t)keep) * 16;
    ug_shape shape = {0, choice.block, SLOTS ? shared : 0, plan.limits};
    const int64_t fit = ug_cluster_resident(shape, (unsigned)parts, ug_cluster_rows<T, V, SLOTS>);
    if (fit == 0) return ug_phases_start<T, V>(args, plan, rows, choice);
    const int64_t most = (fit < plan.limits.max_grid ? fit : plan.limits.max_grid) / parts;
    shape.grid = (rows.rows < most ? rows.rows : most) * parts;
    return ug_start_clusters(args, shape, (unsigned)parts, ug_cluster_rows<T, V, SLOTS>, m);
}

#endif
