/* SPDX-License-Identifier: Apache-2.0 */
/* Turns a structure into one kernel of the ABI a variance: UG_STRUCTURE(name) at the end of a
 * structure's file is all it takes. The list of variances is made from cuda/variances/ when the
 * build is configured. */
#ifndef ULPGATE_CUDA_STRUCTURE_CUH
#define ULPGATE_CUDA_STRUCTURE_CUH

#include "cuda/layernorm.cuh"
#include "cuda/registry.h"
#include "ug_variances.cuh"

/* What structure S is with variance V: S, unless that variance needs something else of it. */
template <typename S, typename V> struct ug_structure_for {
    using type = S;
};

/* Structure S with variance V. S has: name-independent constants `summary` and `paths`,
 *   template <typename V> static constexpr bool takes;
 *   static void geometry(const ug_args *, ug_geometry *);
 *   static constexpr uint32_t supports;
 *   static size_t workspace_size(const ug_args *);
 *   static const char *path(const ug_args *, const ug_plan &);
 *   template <typename T, typename V> static ug_status start(ug_args *, const ug_plan &, ug_rows);
 */
template <typename Named, typename V, bool approx> struct ug_entry {
    using S = typename ug_structure_for<Named, V>::type;

    static ug_status launch(ug_args *args)
    {
        ug_plan plan;
        ug_status status = ug_plan_make(args, &plan);
        if (status != UG_OK) return status;
        if (plan.nothing) {
            args->path = "empty";
            return UG_OK;
        }
        status = ug_plan_workspace(args, S::workspace_size(args));
        if (status != UG_OK) return status;
        args->path = S::path(args, plan);
        const ug_rows rows = {args->x.data,
                              args->y.data,
                              args->gamma,
                              args->beta,
                              args->mean,
                              args->rstd,
                              (long long)args->x.rows,
                              (long long)args->x.cols,
                              (long long)args->x.row_stride,
                              (long long)args->y.row_stride,
                              args->eps,
                              args->param_dtype == UG_F32,
                              plan.staged != 0,
                              plan.aligned != 0,
                              approx,
                              ug_plan_straight(&args->y),
                              ((uintptr_t)args->gamma | (uintptr_t)args->beta) % 16 == 0,
                              1.0 / (double)args->x.cols,
                              {0, 0}};
        switch (args->x.dtype) {
        case UG_F16:
            return S::template start<__half, V>(args, plan, rows);
        case UG_BF16:
            return S::template start<__nv_bfloat16, V>(args, plan, rows);
        default:
            return S::template start<float, V>(args, plan, rows);
        }
    }

    /* A pair that the structure does not take has no name and is left out. */
    static constexpr ug_kernel kernel(const char *name)
    {
        if constexpr (!S::template takes<V> || (approx && !ug_by_floats<V>))
            return {};
        else
            return made(name);
    }

    static constexpr ug_kernel made(const char *name)
    {
        return {sizeof(ug_kernel),
                name,
                S::summary,
                V::kind,
                UG_ROUND_ONCE,
                UG_DEPENDS_ROW,
                approx ? UG_PROMISE_NONE : V::promise,
                1,
                1u << UG_OP_LAYERNORM,
                1u << UG_F32 | 1u << UG_F16 | 1u << UG_BF16,
                S::supports,
                approx ? 2.15 : 1.0,
                S::paths,
                S::workspace_size,
                S::geometry,
                launch};
    }
};

#define UG_PART(S, suffix, V, approx)                                                              \
    {ug_entry<ug_##S, ug_##V, approx>::kernel(#S suffix "/" #V), ug_##V::summary},
#define UG_PART_PLAIN(V, S)  UG_PART(S, "", V, false)
#define UG_PART_APPROX(V, S) UG_PART(S, "-rsqrtf", V, true)

/* rsqrtf cannot be emulated from documents: such kernels exist on a device only. */
#ifdef __CUDACC__
#define UG_PARTS(S) UG_VARIANCES(UG_PART_PLAIN, S) UG_VARIANCES(UG_PART_APPROX, S)
#else
#define UG_PARTS(S) UG_VARIANCES(UG_PART_PLAIN, S)
#endif

#define UG_STRUCTURE(S)                                                                            \
    static const ug_part ug_parts_##S[] = {UG_PARTS(S)};                                           \
    extern const ug_part_list ug_structure_##S;                                                    \
    const ug_part_list ug_structure_##S = {ug_parts_##S, sizeof ug_parts_##S / sizeof(ug_part)};

#endif
