// SPDX-License-Identifier: Apache-2.0
// A header of the project that is included with angles.
#pragma once

static __global__ void warps(int *out) { out[threadIdx.x] = threadIdx.x / warpSize; }
