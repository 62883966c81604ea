/* SPDX-License-Identifier: Apache-2.0 */
/* vec4: as fused, four elements a load and a store, with a scalar loop for the N % 4 elements of
 * the tail. Where a row, gamma or beta does not allow it, the same four elements are moved one by
 * one: the bits do not depend on alignment. */
#include "cuda/structure.cuh"

/* Thread t has vectors t, t + block, t + 2 block..., then element t of the tail. */
template <typename T> struct ug_vec4_row {
    const T *x;
    float *copy; /* NULL: not staged */
    long long n;
    bool aligned;

    template <typename S> __device__ __forceinline__ S join(S s) const { return ug_block_join(s); }
    __device__ __forceinline__ float first() const { return ug_widen(x[0]); }

    template <typename F> __device__ __forceinline__ void vectors(F f) const
    {
        for (long long i = threadIdx.x; i < n / 4; i += blockDim.x) f(4 * i);
    }

    template <typename F> __device__ __forceinline__ void tail(F f) const
    {
        for (long long i = n / 4 * 4 + threadIdx.x; i < n; i += blockDim.x) f(i);
    }

    __device__ __forceinline__ void four(long long i, float v[4]) const
    {
        if (copy)
            ug_load4(copy + i, true, v);
        else
            ug_load4(x + i, aligned, v);
    }

    __device__ __forceinline__ float one(long long i) const
    {
        return copy ? copy[i] : ug_widen(x[i]);
    }

    __device__ __forceinline__ void stage() const
    {
        if (!copy) return;
        vectors([&](long long i) {
            float v[4];
            ug_load4(x + i, aligned, v);
            ug_store4(copy + i, true, v);
        });
        tail([&](long long i) { copy[i] = ug_widen(x[i]); });
    }

    template <typename F> __device__ __forceinline__ void visit(F f) const
    {
        vectors([&](long long i) {
            float v[4];
            four(i, v);
            for (int k = 0; k < 4; k++) f(v[k]);
        });
        tail([&](long long i) { f(one(i)); });
    }
};

template <typename T>
__device__ __forceinline__ void ug_vec4_params(const ug_rows &a, const void *p, long long i,
                                               float absent, float v[4])
{
    if (!p)
        for (int k = 0; k < 4; k++) v[k] = absent;
    else if (a.wide)
        ug_load4(static_cast<const float *>(p) + i, a.aligned, v);
    else
        ug_load4(static_cast<const T *>(p) + i, a.aligned, v);
}

template <typename T>
__device__ __forceinline__ void ug_vec4_apply(const ug_rows &a, const ug_vec4_row<T> &row, T *y,
                                              float mean, float rstd)
{
    row.vectors([&](long long i) {
        float v[4], gamma[4], beta[4];
        row.four(i, v);
        ug_vec4_params<T>(a, a.gamma, i, 1.0f, gamma);
        ug_vec4_params<T>(a, a.beta, i, 0.0f, beta);
        for (int k = 0; k < 4; k++) v[k] = ug_affine(v[k], mean, rstd, gamma[k], beta[k]);
        ug_store4(y + i, a.aligned, v);
    });
    row.tail([&](long long i) { ug_round(ug_normalise<T>(a, row.one(i), mean, rstd, i), &y[i]); });
}

template <typename T, typename V> __global__ void ug_vec4_rows(ug_rows a)
{
    UG_DYNAMIC_SHARED(float, copy);
    for (long long r = blockIdx.x; r < a.rows; r += gridDim.x) {
        const ug_vec4_row<T> row = {static_cast<const T *>(a.x) + r * a.x_stride,
                                    a.staged ? copy : nullptr, a.n, a.aligned};
        row.stage();
        const ug_moments s = ug_row_moments<V>(row, a.n);
        const float rstd = ug_rstd(a, s.var);
        ug_keep_stats(a, r, s.mean, rstd);
        ug_vec4_apply(a, row, static_cast<T *>(a.y) + r * a.y_stride, s.mean, rstd);
    }
}

struct ug_vec4 {
    template <typename V> static constexpr bool takes = ug_by_floats<V>;
    static constexpr uint32_t supports = UG_PLAN_SUPPORTS;
    static constexpr const char *summary = "row in shared memory, four elements a load";
    static constexpr const char *paths[] = {"shared/aligned",
                                            "shared/aligned/grid-stride",
                                            "shared/aligned/tail",
                                            "shared/aligned/tail/grid-stride",
                                            "shared/scalar",
                                            "shared/scalar/grid-stride",
                                            "shared/scalar/tail",
                                            "shared/scalar/tail/grid-stride",
                                            "reread/aligned",
                                            "reread/aligned/grid-stride",
                                            "reread/aligned/tail",
                                            "reread/aligned/tail/grid-stride",
                                            "reread/scalar",
                                            "reread/scalar/grid-stride",
                                            "reread/scalar/tail",
                                            "reread/scalar/tail/grid-stride",
                                            "empty",
                                            nullptr};

    static const char *path(const ug_args *args, const ug_plan &plan)
    {
        return paths[(plan.staged ? 0 : 8) + (plan.aligned ? 0 : 4) + (args->x.cols % 4 ? 2 : 0) +
                     plan.grid_stride];
    }

    static void geometry(const ug_args *args, ug_geometry *geometry)
    {
        ug_plan_geometry(args, 4, geometry);
    }

    static size_t workspace_size(const ug_args *) { return 0; }

    template <typename T, typename V>
    static ug_status start(ug_args *args, const ug_plan &plan, const ug_rows &a)
    {
        const size_t shared = plan.staged ? (size_t)a.n * sizeof(float) : 0;
        const ug_shape shape = {plan.grid, plan.block, shared, plan.limits};
        return ug_start(args, shape, ug_vec4_rows<T, V>, a);
    }
};

UG_STRUCTURE(vec4)
