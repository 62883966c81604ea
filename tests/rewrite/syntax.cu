// SPDX-License-Identifier: Apache-2.0
// What ulpgate-rewrite has to read, as a program that checks what comes of it: exit code 0 or the
// places that are wrong. "k<<<1, 2>>>(x)" in a string or comment is no launch: k<<<1, 2>>>(x);
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <stdio.h>

#include "block.cuh"
#include <rewrite/warp.cuh> // found by -I, rewritten as well

static int wrong;
#define CHECK(x)                                                                                   \
    do {                                                                                           \
        if (!(x)) printf("%s:%d: %s\n", __FILE__, __LINE__, #x), wrong = 1;                        \
    } while (0)

static const char *const text = "__shared__ float x; k<<<1, 2>>>(threadIdx.x) asm \" \\";
static const char *const raw = R"(asm("ret;") <<< )";

namespace deep
{
template <typename T, int N> struct traits {
    static constexpr int threads = N;
    using type = T;
};
template <typename T, int N, bool B = (N > 3)> __global__ void fill(T *p, T v)
{
    p[blockIdx.x * blockDim.x + threadIdx.x] = B ? v : -v;
}
} // namespace deep

// The value's type is deduced; NULL and a number are converted as in any call.
template <int N, typename T> __global__ void scale(T *p, const T *by, double f, long long n)
{
    const long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x;
    if (i < n) p[i] *= (by ? by[i] : T(1)) * T(f) * N;
}

template <typename T> __global__ void reverse(T *p)
{
    extern __shared__ __align__(16) unsigned char bytes[];
    T *s = reinterpret_cast<T *>(bytes);
    s[threadIdx.x] = p[threadIdx.x];
    __syncthreads();
    p[threadIdx.x] = s[blockDim.x - 1 - threadIdx.x];
}

__global__ void tile(int *out)
{
    __shared__ int grid[4][8];
    static __shared__ volatile int once;
    __align__(16) __shared__ float4 four[1];
    grid[threadIdx.y][threadIdx.x] = threadIdx.z * 100 + threadIdx.y * 10 + threadIdx.x;
    if (threadIdx.x == 0 && threadIdx.y == 0) once = 7, four[0].w = 3;
    __syncthreads();
    out[(blockIdx.y * 4 + threadIdx.y) * 8 + threadIdx.x] =
        grid[3 - threadIdx.y][7 - threadIdx.x] + (once - 7) + (int)(four[0].w - 3) +
        1000 * (int)blockIdx.y;
}

__global__ void totals(float *out)
{
    const float all = block_total(1.0f + threadIdx.z);
    if (threadIdx.x + threadIdx.y + threadIdx.z == 0) out[blockIdx.x] = all;
}

__global__ void votes(unsigned *out, int *count)
{
    const unsigned even = __ballot_sync(0xffffffffu, threadIdx.x % 2 == 0);
    if (threadIdx.x == 0) out[0] = even;
    if (__any_sync(~0u, threadIdx.x == 31)) atomicAdd(count, 1);
    if (__all_sync(~0u, threadIdx.x < 31)) atomicAdd(count, 1000);
    out[1] = max(0, 3) + min(threadIdx.x, 0u);
}

__global__ void nothing() {}
__global__ void where(int *line) { *line = __LINE__; } // line 78

#define LAUNCH(T, N)                                                                               \
    deep::fill<T, N><<<2, (N), 0, stream>>>(                                                       \
        p, T(5))

static void shapes(float *p, cudaStream_t stream)
{
    dim3 gridDim(2), blockDim(8 /* <<< */, 1); // hides the built-in names
    CHECK(blockDim.x == 8 && gridDim.x == 2);
    deep::fill<float, 8><<<gridDim, blockDim>>>(p, 1.5f);
    CHECK(p[0] == 1.5f && p[15] == 1.5f);
    deep::fill<deep::traits<float, 8>::type, (2 > 1 ? 3 : 4)>
        <<<dim3(1, (1 + (0))), blockDim, sizeof(float) * (8 > 4), stream>>>(p, // first
                                                                            2.0f);
    CHECK(p[0] == -2.0f && p[7] == -2.0f && p[8] == 1.5f);
    LAUNCH(float, 4);
    CHECK(p[0] == 5.0f && p[7] == 5.0f && p[8] == 1.5f);
    scale<2, float><<<1, deep::traits<deep::traits<float, 2>, 16>::threads>>>(p, NULL, 3, 16);
    CHECK(p[0] == 30.0f && p[15] == 9.0f);
    scale<1><<<1, 16>>>(p, p, 1, 1);
    CHECK(p[0] == 900.0f);
    if (p) nothing<<<1, 1>>>();
    else
        nothing<<<3, 1>>>();
    void (*chosen)(float *, float) = deep::fill<float, 8>;
    chosen<<<1, 1>>>(p, 4.0f);
    (p ? chosen : deep::fill<float, 2>)<<<1, 1>>>(p + 1, 4.0f);
    CHECK(p[0] == 4.0f && p[1] == 4.0f && p[2] == 30.0f);
    int evaluated = 0;
    chosen<<<1, 8>>>((evaluated++, p), 1.0f);
    CHECK(evaluated == 1);
}

static void memory(float *p)
{
    int tiles[64], line = 0, count = 0;
    unsigned lanes[2];
    for (int i = 0; i < 8; i++) p[i] = (float)i;
    reverse<float><<<1, 8, 8 * sizeof(float)>>>(p);
    CHECK(p[0] == 7.0f && p[7] == 0.0f);
    tile<<<dim3(1, 2), dim3(8, 4)>>>(tiles);
    CHECK(tiles[0] == 37 && tiles[31] == 0 && tiles[32] == 1037);
    totals<<<3, dim3(4, 2, 2)>>>(p);
    CHECK(p[0] == 24.0f && p[2] == 24.0f);
    votes<<<1, 32>>>(lanes, &count);
    CHECK(lanes[0] == 0x55555555u && count == 32 && lanes[1] == 3);
    warps<<<1, 64>>>(tiles);
    CHECK(tiles[0] == 0 && tiles[63] == 1);
    where<<<1, 1>>>(&line);
    CHECK(line == 78);
}

// What a device answers with an error: kept until it is read, and the kernel does not run.
static void limits(float *p)
{
    CHECK(cudaGetLastError() == cudaSuccess);
    p[0] = 3;
    deep::fill<float, 8><<<1, 2048>>>(p, 1.0f);
    CHECK(cudaPeekAtLastError() != cudaSuccess && cudaGetLastError() != cudaSuccess);
    CHECK(cudaGetLastError() == cudaSuccess && p[0] == 3);
    reverse<float><<<1, 8, 64 * 1024>>>(p);
    CHECK(cudaGetLastError() != cudaSuccess);
    CHECK(cudaFuncSetAttribute(reverse<float>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                               64 * 1024) == cudaSuccess);
    reverse<float><<<1, 8, 64 * 1024>>>(p);
    CHECK(cudaGetLastError() == cudaSuccess);
    nothing<<<dim3(1, 70000), 1>>>();
    CHECK(cudaGetLastError() != cudaSuccess);
}

// Narrow types convert and compute as CUDA's do, with one rounding: 2048 + 1 is a tie
// in binary16, and far below the spacing of bfloat16.
template <typename T> __global__ void narrow(T *p, float *out)
{
    p[0] = static_cast<T>(2048.0f);
    out[0] = static_cast<float>(p[0] + T(1)) - 2048.0f;
    out[1] = __half2float(__float2half(0.1f)) - (float)__half(0.1f);
    T sum = 0;
    for (int i = 0; i < 5; i++) sum += T(0.5f);
    out[2] = sum;
    const half2 pair = __floats2half2_rn(1.0f, 2.0f);
    out[3] = __low2float(__hmul2(pair, pair)) + __half22float2(pair).y;
}

static void halves()
{
    float out[4];
    __half h;
    __nv_bfloat16 b;
    narrow<<<1, 1>>>(&h, out);
    CHECK(out[0] == 0.0f && out[1] == 0.0f && out[2] == 2.5f && out[3] == 3.0f);
    narrow<<<1, 1>>>(&b, out);
    CHECK(out[0] == 0.0f && out[2] == 2.5f && float(b) == 2048.0f);
    CHECK(float(__half(2049.0f) + __half(2)) == 2050.0f && float(-__half(1)) == -1.0f);
    CHECK(sizeof(half) == 2 && sizeof(nv_bfloat162) == 4);
}

#ifdef __CUDA_ARCH__
__device__ void only_there() { asm("ret;"); }
#endif
#if 0
tex1D <<<;
#endif

extern "C" const void *ug_host_user_plugin(void);
extern "C" const void *ug_host_user_plugin(void) { return nullptr; } // no plugin here

int main()
{
    float *p = nullptr;
    CHECK(cudaMalloc(&p, 64 * sizeof *p) == cudaSuccess);
    CHECK(text[0] == '_' && raw[0] == 'a');
    shapes(p, nullptr);
    memory(p);
    halves();
    limits(p);
    cudaFree(p);
    return wrong;
}
