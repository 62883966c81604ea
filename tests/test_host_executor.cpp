/* SPDX-License-Identifier: Apache-2.0 */
/* The CPU executor: barriers, shuffles, shared memory, limits, orders, and what goes wrong with
 * them in kernels. Expected values follow from CUDA's own rules. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <thread>
#include <vector>

#include "cuda/gpu.cuh"

/* Last: its macro fail() would hide names of the standard library. */
extern "C" {
#include <cmocka.h>
}

namespace
{
constexpr ug_profile plain = {"plain", 1000, 1024, 4096, 32};

struct job {
    float *out;
    uint32_t *bits;
    int n;
};

/* Runs kernel(j); returns "" or the message. */
const char *start(void (*kernel)(job), const job &j, int64_t grid, int64_t block, size_t shared = 0,
                  uint32_t order = 0, uint32_t threads = 1, const ug_profile &limits = plain)
{
    static thread_local ug_args args;
    args = {};
    args.variation = order;
    args.threads = threads;
    const ug_shape shape = {grid, block, shared, limits};
    const ug_status status = ug_start(&args, shape, kernel, j);
    assert_int_equal(status, args.message[0] ? UG_FAILED : UG_OK);
    return args.message;
}

void expect(const char *got, const char *part)
{
    if (!strstr(got, part)) fail_msg("message \"%s\", expected \"%s\" in it", got, part);
}

/* Every thread passes its index through shared memory to the thread across the block, twice. */
__global__ void mirror(job j)
{
    UG_DYNAMIC_SHARED(float, box);
    const unsigned t = threadIdx.x, n = blockDim.x;
    box[t] = (float)(blockIdx.x * n + t);
    __syncthreads();
    const float v = box[n - 1 - t];
    __syncthreads();
    box[t] = -v;
    __syncthreads();
    j.out[blockIdx.x * n + t] = v + 2 * box[n - 1 - t];
}

void barriers(void **)
{
    static const int blocks[] = {1, 31, 32, 96, 100, 1024};
    for (int block : blocks)
        for (uint32_t order = 0; order < 5; order++) {
            std::vector<float> out(7 * (size_t)block);
            const size_t shared = sizeof(float) * (size_t)block;
            assert_string_equal(start(mirror, {out.data(), nullptr, 0}, 7, block, shared, order),
                                "");
            for (int b = 0; b < 7; b++)
                for (int t = 0; t < block; t++)
                    assert_true(out[(size_t)(b * block + t)] ==
                                (float)(b * block + block - 1 - t) - 2 * (float)(b * block + t));
        }
}

__global__ void shuffles(job j)
{
    const unsigned t = threadIdx.x;
    const float v = (float)t;
    float *out = j.out + 8 * t;
    out[0] = __shfl_down_sync(~0u, v, 5);
    out[1] = __shfl_down_sync(~0u, v, 5, 8);
    out[2] = __shfl_up_sync(~0u, v, 3);
    out[3] = __shfl_up_sync(~0u, v, 3, 16);
    out[4] = __shfl_xor_sync(~0u, v, 17);
    out[5] = __shfl_xor_sync(~0u, v, 12, 8);
    out[6] = __shfl_sync(~0u, v, 9, 8);
    out[7] = __shfl_down_sync(~0u, v, 31);
}

/* Past the end of the segment: the lane's own value. */
void shuffle_edges(void **)
{
    for (uint32_t order = 0; order < 3; order++) {
        std::vector<float> out(64 * 8);
        assert_string_equal(start(shuffles, {out.data(), nullptr, 0}, 1, 64, 0, order), "");
        for (int t = 0; t < 64; t++) {
            const int lane = t % 32, warp = t - lane;
            const float *o = &out[8 * (size_t)t];
            assert_true(o[0] == (float)(lane + 5 < 32 ? t + 5 : t));
            assert_true(o[1] == (float)(lane % 8 + 5 < 8 ? t + 5 : t));
            assert_true(o[2] == (float)(lane >= 3 ? t - 3 : t));
            assert_true(o[3] == (float)(lane % 16 >= 3 ? t - 3 : t));
            assert_true(o[4] == (float)(warp + (lane ^ 17)));
            /* lane ^ 12 leaves a segment of 8 upwards or, which is allowed, downwards */
            assert_true(o[5] == (float)(lane & 8 ? warp + (lane ^ 12) : t));
            assert_true(o[6] == (float)(warp + lane / 8 * 8 + 1));
            assert_true(o[7] == (float)(lane == 0 ? t + 31 : t));
        }
    }
}

/* Lanes 8 and up of a warp leave; the rest of the warp shuffles with the full mask. */
__global__ void leavers(job j)
{
    const unsigned t = threadIdx.x;
    if (t % 32 >= 8) return;
    j.bits[t] = __shfl_down_sync(~0u, t, 4);
    __syncthreads();
    j.bits[t] += t % 8 < 4;
}

void ended_lanes(void **)
{
    std::vector<uint32_t> bits(64);
    assert_string_equal(start(leavers, {nullptr, bits.data(), 0}, 1, 64), "");
    for (uint32_t t = 0; t < 64; t++)
        assert_int_equal(bits[t], t % 32 >= 8 ? 0 : t % 8 < 4 ? t + 5 : 0xffffffffu);
}

/* The halves of a warp take different ways and shuffle with masks of their own. */
__global__ void halves(job j)
{
    const unsigned t = threadIdx.x;
    if (t < 16) {
        j.bits[t] = __shfl_xor_sync(0xffffu, t, 1);
        __syncwarp(0xffffu);
        j.bits[t] = __shfl_down_sync(0xffffu, j.bits[t], 2, 16);
    } else {
        j.bits[t] = __shfl_sync(0xffff0000u, t, 20);
    }
    __syncwarp();
    j.bits[t] += __shfl_sync(~0u, 100u * t, 1);
}

void partial_masks(void **)
{
    for (uint32_t order = 0; order < 4; order++) {
        std::vector<uint32_t> bits(32);
        assert_string_equal(start(halves, {nullptr, bits.data(), 0}, 1, 32, 0, order), "");
        for (uint32_t t = 0; t < 16; t++)
            assert_int_equal(bits[t], ((t + 2 < 16 ? t + 2 : t) ^ 1) + 100);
        for (uint32_t t = 16; t < 32; t++) assert_int_equal(bits[t], 120);
    }
}

__global__ void one_sided(job j)
{
    if (blockIdx.x == 2 && threadIdx.x >= 40)
        j.out[threadIdx.x] = __shfl_down_sync(~0u, 1.0f, 1);
    else
        __syncthreads();
}

__global__ void stranger(job j) { j.bits[threadIdx.x] = __shfl_sync(0xfu, threadIdx.x, 0); }

void divergence(void **)
{
    std::vector<float> out(4096);
    const job j = {out.data(), reinterpret_cast<uint32_t *>(out.data()), 0};
    for (uint32_t order = 0; order < 3; order++) {
        const char *m = start(one_sided, j, 4, 64, 0, order);
        expect(m, "block 2: divergent barrier: of 64 threads 40 wait at __syncthreads");
        expect(m, "24 in a warp shuffle");
        /* The fibers that wait for ever are gone, and the next launch is not disturbed. */
        assert_string_equal(start(mirror, j, 4, 64, 256, order), "");
        assert_true(out[0] == 63 - 2 * 0.0f && out[63] == 0 - 2 * 63.0f);
    }
    expect(start(stranger, j, 1, 32), "does not name the thread");
    assert_string_equal(start(mirror, j, 4, 64, 256), "");
}

/* Reports the first value of its shared arrays before anything is written. */
__global__ void peek(job j)
{
    UG_DYNAMIC_SHARED(uint32_t, box);
    UG_SHARED(uint32_t, slot, 4);
    const unsigned t = threadIdx.x, b = blockIdx.x;
    j.bits[b * 64 + t] = box[t] & slot[t % 4];
    __syncthreads();
    box[t] = slot[t % 4] = 0;
}

__global__ void hungry(job j)
{
    UG_SHARED(float, a, 512);
    UG_SHARED(float, b, 256);
    a[threadIdx.x] = b[threadIdx.x] = 1;
    j.out[threadIdx.x] = a[threadIdx.x];
}

/* ASan would stop the program at once: see host_sanitizer.cpp. */
#if !defined(__SANITIZE_ADDRESS__)
__global__ void overrun(job j)
{
    UG_SHARED(float, a, 32);
    a[threadIdx.x] = 1;
    if (blockIdx.x == 1 && threadIdx.x == 31) a[31 + j.n] = 2;
}
#endif

void shared_memory(void **)
{
    std::vector<uint32_t> bits(64 * 20, 1);
    const job j = {reinterpret_cast<float *>(bits.data()), bits.data(), 3};
    for (int repeat = 0; repeat < 2; repeat++) {
        assert_string_equal(start(peek, j, 20, 64, 256, (uint32_t)repeat), "");
        for (uint32_t v : bits) assert_int_equal(v, 0xffffffffu);
    }
    assert_string_equal(start(hungry, j, 1, 32, 1024), "");
    expect(start(hungry, j, 1, 32, 1028), "4100 bytes are used then, the limit is 4096");
    expect(start(peek, j, 1, 32, 4100), "4100 bytes of shared memory, the limit is 4096");
#if !defined(__SANITIZE_ADDRESS__)
    expect(start(overrun, j, 3, 32), "block 1: a store just beside a shared array of 128 bytes");
#endif
}

void limits(void **)
{
    std::vector<float> out(2048);
    const job j = {out.data(), nullptr, 0};
    expect(start(mirror, j, 1001, 32, 128), "a grid of 1001 blocks, the limit is 1000");
    expect(start(mirror, j, 0, 32, 128), "a grid of 0 blocks");
    expect(start(mirror, j, 1, 1025, 4096), "a block of 1025 threads, the limit is 1024");
    expect(start(mirror, j, 1, 0, 0), "a block of 0 threads");
    ug_profile wide = plain;
    wide.warp = 64;
    expect(start(mirror, j, 1, 32, 128, 0, 1, wide), "warps of 64 threads");
}

/* Every third block fails. */
__global__ void some_fail(job j)
{
    if (blockIdx.x % 3 == 2 && threadIdx.x == 0) return;
    if (blockIdx.x % 3 == 2)
        __shfl_down_sync(1u << 31, 0.0f, 1);
    else
        j.out[blockIdx.x] = 1;
}

void os_threads(void **)
{
    std::vector<float> a(900 * 64), b(900 * 64);
    assert_string_equal(start(mirror, {a.data(), nullptr, 0}, 900, 64, 256), "");
    for (uint32_t threads = 2; threads <= 5; threads++) {
        for (float &f : b) f = -1;
        assert_string_equal(start(mirror, {b.data(), nullptr, 0}, 900, 64, 256, threads, threads),
                            "");
        assert_memory_equal(a.data(), b.data(), a.size() * sizeof(float));
    }
    expect(start(some_fail, {b.data(), nullptr, 0}, 900, 64, 0, 0, 4), "does not name");
    expect(start(some_fail, {b.data(), nullptr, 0}, 900, 64), "block 2, thread 1: the mask");
    assert_string_equal(start(mirror, {b.data(), nullptr, 0}, 900, 64, 256, 0, 0), "");
    assert_memory_equal(a.data(), b.data(), a.size() * sizeof(float));

    /* Launches from several threads of the caller at once. */
    std::vector<std::vector<float>> own(4, std::vector<float>(900 * 64));
    std::vector<std::thread> callers;
    for (std::vector<float> &o : own)
        callers.emplace_back([&o] { start(mirror, {o.data(), nullptr, 0}, 900, 64, 256, 0, 3); });
    for (std::thread &t : callers) t.join();
    for (std::vector<float> &o : own)
        assert_memory_equal(a.data(), o.data(), a.size() * sizeof(float));
}

/* A sum over the block whose author forgot the barrier between slots and total. */
__global__ void racy(job j)
{
    UG_DYNAMIC_SHARED(float, slot);
    slot[threadIdx.x] = 1.0f + (float)threadIdx.x;
    if (j.n) __syncthreads();
    const unsigned other = blockDim.x - 1 - threadIdx.x;
    j.out[threadIdx.x] = slot[other];
}

/* A missing barrier shows as other bits in another order; with the barrier there are none. */
void races_show(void **)
{
    for (int fixed = 0; fixed < 2; fixed++) {
        std::vector<float> out[3];
        for (uint32_t order = 0; order < 3; order++) {
            out[order].resize(256);
            assert_string_equal(
                start(racy, {out[order].data(), nullptr, fixed}, 1, 256, 1024, order), "");
        }
        const size_t bytes = 256 * sizeof(float);
        assert_int_equal(memcmp(out[0].data(), out[1].data(), bytes) == 0, fixed);
        assert_int_equal(memcmp(out[0].data(), out[2].data(), bytes) == 0, fixed);
        assert_int_equal(memcmp(out[1].data(), out[2].data(), bytes) == 0, fixed);
    }
}

/* K = 2^24 RN(1/sqrt(x)) for every x in [1, 4): (K - 1/2)^2 x < 2^48 < (K + 1/2)^2 x, in integers.
 */
void reciprocal_root(void **)
{
    for (int shift = 22; shift <= 23; shift++)
        for (uint32_t m = 1u << 23; m < 1u << 24; m++) {
            const float r = __frsqrt_rn((float)m * (shift == 23 ? 0x1p-23f : 0x1p-22f));
            const uint64_t k = (uint64_t)((double)r * 0x1p24), low = 2 * k - 1, high = 2 * k + 1;
            const unsigned __int128 one = (unsigned __int128)1 << (50 + shift);
            if (!((unsigned __int128)(low * low) * m < one &&
                  (unsigned __int128)(high * high) * m > one))
                fail_msg("mantissa %u, shift %d: %a", m, shift, (double)r);
        }
    assert_true(isinf(__frsqrt_rn(0.0f)) && __frsqrt_rn(INFINITY) == 0);
    assert_true(isnan(__frsqrt_rn(-1.0f)) && isnan(__frsqrt_rn(NAN)));
    assert_true(__frsqrt_rn(0x1p-148f) == 0x1p74f && __frsqrt_rn(0x1p126f) == 0x1p-63f);
}

/* max.f32: a NaN operand is ignored, +0 is above -0. */
void maximum(void **)
{
    assert_true(fmaxf(NAN, 0.0f) == 0 && fmaxf(0.0f, NAN) == 0 && isnan(fmaxf(NAN, NAN)));
    assert_true(!signbit(fmaxf(-0.0f, 0.0f)) && !signbit(fmaxf(0.0f, -0.0f)));
    assert_true(fmaxf(-3.0f, 2.0f) == 2 && fmaxf(2.0f, -3.0f) == 2);
}
} // namespace

int main()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(barriers),    cmocka_unit_test(shuffle_edges),
        cmocka_unit_test(ended_lanes), cmocka_unit_test(partial_masks),
        cmocka_unit_test(divergence),  cmocka_unit_test(shared_memory),
        cmocka_unit_test(limits),      cmocka_unit_test(os_threads),
        cmocka_unit_test(races_show),  cmocka_unit_test(reciprocal_root),
        cmocka_unit_test(maximum),
    };
    return cmocka_run_group_tests(tests, nullptr, nullptr);
}
