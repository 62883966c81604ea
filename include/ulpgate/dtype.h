/* SPDX-License-Identifier: Apache-2.0 */
/* What the bits of a dtype mean: exact widening to float, rounding to nearest even from float.
 *
 * Integer code only, so the same bits come out of every compiler and processor. NaN stays NaN
 * (quiet).
 */
#ifndef ULPGATE_DTYPE_H
#define ULPGATE_DTYPE_H

#include <string.h>

#include "ulpgate/kernel.h"

static inline uint32_t ug_float_bits(float f)
{
    uint32_t u;
    memcpy(&u, &f, sizeof u);
    return u;
}

static inline float ug_bits_float(uint32_t u)
{
    float f;
    memcpy(&f, &u, sizeof f);
    return f;
}

static inline size_t ug_dtype_size(ug_dtype t) { return t == UG_F32 ? 4 : 2; }

static inline const char *ug_dtype_name(ug_dtype t)
{
    return t == UG_F32 ? "f32" : t == UG_F16 ? "f16" : "bf16";
}

static inline float ug_bf16_to_float(uint16_t b) { return ug_bits_float((uint32_t)b << 16); }

static inline uint16_t ug_float_to_bf16(float f)
{
    uint32_t u = ug_float_bits(f);
    if ((u & 0x7fffffffu) > 0x7f800000u) return (uint16_t)(u >> 16 | 0x40u);
    return (uint16_t)((u + 0x7fffu + (u >> 16 & 1u)) >> 16);
}

static inline float ug_f16_to_float(uint16_t h)
{
    uint32_t sign = (uint32_t)(h & 0x8000u) << 16, e = h >> 10 & 31u, m = h & 0x3ffu;
    if (e == 31) return ug_bits_float(sign | 0x7f800000u | m << 13 | (m ? 0x400000u : 0u));
    if (e) return ug_bits_float(sign | (e + 112u) << 23 | m << 13);
    if (!m) return ug_bits_float(sign);
    for (e = 113; !(m & 0x400u); e--) m <<= 1; /* a subnormal f16 is a normal float */
    return ug_bits_float(sign | e << 23 | (m & 0x3ffu) << 13);
}

static inline uint16_t ug_float_to_f16(float f)
{
    uint32_t u = ug_float_bits(f), sign = u >> 16 & 0x8000u, a = u & 0x7fffffffu, m, rest, half;
    int shift;
    if (a > 0x7f800000u) return (uint16_t)(sign | 0x7e00u | (a >> 13 & 0x1ffu));
    if (a >= 0x477ff000u) return (uint16_t)(sign | 0x7c00u); /* from 65520 on: rounds to infinity */
    if (a < 0x33000000u) return (uint16_t)sign;              /* below 2^-25: rounds to zero */
    if (a >= 0x38800000u) {                                  /* normal: rebias, round off 13 bits */
        a -= 112u << 23;
        return (uint16_t)(sign | (a + 0xfffu + (a >> 13 & 1u)) >> 13);
    }
    shift = 126 - (int)(a >> 23); /* subnormal: value = m * 2^(e-150) in units of 2^-24 */
    m = (a & 0x7fffffu) | 0x800000u;
    rest = m & ((1u << shift) - 1u);
    half = 1u << (shift - 1);
    m >>= shift;
    return (uint16_t)(sign | (m + (rest > half || (rest == half && (m & 1u)))));
}

/* Element i of an array of dtype t, widened exactly. */
static inline float ug_load(const void *p, ug_dtype t, int64_t i)
{
    uint16_t h;
    float f;
    if (t == UG_F32) {
        memcpy(&f, (const char *)p + 4 * i, 4);
        return f;
    }
    memcpy(&h, (const char *)p + 2 * i, 2);
    return t == UG_F16 ? ug_f16_to_float(h) : ug_bf16_to_float(h);
}

/* Rounds v to dtype t and stores it as element i. */
static inline void ug_store(void *p, ug_dtype t, int64_t i, float v)
{
    uint16_t h;
    if (t == UG_F32) {
        memcpy((char *)p + 4 * i, &v, 4);
        return;
    }
    h = t == UG_F16 ? ug_float_to_f16(v) : ug_float_to_bf16(v);
    memcpy((char *)p + 2 * i, &h, 2);
}

/* v rounded to dtype t, as a float again. */
static inline float ug_round_to(ug_dtype t, float v)
{
    return t == UG_F32   ? v
           : t == UG_F16 ? ug_f16_to_float(ug_float_to_f16(v))
                         : ug_bf16_to_float(ug_float_to_bf16(v));
}

#endif
