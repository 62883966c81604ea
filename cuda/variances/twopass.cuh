/* SPDX-License-Identifier: Apache-2.0 */
/* twopass: the mean first, then the mean of (x - mean)^2 in a second sweep.
 *
 * |v^ - v| <= gamma_{h+4} (v + dm^2) + dm^2 with dm = gamma_{h+1} mean|x|, to all orders: no term
 * of order kappa^2 u, only the square of the mean's own error.
 */
#include "cuda/layernorm.cuh"

struct ug_twopass {
    static constexpr ug_variance kind = UG_VAR_TWOPASS;
    static constexpr ug_promise promise = UG_PROMISE_NONE;
    static constexpr int joins = 2;
    static constexpr const char *summary = "mean, then mean of (x - mean)^2";

    template <typename Row> static __device__ ug_moments moments(const Row &row, float n)
    {
        ug_sum s = ug_sum::neutral(), q = ug_sum::neutral();
        row.visit([&](float x) { s.s = __fadd_rn(s.s, x); });
        const float mean = ug_over(row.join(s).s, n);
        row.visit([&](float x) {
            const float d = __fsub_rn(x, mean);
            q.s = __fmaf_rn(d, d, q.s);
        });
        return {mean, ug_over(row.join(q).s, n)};
    }
};
