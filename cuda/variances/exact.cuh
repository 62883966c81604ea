/* SPDX-License-Identifier: Apache-2.0 */
/* exact: the mean is never rounded. With S = sum x and A_i = N x_i - S,
 *
 *   y_i = gamma_i A_i R + beta_i,   R = sqrt(N / (sum A^2 + eps N^3)),   since sum A^2 = N^3 v,
 *
 * free of division by N and of cancellation between sum x^2 and S^2. Everything is a pair of
 * doubles until y is rounded, once, into its type. u' = 2^-53, c elements a thread, L levels:
 *   - S. The errors of a thread's additions are exact and at most c u' sum|x| together; adding them
 *     up errs by c u' of that. A join adds 2 u'^2. So S is off by (c^2 + 2 L) u'^2 sum|x|.
 *   - A. N x is a double up to N = 2^29, and lo at most half the spacing of doubles on its side of
 *     hi: N x - hi is 0 or at least 2 |lo|, and |A| at least half of it. What is rounded is rounded
 *     relative to that: 3.3 u' |A| in doubles, 10 u'^2 |A| in pairs.
 *   - R. Terms A^2 of one sign with 26 u'^2 each; as S, their sum adds c^2 + 2 L. A root halves
 * that.
 *   - gamma A R + beta: 20 u'^2 more for its products, 2 u'^2 for the sum, then one rounding.
 * Together |y^ - y| <= (c^2 + 2 L + 50) u'^2 |y - beta| + 2 u'^2 |beta| before that rounding, and
 * |gamma| R N (c^2 + 2 L) u'^2 mean|x| for S. With c = 64, L = 16 an element comes out wrong only
 * where y lies within 2^-93 (|y| + |beta|) of a rounding boundary: the gate's 2^-16 ulp, 2^-40 |y|,
 * are met even where gamma xhat and beta cancel to 2^-52 of themselves, and where x_i is as near to
 * the mean as 2^-53 mean|x|.
 */
#include "cuda/exact_quick.cuh"

/* Sums of doubles about the first element, where ug_exact has pairs: see exact_quick.cuh. */
struct ug_exact_quick {
    template <typename Row> static __device__ ug_quick_moments moments(const Row &row, float)
    {
        const double first = row.first();
        ug_quick_sums s = ug_quick_sums::neutral();
        double other = 0.0;
        double q[4] = {0.0, 0.0, 0.0, 0.0};
        row.visit_from(first, [&](const auto &d) {
            constexpr int count = sizeof d / sizeof *d;
            double sum[count];
            UG_UNROLL
            for (int k = 0; k < count; k++) {
                sum[k] = d[k];
                q[k % 4] = __fma_rn(d[k], d[k], q[k % 4]);
            }
            UG_UNROLL
            for (int half = count / 2; half > 0; half /= 2) {
                UG_UNROLL
                for (int k = 0; k < half; k++) sum[k] = __dadd_rn(sum[k], sum[k + half]);
            }
            const double next = __dadd_rn(s.sum, sum[0]);
            s.sum = Row::two_sums ? other : next;
            other = Row::two_sums ? next : 0.0;
        });
        if (Row::two_sums) s.sum = __dadd_rn(s.sum, other);
        s.squares = __dadd_rn(__dadd_rn(q[0], q[1]), __dadd_rn(q[2], q[3]));
        s = row.join(s);
        const double rest = __dmul_rn(s.sum, row.inverse);
        const double spread = __fma_rn(-s.sum, rest, s.squares);
        return {{row.anew(first), rest}, {spread, rest, {Row::additions, Row::squares}}};
    }
};

/* Sums that additions go to in turn: one waits for the one before in the same sum. */
template <int COUNT> struct ug_pair_sums {
    ug_dd sum[COUNT];
    __device__ __forceinline__ ug_pair_sums()
    {
        UG_UNROLL
        for (int k = 0; k < COUNT; k++) sum[k] = ug_dd::neutral();
    }
    __device__ __forceinline__ void add(double hi, double lo)
    {
        ug_dd next = sum[0];
        double error;
        next.hi = ug_two_sum(next.hi, hi, &error);
        next.lo = __dadd_rn(next.lo, __dadd_rn(error, lo));
        UG_UNROLL
        for (int k = 0; k + 1 < COUNT; k++) sum[k] = sum[k + 1];
        sum[COUNT - 1] = next;
    }
    __device__ __forceinline__ ug_dd all() const
    {
        ug_dd s = sum[0];
        UG_UNROLL
        for (int k = 1; k < COUNT; k++) s = join(s, sum[k]);
        return s;
    }
};

/* How many a kind of row has registers for: Row::chains, or one. */
template <typename Row, typename = void> struct ug_chains {
    static constexpr int count = 1;
};
template <typename Row> struct ug_chains<Row, typename ug_any_type<decltype(Row::chains)>::type> {
    static constexpr int count = Row::chains;
};

struct ug_exact {
    using quick = ug_exact_quick;
    static constexpr ug_variance kind = UG_VAR_EXACT;
    static constexpr ug_promise promise = UG_PROMISE_EXACT;
    static constexpr int joins = 2;
    static constexpr const char *summary = "mean never rounded, pairs of doubles, one rounding";

    template <typename Row> static __device__ ug_exact_moments moments(const Row &row, float)
    {
        ug_pair_sums<ug_chains<Row>::count> sum, q;
        row.visit([&](double x) { sum.add(x, 0.0); });
        const ug_exact_mean mean = {row.join(sum.all()), (double)row.n};
        row.visit([&](double x) {
            const ug_dd a = mean.of(x);
            const double p = __dmul_rn(a.hi, a.hi);
            q.add(p, __fma_rn(__dadd_rn(a.hi, a.hi), a.lo, __fma_rn(a.hi, a.hi, -p)));
        });
        return {mean, {row.join(q.all()), mean.n}};
    }
};
