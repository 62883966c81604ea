/* SPDX-License-Identifier: Apache-2.0 */
/* What the memory space `cuda` offers to a bench. */
#ifndef ULPGATE_CUDA_TIMING_H
#define ULPGATE_CUDA_TIMING_H

#include "ulpgate/kernel.h"

extern const ug_timing ug_cuda_timing;

#endif
