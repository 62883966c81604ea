/* SPDX-License-Identifier: Apache-2.0 */
/* What is done with a row once it can be visited: statistics, then output. */
#ifndef ULPGATE_CUDA_FINISH_CUH
#define ULPGATE_CUDA_FINISH_CUH

#include "cuda/reread.cuh"
#include "cuda/team.cuh"

/* The form of V to begin with: V::quick, where V has one, which may leave an element in doubt. Only
 * for rows that are still there when they have been written. */
template <typename V, bool held, typename = void> struct ug_form {
    using type = V;
    static constexpr bool doubts = false;
};
template <typename V> struct ug_form<V, true, typename ug_any_type<typename V::quick>::type> {
    using type = typename V::quick;
    static constexpr bool doubts = true;
};

/* Those of a set of slots, as in ug_aside_row::apply(), that are in doubt after a closer look. */
template <typename T, typename Again, typename M, typename R>
__device__ __forceinline__ unsigned ug_look_again(const ug_rows &a, const Again &again, M mean,
                                                  R rstd, unsigned set)
{
    unsigned doubts = 0;
    const auto look = [&](int k, long long i, const auto &x) {
        constexpr int count = sizeof x / sizeof *x;
        UG_UNROLL
        for (int j = 0; j < count; j++)
            if (ug_in_doubt(ug_normalise<T>(a, x[j], mean, rstd, i + j), (T *)nullptr))
                doubts |= 1u << k;
    };
    again.visit_slots(look, set);
    return doubts;
}

/* A row that is still there can be written a second time, with the sure form V of the variance:
 * what was not in doubt comes out the same. `again`: the row, for loops that stand in the code
 * once. `set`: slots of this thread that may be in doubt, `stats`: mean or rstd may be; these are
 * those of the first form. */
template <typename V, typename Again, typename Team, typename T, typename M, typename R>
__device__ __forceinline__ void ug_write_again(const ug_rows &a, const Again &again, Team *team,
                                               long long r, T *y, bool wanted, bool lead, M mean,
                                               R rstd, unsigned set, bool stats)
{
    const bool lost = rstd.lost();
    if (stats) stats = ug_stats_in_doubt((double)mean, rstd);
    const unsigned doubts = set ? ug_look_again<T>(a, again, mean, rstd, set) : 0;
    if (!team->any(doubts || lost || stats)) return;
    const auto sure = ug_row_moments<V>(again, a.n);
    const auto scale = ug_rstd(a, sure.var);
    ug_keep_row(a, r, lead && wanted, sure.mean, scale);
    const unsigned slots = ug_warp_join(ug_flag{lost ? ~0u : doubts}, UG_WARP / 2).set;
    again.apply(a, y, wanted, sure.mean, scale, ug_shuffle_from(slots, 0));
}

/* Statistics and output of one row. All members of the team, and where a warp has several teams all
 * of these, come here together. */
template <typename V, typename Row, typename T>
__device__ __forceinline__ void ug_finish_row(const ug_rows &a, Row &row, long long r, T *y,
                                              bool wanted, bool lead)
{
    using form = ug_form<V, Row::held>;
    using Q = typename form::type;
    const auto s = ug_row_moments<Q>(row, a.n);
    const auto rstd = ug_rstd(a, s.var);
    ug_keep_row(a, r, lead && wanted, s.mean, rstd);
    [[maybe_unused]] bool doubt = row.apply(a, y, wanted, s.mean, rstd);
    if constexpr (form::doubts) {
        if (rstd.flat || rstd.lost()) doubt = false;
        const double mean = s.mean;
        const bool stats = lead && (a.mean || a.rstd) && ug_stats_to_look_at(mean, rstd);
        if (row.team->any(doubt || stats || rstd.lost())) {
            typename Row::vector v[Row::slots];
            row.put_aside(v);
            ug_write_again<V>(a, ug_aside_row<Row>{row, row.n, v}, row.team, r, y, wanted, lead,
                              s.mean, rstd, doubt ? ~0u : 0u, stats);
        }
    }
}

#endif
