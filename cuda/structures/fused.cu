/* SPDX-License-Identifier: Apache-2.0 */
/* fused: one kernel; the row is kept as float in dynamic shared memory between its sweeps. A row
 * that does not fit is read from global memory again, in the same order, so with the same bits. */
#include "cuda/structure.cuh"

/* Thread t has elements t, t + block, t + 2 block..., in shared memory too: a thread reads only
 * what it wrote itself, so the copy needs no barrier. */
template <typename T> struct ug_fused_row {
    const T *x;
    float *copy; /* NULL: not staged */
    long long n;

    template <typename S> __device__ __forceinline__ S join(S s) const { return ug_block_join(s); }
    __device__ __forceinline__ float first() const { return ug_widen(x[0]); }

    __device__ __forceinline__ void stage() const
    {
        if (!copy) return;
        for (long long i = threadIdx.x; i < n; i += blockDim.x) copy[i] = ug_widen(x[i]);
    }

    template <typename F> __device__ __forceinline__ void each(F f) const
    {
        if (copy)
            for (long long i = threadIdx.x; i < n; i += blockDim.x) f(i, copy[i]);
        else
            for (long long i = threadIdx.x; i < n; i += blockDim.x) f(i, ug_widen(x[i]));
    }

    template <typename F> __device__ __forceinline__ void visit(F f) const
    {
        each([&](long long, float v) { f(v); });
    }
};

template <typename T, typename V> __global__ void ug_fused_rows(ug_rows a)
{
    UG_DYNAMIC_SHARED(float, copy);
    for (long long r = blockIdx.x; r < a.rows; r += gridDim.x) {
        const ug_fused_row<T> row = {static_cast<const T *>(a.x) + r * a.x_stride,
                                     a.staged ? copy : nullptr, a.n};
        T *y = static_cast<T *>(a.y) + r * a.y_stride;
        row.stage();
        const auto s = ug_row_moments<V>(row, a.n);
        const auto rstd = ug_rstd(a, s.var);
        ug_keep_stats(a, r, s.mean, rstd);
        row.each(
            [&](long long i, float x) { ug_round(ug_normalise<T>(a, x, s.mean, rstd, i), &y[i]); });
    }
}

struct ug_fused {
    template <typename V> static constexpr bool takes = true;
    static constexpr uint32_t supports = UG_PLAN_SUPPORTS;
    static constexpr const char *summary = "one kernel, row in shared memory";
    static constexpr const char *paths[] = {
        "shared", "shared/grid-stride", "reread", "reread/grid-stride", "empty", nullptr};

    static const char *path(const ug_args *, const ug_plan &plan)
    {
        return paths[(plan.staged ? 0 : 2) + plan.grid_stride];
    }

    static void geometry(const ug_args *args, ug_geometry *geometry)
    {
        ug_plan_geometry(args, 1, geometry);
    }

    static size_t workspace_size(const ug_args *) { return 0; }

    template <typename T, typename V>
    static ug_status start(ug_args *args, const ug_plan &plan, const ug_rows &a)
    {
        const size_t shared = plan.staged ? (size_t)a.n * sizeof(float) : 0;
        const ug_shape shape = {plan.grid, plan.block, shared, plan.limits};
        return ug_start(args, shape, ug_fused_rows<T, V>, a);
    }
};

UG_STRUCTURE(fused)
