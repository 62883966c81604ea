/* SPDX-License-Identifier: Apache-2.0 */
/* split: one kernel for the statistics of every row, a second one that applies them. x is read
 * twice; mean and rstd travel through global memory. */
#include "cuda/structure.cuh"

/* Thread t has elements t, t + block, t + 2 block... */
template <typename T> struct ug_split_row {
    const T *x;
    long long n;

    template <typename S> __device__ __forceinline__ S join(S s) const { return ug_block_join(s); }
    __device__ __forceinline__ float first() const { return ug_widen(x[0]); }

    template <typename F> __device__ __forceinline__ void visit(F f) const
    {
        for (long long i = threadIdx.x; i < n; i += blockDim.x) f(ug_widen(x[i]));
    }
};

template <typename T, typename V> __global__ void ug_split_stats(ug_rows a)
{
    for (long long r = blockIdx.x; r < a.rows; r += gridDim.x) {
        const ug_split_row<T> row = {static_cast<const T *>(a.x) + r * a.x_stride, a.n};
        const ug_moments s = ug_row_moments<V>(row, a.n);
        ug_keep_stats(a, r, s.mean, ug_rstd(a, s.var));
    }
}

template <typename T> __global__ void ug_split_apply(ug_rows a)
{
    for (long long r = blockIdx.x; r < a.rows; r += gridDim.x) {
        const T *x = static_cast<const T *>(a.x) + r * a.x_stride;
        T *y = static_cast<T *>(a.y) + r * a.y_stride;
        const float mean = a.mean[r], rstd = a.rstd[r];
        for (long long i = threadIdx.x; i < a.n; i += blockDim.x)
            ug_round(ug_normalise<T>(a, ug_widen(x[i]), mean, rstd, i), &y[i]);
    }
}

struct ug_split {
    /* Mean and rstd travel as floats. */
    template <typename V> static constexpr bool takes = ug_by_floats<V>;
    static constexpr uint32_t supports = UG_PLAN_SUPPORTS;
    static constexpr const char *summary = "statistics and apply as two kernels";
    static constexpr const char *paths[] = {"two-kernels", "two-kernels/grid-stride", "empty",
                                            nullptr};

    static const char *path(const ug_args *, const ug_plan &plan)
    {
        return paths[plan.grid_stride];
    }

    static void geometry(const ug_args *args, ug_geometry *geometry)
    {
        ug_plan_geometry(args, 1, geometry);
    }

    /* Room for the statistics that the caller does not want to see. */
    static size_t workspace_size(const ug_args *args)
    {
        const size_t rows = args->x.rows > 0 ? (size_t)args->x.rows : 0;
        return rows * sizeof(float) * ((args->mean ? 0u : 1u) + (args->rstd ? 0u : 1u));
    }

    template <typename T, typename V>
    static ug_status start(ug_args *args, const ug_plan &plan, ug_rows a)
    {
        float *spare = static_cast<float *>(args->workspace);
        if (!a.mean) {
            a.mean = spare;
            spare += a.rows;
        }
        if (!a.rstd) a.rstd = spare;
        const ug_shape shape = {plan.grid, plan.block, 0, plan.limits};
        const ug_status status = ug_start(args, shape, ug_split_stats<T, V>, a);
        if (status != UG_OK || a.n == 0) return status;
        return ug_start(args, shape, ug_split_apply<T>, a);
    }
};

UG_STRUCTURE(split)
