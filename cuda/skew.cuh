/* SPDX-License-Identifier: Apache-2.0 */
/* How vectors of 16 bytes are moved of rows that begin anywhere, with code of its own for each
 * place that a row may have.
 *
 * Vector i of a row is its elements [i E, i E + E), E = 16 / sizeof(T), wherever it begins. A row
 * that begins `shift` bytes past a multiple of 16 has its vectors in two blocks of 16 aligned bytes
 * each:
 *
 *   block i      | w0  w1  w2  w3 |           shift = 4 SKIP, or 4 SKIP + 2 if HALF:
 *   vector i          | v0  v1  v2  v3 |      words SKIP.. of block i, those before of block i + 1,
 *   block i + 1                   | w0 ...    or halves of them
 *
 * A lane reads the words of both blocks that it needs; for y it has the last words of the vector to
 * the left. At the ends of a row, and of what a warp has of y, single words and halves are moved:
 * no byte outside the row is touched.
 */
#ifndef ULPGATE_CUDA_SKEW_CUH
#define ULPGATE_CUDA_SKEW_CUH

#include "cuda/vector.cuh"

/* Words FROM to FROM + COUNT - 1 of a block, of which others are read soon. */
template <int FROM, int COUNT>
__device__ __forceinline__ void ug_block_load(const uint4 *block, uint32_t w[])
{
    const uint32_t *p = reinterpret_cast<const uint32_t *>(block) + FROM;
    if constexpr (COUNT == 1) {
        w[0] = ug_load_cached(p);
    } else if constexpr (COUNT == 2 && FROM % 2 == 0) {
        const uint2 two = ug_load_cached(reinterpret_cast<const uint2 *>(p));
        memcpy(w, &two, sizeof two);
    } else if constexpr (COUNT > 0) {
        const uint4 four = ug_load_cached(block);
        const uint32_t all[4] = {four.x, four.y, four.z, four.w};
        UG_UNROLL
        for (int i = 0; i < COUNT; i++) w[i] = all[FROM + i];
    }
}

/* A row's place among blocks, SKIP words and if HALF half a word past the first one's begin. */
template <typename T, int SKIP, bool HALF> struct ug_skew {
    static constexpr bool skewed = SKIP > 0 || HALF;
    static constexpr int own = 4 - SKIP, next = SKIP + HALF; /* words of two blocks */
    static constexpr int per = 4 / (int)sizeof(T);

    /* What the row's first vector has of its first block, and its last one of its second. */
    static __device__ __forceinline__ void load_first(const uint4 *block, uint32_t w[])
    {
        const uint32_t *p = reinterpret_cast<const uint32_t *>(block) + SKIP;
        w[0] = HALF ? ug_load_cached(reinterpret_cast<const uint16_t *>(p) + 1) : ug_load_cached(p);
        UG_UNROLL
        for (int i = 1; i < own; i++) w[i] = ug_load_cached(p + i);
    }
    static __device__ __forceinline__ void load_last(const uint4 *block, uint32_t w[])
    {
        const uint32_t *p = reinterpret_cast<const uint32_t *>(block);
        UG_UNROLL
        for (int i = 0; i < SKIP; i++) w[i] = ug_load_cached(p + i);
        if (HALF) w[SKIP] = ug_load_cached(reinterpret_cast<const uint16_t *>(p + SKIP));
    }

    /* The elements of a vector from its words. */
    static __device__ __forceinline__ void open(const uint32_t w[], float x[])
    {
        UG_UNROLL
        for (int i = 0; i < UG_VECTOR<T>; i++)
            x[i] = ug_word_part(w[(i + HALF) / per], (i + HALF) % per, (T *)nullptr);
    }
    /* Its four words in y; `before`: the last element of the vector to the left. */
    static __device__ __forceinline__ void pack(const float x[], float before, uint32_t w[4])
    {
        w[0] = HALF ? ug_word_pack(before, x[0], (T *)nullptr)
                    : ug_word_pack(x[0], x[per - 1], (T *)nullptr);
        UG_UNROLL
        for (int i = 1; i < 4; i++)
            w[i] = ug_word_pack(x[i * per - HALF], x[i * per + per - 1 - HALF], (T *)nullptr);
    }

    /* What a stretch's first vector writes of its first block, and its last one of its second. */
    static __device__ __forceinline__ void store_first(uint4 *block, const uint32_t w[4])
    {
        uint32_t *p = reinterpret_cast<uint32_t *>(block) + SKIP;
        if (HALF)
            ug_store_stream(reinterpret_cast<uint16_t *>(p) + 1, (uint16_t)(w[0] >> 16));
        else
            ug_store_stream(p, w[0]);
        UG_UNROLL
        for (int i = 1; i < own; i++) ug_store_stream(p + i, w[i]);
    }
    static __device__ __forceinline__ void store_last(uint4 *block, const uint32_t w[4], float end)
    {
        uint32_t *p = reinterpret_cast<uint32_t *>(block);
        UG_UNROLL
        for (int i = 0; i < SKIP; i++) ug_store_stream(p + i, w[own + i]);
        if (HALF)
            ug_store_stream(reinterpret_cast<uint16_t *>(p + SKIP),
                            (uint16_t)ug_word_pack(end, end, (T *)nullptr));
    }
};

/* Calls f with the place of a row. */
template <typename T, int SKIP, typename F>
__device__ __forceinline__ void ug_skewed_by(unsigned shift, F f)
{
    if constexpr (sizeof(T) < sizeof(float)) {
        if (shift % 4)
            f(ug_skew<T, SKIP, true>());
        else
            f(ug_skew<T, SKIP, false>());
    } else {
        f(ug_skew<T, SKIP, false>());
    }
}
template <typename T, typename F> __device__ __forceinline__ void ug_skewed(unsigned shift, F f)
{
    if (shift < 4)
        ug_skewed_by<T, 0>(shift, f);
    else if (shift < 8)
        ug_skewed_by<T, 1>(shift, f);
    else if (shift < 12)
        ug_skewed_by<T, 2>(shift, f);
    else
        ug_skewed_by<T, 3>(shift, f);
}

#endif
