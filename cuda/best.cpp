/* SPDX-License-Identifier: Apache-2.0 */
/* The dispatcher's table. */
#include "cuda/choice.h"

#include "ulpgate/dtype.h"

/* Shortest row, in bytes, that no vector divides and that is held otherwise than others. */
constexpr int64_t UG_ODD_LEAST = 768;

/* Rows of up to `bytes` bytes: parts x members threads hold one, up to 8 vectors each. Chosen by
 * what was measured on one H200: rows of up to 32 KiB as full.cuh has them (docs/audits/h200/
 * tune-full.md), longer ones with gamma and beta kept (tune.txt, bench-best.md, tune-draw.md); of
 * several that were near each other, one that was so at most lengths. */
struct entry {
    int64_t bytes;
    int parts, members, block, rows, stages, resident, keep;
    /* Members and block for rows of whole vectors, unless each member has just four of floats; 0:
     * the same. */
    int fewer;
};

static const entry table[] = {
    {256, 1, 8, 128, 2, 0, 0, 0, 0},         /* N = 128 in 16 bits */
    {512, 1, 16, 128, 2, 0, 0, 0, 0},        /* 128, and 256 in 16 bits */
    {1024, 1, 16, 64, 2, 0, 0, 0, 0},        /* 256 */
    {3072, 1, 32, 128, 1, 0, 0, 0, 0},       /* 768, and 1024 in 16 bits */
    {4096, 1, 64, 64, 2, 0, 0, 0, 0},        /* 1024 */
    {10240, 1, 128, 128, 1, 0, 0, 0, 0},     /* 4096 in 16 bits */
    {16384, 1, 256, 256, 1, 0, 0, 0, 0},     /* 4096, and 8192 in 16 bits */
    {32768, 1, 256, 256, 1, 0, 0, 0, 0},     /* 8192 */
    {65536, 1, 512, 512, 1, 1, 1, 1, 0},     /* 16384 */
    {131072, 4, 512, 512, 1, 3, 1, 1, 256},  /* 32768 */
    {262144, 8, 512, 512, 1, 3, 1, 1, 256},  /* 65536 */
    {524288, 16, 512, 512, 1, 2, 1, 1, 256}, /* 131072 */
    {1048576, 16, 512, 512, 1, 2, 1, 1, 0}   /* 262144 */
};

/* Rows that no vector of 16 bytes divides: as few warps, a power of two, as hold one with four
 * vectors a thread. */
static bool by_skew(const ug_args *args, const ug_profile *limits, ug_choice *c)
{
    const int64_t bytes = args->x.cols * (int64_t)ug_dtype_size(args->x.dtype);
    const int64_t vectors = ug_choice_vectors(args->x.cols, args->x.dtype);
    int members = 32;
    while (members < limits->max_block && vectors > UG_SKEW_MAX * members) members *= 2;
    if (bytes % 16 == 0 || bytes < UG_ODD_LEAST || members > limits->max_block) return false;
    const int block = members > 32 ? members : ug_choice_block(128, limits->max_block);
    *c = {1, members, block, 0, 1, 0, 0, 0};
    c->skew = 1;
    ug_choice_fit(c, args->x.cols, args->x.dtype);
    return c->skew;
}

/* The same for `exact`: as many warps as hold a row in words, and so many words a thread that
 * nearly all are in use wherever there is more than one warp. */
static bool by_words(const ug_args *args, const ug_profile *limits, ug_choice *c)
{
    constexpr int64_t most = 8; /* warps, for which there are registers */
    const int64_t size = (int64_t)ug_dtype_size(args->x.dtype), bytes = args->x.cols * size;
    const int64_t groups = (ug_choice_words(args->x.cols, args->x.dtype) + 31) / 32;
    const int64_t warps = (groups + UG_WORDS_MAX - 1) / UG_WORDS_MAX;
    if (bytes % 16 == 0 || warps > most || 32 * warps > limits->max_block) return false;
    if (size == 4 ? bytes < UG_ODD_LEAST : groups / warps < UG_WORDS_MAX - 3) return false;
    const int members = (int)(32 * warps);
    *c = {1, members, warps > 1 ? members : ug_choice_block(128, limits->max_block), 0, 1, 0, 0, 0};
    c->words = 1;
    ug_choice_fit(c, args->x.cols, args->x.dtype);
    return c->words;
}

/* Rows whose vectors are shared out evenly, with gamma and beta to be had as full.cuh wants them:
 * at these lengths other teams than the table's are faster (tune-full.md). Rows at other addresses
 * go to a ring or to registers, in the same order of summation. */
struct even_entry {
    int64_t vectors;
    bool narrow, wide; /* for 16-bit types, for float */
    int members;
};

static const even_entry even_rows[] = {
    {768, true, false, 128},   /* N = 6144 in 16 bits */
    {896, true, false, 128},   /* 7168 in 16 bits */
    {1024, true, false, 128},  /* 8192 in 16 bits */
    {2048, false, true, 512},  /* 8192 */
    {8192, false, true, 1024}, /* 32768 */
};

/* Whether full.cuh may have these rows, as far as that does not depend on N. */
static bool held_whole(const ug_args *args, const ug_profile *limits)
{
    return ug_choice_plain(args) && args->x.rows <= limits->max_grid;
}

static bool by_even_rows(const ug_args *args, const ug_profile *limits, ug_choice *c)
{
    const bool narrow = ug_dtype_size(args->x.dtype) == 2;
    const int64_t vectors = ug_choice_vectors(args->x.cols, args->x.dtype);
    int members = 0;
    for (const even_entry &e : even_rows)
        if (vectors == e.vectors && (narrow ? e.narrow : e.wide)) members = e.members;
    if (members == 0 || members > limits->max_block || !args->gamma || !args->beta ||
        args->param_dtype != args->x.dtype || args->x.cols * (narrow ? 2 : 4) != 16 * vectors)
        return false;
    *c = {1, members, members, (int)(vectors / members), 1, 0, 0, 0};
    if (members > UG_HELD_BLOCK && !held_whole(args, limits)) c->slots = 0;
    return true;
}

/* For rows of floats that take more registers than the threads of two blocks have, unless every
 * thread holds as many. */
static const entry two_parts = {65536, 2, 256, 256, 1, 3, 1, 1, 0};

static const entry &entry_of(ug_dtype dtype, int64_t bytes)
{
    const int count = sizeof table / sizeof *table;
    if (dtype == UG_F32 && bytes > 49152 && bytes < 65536 && bytes % 16 == 0) return two_parts;
    int i = 0;
    while (i + 1 < count && bytes / 16 * 16 > table[i].bytes) i++;
    return table[i];
}

static ug_choice by_entry(const entry &e, const ug_args *args, const ug_profile *limits)
{
    const int64_t n = args->x.cols, bytes = n * (int64_t)ug_dtype_size(args->x.dtype);
    int parts = e.parts;
    while (parts > limits->max_grid) parts /= 2;
    const bool four = args->x.dtype == UG_F32 && bytes == 64LL * e.parts * e.members;
    const bool fewer = e.fewer && bytes % 16 == 0 && !four;
    const int block = ug_choice_block(fewer ? e.fewer : e.block, limits->max_block);
    const int members = e.members > 32 ? block : e.members;
    ug_choice c = {parts, members, block, 0, e.rows, e.stages, e.resident, e.keep};
    ug_choice_fit(&c, n, args->x.dtype);
    ug_choice_stages(&c, args, limits);
    return c;
}

static ug_choice by_table(const ug_args *args, const ug_profile *limits)
{
    const int64_t bytes = args->x.cols * (int64_t)ug_dtype_size(args->x.dtype);
    return by_entry(entry_of(args->x.dtype, bytes), args, limits);
}

ug_choice ug_choice_best_ringed(const ug_args *args, const ug_profile *limits)
{
    ug_choice skew;
    if (by_skew(args, limits, &skew)) return skew;
    return by_table(args, limits);
}

/* Rows that a block holds in registers need no ring where they are as full.cuh wants them. */
ug_choice ug_choice_best(const ug_args *args, const ug_profile *limits)
{
    ug_choice c;
    if (by_even_rows(args, limits, &c)) return c;
    c = ug_choice_best_ringed(args, limits);
    const int64_t vectors = ug_choice_vectors(args->x.cols, args->x.dtype);
    if (c.skew || c.parts > 1 || c.stages == 0 || vectors > (int64_t)UG_SLOTS_MAX * c.members ||
        !held_whole(args, limits))
        return c;
    c.slots = (int)((vectors + c.members - 1) / c.members);
    c.stages = c.resident = c.keep = 0;
    return c;
}

/* For `pairwise`, whose joins do not fit the registers of so many threads beside eight vectors of
 * floats: clusters have these rows. */
ug_choice ug_choice_best_pairwise(const ug_args *args, const ug_profile *limits)
{
    const ug_choice c = ug_choice_best(args, limits);
    /* 1024 threads hold what is as full.cuh wants it, and read anew what is not. */
    const bool crowd = c.members > UG_HELD_BLOCK || (c.members == UG_HELD_BLOCK && c.slots == 8);
    if (args->x.dtype != UG_F32 || c.parts > 1 || !crowd) return c;
    return by_entry(c.members == 512 ? two_parts : entry_of(UG_F32, 4 * args->x.cols), args,
                    limits);
}

/* For `exact` (exact_rows.cuh), with whole vectors: as many warps as hold a row with four of them a
 * thread, for floats of more than 512 vectors with eight; rows of 16384 floats that are as most are
 * have a kernel of their own. What is right has the same bits in every order. */
ug_choice ug_choice_best_exact(const ug_args *args, const ug_profile *limits)
{
    const bool wide = args->x.dtype == UG_F32;
    const int64_t vectors = ug_choice_vectors(args->x.cols, args->x.dtype);
    const int64_t each = wide && vectors > 512 ? 256 : 128, warps = (vectors + each - 1) / each;
    const bool whole = args->x.cols % (wide ? 4 : 8) == 0;
    if (wide && whole && vectors == 4096 && held_whole(args, limits) &&
        args->x.data != args->y.data && limits->max_block >= 512)
        return {1, 512, 512, 8, 1, 0, 0, 0};
    ug_choice words;
    if (by_words(args, limits, &words)) return words;
    const int members = vectors == 1536 ? 256 : (int)(32 * warps); /* 6144: six each */
    if (!whole || vectors <= 64 || warps > 8 || members > limits->max_block)
        return by_table(args, limits);
    ug_choice c = {1, members, members, 0, 1, 0, 0, 0};
    ug_choice_fit(&c, args->x.cols, args->x.dtype);
    return c;
}
