/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels for measuring which choice is fastest: those that the environment variable ULPGATE_TUNE
 * asks for when the plugin is loaded, and none without it.
 *
 * ULPGATE_TUNE is a list of choices
 * PARTSxMEMBERS[xBLOCK][.rROWS][.sSTAGES][.pRESIDENT][.kKEEP][.w1][.v1], such as "1x128
 * 1x16x256.r2.p1 4x512.s3": each becomes kernels tuned@CHOICE/VARIANCE, which decline rows that the
 * choice does not hold in registers.
 */
#include "cuda/tuned.h"

#include <stdio.h>
#include <stdlib.h>

#include "cuda/chosen.cuh"

namespace
{
constexpr int most = 32;
ug_choice wanted[most];
char names[most][48];
int wanted_count;

template <int I> ug_choice ug_tuned_choice(const ug_args *args, const ug_profile *limits)
{
    ug_choice c = wanted[I];
    ug_choice_fit(&c, args->x.cols, args->x.dtype);
    ug_choice_stages(&c, args, limits);
    return c;
}

template <int I> struct ug_tuned : ug_chosen<ug_tuned_choice<I>> {
    template <typename V> static constexpr bool takes = true;
    static constexpr uint32_t supports = UG_PLAN_SUPPORTS & ~(uint32_t)UG_CAN_BLOCK;
    static constexpr const char *summary = "a choice to be measured";
    static constexpr const char *const *paths = nullptr;

    template <typename T, typename V>
    static ug_status start(ug_args *args, const ug_plan &plan, const ug_rows &rows)
    {
        const ug_choice c = ug_tuned_choice<I>(args, &plan.limits);
        if (c.slots == 0 || c.stages < wanted[I].stages || c.keep < wanted[I].keep ||
            c.words < wanted[I].words || c.skew < wanted[I].skew ||
            c.block > plan.limits.max_block) {
            snprintf(args->message, sizeof args->message, "the choice does not hold such a row");
            return UG_DECLINED;
        }
        return ug_choice_start<T, V>(args, plan, rows, c);
    }
};

ug_part parts[most * 16];
int part_count;

template <typename V, int I> void add(const char *variance)
{
    static char name[64];
    snprintf(name, sizeof name, "tuned@%s/%s", names[I], variance);
    parts[part_count++] = {ug_entry<ug_tuned<I>, V, false>::kernel(name), V::summary};
}

#define UG_TUNED_PART(V, I) add<ug_##V, I>(#V);
template <int I> void add_all()
{
    if constexpr (I < most) {
        if (I >= wanted_count) return;
        UG_VARIANCES(UG_TUNED_PART, I)
        add_all<I + 1>();
    }
}

/* One choice from the text; false where there is none. */
bool parse(const char *text, ug_choice *c)
{
    int used = 0, n = 0;
    *c = {0, 0, 0, 0, 1, 0, 0, 0};
    if (sscanf(text, "%dx%d%n", &c->parts, &c->members, &used) != 2) return false;
    if (sscanf(text + used, "x%d%n", &c->block, &n) == 1) used += n;
    if (c->block == 0) c->block = c->members > 32 ? c->members : 256;
    for (char key; text[used] == '.'; used += n) {
        int value = 0;
        n = 0;
        if (sscanf(text + used, ".%c%d%n", &key, &value, &n) != 2) return false;
        if (key == 'r') c->rows = value;
        if (key == 's') c->stages = value;
        if (key == 'p') c->resident = value;
        if (key == 'k') c->keep = value;
        if (key == 'w') c->words = value;
        if (key == 'v') c->skew = value;
    }
    const bool lanes = c->members == 8 || c->members == 16 || c->members == 32;
    return text[used] == 0 && c->parts >= 1 && c->parts <= 16 && (c->parts & (c->parts - 1)) == 0 &&
           c->block % 32 == 0 && c->block <= UG_BLOCK_MAX && c->rows >= 1 && c->rows <= 2 &&
           c->stages >= 0 && c->stages <= 4 && (lanes ? c->parts == 1 : c->block == c->members);
}
} // namespace

size_t ug_tuned_parts(const ug_part **list)
{
    const char *text = getenv("ULPGATE_TUNE");
    *list = parts;
    if (!text || part_count) return (size_t)part_count;
    while (*text && wanted_count < most) {
        const int length = (int)strcspn(text, " ,\n");
        char one[40];
        snprintf(one, sizeof one, "%.*s", length, text);
        if (length && parse(one, &wanted[wanted_count]))
            snprintf(names[wanted_count++], sizeof names[0], "%s", one);
        else if (length)
            fprintf(stderr, "ULPGATE_TUNE: '%s' is no choice, see cuda/tuned.cu\n", one);
        text += length + (text[length] != 0);
    }
    add_all<0>();
    return (size_t)part_count;
}
