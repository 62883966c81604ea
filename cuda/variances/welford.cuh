/* SPDX-License-Identifier: Apache-2.0 */
/* welford: a running mean and M2 = sum (x - mean)^2 in every thread, merged pairwise (Chan).
 *
 * One sweep. The error of the running mean grows like chain / 2, and the variance's like
 * (chain/2 + levels) kappa u. Counts are floats: exact up to 2^24 elements, beyond that each merge
 * weight is off by u.
 */
#include "cuda/layernorm.cuh"

struct ug_welford {
    static constexpr ug_variance kind = UG_VAR_WELFORD;
    static constexpr const char *summary = "Welford a thread, Chan merges over the block";

    struct state {
        float n, mean, m2;
        static __device__ state neutral() { return {0.0f, 0.0f, 0.0f}; }
    };

    /* a before b in index order. An empty side leaves the other as it is, without a rounding:
     * threads at work come first, so only b can be empty. */
    friend __device__ state join(state a, state b)
    {
        if (b.n == 0.0f) return a;
        const float n = __fadd_rn(a.n, b.n), share = __fdiv_rn(b.n, n);
        const float d = __fsub_rn(b.mean, a.mean);
        return {n, __fmaf_rn(d, share, a.mean),
                __fmaf_rn(__fmul_rn(d, d), __fmul_rn(a.n, share), __fadd_rn(a.m2, b.m2))};
    }

    template <typename Row> static __device__ ug_moments moments(const Row &row, float n)
    {
        state t = state::neutral();
        row.visit([&](float x) {
            t.n = __fadd_rn(t.n, 1.0f);
            const float d = __fsub_rn(x, t.mean);
            t.mean = __fadd_rn(t.mean, __fdiv_rn(d, t.n));
            t.m2 = __fmaf_rn(d, __fsub_rn(x, t.mean), t.m2);
        });
        t = ug_block_join(t);
        return {t.mean, __fdiv_rn(t.m2, n)};
    }
};
