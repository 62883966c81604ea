/* SPDX-License-Identifier: Apache-2.0 */
/* What the executor has no answer for, by name. A word of the kind that no program uses for
 * anything else is enough; some count only before a certain sign. */
#include <string.h>

#include "host/rewrite/rewrite.h"

static const struct {
    const char *word, *next, *what;
} words[] = {
    {"asm", NULL, "inline PTX (asm)"},
    {"__asm", NULL, "inline PTX (__asm)"},
    {"__asm__", NULL, "inline PTX (__asm__)"},
    {"texture", "<", "texture references"},
    {"cudaTextureObject_t", NULL, "texture objects"},
    {"cudaSurfaceObject_t", NULL, "surface objects"},
    {"tex1D", NULL, "texture reads (tex1D)"},
    {"tex1Dfetch", NULL, "texture reads (tex1Dfetch)"},
    {"tex2D", NULL, "texture reads (tex2D)"},
    {"tex3D", NULL, "texture reads (tex3D)"},
    {"cooperative_groups", NULL, "cooperative groups"},
    {"cudaLaunchCooperativeKernel", NULL, "cooperative launches"},
    {"cudaLaunchKernelEx", NULL, "launches with attributes (cudaLaunchKernelEx)"},
    {"cudaLaunchKernelExC", NULL, "launches with attributes (cudaLaunchKernelExC)"},
    {"cudaLaunchKernel", NULL, "launches through cudaLaunchKernel: write <<<>>>"},
    {"cuLaunchKernel", NULL, "launches through the driver API"},
    {"__cluster_dims__", NULL, "thread block clusters (__cluster_dims__)"},
    {"cudaGraphLaunch", NULL, "graphs"},
    {"cudaStreamBeginCapture", NULL, "graphs"},
    {"nvcuda", NULL, "tensor cores (nvcuda::wmma)"},
    {"__pipeline_memcpy_async", NULL, "asynchronous copies to shared memory"},
    {"cub", "::", "the library CUB"},
    {"thrust", "::", "the library Thrust"},
    {"cutlass", "::", "the library CUTLASS"},
    {"cute", "::", "the library CuTe"},
    {"at", "::", "PyTorch's C++ types (at::)"},
    {"torch", "::", "PyTorch's C++ types (torch::)"},
    {"__managed__", NULL, "managed variables"},
    {"__activemask", NULL, "__activemask(): the set of running lanes is no property of a program"},
    {"__match_any_sync", NULL, "__match_any_sync()"},
    {"__match_all_sync", NULL, "__match_all_sync()"},
    {"__nanosleep", NULL, "__nanosleep()"},
    {"__syncthreads_count", NULL, "__syncthreads_count()"},
    {"__syncthreads_and", NULL, "__syncthreads_and()"},
    {"__syncthreads_or", NULL, "__syncthreads_or()"},
    {"__reduce_add_sync", NULL, "__reduce_add_sync()"},
    {"__reduce_max_sync", NULL, "__reduce_max_sync()"},
    {"__reduce_min_sync", NULL, "__reduce_min_sync()"},
    {"cudaEventRecord", NULL, "events: nothing is timed"},
    {"clock64", "(", "device clocks"},
    {"__dp4a", NULL, "__dp4a()"},
    {"__hfma", NULL, "fused arithmetic in half precision (__hfma)"},
    {"__hfma2", NULL, "fused arithmetic in half precision (__hfma2)"},
    {"h2rsqrt", NULL, "functions in half precision (h2rsqrt)"},
    {"hrsqrt", NULL, "functions in half precision (hrsqrt)"},
};

static const struct {
    const char *head, *what;
} headers[] = {
    {"cooperative_groups", "cooperative groups"},
    {"cub/", "the library CUB"},
    {"thrust/", "the library Thrust"},
    {"cutlass/", "the library CUTLASS"},
    {"cute/", "the library CuTe"},
    {"cuda/", "libcu++"},
    {"mma.h", "tensor cores"},
    {"cuda_pipeline", "asynchronous copies to shared memory"},
    {"cuda_fp8.h", "8-bit floats"},
    {"torch/", "PyTorch's C++ types"},
    {"ATen/", "PyTorch's C++ types"},
    {"c10/", "PyTorch's C++ types"},
};

static const char place[] = "not supported on the CPU executor";

/* Are the signs from i on those of `next`? NULL: any. */
static int follows(const source *s, size_t i, const char *next)
{
    for (; next && *next; next++, i++)
        if (!is(s, i, (const char[]){*next, 0})) return 0;
    return 1;
}

void refuse_words(source *s)
{
    for (size_t i = 0; i < s->count; i++) {
        if (s->tok[i].kind != TOKEN_WORD) continue;
        for (size_t k = 0; k < sizeof words / sizeof *words; k++)
            if (is(s, i, words[k].word) && follows(s, i + 1, words[k].next))
                refuse(s, s->tok[i].line, "%s: %s", words[k].what, place);
    }
}

void refuse_header(source *s, size_t i, const char *header)
{
    for (size_t k = 0; k < sizeof headers / sizeof *headers; k++)
        if (!strncmp(header, headers[k].head, strlen(headers[k].head)))
            refuse(s, s->tok[i].line, "#include of %s: %s is %s", header, headers[k].what, place);
}
