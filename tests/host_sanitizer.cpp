/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels for the sanitizer builds of the executor: right ones, of which nothing may be reported,
 * and wrong ones, whose line must be. Usage: NAME right|race|static|dynamic */
#include <stdio.h>
#include <string.h>

#include "cuda/gpu.cuh"

namespace
{
enum fault { RIGHT, RACE, STATIC_STORE, DYNAMIC_STORE };

struct job {
    float *out;
    int fault;
};

/* Block sums through one slot a thread. */
__global__ void block_sum(job j)
{
    UG_DYNAMIC_SHARED(float, slot);
    UG_SHARED(float, total, 1);
    const unsigned t = threadIdx.x, n = blockDim.x;
    float v = (float)t;
    for (unsigned offset = 16; offset > 0; offset >>= 1) v += __shfl_down_sync(~0u, v, offset);
    slot[t] = v;
    if (j.fault == STATIC_STORE) total[t / 64] = v; /* one element past the end of total */
    if (j.fault == DYNAMIC_STORE) slot[t + 1] = v;  /* one element past the end of slot */
    if (j.fault != RACE) __syncthreads();
    if (t == 0) {
        float sum = 0;
        for (unsigned i = 0; i < n; i += 32) sum += slot[i];
        total[0] = sum;
    }
    __syncthreads();
    j.out[blockIdx.x * n + t] = total[0];
}
} // namespace

int main(int argc, char **argv)
{
    static const char *const names[] = {"right", "race", "static", "dynamic"};
    static float out[64 * 128];
    static const ug_profile limits = {"plain", 1000, 1024, 4096, 32};
    for (int f = 0; argc == 2 && f < 4; f++) {
        if (strcmp(argv[1], names[f]) != 0) continue;
        for (uint32_t variation = 0; variation < 3; variation++) {
            ug_args args = {};
            args.variation = variation;
            args.threads = f == RIGHT ? 2 : 1;
            const ug_shape shape = {f == RIGHT ? 64 : 2, 128, 128 * sizeof(float), limits};
            if (ug_start(&args, shape, block_sum, job{out, f}) != UG_OK) {
                fprintf(stderr, "%s\n", args.message);
                return 1;
            }
        }
        printf("sum %g\n", (double)out[0]);
        return f == RIGHT && out[0] != 127 * 128 / 2;
    }
    fprintf(stderr, "usage: %s right|race|static|dynamic\n", argv[0]);
    return 2;
}
