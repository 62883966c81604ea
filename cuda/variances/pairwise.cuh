/* SPDX-License-Identifier: Apache-2.0 */
/* pairwise: two passes over the elements of every thread, its mean and M2 = sum (x - mean)^2
 * merged pairwise (Chan, Golub and LeVeque, Updating formulae and a pairwise algorithm for
 * computing sample variances, 1979).
 *
 * One join. A thread's mean is off by e0 = gamma_{chain+1} max|x|, and only the square of that goes
 * into its M2; a merge adds (max|x| + 6 d) u, d = max |x - m|, and 2 sqrt(v) e moves the variance
 * as with Welford, whose errors of every element of a chain do so as well. Counts are floats: exact
 * up to 2^24 elements, beyond that each merge weight is off by u.
 */
#include "cuda/chan.cuh"
#include "cuda/layernorm.cuh"

struct ug_pairwise {
    static constexpr ug_variance kind = UG_VAR_PAIRWISE;
    static constexpr ug_promise promise = UG_PROMISE_NONE;
    static constexpr int joins = 1;
    static constexpr const char *summary = "two passes a thread, Chan merges over the block";

    template <typename Row> static __device__ ug_moments moments(const Row &row, float n)
    {
        ug_chan t = ug_chan::neutral();
        float s = 0.0f;
        int count = 0;
        row.visit([&](float x) {
            s = __fadd_rn(s, x);
            count++;
        });
        if (count > 0) {
            t.n = (float)count;
            t.mean = ug_over(s, t.n);
        }
        row.visit([&](float x) {
            const float d = __fsub_rn(x, t.mean);
            t.m2 = __fmaf_rn(d, d, t.m2);
        });
        t = row.join(t);
        return {t.mean, ug_over(t.m2, n)};
    }
};
