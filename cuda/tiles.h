/* SPDX-License-Identifier: Apache-2.0 */
/* What the memory space `cuda` offers to cases that are larger than the host. */
#ifndef ULPGATE_CUDA_TILES_H
#define ULPGATE_CUDA_TILES_H

#include "ulpgate/kernel.h"

extern const ug_tiles ug_cuda_tiles;

#endif
