/* SPDX-License-Identifier: Apache-2.0 */
/* fixed: a variance for a test of the build, which takes every row for standardised. */
#include "cuda/layernorm.cuh"

struct ug_fixed {
    static constexpr ug_variance kind = UG_VAR_UNKNOWN;
    static constexpr ug_promise promise = UG_PROMISE_NONE;
    static constexpr int joins = 0;
    static constexpr const char *summary = "mean 0, variance 1";

    template <typename Row> static __device__ ug_moments moments(const Row &, float)
    {
        return {0.0f, 1.0f};
    }
};
