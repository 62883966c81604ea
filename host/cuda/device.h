/* SPDX-License-Identifier: Apache-2.0 */
/* Device functions beyond those of the shim: cached loads, approximate arithmetic, votes, atomics.
 */
#ifndef ULPGATE_HOST_CUDA_DEVICE_H
#define ULPGATE_HOST_CUDA_DEVICE_H

#include <math.h>
#include <string.h>

#include <type_traits>

template <typename T> static inline T __ldg(const T *p) { return *p; }
template <typename T> static inline T __ldcs(const T *p) { return *p; }
template <typename T> static inline T __ldca(const T *p) { return *p; }
template <typename T> static inline T __ldcg(const T *p) { return *p; }
template <typename T> static inline void __stcs(T *p, T v) { *p = v; }
template <typename T> static inline void __stcg(T *p, T v) { *p = v; }
template <typename T> static inline void __stwt(T *p, T v) { *p = v; }

static inline float rsqrtf(float x) { return __frsqrt_rn(x); }
static inline double rsqrt(double x) { return 1.0 / sqrt(x); }
static inline float __frcp_rn(float x) { return 1.0f / x; }
static inline float __fdividef(float a, float b) { return a / b; }
/* The C library declares functions of these names for itself. */
#define __expf(x)    expf(x)
#define __logf(x)    logf(x)
#define __powf(x, y) powf(x, y)
static inline float __saturatef(float x) { return x > 0 ? x < 1 ? x : 1 : 0; }
static inline int __float_as_int(float f) { return static_cast<int>(ug_float_bits(f)); }
static inline float __int_as_float(int i) { return ug_bits_float(static_cast<unsigned>(i)); }
static inline float __int2float_rn(int i) { return static_cast<float>(i); }
static inline float __uint2float_rn(unsigned i) { return static_cast<float>(i); }
static inline int __popc(unsigned v) { return __builtin_popcount(v); }
static inline int __clz(int v) { return v ? __builtin_clz(static_cast<unsigned>(v)) : 32; }
static inline int __ffs(int v) { return __builtin_ffs(v); }
static inline void __trap() { __builtin_trap(); }

/* Mixed types give the common one, as CUDA's overloads do. */
template <typename A, typename B> static inline std::common_type_t<A, B> max(A a, B b)
{
    using C = std::common_type_t<A, B>;
    if constexpr (std::is_floating_point_v<C>) return static_cast<C>(fmax(C(a), C(b)));
    return C(a) > C(b) ? C(a) : C(b);
}
template <typename A, typename B> static inline std::common_type_t<A, B> min(A a, B b)
{
    using C = std::common_type_t<A, B>;
    if constexpr (std::is_floating_point_v<C>) return static_cast<C>(fmin(C(a), C(b)));
    return C(a) < C(b) ? C(a) : C(b);
}

static inline void __threadfence() { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
static inline void __threadfence_block() { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
static inline void __threadfence_system() { __atomic_thread_fence(__ATOMIC_SEQ_CST); }

/* Lanes of `mask` for which the predicate holds: one meeting a bit. */
static inline unsigned __ballot_sync(unsigned mask, int predicate)
{
    unsigned all = 0;
    for (unsigned source = 0; source < 32; source++) {
        if (!(mask >> source & 1u)) continue;
        all |= (ug_shim_shuffle(mask, predicate != 0 ? 1u : 0u, source) & 1u) << source;
    }
    return all;
}
static inline int __any_sync(unsigned mask, int predicate)
{
    return __ballot_sync(mask, predicate) != 0;
}
static inline int __all_sync(unsigned mask, int predicate)
{
    return __ballot_sync(mask, !predicate) == 0;
}

/* Each of these returns what was there before. */
template <typename T, typename F> static inline T ug_host_update(T *p, F f)
{
    T old, next;
    __atomic_load(p, &old, __ATOMIC_RELAXED);
    do {
        next = f(old);
    } while (!__atomic_compare_exchange(p, &old, &next, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
    return old;
}
template <typename T> static inline T atomicAdd(T *p, std::type_identity_t<T> v)
{
    return ug_host_update(p, [v](T old) { return static_cast<T>(old + v); });
}
template <typename T> static inline T atomicSub(T *p, std::type_identity_t<T> v)
{
    return ug_host_update(p, [v](T old) { return static_cast<T>(old - v); });
}
template <typename T> static inline T atomicMax(T *p, std::type_identity_t<T> v)
{
    return ug_host_update(p, [v](T old) { return old > v ? old : v; });
}
template <typename T> static inline T atomicMin(T *p, std::type_identity_t<T> v)
{
    return ug_host_update(p, [v](T old) { return old < v ? old : v; });
}
template <typename T> static inline T atomicExch(T *p, std::type_identity_t<T> v)
{
    return ug_host_update(p, [v](T) { return v; });
}
template <typename T>
static inline T atomicCAS(T *p, std::type_identity_t<T> expected, std::type_identity_t<T> v)
{
    return ug_host_update(p, [=](T old) { return old == expected ? v : old; });
}
static inline unsigned atomicInc(unsigned *p, unsigned most)
{
    return ug_host_update(p, [most](unsigned old) { return old >= most ? 0 : old + 1; });
}

#endif
