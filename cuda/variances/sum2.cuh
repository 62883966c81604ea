/* SPDX-License-Identifier: Apache-2.0 */
/* sum2: the sums of x and x^2 in one sweep, variance E[x^2] - mean^2.
 *
 * Relative error of the variance (3h + 5) kappa^2 u to first order, h = chain - 1 + levels: both
 * terms are kappa^2 times as large as their difference. Written as nvcc contracts the usual source
 * by default: x*x fused into the sum, mean*mean into the difference. The clamp is fmaxf, as common
 * practice has it: it also turns the NaN of inf - inf into 0.
 */
#include "cuda/layernorm.cuh"

struct ug_sum2 {
    static constexpr ug_variance kind = UG_VAR_SUM2;
    static constexpr ug_promise promise = UG_PROMISE_NONE;
    static constexpr int joins = 1;
    static constexpr const char *summary = "E[x^2] - mean^2, clamped by fmaxf";

    struct sums {
        float s, q;
        static __device__ sums neutral() { return {0.0f, 0.0f}; }
    };

    friend __device__ sums join(sums a, sums b)
    {
        return {__fadd_rn(a.s, b.s), __fadd_rn(a.q, b.q)};
    }

    template <typename Row> static __device__ ug_moments moments(const Row &row, float n)
    {
        sums t = sums::neutral();
        row.visit([&](float x) {
            t.s = __fadd_rn(t.s, x);
            t.q = __fmaf_rn(x, x, t.q);
        });
        t = row.join(t);
        const float mean = __fdiv_rn(t.s, n);
        return {mean, fmaxf(__fmaf_rn(-mean, mean, __fdiv_rn(t.q, n)), 0.0f)};
    }
};
