/* SPDX-License-Identifier: Apache-2.0 */
/* The folder of an exchange: its manifest, the names of its files, tensors in them. */
#include "audit/exchange_parts.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cases/tensor.h"
#include "ulpgate/dtype.h"

static const char *const dtype_names[UG_DTYPE_COUNT] = {"f32", "f16", "bf16"};

void ug_exchange_unseen(const ug_case *c, char *text, size_t cap)
{
    int apart = c->xcol != 1 || c->ycol != 1 || c->xstride != c->n || c->ystride != c->n;
    snprintf(text, cap, "guards, inputs, repeat, rows, scale%s%s%s%s",
             c->alias == UG_ALIAS_INPLACE ? ", alias" : "", apart ? ", strides" : "",
             c->xoffset || c->yoffset || c->goffset || c->boffset ? ", alignment" : "",
             c->profile[0] ? ", profile" : "");
}

int ug_exchange_folder(ug_exchange *x, const char *dir, char *err, size_t cap)
{
    size_t length = strlen(dir);
    while (length > 1 && dir[length - 1] == '/') length--;
    if (length >= sizeof x->dir) return snprintf(err, cap, "too long a path: %.200s...", dir), -1;
    memcpy(x->dir, dir, length);
    x->dir[length] = 0;
    return 0;
}

void ug_exchange_path(const ug_exchange *x, const char *where, const char *id, const char *tensor,
                      char path[UG_EXCHANGE_PATH])
{
    if (x->npy)
        snprintf(path, UG_EXCHANGE_PATH, "%s/%s/%s.%s.npy", x->dir, where, id, tensor);
    else
        snprintf(path, UG_EXCHANGE_PATH, "%s/%s/%s.safetensors", x->dir, where, id);
}

/* Whether t is what was asked for; name: of the tensor in messages. */
static int fits(const ug_tensor *t, ug_dtype want, int64_t rows, int64_t n, const char *path,
                const char *name, char *err, size_t cap)
{
    /* mean and rstd may come as a column. */
    int column = rows == 1 && t->rows == n && t->n == 1 && strcmp(name, "y");
    if (t->dtype != want)
        return snprintf(err, cap, "%s: %s is %s, expected %s", path, name, dtype_names[t->dtype],
                        dtype_names[want]),
               -1;
    if ((t->rows == rows && t->n == n) || column) return 0;
    return snprintf(err, cap,
                    "%s: %s has shape %" PRId64 " x %" PRId64 ", expected %" PRId64 " x %" PRId64,
                    path, name, t->rows, t->n, rows, n),
           -1;
}

int ug_exchange_bits(const ug_exchange *x, const char *where, const char *id, const char *name,
                     ug_dtype want, int64_t rows, int64_t n, void **bits, char *err, size_t cap)
{
    char path[UG_EXCHANGE_PATH], why[512] = "";
    const char *shown = path + strlen(x->dir) + 1;
    unsigned char *bytes;
    size_t size;
    ug_tensor t;
    int rc;
    *bits = NULL;
    ug_exchange_path(x, where, id, name, path);
    rc = ug_tensor_load(path, &bytes, &size, err, cap);
    if (rc > 0) snprintf(err, cap, "%s is not there", shown);
    if (rc) return rc;
    rc = x->npy ? ug_npy_read(bytes, size, want, &t, why, sizeof why)
                : ug_safetensors_read(bytes, size, name, &t, why, sizeof why);
    if (rc) {
        snprintf(err, cap, "%s: %s", shown, why);
        rc = rc > 0 ? 2 : -1;
    } else {
        rc = fits(&t, want, rows, n, shown, name, err, cap);
    }
    if (!rc && !(*bits = malloc((size_t)rows * (size_t)n * ug_dtype_size(want) + 1))) {
        snprintf(err, cap, "out of memory");
        rc = -1;
    }
    if (!rc) ug_tensor_bits(&t, *bits);
    free(bytes);
    return rc;
}

int ug_exchange_json(const char *path, const char *const keys[], json_t **object, char *err,
                     size_t cap)
{
    json_error_t e;
    const char *key;
    json_t *value;
    *object = NULL;
    if (access(path, F_OK)) return snprintf(err, cap, "%s: %s", path, strerror(errno)), 1;
    *object = json_load_file(path, JSON_REJECT_DUPLICATES, &e);
    if (!*object) return snprintf(err, cap, "%s line %d: %s", path, e.line, e.text), -1;
    if (!json_is_object(*object)) snprintf(err, cap, "%s: expected a JSON object", path);
    if (json_is_object(*object)) {
        int unknown = 0;
        json_object_foreach(*object, key, value)
        {
            size_t i = 0;
            while (keys[i] && strcmp(keys[i], key)) i++;
            if (keys[i] || unknown++) continue;
            snprintf(err, cap, "%s: there is no key '%.60s' here", path, key);
        }
        if (!unknown) return 0;
    }
    json_decref(*object);
    *object = NULL;
    return -1;
}

static const char *text_of(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    return text ? text : "";
}

/* Sixteen digits; -1 when they are not. */
static int hash_of(const char *text, uint64_t *hash)
{
    *hash = strtoull(text, NULL, 16);
    return strlen(text) == 16 && strspn(text, "0123456789abcdef") == 16 ? 0 : -1;
}

/* Entry i of the manifest. */
static int read_entry(ug_exchange *x, const json_t *entry, size_t i, const char *path, char *err,
                      size_t cap)
{
    ug_case *c = &x->cases.item[i];
    ug_case_error error = {0};
    if (ug_case_parse(text_of(entry, "case"), c, &error))
        return snprintf(err, cap, "%s: case %zu, column %d: %s", path, i + 1, error.column,
                        error.text),
               -1;
    snprintf(c->suite, sizeof c->suite, "%s", text_of(entry, "suite"));
    snprintf(c->family, sizeof c->family, "%s", text_of(entry, "family"));
    snprintf(c->tier, sizeof c->tier, "%s", text_of(entry, "tier"));
    if (hash_of(text_of(entry, "id"), &x->ids[i]) || x->ids[i] != ug_case_hash(c))
        return snprintf(err, cap, "%s: case %zu: id '%.20s', expected %016" PRIx64 " by its line",
                        path, i + 1, text_of(entry, "id"), ug_case_hash(c)),
               -1;
    if (hash_of(text_of(entry, "digest"), &x->inputs[i]))
        return snprintf(err, cap, "%s: case %zu: digest '%.20s', expected 16 hex digits", path,
                        i + 1, text_of(entry, "digest")),
               -1;
    for (size_t k = 0; k < i; k++)
        if (x->ids[k] == x->ids[i])
            return snprintf(err, cap, "%s: case %zu is case %zu again", path, i + 1, k + 1), -1;
    return 0;
}

static int read_manifest(ug_exchange *x, const json_t *m, const char *path, char *err, size_t cap)
{
    const json_t *cases = json_object_get(m, "cases");
    json_int_t schema = json_integer_value(json_object_get(m, "schema"));
    const char *format = text_of(m, "format");
    size_t count = json_array_size(cases);
    if (strcmp(text_of(m, "type"), "exchange") || schema != UG_EXCHANGE_SCHEMA)
        return snprintf(err, cap, "%s: type '%.20s' of schema %lld, expected exchange of schema %d",
                        path, text_of(m, "type"), (long long)schema, UG_EXCHANGE_SCHEMA),
               -1;
    x->npy = !strcmp(format, "npy");
    if (!x->npy && strcmp(format, "safetensors"))
        return snprintf(err, cap, "%s: format '%.20s', expected safetensors or npy", path, format),
               -1;
    if (!json_is_array(cases)) return snprintf(err, cap, "%s: no list of cases", path), -1;
    x->cases.item = calloc(count + 1, sizeof *x->cases.item);
    x->inputs = calloc(count + 1, sizeof *x->inputs);
    x->ids = calloc(count + 1, sizeof *x->ids);
    if (!x->cases.item || !x->inputs || !x->ids) return snprintf(err, cap, "out of memory"), -1;
    for (size_t i = 0; i < count; i++)
        if (read_entry(x, json_array_get(cases, i), i, path, err, cap)) return -1;
    x->cases.count = x->cases.room = count;
    return 0;
}

/* What the header of the results says of the exchange. */
static void add_facts(ug_exchange *x, const json_t *m)
{
    const char *const facts[][2] = {{"device", "files"},
                                    {"format", x->npy ? "npy" : "safetensors"},
                                    {"exported by", text_of(m, "version")},
                                    {"not exchanged", "guards, aliasing, repeats, alignment, "
                                                      "strides, launches of row independence"}};
    for (size_t i = 0; i < sizeof facts / sizeof *facts; i++) {
        int k = x->card.fact_count++;
        for (int j = 0; j < 2; j++)
            snprintf(x->card.facts[k][j], sizeof x->card.facts[k][j], "%s", facts[i][j]);
    }
}

int ug_exchange_open(ug_exchange *x, const char *dir, char *err, size_t cap)
{
    static const char *const keys[] = {"type", "schema", "version", "format", "cases", NULL};
    char path[UG_EXCHANGE_PATH];
    json_t *manifest;
    int rc;
    memset(x, 0, sizeof *x);
    if (ug_exchange_folder(x, dir, err, cap)) return -1;
    snprintf(path, sizeof path, "%s/manifest.json", x->dir);
    if (ug_exchange_json(path, keys, &manifest, err, cap)) return -1;
    rc = read_manifest(x, manifest, path, err, cap);
    if (!rc) {
        snprintf(x->card.backend, sizeof x->card.backend, "files");
        snprintf(x->card.plugin, sizeof x->card.plugin, "%.255s", x->dir);
        x->card.devices = -1;
        add_facts(x, manifest);
        rc = ug_exchange_kernels(x, err, cap);
    }
    json_decref(manifest);
    return rc;
}

void ug_exchange_close(ug_exchange *x)
{
    ug_case_list_free(&x->cases);
    free(x->inputs);
    free(x->ids);
    free(x->card.kernels);
    memset(x, 0, sizeof *x);
}
