/* SPDX-License-Identifier: Apache-2.0 */
/* The kernel ABI: what a plugin exports and what a launch receives. docs/abi.md explains it with
 * examples; where the two differ, this header holds.
 *
 * Shapes     All shapes, strides and offsets count elements, never bytes; workspace and shared
 *            memory count bytes. rows and cols may be 0. Row strides are not negative; a row stride
 *            of 0 makes all rows of x one. Two elements of y never share a place.
 * Ownership  The caller owns every buffer, and keeps them until the launch is complete. A kernel
 *            keeps no pointer after that, and frees nothing. Strings that a plugin hands out
 * (names, facts, paths) and its tables live until the process ends. Memory     Buffers lie in the
 * plugin's memory space; without one, in host memory. Apart from the elements of y, mean, rstd and
 * the workspace, nothing is written; nothing beside a row is read. Inputs stay as they are unless y
 * lies on top of x, which is then exact: the same base, the same strides. What y, mean, rstd and
 * the workspace hold before a launch is undefined. Streams    Work goes to args->stream, or is
 * complete when launch() returns. The caller waits for the stream (space->synchronize) before it
 * reads. Errors     A kernel may decline a launch (UG_DECLINED, nothing done), it may not be
 * silently wrong. What its card (ug_kernel) lists must be accepted; what it does not list must be
 *            declined. UG_FAILED says that a launch went wrong. Either comes with args->message.
 *            Exceptions, signals, exit() and endless loops end the launch, not the audit.
 * Threads    A process loads one plugin and calls it from one thread at a time. A host kernel may
 *            use up to args->threads threads of its own, and joins or parks them before it returns.
 * Versions   UG_ABI_VERSION changes when a field changes its place or meaning. Structs only grow at
 *            their end, and start with their size: a reader uses min(size, its own) and takes what
 *            is missing as 0. Members are plain C; nothing depends on a compiler or C++ library.
 */
#ifndef ULPGATE_KERNEL_H
#define ULPGATE_KERNEL_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define UG_ABI_VERSION 1u

typedef enum ug_op { UG_OP_LAYERNORM = 0 } ug_op;

typedef enum ug_dtype { UG_F32 = 0, UG_F16 = 1, UG_BF16 = 2, UG_DTYPE_COUNT = 3 } ug_dtype;

typedef enum ug_status {
    UG_OK = 0,       /* the outputs hold the result (for a stream: once the stream is idle) */
    UG_DECLINED = 1, /* nothing was done; args->message says which property is not supported */
    UG_FAILED = 2    /* something went wrong; args->message says what (a launch error, say) */
} ug_status;

/* How the variance of a row is computed; selects the error bound that the kernel is held to. */
typedef enum ug_variance {
    UG_VAR_UNKNOWN = 0,  /* no bound is known: judged by the gate `sound` */
    UG_VAR_SUM2 = 1,     /* E[x^2] - mean^2, clamped at 0 */
    UG_VAR_TWOPASS = 2,  /* mean, then mean of (x - mean)^2 */
    UG_VAR_WELFORD = 3,  /* running mean and M2 a thread, merged pairwise (Chan) */
    UG_VAR_SHIFTED = 4,  /* x less the row's first element; two passes a thread, merged (Chan) */
    UG_VAR_PAIRMEAN = 5, /* two passes, the mean an unevaluated pair of floats throughout */
    UG_VAR_EXACT = 6,    /* the mean never rounded, y rounded once: right but for near ties */
    UG_VAR_PAIRWISE = 7, /* mean and M2 a thread by two passes, merged pairwise (Chan) */
    UG_VAR_COUNT = 8
} ug_variance;

typedef enum ug_rounding {
    UG_ROUND_ONCE = 0,         /* float arithmetic, one rounding into the output type */
    UG_ROUND_BEFORE_AFFINE = 1 /* xhat is rounded into the output type before gamma and beta */
} ug_rounding;

/* What the bits of an output row may depend on, besides the row's own values, gamma, beta and eps.
 */
typedef enum ug_depends {
    UG_DEPENDS_ROW = 0, /* nothing else: not on the batch, the place in it, alignment or strides */
    UG_DEPENDS_ALIGNMENT = 1, /* also on the row's address modulo 16 bytes */
    UG_DEPENDS_ANY = 2        /* anything: row independence is not judged */
} ug_depends;

typedef enum ug_promise {
    UG_PROMISE_NONE = 0,
    UG_PROMISE_FAITHFUL = 1,
    UG_PROMISE_EXACT = 2
} ug_promise;

/* Properties that a kernel supports; a launch with an undeclared one must be answered UG_DECLINED.
 */
enum {
    UG_CAN_ROW_STRIDE = 1u << 0,  /* row strides other than cols, for x and y separately */
    UG_CAN_COL_STRIDE = 1u << 1,  /* column strides other than 1 */
    UG_CAN_MISALIGNED = 1u << 2,  /* bases aligned to the element only */
    UG_CAN_IN_PLACE = 1u << 3,    /* y == x with the same strides */
    UG_CAN_NO_GAMMA = 1u << 4,    /* gamma absent */
    UG_CAN_NO_BETA = 1u << 5,     /* beta absent; both bits: separately and together */
    UG_CAN_STATS = 1u << 6,       /* writes mean and rstd when asked */
    UG_CAN_WIDE_PARAMS = 1u << 7, /* float gamma and beta beside f16 or bf16 x */
    UG_CAN_BLOCK = 1u << 8        /* honours args->block; others ignore it */
};

/* A matrix view: element (r, c) lies at data + (r * row_stride + c * col_stride) elements. */
typedef struct ug_view {
    void *data;
    int64_t rows, cols;
    int64_t row_stride, col_stride;
    ug_dtype dtype;
} ug_view;

/* Limits of a device, real or chosen. A kernel chooses grid and path within them, so that
 * grid-stride and long-row paths can be reached at small sizes. Zero means: the device's own limit.
 */
typedef struct ug_profile {
    const char *name;
    int64_t max_grid;   /* blocks along x */
    int64_t max_block;  /* threads a block, a multiple of warp */
    int64_t max_shared; /* bytes of shared memory a block may use, static and dynamic together */
    int64_t warp;       /* threads a warp; 32 in this version */
} ug_profile;

/* How a row is reduced: `threads` threads each add up to `chain` elements serially, then `levels`
 * pairwise levels join their results. Serial code: threads 1, chain cols, levels 0. Rows of the
 * same shape, dtype and alignment have the same geometry. */
typedef struct ug_geometry {
    int64_t threads;
    int64_t chain;
    int64_t levels;
} ug_geometry;

typedef struct ug_args {
    uint32_t size; /* sizeof(ug_args) of the caller */
    ug_op op;
    ug_view x, y;      /* y.dtype == x.dtype in this version */
    const void *gamma; /* cols contiguous elements of param_dtype, or NULL: taken as 1 */
    const void *beta;  /* likewise, or NULL: taken as 0 */
    ug_dtype param_dtype;
    float eps;          /* added to the population variance, inside the root */
    float *mean, *rstd; /* rows contiguous floats each, or NULL when not wanted */
    void *workspace;    /* workspace_bytes bytes, 256-byte aligned, undefined contents */
    size_t workspace_bytes;
    void *stream;              /* the memory space's stream, NULL for its default */
    const ug_profile *profile; /* NULL: the device's own limits */
    uint32_t variation; /* 0, 1, 2...: a backend may vary what must not matter (the order of lanes,
                           say) */
    uint32_t threads; /* host threads the launch may use, 0: all cores; ignored by device kernels */
    const char *path; /* out: the code path taken, a string that outlives the call */
    char message[256]; /* out: the reason of UG_DECLINED or UG_FAILED */
    int64_t block;     /* threads a block that the caller wants, 0: the kernel's own choice */
} ug_args;

typedef struct ug_kernel {
    uint32_t size;       /* sizeof(ug_kernel) of the plugin */
    const char *name;    /* STRUCTURE/VARIANCE, STRUCTURE@BLOCK/VARIANCE; unique in the plugin; like
                          * backend and paths, graphic ASCII without : , * ? [ ] and backslash */
    const char *summary; /* one line for people */
    ug_variance variance;
    ug_rounding rounding;
    ug_depends depends;
    ug_promise promise;
    int repeatable;     /* nonzero: the same launch gives the same bits */
    uint32_t ops;       /* bit mask of 1u << ug_op */
    uint32_t dtypes;    /* bit mask of 1u << ug_dtype, for x and y */
    uint32_t supports;  /* UG_CAN_* */
    double rsqrt_error; /* bound on the relative error of 1/sqrt(v + eps) against its float
                         * argument, in units of 2^-24: 1 for __frsqrt_rn, 2 for 1.0f/sqrtf, 2.15
                         * for rsqrtf; from 0 to 2^23 */
    const char *const
        *paths; /* NULL-terminated list of every path the kernel can report, or NULL */
    size_t (*workspace_size)(const ug_args *args); /* NULL: none needed */
    void (*geometry)(const ug_args *args,
                     ug_geometry *geometry); /* NULL: unknown order, counts as serial */
    ug_status (*launch)(ug_args *args);
} ug_kernel;

/* Timing on a device, for a bench. Functions that can fail return 0 or a pointer, and nonzero or
 * NULL with a message. Streams and graphs are the caller's to free; one thread calls. */
typedef struct ug_timing {
    uint32_t size;
    size_t (*cache_bytes)(void); /* of the last-level cache; 0: not known */
    void *(*stream_make)(char *err, size_t cap);
    void (*stream_free)(void *stream);
    /* Between capture and captured, launches and copies on the stream are recorded, not run. A
     * capture that was begun must be ended, also after a failure in between. */
    int (*capture)(void *stream, char *err, size_t cap);
    void *(*captured)(void *stream, char *err, size_t cap);
    void (*graph_free)(void *graph);
    /* Runs a graph once and waits: microseconds from the device's first to its last moment at it.
     */
    int (*replay)(void *graph, void *stream, double *us, char *err, size_t cap);
    /* Ways of copying `bytes` bytes within the device, as a yardstick: way from 0; the name is NULL
     * past the last. */
    const char *(*copy_name)(int way);
    int (*copy)(int way, void *dst, const void *src, size_t bytes, void *stream, char *err,
                size_t cap);
} ug_timing;

/* A small compact matrix in device memory that a large one repeats: element (r, c) of the large one
 * is element ((r + shift) mod rows, c mod cols) of the small one, whose dtype is the same. */
typedef struct ug_tile {
    const void *data;
    int64_t rows, cols; /* 1 or more each */
    int64_t stride;     /* elements from one of its rows to the next, cols or more */
    int64_t shift;      /* 0 or more */
} ug_tile;

/* What a comparison with a tile found; places in row-major order, -1: none. */
typedef struct ug_difference {
    int64_t count, row, col; /* elements with other bits (any NaN equals any NaN) that are not the
                                mark, and the first one */
    int64_t marked, marked_row, marked_col; /* elements whose bits are the mark, whatever the tile
                                               holds there */
} ug_difference;

/* Matrices of more elements than a host can hold: filled, compared and searched where they lie.
 * Offsets pass 2^32 elements; row strides are 0 or more, column strides 1 or more. Functions wait
 * until the work is done, and return 0, or nonzero with a message. */
typedef struct ug_tiles {
    uint32_t size;
    int (*memory)(size_t *unused, size_t *total, char *err, size_t cap); /* bytes */
    /* Every 16 bits of every element become `half`. */
    int (*pattern)(const ug_view *to, uint32_t half, char *err, size_t cap);
    int (*put)(const ug_view *to, const ug_tile *tile, char *err, size_t cap);
    int (*compare)(const ug_view *of, const ug_tile *tile, uint32_t mark, ug_difference *found,
                   char *err, size_t cap);
    /* Offset in bytes (even) of the first 16 bits at p that are not `half`; SIZE_MAX: all are. p is
     * 8-byte aligned, bytes a multiple of 8. */
    int (*scan)(const void *p, size_t bytes, uint32_t half, size_t *at, char *err, size_t cap);
} ug_tiles;

/* Device memory of a plugin. Functions return 0, or nonzero with a message. All sizes in bytes. */
typedef struct ug_space {
    uint32_t size;
    const char *name;          /* "cuda" */
    int (*device_count)(void); /* usable devices; 0: everything is skipped */
    void *(*alloc)(size_t bytes, char *err, size_t cap); /* 256-byte aligned, NULL on failure */
    void (*free)(void *p);
    int (*to_device)(void *dst, const void *src, size_t bytes, char *err, size_t cap);
    int (*to_host)(void *dst, const void *src, size_t bytes, char *err, size_t cap);
    int (*synchronize)(char *err, size_t cap); /* also reports and clears a sticky error */
    const ug_timing *timing; /* NULL: a launch can be timed by the host's clock only */
    const ug_tiles *tiles;   /* NULL: cases are no larger than the host can hold */
} ug_space;

enum {
    UG_PLUGIN_YARDSTICK = 1u << 0, /* verdicts are shown beside others and not counted */
    UG_PLUGIN_NO_TIMES = 1u << 1   /* launch times mean nothing (an emulator) */
};

typedef struct ug_plugin {
    uint32_t abi;        /* UG_ABI_VERSION */
    uint32_t size;       /* sizeof(ug_plugin) of the plugin */
    const char *backend; /* first part of every kernel's full name: "cuda", "host", "openblas" */
    uint32_t flags;      /* UG_PLUGIN_* */
    /* One fact of the environment by index: device, driver, runtime, capability, compiler, flags,
     * core name... Returns 0 past the last. Strings outlive the call. */
    int (*describe)(int index, const char **key, const char **value);
    const ug_space *space; /* NULL: kernels work on host memory */
    size_t count;
    const ug_kernel *kernels;
} ug_plugin;

/* Exported by every plugin. Called once, from one thread. */
const ug_plugin *ulpgate_plugin(void);

#ifdef __cplusplus
}
#endif
#endif
