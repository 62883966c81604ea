/* SPDX-License-Identifier: Apache-2.0 */
/* Data whose sums are exact in any order, after oneDNN's benchdnn (tests/benchdnn/lnorm/lnorm.hpp,
 * cfg_t; lnorm.cpp, fill_mean, fill_src, fill_scale, fill_shift): every index mistake shows and no
 * rounding does. Where the source draws random numbers, ours are drawn.
 */
#include "cases/generate.h"

static int digits(ug_dtype t) { return t == UG_F32 ? 24 : t == UG_F16 ? 11 : 8; }

static int ceil_log2(int64_t n)
{
    int k = 0;
    while (k < 62 && (int64_t)1 << k < n) k++;
    return k;
}

/* x_2i + x_2i+1 = 2m. While the dtype leaves 3 bits: x = m (1 +- k / 2^bits), m = 2^(row % 7) / 4.
 * Longer rows: narrow types m +- 1/4 or m +- 1; float +-k / 2^6, and 0 for most. */
void ug_fill_exactsum(const ug_gen_at *at, double *v)
{
    int exact = digits(at->dtype), want = exact / 2 < 6 ? exact / 2 : 6;
    int free_bits = (exact - ceil_log2(at->n)) / 2 - 1, fits = free_bits >= 3;
    int zeros = !fits && want == 6, bits = fits ? free_bits : want;
    int64_t mask = ((int64_t)1 << bits) - 1;
    double m = zeros ? 0 : 0.25 * (double)(1 << at->row % 7);
    double density = (double)((int64_t)1 << (exact - 2 * want)) / (double)(at->n > 0 ? at->n : 1);
    for (int i = 0; i < at->count; i++) {
        int64_t c = at->first + i, pair = (c + at->row * 478) / 2;
        double sign = c % 2 ? -1 : 1;
        double k = (double)(pair * 1637 & mask) / (double)(mask + 1);
        uint32_t w = ug_gen_words(at->seed, at->stream, at->row, c / 2).v[0];
        if (c == at->n - 1 && at->n % 2)
            v[i] = m;
        else if (fits)
            v[i] = m + sign * k * m;
        else if (zeros)
            v[i] = (double)w * 0x1p-32 < density ? sign * k : 0;
        else
            v[i] = m + sign * (w & 1 ? 1 : 0.25);
    }
}

/* gamma 2^(c % 7) / 8, beta {-1, 0, 1} 2^(c % 7) / 512. */
void ug_fill_powers(const ug_gen_at *at, double *v)
{
    for (int i = 0; i < at->count; i++) {
        int64_t c = at->first + i;
        double p = (double)(1 << c % 7);
        v[i] = at->stream == UG_STREAM_GAMMA ? p / 8 : (double)(c % 3 - 1) * p / 512;
    }
}
