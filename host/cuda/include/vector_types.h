/* SPDX-License-Identifier: Apache-2.0 */
/* Stands for CUDA's header of this name, on the CPU executor. */
#include "host/cuda/runtime.h"
