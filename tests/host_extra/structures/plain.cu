/* SPDX-License-Identifier: Apache-2.0 */
/* plain: a structure for a test of the build, one kernel that reads the row from global memory. */
#include "cuda/structure.cuh"

template <typename T> struct ug_plain_row {
    const T *x;
    long long n;

    template <typename S> __device__ S join(S s) const { return ug_block_join(s); }
    __device__ float first() const { return ug_widen(x[0]); }

    template <typename F> __device__ void visit(F f) const
    {
        for (long long i = threadIdx.x; i < n; i += blockDim.x) f(ug_widen(x[i]));
    }
};

template <typename T, typename V> __global__ void ug_plain_rows(ug_rows a)
{
    for (long long r = blockIdx.x; r < a.rows; r += gridDim.x) {
        const ug_plain_row<T> row = {static_cast<const T *>(a.x) + r * a.x_stride, a.n};
        const auto s = ug_row_moments<V>(row, a.n);
        const auto rstd = ug_rstd(a, s.var);
        ug_keep_stats(a, r, s.mean, rstd);
        for (long long i = threadIdx.x; i < a.n; i += blockDim.x)
            ug_round(ug_normalise<T>(a, ug_widen(row.x[i]), s.mean, rstd, i),
                     static_cast<T *>(a.y) + r * a.y_stride + i);
    }
}

struct ug_plain {
    template <typename V> static constexpr bool takes = true;
    static constexpr uint32_t supports = UG_PLAN_SUPPORTS;
    static constexpr const char *summary = "one kernel, row in global memory";
    static constexpr const char *paths[] = {"plain", nullptr};

    static const char *path(const ug_args *, const ug_plan &) { return paths[0]; }
    static void geometry(const ug_args *args, ug_geometry *geometry)
    {
        ug_plan_geometry(args, 1, geometry);
    }
    static size_t workspace_size(const ug_args *) { return 0; }

    template <typename T, typename V>
    static ug_status start(ug_args *args, const ug_plan &plan, const ug_rows &a)
    {
        const ug_shape shape = {plan.grid, plan.block, 0, plan.limits};
        return ug_start(args, shape, ug_plain_rows<T, V>, a);
    }
};

UG_STRUCTURE(plain)
