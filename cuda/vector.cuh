/* SPDX-License-Identifier: Apache-2.0 */
/* Vectors of 16 bytes of a row, wherever the row begins.
 *
 * Vector i of a row is its elements [i E, i E + E), E = 16 / sizeof(T): who has which elements, and
 * so the bits, do not depend on the address. Only how they are moved does. A row that begins
 * `shift` bytes past a multiple of 16 has each of its vectors in two aligned words:
 *
 *   memory   |  word j  | word j+1 | word j+2 |
 *   vectors       |    i     |   i+1    |
 *            <-shift->
 *
 * The first and the last vector of a row share words with bytes outside of it: these are moved
 * element by element, so that no byte outside a row is touched.
 */
#ifndef ULPGATE_CUDA_VECTOR_CUH
#define ULPGATE_CUDA_VECTOR_CUH

#include "cuda/element.cuh"

template <typename T> constexpr int UG_VECTOR = 16 / (int)sizeof(T);

__device__ __forceinline__ unsigned ug_shift_of(const void *row)
{
    return (unsigned)((uintptr_t)row % 16);
}

template <typename T> __device__ __forceinline__ void ug_vector_open(uint4 v, float x[])
{
    T e[UG_VECTOR<T>];
    memcpy(e, &v, sizeof e);
    UG_UNROLL
    for (int k = 0; k < UG_VECTOR<T>; k++) x[k] = ug_widen(e[k]);
}

#ifdef __CUDACC__
/* A bfloat16 is the upper half of a float. */
template <> __device__ __forceinline__ void ug_vector_open<__nv_bfloat16>(uint4 v, float x[])
{
    const uint32_t w[4] = {v.x, v.y, v.z, v.w};
    UG_UNROLL
    for (int k = 0; k < 4; k++) {
        x[2 * k] = __uint_as_float(w[k] << 16);
        x[2 * k + 1] = __uint_as_float(w[k] & 0xffff0000u);
    }
}
#endif

/* Opened for sweep `turn` of a thread. Elements of 16 bits stay packed between sweeps, as floats
 * they would take twice the registers: the compiler does not know that these words are zero. */
template <typename T>
__device__ __forceinline__ void ug_vector_open_again(uint4 v, const unsigned zero[2], int turn,
                                                     float x[])
{
    const unsigned z = sizeof(T) == sizeof(float) || turn == 0 ? 0 : zero[turn % 2];
    ug_vector_open<T>({v.x ^ z, v.y ^ z, v.z ^ z, v.w ^ z}, x);
}

#ifdef __CUDACC__
template <>
__device__ __forceinline__ void ug_vector_open_again<__nv_bfloat16>(uint4 v, const unsigned zero[2],
                                                                    int turn, float x[])
{
    const unsigned z = turn == 0 ? 0 : zero[turn % 2];
    const unsigned places = 16 ^ z, mask = 0xffff0000u ^ z;
    const uint32_t w[4] = {v.x, v.y, v.z, v.w};
    UG_UNROLL
    for (int k = 0; k < 4; k++) {
        x[2 * k] = __uint_as_float(w[k] << places);
        x[2 * k + 1] = __uint_as_float(w[k] & mask);
    }
}
#endif

__device__ __forceinline__ uint4 ug_vector_pack(const float x[], float *)
{
    uint4 v;
    memcpy(&v, x, sizeof v);
    return v;
}

template <typename T> __device__ __forceinline__ uint4 ug_vector_pack(const float x[], T *type)
{
    return {ug_round_two(x[0], x[1], type), ug_round_two(x[2], x[3], type),
            ug_round_two(x[4], x[5], type), ug_round_two(x[6], x[7], type)};
}

template <typename T> __device__ __forceinline__ uint4 ug_vector_gather(const T *p)
{
    T e[UG_VECTOR<T>];
    uint4 v;
    p = ug_unaligned(p);
    UG_UNROLL
    for (int k = 0; k < UG_VECTOR<T>; k++) e[k] = p[k];
    memcpy(&v, e, sizeof v);
    return v;
}

/* Bytes [shift, shift + 16) of two words; shift is even and below 16. */
__device__ __forceinline__ uint4 ug_vector_cut(uint4 low, uint4 high, unsigned shift)
{
    uint32_t w[8] = {low.x, low.y, low.z, low.w, high.x, high.y, high.z, high.w};
    const unsigned bits = shift % 4 * 8;
    UG_UNROLL
    for (int k = 0; k < 6; k++) w[k] = shift & 8 ? w[k + 2] : w[k];
    UG_UNROLL
    for (int k = 0; k < 5; k++) w[k] = shift & 4 ? w[k + 1] : w[k];
    return {__funnelshift_r(w[0], w[1], bits), __funnelshift_r(w[1], w[2], bits),
            __funnelshift_r(w[2], w[3], bits), __funnelshift_r(w[3], w[4], bits)};
}

/* The aligned word in which a vector begins. */
template <typename P> __device__ __forceinline__ P *ug_word_of(P *vector, unsigned shift)
{
    return reinterpret_cast<P *>(reinterpret_cast<uintptr_t>(vector) - shift);
}

/* Vector at p of a row that has others before and after it, unless `edge`. */
template <typename T>
__device__ __forceinline__ uint4 ug_vector_load(const T *p, unsigned shift, bool edge)
{
    if (edge) return ug_vector_gather(p);
    const uint4 *word = reinterpret_cast<const uint4 *>(ug_word_of(p, shift));
    return ug_vector_cut(word[0], word[1], shift);
}

/* Stores the lanes' vectors at p, which follow each other from lane to lane, to a row that need not
 * be aligned: each lane makes one whole word of the end of its left neighbour's vector and the
 * beginning of its own. Where there is no such neighbour (`first`) or nobody to the right who would
 * take the end along (`last`), that part goes element by element. All lanes must call; those
 * without a vector say so. */
template <typename T>
__device__ __forceinline__ void ug_vector_store(T *p, uint4 v, unsigned shift, bool valid,
                                                bool first, bool last)
{
    const uint4 left = ug_shuffle_from(v, (threadIdx.x + UG_WARP - 1) % UG_WARP);
    if (!valid) return;
    const int split = UG_VECTOR<T> - (int)(shift / sizeof(T)); /* elements before the next word */
    T e[UG_VECTOR<T>];
    memcpy(e, &v, sizeof e);
    if (!first || shift == 0)
        ug_store_stream(reinterpret_cast<uint4 *>(ug_word_of(p, shift)),
                        shift ? ug_vector_cut(left, v, 16 - shift) : v);
    if (shift == 0) return;
    UG_UNROLL
    for (int k = 0; k < UG_VECTOR<T>; k++)
        if (k < split ? first : last) p[k] = e[k];
}

/* Of gamma or beta; FAR: in global memory, wherever else otherwise. */
template <bool FAR, typename P> __device__ __forceinline__ P ug_load_param(const P *p)
{
    if constexpr (FAR) return ug_load_constant(p);
    return *p;
}

template <bool FAR, typename P>
__device__ __forceinline__ void ug_vector_param(const P *p, bool whole, float v[])
{
    if (whole) {
        ug_vector_open<P>(ug_load_param<FAR>(reinterpret_cast<const uint4 *>(p)), v);
    } else {
        p = ug_unaligned(p);
        UG_UNROLL
        for (int k = 0; k < UG_VECTOR<P>; k++) v[k] = ug_widen(ug_load_param<FAR>(p + k));
    }
}

/* E values of gamma or beta from element i on; `whole`: they may be read 16 bytes at a time. */
template <typename T, bool FAR>
__device__ __forceinline__ void ug_vector_params(const void *p, bool wide, bool whole, long long i,
                                                 float absent, float v[])
{
    constexpr int E = UG_VECTOR<T>;
    if (!p) {
        UG_UNROLL
        for (int k = 0; k < E; k++) v[k] = absent;
    } else if (!wide) {
        ug_vector_param<FAR>(static_cast<const T *>(p) + i, whole, v);
    } else {
        UG_UNROLL
        for (int k = 0; k < E; k += 4)
            ug_vector_param<FAR>(static_cast<const float *>(p) + i + k, whole, v + k);
    }
}

#endif
