/* SPDX-License-Identifier: Apache-2.0 */
/* shifted: every element less the row's first one, two passes in every thread, merged by Chan.
 *
 * With d = max |x - m| every x - K is at most 2 d, as K is an element itself: nothing below grows
 * with the mean. Its rounding moves the variance by a factor 1 + 2 u sqrt(1 + d^2/v); a thread's
 * mean is off by e0 = (chain + 1) u 2 d, a merge adds 8 u d, and the squares of these, not they
 * themselves, join M2 within a thread; across merges 2 sqrt(v) e does.
 * So does the output not grow with it: ((x - K) - m') rstd.
 */
#include "cuda/chan.cuh"
#include "cuda/layernorm.cuh"

struct ug_shifted {
    static constexpr ug_variance kind = UG_VAR_SHIFTED;
    static constexpr ug_promise promise = UG_PROMISE_NONE;
    static constexpr int joins = 1;
    static constexpr const char *summary = "first element subtracted, two passes a thread, Chan";

    template <typename Row> static __device__ ug_step_moments moments(const Row &row, float n)
    {
        const float k = row.first();
        ug_chan t = ug_chan::neutral();
        float s = 0.0f;
        int count = 0;
        row.visit([&](float x) {
            s = __fadd_rn(s, __fsub_rn(x, k));
            count++;
        });
        if (count > 0) {
            t.n = (float)count;
            t.mean = ug_over(s, t.n);
        }
        row.visit([&](float x) {
            const float d = __fsub_rn(__fsub_rn(x, k), t.mean);
            t.m2 = __fmaf_rn(d, d, t.m2);
        });
        t = row.join(t);
        return {{k, t.mean}, ug_over(t.m2, n)};
    }
};
