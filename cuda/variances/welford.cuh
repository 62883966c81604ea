/* SPDX-License-Identifier: Apache-2.0 */
/* welford: a running mean and M2 = sum (x - mean)^2 in every thread, merged pairwise (Chan).
 *
 * One sweep. The error of the running mean grows like chain / 2, and the variance's like
 * (chain/2 + levels) kappa u. Counts are floats: exact up to 2^24 elements, beyond that each merge
 * weight is off by u.
 */
#include "cuda/chan.cuh"
#include "cuda/layernorm.cuh"

struct ug_welford {
    static constexpr ug_variance kind = UG_VAR_WELFORD;
    static constexpr ug_promise promise = UG_PROMISE_NONE;
    static constexpr int joins = 1;
    static constexpr const char *summary = "Welford a thread, Chan merges over the block";

    template <typename Row> static __device__ ug_moments moments(const Row &row, float n)
    {
        ug_chan t = ug_chan::neutral();
        row.visit([&](float x) {
            t.n = __fadd_rn(t.n, 1.0f);
            const float d = __fsub_rn(x, t.mean);
            t.mean = __fadd_rn(t.mean, __fdiv_rn(d, t.n));
            t.m2 = __fmaf_rn(d, __fsub_rn(x, t.mean), t.m2);
        });
        t = row.join(t);
        return {t.mean, __fdiv_rn(t.m2, n)};
    }
};
