/* SPDX-License-Identifier: Apache-2.0 */
/* Choices, what follows from them, and what the structures choose. */
#include "cuda/choice.h"

#include "ulpgate/dtype.h"

/* Bytes of shared memory left to joins and counters. */
constexpr int64_t UG_RING_RESERVE = 2048;

int64_t ug_choice_vectors(int64_t n, ug_dtype dtype)
{
    return n / (16 / (int64_t)ug_dtype_size(dtype));
}

int64_t ug_choice_words(int64_t n, ug_dtype dtype)
{
    const int64_t each = 4 / (int64_t)ug_dtype_size(dtype);
    return (n + each - 1) / each;
}

void ug_choice_limits(const ug_args *args, ug_profile *limits)
{
    char err[8];
    if (ug_backend_limits(args->profile, limits, err, sizeof err) == 0) return;
    /* No device: what every one has, within the profile. */
    *limits = {"", INT32_MAX, 1024, 48 * 1024, 32};
    if (!args->profile) return;
    if (args->profile->max_grid > 0) limits->max_grid = args->profile->max_grid;
    if (args->profile->max_block > 0) limits->max_block = args->profile->max_block;
    if (args->profile->max_shared > 0) limits->max_shared = args->profile->max_shared;
}

int ug_choice_block(int64_t n, int64_t most)
{
    int64_t block = (n + 31) / 32 * 32;
    if (block > most) block = most / 32 * 32;
    return block < 32 ? 32 : (int)block;
}

unsigned ug_choice_reach(const ug_choice *choice)
{
    unsigned reach = 1;
    while (reach * 32 < (unsigned)choice->block) reach <<= 1;
    return reach;
}

static int64_t wanted_block(const ug_args *args)
{
    return args->size >= sizeof(ug_args) && args->block > 0 ? args->block : 0;
}

/* Groups of as many words, or vectors, as a warp has lanes are dealt to the warps. */
struct dealt {
    int64_t lanes, warps, groups;
};
static dealt deal(const ug_choice *choice, int64_t n, ug_dtype dtype)
{
    const int64_t dealt = choice->skew ? ug_choice_vectors(n, dtype) : ug_choice_words(n, dtype);
    return {32, choice->members / 32, (dealt + 31) / 32};
}

/* Not where a warp would have none: threads at work come first. */
static bool fits_words(ug_choice *choice, int64_t n, ug_dtype dtype)
{
    if (choice->members < 32) return false;
    const dealt d = deal(choice, n, dtype);
    const int64_t words = (d.groups + d.warps - 1) / d.warps;
    if (d.groups < d.warps || words > UG_WORDS_MAX || n * (int64_t)ug_dtype_size(dtype) > 1 << 20)
        return false;
    choice->slots = UG_WORDS_MAX;
    choice->rows = 1;
    return true;
}

/* Kernels exist for warps that are a power of two; a block of 512 threads has registers for floats
 * alone. */
static bool fits_skew(ug_choice *choice, int64_t n, ug_dtype dtype)
{
    const int most = ug_dtype_size(dtype) == 4 ? 512 : 256;
    const dealt d = deal(choice, n, dtype);
    const int64_t slots = d.warps ? (d.groups + d.warps - 1) / d.warps : 0;
    if (choice->parts > 1 || d.groups < d.warps || slots < 1 || slots > UG_SKEW_MAX ||
        choice->members > most || (choice->members & (choice->members - 1)))
        return false;
    choice->slots = (int)slots;
    choice->rows = 1;
    return true;
}

void ug_choice_fit(ug_choice *choice, int64_t n, ug_dtype dtype)
{
    if (choice->skew && fits_skew(choice, n, dtype)) return;
    choice->skew = 0;
    if (choice->words && fits_words(choice, n, dtype)) return;
    choice->words = 0;
    const int64_t vectors = ug_choice_vectors(n, dtype);
    const int64_t share = (vectors + choice->parts - 1) / choice->parts;
    const int64_t slots = (share + choice->members - 1) / choice->members;
    choice->slots = slots <= 2 ? (int)(slots < 1 ? 1 : slots) : (int)((slots + 1) / 2 * 2);
    const bool even = vectors % choice->members == 0;
    if (slots > UG_SLOTS_MAX || (choice->block > UG_HELD_BLOCK && !even)) choice->slots = 0;
    if (choice->slots == 0 || choice->slots > 4) choice->rows = 1;
}

static int64_t ceil_log2(int64_t n)
{
    int64_t levels = 0;
    while (levels < 62 && (int64_t)1 << levels < n) levels++;
    return levels;
}

static void words_geometry(const ug_choice *choice, int64_t n, ug_dtype dtype,
                           ug_geometry *geometry)
{
    const dealt d = deal(choice, n, dtype);
    const int64_t words = ug_choice_words(n, dtype), each = 4 / (int64_t)ug_dtype_size(dtype);
    geometry->threads = choice->members;
    /* One thread alone may have the last word, of which there is one element. */
    const bool half = d.warps == 1 && words % d.lanes == 1 && n % each != 0;
    geometry->chain = (d.groups + d.warps - 1) / d.warps * each - half;
    geometry->levels = ceil_log2(words < d.lanes ? words : d.lanes) + ceil_log2(d.warps);
}

/* The first warp has most of a row, and its first lanes what is left over. */
static void skew_geometry(const ug_choice *choice, int64_t n, ug_dtype dtype, ug_geometry *geometry)
{
    const dealt d = deal(choice, n, dtype);
    const int64_t size = 16 / (int64_t)ug_dtype_size(dtype), vectors = n / size;
    geometry->threads = choice->members;
    geometry->chain = (d.groups + d.warps - 1) / d.warps * size + (n % size != 0);
    geometry->levels = ceil_log2(vectors < d.lanes ? vectors : d.lanes) + ceil_log2(d.warps);
}

/* The first member of a part has most of it; an element that no vector takes comes on top in the
 * last part. Joins with nobody do not round. */
void ug_choice_geometry(const ug_choice *choice, int64_t n, ug_dtype dtype, ug_geometry *geometry)
{
    if (choice->skew) return skew_geometry(choice, n, dtype, geometry);
    if (choice->words) return words_geometry(choice, n, dtype, geometry);
    const int64_t size = 16 / (int64_t)ug_dtype_size(dtype), vectors = n / size, rest = n % size;
    const int64_t parts = choice->parts, share = (vectors + parts - 1) / parts;
    int64_t chain = 0, levels = 0, working = 0;
    for (int64_t p = 0; p < parts; p++) {
        const int64_t left = vectors - p * share, own = left < 0 ? 0 : left < share ? left : share;
        const int64_t extra = p + 1 == parts ? rest : 0;
        int64_t active = own < choice->members ? own : choice->members;
        if (active < extra) active = extra;
        const int64_t most = (own + choice->members - 1) / choice->members * size + (extra != 0);
        const int64_t lanes = active < 32 ? active : 32, warps = (active + 31) / 32;
        const int64_t depth = ceil_log2(lanes) + ceil_log2(warps);
        if (most > chain) chain = most;
        if (depth > levels) levels = depth;
        if (active) working = p + 1;
    }
    geometry->threads = (int64_t)choice->members * parts;
    geometry->chain = chain > 0 ? chain : 1;
    geometry->levels = levels + ceil_log2(working);
}

bool ug_choice_clusters(const ug_profile *limits)
{
    return limits->max_shared > 48 * 1024 && ug_backend_clusters();
}

ug_mode ug_choice_mode(const ug_choice *choice, const ug_profile *limits)
{
    if (choice->parts == 1 && choice->stages == 0) return UG_MODE_BLOCK;
    if (!ug_choice_clusters(limits)) return choice->parts == 1 ? UG_MODE_BLOCK : UG_MODE_PHASES;
    return choice->slots && choice->stages ? UG_MODE_RING : UG_MODE_CLUSTER;
}

bool ug_choice_strides(const ug_args *args, const ug_choice *choice, const ug_profile *limits)
{
    const int64_t teams = choice->block / choice->members;
    const int64_t rows = choice->rows;
    if (choice->parts > 1 || choice->stages > 0)
        return args->x.rows > limits->max_grid / choice->parts;
    return (args->x.rows + teams * rows - 1) / (teams * rows) > limits->max_grid;
}

bool ug_choice_misaligned(const ug_args *args)
{
    return !ug_plan_straight(&args->x) || !ug_plan_straight(&args->y);
}

bool ug_choice_plain(const ug_args *args)
{
    const uintptr_t params = (uintptr_t)args->gamma | (uintptr_t)args->beta;
    return args->gamma && args->beta && args->param_dtype == args->x.dtype && params % 16 == 0 &&
           args->x.cols * (int64_t)ug_dtype_size(args->x.dtype) % 16 == 0 &&
           !ug_choice_misaligned(args);
}

size_t ug_choice_workspace(const ug_args *args, const ug_choice *choice)
{
    if (choice->parts == 1 || args->x.rows <= 0) return 0;
    return (size_t)args->x.rows * 16 * (2 * (size_t)choice->parts + 1);
}

int64_t ug_choice_keep_words(const ug_args *args, const ug_choice *choice)
{
    const int64_t size = 16 / (int64_t)ug_dtype_size(args->x.dtype);
    const int64_t vectors = ug_choice_vectors(args->x.cols, args->x.dtype);
    const int64_t share = (vectors + choice->parts - 1) / choice->parts;
    return ((share + 1) * size * (int64_t)ug_dtype_size(args->param_dtype) + 15) / 16;
}

void ug_choice_stages(ug_choice *choice, const ug_args *args, const ug_profile *limits)
{
    const int64_t vectors = ug_choice_vectors(args->x.cols, args->x.dtype);
    const int64_t stage = ((vectors + choice->parts - 1) / choice->parts + 2) * 16;
    const int64_t kept = 32 * ug_choice_keep_words(args, choice);
    int64_t room = limits->max_shared - UG_RING_RESERVE;
    if (!(args->gamma || args->beta) || room < kept + stage) choice->keep = 0;
    if (choice->keep) room -= kept;
    if (room / stage < choice->stages) choice->stages = room < 0 ? 0 : (int)(room / stage);
    if (!ug_choice_clusters(limits)) choice->stages = 0;
    /* Without a ring so many threads have too few registers. */
    if (choice->stages == 0 && choice->parts == 1 && choice->block > UG_HELD_BLOCK / 2 &&
        vectors % choice->members)
        choice->slots = 0;
}

/* Lanes enough that each holds four vectors, as far as a warp goes: few lanes make short trees. */
ug_choice ug_choice_warp(const ug_args *args, const ug_profile *limits)
{
    const int64_t vectors = ug_choice_vectors(args->x.cols, args->x.dtype);
    const int lanes = vectors <= 32 ? 8 : vectors <= 64 ? 16 : 32;
    ug_choice c = {1, lanes, ug_choice_block(256, limits->max_block), 0, 2, 0, 1, 0};
    ug_choice_fit(&c, args->x.cols, args->x.dtype);
    return c;
}

/* Four vectors a thread up to 256 threads, then eight, then more threads. */
ug_choice ug_choice_register(const ug_args *args, const ug_profile *limits)
{
    const int64_t vectors = ug_choice_vectors(args->x.cols, args->x.dtype);
    const int64_t most = limits->max_block < UG_HELD_BLOCK ? limits->max_block : UG_HELD_BLOCK;
    int block = ug_choice_block((vectors + 3) / 4, most < 256 ? most : 256);
    if (vectors > block * (int64_t)UG_SLOTS_MAX)
        block = ug_choice_block((vectors + UG_SLOTS_MAX - 1) / UG_SLOTS_MAX, most);
    if (wanted_block(args)) block = (int)wanted_block(args);
    ug_choice c = {1, block, block, 0, 1, 0, 0, 0};
    ug_choice_fit(&c, args->x.cols, args->x.dtype);
    ug_choice_stages(&c, args, limits);
    return c;
}

/* As few parts as hold the row with eight vectors a thread of 256 threads; as many stages as shared
 * memory has room for, up to three. */
ug_choice ug_choice_multi(const ug_args *args, const ug_profile *limits)
{
    const int64_t vectors = ug_choice_vectors(args->x.cols, args->x.dtype);
    int block = ug_choice_block(256, limits->max_block), parts = 1;
    if (wanted_block(args)) block = (int)wanted_block(args);
    while (parts < 8 && parts * 2 <= limits->max_grid &&
           vectors > (int64_t)parts * block * UG_SLOTS_MAX)
        parts *= 2;
    ug_choice c = {parts, block, block, 0, 1, 3, 1, 1};
    ug_choice_fit(&c, args->x.cols, args->x.dtype);
    ug_choice_stages(&c, args, limits);
    return c;
}
