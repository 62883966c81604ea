/* SPDX-License-Identifier: Apache-2.0 */
/* How a row is spread over threads where it lies in registers: a value, made by a structure from
 * (N, dtype, limits) and started by one function for all of them. */
#ifndef ULPGATE_CUDA_CHOICE_H
#define ULPGATE_CUDA_CHOICE_H

#include "cuda/plan.h"

/* The first two decide which thread has which element, and so the bits; the others do not. */
struct ug_choice {
    int parts;     /* blocks that share a row: 1, or a cluster of 2, 4, 8 or 16 */
    int members;   /* threads of a block that share it: 8, 16 or 32 lanes, or the whole block */
    int block;     /* threads a block */
    int slots;     /* 16-byte vectors a thread holds; 0: none, the row is read for every sweep */
    int rows;      /* rows in flight: loaded before the first of them is worked on, 1 or 2 */
    int stages;    /* rows that are copied ahead into shared memory, 0 to 4 */
    int resident;  /* 1: as many blocks as the device holds, each takes several rows */
    int keep;      /* 1: with stages, gamma and beta lie in shared memory as well */
    int words = 0; /* 1: slots are words of 4 bytes, see words.cuh */
    int skew = 0;  /* 1: warps have stretches of vectors, see skew.cuh */
};

/* Vectors a thread may hold; threads of a block whose rows are held, 128 registers for each. */
constexpr int UG_SLOTS_MAX = 8;
constexpr int UG_WORDS_MAX = 17; /* words that a thread may hold */
constexpr int UG_SKEW_MAX = 4;   /* vectors that a thread may hold of a row of skew.cuh */
constexpr int64_t UG_HELD_BLOCK = 512;

/* The limits for a launch, or without a device those that every device has. */
void ug_choice_limits(const ug_args *args, ug_profile *limits);

/* Slots and rows that kernels exist for: of 1, 2, 4, 6 and 8 slots the smallest number that holds a
 * row of n elements, 0 where that is none. So at most two slots of a thread stay empty, or where
 * parts are unequal three; kernels ask only for the last ones. */
void ug_choice_fit(ug_choice *choice, int64_t n, ug_dtype dtype);

/* Stages for the ring: choice->stages, or as many as shared memory has room for; gamma and beta are
 * kept, where choice->keep asks for it, as long as one stage remains. */
void ug_choice_stages(ug_choice *choice, const ug_args *args, const ug_profile *limits);

/* 16-byte words that the part's gamma takes, and as many its beta. */
int64_t ug_choice_keep_words(const ug_args *args, const ug_choice *choice);

/* Smallest power of two that is not below the warps of a block. */
unsigned ug_choice_reach(const ug_choice *choice);

/* Multiple of 32, at least 32 and at most `most`, that is not below n where that is possible. */
int ug_choice_block(int64_t n, int64_t most);

/* Vectors of a row; words of 4 bytes of a row. */
int64_t ug_choice_vectors(int64_t n, ug_dtype dtype);
int64_t ug_choice_words(int64_t n, ug_dtype dtype);

void ug_choice_geometry(const ug_choice *choice, int64_t n, ug_dtype dtype, ug_geometry *geometry);

/* Whether there are clusters under these limits: a device that has them grants a block more than
 * 48 KiB, so that narrower profiles take the other way. Each backend defines the second. */
bool ug_choice_clusters(const ug_profile *limits);
bool ug_backend_clusters(void);

/* Where a row of several parts meets: clusters, else one launch for every join of the variance. */
enum ug_mode { UG_MODE_BLOCK, UG_MODE_RING, UG_MODE_CLUSTER, UG_MODE_PHASES };
ug_mode ug_choice_mode(const ug_choice *choice, const ug_profile *limits);

/* Whether a block takes several rows because the grid ends, and whether rows are misaligned. */
bool ug_choice_strides(const ug_args *args, const ug_choice *choice, const ug_profile *limits);
bool ug_choice_misaligned(const ug_args *args);

/* Whether rows are as most are: of whole vectors, with gamma and beta in the type of x, and all of
 * it on multiples of 16 bytes. Kernels that ask nothing at run time want no others. */
bool ug_choice_plain(const ug_args *args);

/* Bytes for the parts' partial results: asked for with clusters, too, as a device may turn out to
 * have no room for one. */
size_t ug_choice_workspace(const ug_args *args, const ug_choice *choice);

/* What the structures offer, and the dispatcher's table. */
ug_choice ug_choice_warp(const ug_args *args, const ug_profile *limits);
ug_choice ug_choice_register(const ug_args *args, const ug_profile *limits);
ug_choice ug_choice_multi(const ug_args *args, const ug_profile *limits);
ug_choice ug_choice_best(const ug_args *args, const ug_profile *limits);
ug_choice ug_choice_best_ringed(const ug_args *args, const ug_profile *limits);
ug_choice ug_choice_best_pairwise(const ug_args *args, const ug_profile *limits);
ug_choice ug_choice_best_exact(const ug_args *args, const ug_profile *limits);

struct ug_rows;

/* Starts variance V on rows of T; defined once for every variance, in a file of its own. */
template <typename T, typename V>
ug_status ug_choice_start(ug_args *args, const ug_plan &plan, const ug_rows &rows,
                          const ug_choice &choice);

#endif
