/* SPDX-License-Identifier: Apache-2.0 */
/* Parts of the next rows on their way into shared memory while a block works on this one.
 *
 * One bulk copy brings a part: the aligned words that its vectors lie in, as far as they are the
 * row's own. A row that is not aligned shares its first and its last word with what is not the row:
 * their vectors are loaded by their owners, element by element.
 */
#ifndef ULPGATE_CUDA_RING_CUH
#define ULPGATE_CUDA_RING_CUH

#include "cuda/cluster.cuh"
#include "cuda/finish.cuh"

constexpr unsigned UG_STAGES_MAX = 4;

/* What a row needs beside its vectors, asked for one row ahead. */
template <typename T> struct ug_ahead {
    float head = 0.0f;
    T rest = T();
    __device__ __forceinline__ void fetch(const ug_rows &a, const ug_part_of<T> &part, long long r)
    {
        const T *x = static_cast<const T *>(a.x) + r * a.x_stride;
        if (a.n > 0) head = ug_widen(x[0]);
        if (part.rest) rest = x[part.rest_element()];
    }
};

#if UG_HAVE_CLUSTERS
template <typename T> struct ug_ring {
    uint4 *words;
    unsigned stages, stage_words;
    unsigned stage, turn; /* where the next row is, and how often the ring has gone round */

    static __device__ __forceinline__ ug_arrivals *arrivals()
    {
        UG_SHARED(ug_arrivals, counters, UG_STAGES_MAX);
        return counters;
    }

    /* The copied words of a part: from one in which its first vector begins, or the next one where
     * that is not the row's alone. */
    static __device__ __forceinline__ const uint4 *source(const T *x, const ug_part_of<T> &part)
    {
        const unsigned shift = ug_shift_of(x);
        return reinterpret_cast<const uint4 *>(ug_word_of(x + part.element(0), shift)) +
               (part.first == 0 && shift ? 1 : 0);
    }

    __device__ __forceinline__ void ask(const ug_rows &a, const ug_part_of<T> &part, long long r,
                                        unsigned to) const
    {
        const T *x = static_cast<const T *>(a.x) + r * a.x_stride;
        const unsigned shift = ug_shift_of(x);
        const uint4 *begin = source(x, part);
        const uint4 *end =
            reinterpret_cast<const uint4 *>(ug_word_of(x + part.element(part.count), shift)) +
            (part.first + part.count < part.all && shift ? 1 : 0);
        ug_bulk_load(words + to * stage_words, begin,
                     part.count && end > begin ? (unsigned)(end - begin) * 16u : 0u,
                     &arrivals()[to]);
    }

    __device__ __forceinline__ void open(const ug_rows &a, const ug_part_of<T> &part,
                                         long long first, long long step)
    {
        if (threadIdx.x == 0)
            for (unsigned s = 0; s < stages; s++) {
                ug_arrivals_open(&arrivals()[s]);
                if (first + s * step < a.rows) ask(a, part, first + s * step, s);
            }
        __syncthreads();
    }

    template <typename Row> __device__ __forceinline__ void take(Row &row, const T *x) const
    {
        const ug_part_of<T> &part = *row.part;
        const unsigned shift = ug_shift_of(x);
        const uint4 *from = words + stage * stage_words - (part.first == 0 && shift ? 1 : 0);
        ug_arrivals_wait(&arrivals()[stage], turn);
        UG_UNROLL
        for (int k = 0; k < Row::slots; k++) {
            const unsigned place = row.place(k);
            if (!row.has(k)) continue;
            if (shift == 0)
                row.v[k] = from[place];
            else if (row.edge(k))
                row.v[k] = ug_vector_gather(x + part.element(place));
            else
                row.v[k] = ug_vector_cut(from[place], from[place + 1], shift);
        }
    }

    /* After the block has taken row r. */
    __device__ __forceinline__ void refill(const ug_rows &a, const ug_part_of<T> &part, long long r,
                                           long long step)
    {
        if (threadIdx.x == 0 && r + stages * step < a.rows) ask(a, part, r + stages * step, stage);
        if (++stage == stages) {
            stage = 0;
            turn++;
        }
    }
};
#endif

#endif
