/* SPDX-License-Identifier: Apache-2.0 */
/* Named device limits. The small ones bring rows beyond the grid and beyond shared memory within
 * reach of small cases. */
#include <string.h>

#include "cases/case.h"

static const ug_profile profiles[] = {
    {"default", 2147483647, 1024, 49152, 32}, /* what every CUDA device grants without opting in */
    {"h200", 2147483647, 1024, 232448, 32},   /* 227 KiB, opted in */
    {"narrow", 2, 1024, 49152, 32},           /* rows beyond the grid */
    {"cramped", 2147483647, 1024, 2048, 32},  /* long rows: beyond shared memory */
    {"small", 16, 128, 4096, 32},             /* smaller blocks, and both limits at middle sizes */
    {"tiny", 3, 64, 1024, 32},                /* both at the smallest sizes */
    {"cluster", 24, 64, 65536, 32},           /* rows that several small blocks share */
};

const ug_profile *ug_profile_at(size_t index)
{
    return index < sizeof profiles / sizeof *profiles ? &profiles[index] : NULL;
}

const ug_profile *ug_profile_find(const char *name)
{
    for (size_t i = 0; ug_profile_at(i); i++)
        if (!strcmp(profiles[i].name, name)) return &profiles[i];
    return NULL;
}
