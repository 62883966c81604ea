/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers for tests of kernels on the host: the same ones in every run. */
#ifndef HOST_UNIFORM_H
#define HOST_UNIFORM_H

#include <stdint.h>

/* From 0 to 1, 1 left out. The generator of Knuth's MMIX. */
static double uniform(void)
{
    static uint64_t state = 20261130;
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (double)(state >> 11) * 0x1p-53;
}

#endif
