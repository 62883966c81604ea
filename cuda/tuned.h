/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels that exist only to be measured. */
#ifndef ULPGATE_CUDA_TUNED_H
#define ULPGATE_CUDA_TUNED_H

#include "cuda/registry.h"

/* What ULPGATE_TUNE asks for; how many. */
size_t ug_tuned_parts(const ug_part **list);

#endif
