/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the inputs of cases as tensor files, and the manifest that says what they are. */
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "audit/exchange_parts.h"
#include "audit/record.h"
#include "cases/tensor_write.h"
#include "ulpgate/dtype.h"

enum { TENSORS = 3 };

static const char *const dtype_names[UG_DTYPE_COUNT] = {"f32", "f16", "bf16"};

/* One export at work. */
typedef struct job {
    ug_exchange x; /* dir and npy */
    FILE *log;
    ug_exported *done;
    char *text; /* of the manifest */
    size_t length;
    FILE *manifest; /* writes text */
    char *err;
    size_t cap;
} job;

static int make_folder(const char *path, char *err, size_t cap)
{
    struct dirent *entry;
    DIR *d;
    int entries = 0;
    if (!mkdir(path, 0777)) return 0;
    if (errno != EEXIST || !(d = opendir(path)))
        return snprintf(err, cap, "cannot make the folder %s: %s", path, strerror(errno)), -1;
    while ((entry = readdir(d)))
        entries += strcmp(entry->d_name, ".") && strcmp(entry->d_name, "..");
    closedir(d);
    if (!entries) return 0;
    return snprintf(err, cap, "the folder %s is not empty; nothing was written", path), -1;
}

static int make_folders(const char *dir, char *err, size_t cap)
{
    static const char *const parts[] = {"", "/inputs", "/outputs"};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        char path[UG_EXCHANGE_PATH];
        snprintf(path, sizeof path, "%s%s", dir, parts[i]);
        if (make_folder(path, err, cap)) return -1;
    }
    return 0;
}

static uint64_t bytes_of(const ug_case *c)
{
    uint64_t elements, x, all;
    if (__builtin_mul_overflow((uint64_t)c->rows, (uint64_t)c->n, &elements) ||
        __builtin_mul_overflow(elements, ug_dtype_size(c->dtype), &x) ||
        __builtin_add_overflow(x, 2 * (uint64_t)c->n * ug_dtype_size(c->wdtype), &all))
        return UINT64_MAX;
    return all;
}

/* Writes the tensors that there are, in one file or in one each. */
static int write_tensors(job *j, const ug_subject *s, const ug_tensor_out *t, size_t count)
{
    char path[UG_EXCHANGE_PATH], eps[16], digest[17];
    const char *metadata[][2] = {{"eps", eps}, {"id", s->id}, {"inputs", digest}};
    if (!j->x.npy) {
        snprintf(eps, sizeof eps, "0x%08" PRIx32, ug_float_bits(s->c->eps));
        snprintf(digest, sizeof digest, "%016" PRIx64, s->inputs);
        ug_exchange_path(&j->x, "inputs", s->id, "", path);
        return ug_safetensors_write(path, t, count, metadata, 3, j->err, j->cap);
    }
    for (size_t i = 0; i < count; i++) {
        ug_exchange_path(&j->x, "inputs", s->id, t[i].name, path);
        if (ug_npy_write(path, &t[i], j->err, j->cap)) return -1;
    }
    return 0;
}

/* {"x": {"file", "tensor", "dtype", "shape"}, ...} with paths from the folder's root. */
static json_t *files_of(const job *j, const ug_subject *s, const char *where,
                        const ug_tensor_out *t, size_t count)
{
    json_t *all = json_object();
    size_t root = strlen(j->x.dir) + 1;
    for (size_t i = 0; i < count; i++) {
        char path[UG_EXCHANGE_PATH];
        json_t *one = json_object(), *shape = json_array();
        ug_exchange_path(&j->x, where, s->id, t[i].name, path);
        json_object_set_new(one, "file", ug_record_string(path + root));
        if (!j->x.npy) json_object_set_new(one, "tensor", json_string(t[i].name));
        json_object_set_new(one, "dtype", json_string(dtype_names[t[i].dtype]));
        for (int k = 0; k < t[i].rank; k++)
            json_array_append_new(shape, json_integer(t[i].shape[k]));
        json_object_set_new(one, "shape", shape);
        json_object_set_new(all, t[i].name, one);
    }
    return all;
}

/* The manifest's entry of a case, as a line. */
static int describe(job *j, const ug_subject *s, json_t *inputs)
{
    const ug_case *c = s->c;
    const ug_tensor_out outputs[] = {{"y", c->dtype, 2, {s->rows, s->n}, NULL},
                                     {"mean", UG_F32, 1, {s->rows}, NULL},
                                     {"rstd", UG_F32, 1, {s->rows}, NULL}};
    char text[UG_CASE_TEXT], bits[16], digest[17], unseen[128];
    json_t *o;
    char *line;
    if (ug_case_format(c, text, sizeof text) < 0)
        return snprintf(j->err, j->cap, "too long a case"), -1;
    snprintf(bits, sizeof bits, "0x%08" PRIx32, ug_float_bits(c->eps));
    snprintf(digest, sizeof digest, "%016" PRIx64, s->inputs);
    ug_exchange_unseen(c, unseen, sizeof unseen);
    o = json_pack("{s:s, s:s, s:s, s:s, s:s, s:s, s:I, s:I, s:f, s:s, s:s, s:o}", "id", s->id,
                  "case", text, "op", "layernorm", "suite", c->suite, "family", c->family, "tier",
                  c->tier, "rows", (json_int_t)s->rows, "n", (json_int_t)s->n, "eps",
                  (double)c->eps, "eps_bits", bits, "digest", digest, "not_exchanged",
                  ug_record_list(unseen));
    json_object_set_new(o, "inputs", inputs);
    json_object_set_new(o, "outputs", files_of(j, s, "outputs/NAME", outputs, c->stats ? 3 : 1));
    line = o ? ug_record_text(o) : NULL;
    json_decref(o);
    if (!line) return snprintf(j->err, j->cap, "out of memory"), -1;
    fprintf(j->manifest, "%s%s", j->done->cases ? ",\n" : "", line);
    free(line);
    return 0;
}

static int export_subject(job *j, const ug_subject *s)
{
    const ug_case *c = s->c;
    ug_tensor_out t[TENSORS] = {{"x", c->dtype, 2, {s->rows, s->n}, NULL}};
    size_t count = 1, row = (size_t)s->n * s->size;
    char *x = malloc((size_t)s->rows * row + 1);
    int rc;
    if (!x) return snprintf(j->err, j->cap, "out of memory"), -1;
    for (int64_t r = 0; r < s->rows; r++)
        memcpy(x + (size_t)r * row, (char *)s->x_bits + (size_t)ug_subject_source(s, r) * row, row);
    t[0].data = x;
    if (s->gamma_bits) t[count++] = (ug_tensor_out){"gamma", c->wdtype, 1, {s->n}, s->gamma_bits};
    if (s->beta_bits) t[count++] = (ug_tensor_out){"beta", c->wdtype, 1, {s->n}, s->beta_bits};
    rc = write_tensors(j, s, t, count) || describe(j, s, files_of(j, s, "inputs", t, count));
    free(x);
    return rc ? -1 : 0;
}

static int export_case(job *j, const ug_case *c)
{
    char text[UG_CASE_TEXT] = "";
    ug_subject s;
    int rc;
    if (bytes_of(c) > UG_EXCHANGE_BYTES) {
        ug_case_format(c, text, sizeof text);
        j->done->left_out++;
        if (j->log) fprintf(j->log, "ulpgate: left out, more than 1 GiB: %s\n", text);
        return 0;
    }
    rc = ug_subject_make(&s, c, NULL, NULL, j->err, j->cap);
    if (!rc) rc = export_subject(j, &s);
    ug_subject_free(&s);
    j->done->cases += !rc;
    j->done->bytes += bytes_of(c);
    return rc;
}

/* The first lines of the manifest, up to its list of cases. */
static int begin(job *j)
{
    json_t *head =
        json_pack("{s:s, s:i, s:s, s:s}", "type", "exchange", "schema", UG_EXCHANGE_SCHEMA,
                  "version", ULPGATE_VERSION, "format", j->x.npy ? "npy" : "safetensors");
    char *line = head ? ug_record_text(head) : NULL;
    json_decref(head);
    if (!line) return snprintf(j->err, j->cap, "out of memory"), -1;
    fprintf(j->manifest, "%.*s,\n\"cases\":[\n", (int)strlen(line) - 1, line);
    free(line);
    return 0;
}

int ug_export(const ug_case *cases, size_t count, const char *dir, int npy, FILE *log,
              ug_exported *done, char *err, size_t cap)
{
    job j = {.x = {.npy = npy}, .log = log, .done = done, .err = err, .cap = cap};
    char path[UG_EXCHANGE_PATH];
    int rc;
    *done = (ug_exported){0};
    if (ug_exchange_folder(&j.x, dir, err, cap) || make_folders(j.x.dir, err, cap)) return -1;
    j.manifest = open_memstream(&j.text, &j.length);
    if (!j.manifest) return snprintf(err, cap, "out of memory"), -1;
    rc = begin(&j);
    for (size_t i = 0; i < count && !rc; i++) rc = export_case(&j, &cases[i]);
    fputs("\n]}\n", j.manifest);
    if (fclose(j.manifest) && !rc) {
        snprintf(err, cap, "out of memory");
        rc = -1;
    }
    snprintf(path, sizeof path, "%s/manifest.json", j.x.dir);
    if (!rc) rc = ug_text_write(path, j.text, err, cap);
    free(j.text);
    return rc ? -1 : 0;
}
