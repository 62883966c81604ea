/* SPDX-License-Identifier: Apache-2.0 */
/* What is done with a row once it can be visited: statistics, then output. */
#ifndef ULPGATE_CUDA_FINISH_CUH
#define ULPGATE_CUDA_FINISH_CUH

#include "cuda/reread.cuh"

/* The form of V to begin with: V::quick, where V has one, which may leave an element in doubt. Only
 * for rows that are still there when they have been written. */
template <typename...> struct ug_any_type {
    using type = void;
};
template <typename V, bool held, typename = void> struct ug_form {
    using type = V;
    static constexpr bool doubts = false;
};
template <typename V> struct ug_form<V, true, typename ug_any_type<typename V::quick>::type> {
    using type = typename V::quick;
    static constexpr bool doubts = true;
};

/* Statistics and output of one row. All members of the team, and where a warp has several teams all
 * of these, come here together. A row that is held can be written a second time, with the sure form
 * of the variance, when anyone is in doubt: what was not in doubt comes out the same. */
template <typename V, typename Row, typename T>
__device__ __forceinline__ void ug_finish_row(const ug_rows &a, Row &row, long long r, T *y,
                                              bool wanted, bool lead)
{
    using form = ug_form<V, Row::held>;
    using Q = typename form::type;
    const auto s = ug_row_moments<Q>(row, a.n);
    const auto rstd = ug_rstd(a, s.var);
    ug_keep_row(a, r, lead && wanted, s.mean, rstd);
    const bool doubt = row.apply(a, y, wanted, s.mean, rstd);
    if constexpr (form::doubts) {
        if (!row.team->any(doubt || rstd.lost())) return;
        const ug_turning_row<Row> again = {row, row.n};
        const auto sure = ug_row_moments<V>(again, a.n);
        const auto scale = ug_rstd(a, sure.var);
        if (rstd.lost()) ug_keep_row(a, r, lead && wanted, sure.mean, scale);
        again.apply(a, y, wanted, sure.mean, scale);
    }
}

#endif
