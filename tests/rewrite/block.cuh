// SPDX-License-Identifier: Apache-2.0
// A header with shared memory of its own, included with quotes.
#pragma once

template <typename T> __device__ T block_total(T v)
{
    __shared__ T slot[64], total;
    const unsigned t = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
    slot[t] = v;
    __syncthreads();
    if (t == 0) {
        total = 0;
        for (unsigned i = 0; i < blockDim.x * blockDim.y * blockDim.z; i++) total += slot[i];
    }
    __syncthreads();
    return total;
}
