/* SPDX-License-Identifier: Apache-2.0 */
/* pairmean: the mean as an unevaluated pair of floats, squares of (x - hi) - lo, and the output
 * from that difference.
 *
 * The sum keeps the rounding error of every addition: its own error is of order (h u)^2 mean |x|.
 * The pair is off the mean by that and 2^-47 |m|, so mean and variance behave as if kappa were
 * divided by 2^24 / h^2. Not the literature's corrected two-pass, which corrects the variance only.
 */
#include "cuda/layernorm.cuh"
#include "cuda/pair.cuh"

struct ug_pairmean {
    static constexpr ug_variance kind = UG_VAR_PAIRMEAN;
    static constexpr ug_promise promise = UG_PROMISE_NONE;
    static constexpr int joins = 2;
    static constexpr const char *summary = "mean as a pair of floats, two passes";

    template <typename Row> static __device__ ug_step_moments moments(const Row &row, float n)
    {
        ug_pair s = ug_pair::neutral();
        ug_sum q = ug_sum::neutral();
        row.visit([&](float x) { s.add(x); });
        s = row.join(s);
        const double mean = ug_over(__dadd_rn((double)s.hi, (double)s.lo), (double)row.n);
        const float hi = __double2float_rn(mean);
        const ug_steps centre = {hi, __double2float_rn(__dsub_rn(mean, (double)hi))};
        row.visit([&](float x) {
            const float d = centre.of(x);
            q.s = __fmaf_rn(d, d, q.s);
        });
        return {centre, ug_over(row.join(q).s, n)};
    }
};
