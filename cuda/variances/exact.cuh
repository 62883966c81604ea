/* SPDX-License-Identifier: Apache-2.0 */
/* exact: the mean is never rounded. With S = sum x and A_i = N x_i - S,
 *
 *   y_i = gamma_i A_i R + beta_i,   R = sqrt(N / (sum A^2 + eps N^3)),   since sum A^2 = N^3 v,
 *
 * free of division by N and of cancellation between sum x^2 and S^2. Everything is a pair of
 * doubles until y is rounded, once, into its type. u' = 2^-53:
 *   - N x is exact up to N = 2^29. S is off by at most (chain + 4 levels) u'^2 sum|x|, A by twice
 *     u'^2 |A| more: each rounding error is relative to a difference that is rounded, and the
 *     differences N x - hi and its successor are multiples of the data's grid or 0.
 *   - Of sum A^2, terms of one sign, each term has relative error 6 u'^2 and meets 2 (chain + 2
 *     levels) additions of error u'^2: R has (chain + 2 levels + 12) u'^2.
 *   - gamma A R + beta has (chain + 2 levels + 40) u'^2 |gamma A R| + u'^2 |beta|, and the last
 *     rounding is one of the pair as a whole.
 * So an element comes out wrong only where y lies within 2^-105 (chain + 2 levels + 40) (|y| +
 * |beta|) / |y| of a rounding boundary, relative to y: within 2^-16 ulp even where gamma xhat and
 * beta cancel to 2^-50 of themselves; and where x_i lies as close to the mean as 2^-60 mean|x|.
 */
#include "cuda/exact.cuh"

struct ug_exact {
    static constexpr ug_variance kind = UG_VAR_EXACT;
    static constexpr ug_promise promise = UG_PROMISE_EXACT;
    static constexpr const char *summary = "mean never rounded, pairs of doubles, one rounding";

    template <typename Row> static __device__ ug_exact_moments moments(const Row &row, float)
    {
        ug_exact_mean mean = {ug_dd::neutral(), (double)row.n};
        ug_dd q = ug_dd::neutral();
        row.visit([&](float x) {
            double error;
            mean.sum.hi = ug_two_sum(mean.sum.hi, (double)x, &error);
            mean.sum.lo = __dadd_rn(mean.sum.lo, error);
        });
        mean.sum = row.join(mean.sum);
        row.visit([&](float x) {
            const ug_dd a = mean.of(x);
            const double p = __dmul_rn(a.hi, a.hi);
            const double rest = __fma_rn(__dadd_rn(a.hi, a.hi), a.lo, __fma_rn(a.hi, a.hi, -p));
            double error;
            q.hi = ug_two_sum(q.hi, p, &error);
            q.lo = __dadd_rn(q.lo, __dadd_rn(error, rest));
        });
        return {mean, {row.join(q), mean.n}};
    }
};
