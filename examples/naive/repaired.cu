// SPDX-License-Identifier: Apache-2.0
// The kernel of naive.cu with a second sweep: the variance from x - mean, where nothing cancels.
#include "naive.h"

// The sum over the block, the same for all its threads.
static __device__ float block_sum(float *slot, float v)
{
    const int t = threadIdx.x;
    __syncthreads(); // the slots of the sum before have been read
    slot[t] = v;
    __syncthreads();
    for (int half = blockDim.x / 2; half > 0; half /= 2) {
        if (t < half) slot[t] += slot[t + half];
        __syncthreads();
    }
    return slot[0];
}

static __global__ void repaired_kernel(const float *x, float *y, const float *gamma,
                                       const float *beta, int n, float eps)
{
    extern __shared__ float slot[];
    const int t = threadIdx.x;
    float sum = 0, square = 0;
    x += (size_t)blockIdx.x * n;
    y += (size_t)blockIdx.x * n;
    for (int i = t; i < n; i += blockDim.x) sum += x[i];
    const float mean = block_sum(slot, sum) / n;
    for (int i = t; i < n; i += blockDim.x) square += (x[i] - mean) * (x[i] - mean);
    const float rstd = rsqrtf(block_sum(slot, square) / n + eps);
    for (int i = t; i < n; i += blockDim.x) y[i] = (x[i] - mean) * rstd * gamma[i] + beta[i];
}

cudaError_t repaired(const float *x, float *y, const float *gamma, const float *beta, int rows,
                     int n, float eps, cudaStream_t stream)
{
    repaired_kernel<<<rows, 256, 256 * sizeof(float), stream>>>(x, y, gamma, beta, n, eps);
    return cudaGetLastError();
}
