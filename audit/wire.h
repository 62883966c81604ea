/* SPDX-License-Identifier: Apache-2.0 */
/* What judge and worker share: where the buffers of a launch lie, and the page both talk over.
 *
 * Two memfds: the control page (struct ug_wire) and the arena, which holds the buffers. Both sides
 * map the same parts of the arena, its windows; everything else is inaccessible. Commands and
 * answers are one 8-byte number on a socket, the sequence number of the command. The judge trusts
 * nothing that a worker writes: a plugin may have scribbled over it.
 */
#ifndef ULPGATE_WIRE_H
#define ULPGATE_WIRE_H

#include "audit/audit.h"
#include "ulpgate/kernel.h"

enum { UG_WIRE_VERSION = 3, UG_WINDOWS_MAX = 16384, UG_CARDS_MAX = 1024, UG_PAGE = 4096 };

/* File descriptors of a worker. */
enum { UG_FD_SOCKET = 3, UG_FD_CONTROL = 4, UG_FD_ARENA = 5 };

/* Inputs first, so that what a kernel may not write stands together. */
typedef enum ug_buffer {
    UG_BUF_X = 0,
    UG_BUF_GAMMA,
    UG_BUF_BETA,
    UG_BUF_Y,
    UG_BUF_MEAN,
    UG_BUF_RSTD,
    UG_BUF_WORKSPACE,
    UG_BUF_COUNT
} ug_buffer;

/* A mapped part of the arena, whole pages. */
typedef struct ug_window {
    uint64_t at, bytes;
    uint32_t writable; /* by the kernel */
    uint32_t buffer;   /* the ug_buffer it belongs to, for messages */
} ug_window;

/* One buffer: data at [base, base + bytes), guards from start to base and from there to end. */
typedef struct ug_region {
    uint32_t present, writable;
    uint64_t start, base, bytes, end;
} ug_region;

typedef struct ug_layout {
    uint64_t span; /* bytes of the arena */
    uint32_t window_count;
    uint32_t in_place; /* y is x: region[UG_BUF_Y] repeats region[UG_BUF_X] and has no window */
    ug_region region[UG_BUF_COUNT];
} ug_layout;

typedef enum ug_command {
    UG_CMD_PREPARE = 1, /* workspace_size and geometry of the launch described */
    UG_CMD_LAUNCH = 2,
    UG_CMD_BENCH_OPEN = 3,   /* memory for timing: as many sets of x and y as leave the cache */
    UG_CMD_BENCH_ADD = 4,    /* one launch to try it, then all sets recorded as the next slot */
    UG_CMD_BENCH_REPLAY = 5, /* a slot's time over all sets */
    UG_CMD_BENCH_FETCH = 6,  /* a slot's launch on the first set; the arena's rows of y */
    UG_CMD_RELEASE = 7       /* gives the memory of large buffers back to the device */
} ug_command;

/* What a worker answers beside the kernel's own ug_status. */
typedef enum ug_answer {
    UG_ANSWER_NONE = 0,
    UG_ANSWER_DONE,   /* the kernel answered: see status */
    UG_ANSWER_THROWN, /* an exception crossed the call: see message */
    UG_ANSWER_MEMORY, /* no room for the buffers on the device: see message */
    UG_ANSWER_DEVICE, /* the memory space reported an error: see message */
    UG_ANSWER_UNFIT   /* the plugin cannot be used: see message */
} ug_answer;

/* What a worker is doing, to be read after its death. */
typedef enum ug_stage {
    UG_STAGE_IDLE = 0,
    UG_STAGE_LOAD,
    UG_STAGE_DESCRIBE,
    UG_STAGE_WORKSPACE,
    UG_STAGE_GEOMETRY,
    UG_STAGE_COPY,
    UG_STAGE_LAUNCH,
    UG_STAGE_SYNC,
    UG_STAGE_COUNT
} ug_stage;

typedef struct ug_wire_launch {
    uint32_t kernel; /* index in the plugin's table */
    uint32_t variation, threads;
    ug_op op;
    ug_dtype dtype, param_dtype;
    int64_t rows, cols, xstride, ystride, xcol, ycol;
    float eps;
    uint32_t has_profile;
    uint64_t workspace_bytes;
    char profile_name[32];
    int64_t max_grid, max_block, max_shared, warp;
} ug_wire_launch;

/* Beside the launch, whose rows are those of the arena. */
typedef struct ug_wire_bench {
    int64_t rows; /* of what is timed: the arena's rows, repeated */
    int64_t block;
    uint32_t slot;
    uint32_t copy; /* ADD: 1 + a way of copying, 0: the kernel of the launch */
    /* from the worker */
    uint32_t sets;      /* OPEN */
    uint32_t device;    /* OPEN: times are the device's own, not the host clock's */
    double us;          /* REPLAY: a launch */
    char copy_name[32]; /* ADD of a copy; "" past the last way */
} ug_wire_bench;

/* Beside a launch on matrices that only the device holds and that repeat what lies in the arena:
 * there x is `rows` rows of `width` columns, gamma and beta are `width` elements, y is `judged`
 * rows of `parts` times `width` columns, mean and rstd are `judged` elements, all compact. Part p
 * of a row of y stands for the columns that ug_tile_part says. */
typedef struct ug_wire_tile {
    uint32_t used;    /* 0: an ordinary launch */
    uint32_t capture; /* the arena's y, mean and rstd are to be taken from this launch */
    int64_t rows, width, parts, judged;
    int64_t shift;    /* row r of x is row (r + shift) mod rows of the arena, of y mod judged */
    ug_layout layout; /* of the device's memory; in_place: y is x */
    /* from the worker */
    ug_difference found[UG_BUF_COUNT];
    uint64_t stray; /* offset in layout of the first byte outside the rows that changed, or
                       UINT64_MAX */
} ug_wire_tile;

/* The columns of a row that repeat part `part` of a judged row: the first period, all between, the
 * last. What a kernel does at the ends of a row may differ from what it does within. */
static inline void ug_tile_part(int64_t cols, int64_t width, int64_t parts, int64_t part,
                                int64_t *first, int64_t *count)
{
    *first = part == 0 ? 0 : part == parts - 1 ? cols - width : width;
    *count = part == 1 && parts == 3 ? cols - 2 * width : width;
}

typedef struct ug_wire {
    uint32_t version, command;
    uint64_t generation; /* of the layout; another one: map anew */
    ug_layout layout;
    ug_wire_launch launch;
    ug_wire_bench bench;
    ug_wire_tile tile;
    /* from the worker */
    uint32_t answer, stage;
    int32_t status;
    uint32_t has_geometry, fault_signal, fault_inside;
    uint64_t fault_at; /* arena offset, when fault_inside; else the address */
    uint64_t workspace_bytes;
    ug_geometry geometry;
    double time_us; /* of launch and synchronisation */
    char path[64];
    char message[512];
    ug_backend_card card; /* its pointer `kernels` means nothing here */
    ug_kernel_card kernels[UG_CARDS_MAX];
    ug_window windows[UG_WINDOWS_MAX];
} ug_wire;

#endif
