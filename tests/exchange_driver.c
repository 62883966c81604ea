/* SPDX-License-Identifier: Apache-2.0 */
/* Answers an exported folder with a plugin's kernel: what any program that reads files would do.
 *
 * usage: exchange_driver DIR PLUGIN KERNEL NAME    KERNEL without its backend
 * Exit 0: every case was answered, declined or failed on file; 2: usage or a damaged folder. */
#include <dlfcn.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cases/case.h"
#include "cases/tensor.h"
#include "cases/tensor_write.h"
#include "ulpgate/dtype.h"

static const char *const variances[] = {"unknown", "sum2",     "twopass", "welford",
                                        "shifted", "pairmean", "exact",   "pairwise"};
static const char *dir, *name;
static const ug_kernel *kernel;
static char err[512];

static void die(const char *what)
{
    fprintf(stderr, "exchange_driver: %s %s\n", what, err);
    exit(2);
}

static void *room(size_t bytes)
{
    void *p = NULL;
    if (posix_memalign(&p, 256, bytes + 256)) die("out of memory");
    memset(p, 0xff, bytes + 256);
    return p;
}

static void write_json(const char *path, json_t *o)
{
    char *text = json_dumps(o, JSON_COMPACT | JSON_REAL_PRECISION(17));
    if (ug_text_write(path, text, err, sizeof err)) die("");
    free(text);
    json_decref(o);
}

/* The bits of an input, aligned; NULL when the case has none. */
static void *input(const json_t *entry, const char *which)
{
    const json_t *o = json_object_get(json_object_get(entry, "inputs"), which);
    const char *dtype = json_string_value(json_object_get(o, "dtype"));
    const char *tensor = json_string_value(json_object_get(o, "tensor"));
    ug_dtype raw = dtype && !strcmp(dtype, "bf16") ? UG_BF16 : UG_F32;
    unsigned char *bytes;
    char path[4096];
    size_t size;
    ug_tensor t;
    void *bits;
    if (!o) return NULL;
    snprintf(path, sizeof path, "%s/%s", dir, json_string_value(json_object_get(o, "file")));
    if (ug_tensor_load(path, &bytes, &size, err, sizeof err)) die("");
    if (tensor ? ug_safetensors_read(bytes, size, tensor, &t, err, sizeof err)
               : ug_npy_read(bytes, size, raw, &t, err, sizeof err))
        die(path);
    bits = room((size_t)(t.rows * t.n) * ug_dtype_size(t.dtype));
    ug_tensor_bits(&t, bits);
    free(bytes);
    return bits;
}

static void write_outputs(const json_t *entry, const ug_args *a)
{
    const ug_tensor_out t[] = {{"y", a->y.dtype, 2, {a->y.rows, a->y.cols}, a->y.data},
                               {"mean", UG_F32, 1, {a->y.rows}, a->mean},
                               {"rstd", UG_F32, 1, {a->y.rows}, a->rstd}};
    const json_t *outputs = json_object_get(entry, "outputs"), *y = json_object_get(outputs, "y");
    size_t count = a->mean ? 3 : 1;
    int together = json_object_get(y, "tensor") != NULL;
    for (size_t i = 0; i < (together ? 1 : count); i++) {
        const json_t *o = json_object_get(outputs, t[i].name);
        const char *file = json_string_value(json_object_get(o, "file"));
        char path[4096];
        file = strrchr(file, '/') + 1;
        snprintf(path, sizeof path, "%s/outputs/%s/%s", dir, name, file);
        if (together ? ug_safetensors_write(path, t, count, NULL, 0, err, sizeof err)
                     : ug_npy_write(path, &t[i], err, sizeof err))
            die("");
    }
}

static json_t *say(const ug_args *a, ug_status status)
{
    static const char *const words[] = {"ok", "declined", "failed"};
    json_t *o = json_pack("{s:s}", "status", words[status]);
    ug_geometry g = {0};
    if (status != UG_OK) json_object_set_new(o, "message", json_string(a->message));
    if (a->path) json_object_set_new(o, "path", json_string(a->path));
    if (kernel->geometry) {
        kernel->geometry(a, &g);
        json_object_set_new(o, "geometry",
                            json_pack("{s:I, s:I, s:I}", "threads", (json_int_t)g.threads, "chain",
                                      (json_int_t)g.chain, "levels", (json_int_t)g.levels));
    }
    return o;
}

static void answer(const json_t *entry)
{
    const char *line = json_string_value(json_object_get(entry, "case"));
    const char *bits = json_string_value(json_object_get(entry, "eps_bits"));
    char path[4096];
    ug_case_error error = {0};
    ug_case c;
    ug_args a;
    ug_status status;
    size_t elements;
    if (!line || !bits || ug_case_parse(line, &c, &error)) die(error.text);
    elements = (size_t)(c.rows * c.n);
    a = (ug_args){.size = sizeof a, .op = c.op, .param_dtype = c.wdtype, .threads = 1};
    a.x = a.y = (ug_view){NULL, c.rows, c.n, c.n, 1, c.dtype};
    a.x.data = input(entry, "x");
    a.y.data = room(elements * ug_dtype_size(c.dtype));
    a.gamma = input(entry, "gamma");
    a.beta = input(entry, "beta");
    a.eps = ug_bits_float((uint32_t)strtoul(bits, NULL, 16));
    a.profile = c.profile[0] ? ug_profile_find(c.profile) : NULL;
    if (c.stats && (kernel->supports & UG_CAN_STATS)) {
        a.mean = room((size_t)c.rows * 4);
        a.rstd = room((size_t)c.rows * 4);
    }
    a.workspace_bytes = kernel->workspace_size ? kernel->workspace_size(&a) : 0;
    a.workspace = room(a.workspace_bytes);
    status = kernel->launch(&a);
    if (status == UG_OK) write_outputs(entry, &a);
    snprintf(path, sizeof path, "%s/outputs/%s/%s.json", dir, name,
             json_string_value(json_object_get(entry, "id")));
    write_json(path, say(&a, status));
    free(a.x.data);
    free(a.y.data);
    free((void *)a.gamma);
    free((void *)a.beta);
    free(a.mean);
    free(a.rstd);
    free(a.workspace);
}

static void declare(void)
{
    static const char *const rounding[] = {"once", "before_affine"};
    static const char *const promise[] = {"none", "faithful", "exact"};
    char path[4096];
    snprintf(path, sizeof path, "%s/outputs/%s", dir, name);
    mkdir(path, 0777);
    snprintf(path, sizeof path, "%s/outputs/%s/kernel.json", dir, name);
    write_json(path, json_pack("{s:s, s:s, s:s, s:f}", "variance", variances[kernel->variance],
                               "rounding", rounding[kernel->rounding], "promise",
                               promise[kernel->promise], "rsqrt_error", kernel->rsqrt_error));
}

static void find_kernel(const char *file, const char *wanted)
{
    void *library = dlopen(file, RTLD_NOW);
    const ug_plugin *(*plugin)(void) = NULL;
    if (library) *(void **)&plugin = dlsym(library, "ulpgate_plugin");
    if (!plugin) die(dlerror());
    for (size_t i = 0; i < plugin()->count; i++)
        if (!strcmp(plugin()->kernels[i].name, wanted)) kernel = &plugin()->kernels[i];
    if (!kernel) die("no such kernel");
}

int main(int argc, char **argv)
{
    json_error_t error;
    json_t *manifest, *entry;
    char path[4096];
    size_t i;
    if (argc != 5) die("usage: exchange_driver DIR PLUGIN KERNEL NAME");
    dir = argv[1];
    name = argv[4];
    find_kernel(argv[2], argv[3]);
    snprintf(path, sizeof path, "%s/manifest.json", dir);
    manifest = json_load_file(path, 0, &error);
    if (!manifest) die(error.text);
    declare();
    json_array_foreach(json_object_get(manifest, "cases"), i, entry) answer(entry);
    json_decref(manifest);
    return 0;
}
