/* SPDX-License-Identifier: Apache-2.0 */
/* FOLDER/inputs/HASH.safetensors holds x, gamma, beta and eps of some rows;
 * FOLDER/outputs/PEER/HASH.safetensors holds y of the same rows. */
#include "store.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "safetensors.h"
#include "ulpgate/dtype.h"

/* FNV-1a over 64-bit words, the last one filled with zeros. */
static uint64_t mix(uint64_t hash, const void *data, size_t bytes)
{
    const char *p = data;
    while (bytes) {
        uint64_t word = 0;
        const size_t part = bytes < sizeof word ? bytes : sizeof word;
        memcpy(&word, p, part);
        hash = (hash ^ word) * 0x100000001b3u;
        hash ^= hash >> 29; /* the multiplication alone never moves a bit down */
        p += part;
        bytes -= part;
    }
    return hash;
}

static uint64_t mix_params(ug_dtype dtype, ug_dtype wide, int64_t cols, float eps,
                           const void *gamma, const void *beta)
{
    const size_t bytes = (size_t)cols * ug_dtype_size(wide);
    const uint64_t kind[] = {dtype,         wide,        (uint64_t)cols, ug_float_bits(eps),
                             gamma != NULL, beta != NULL};
    uint64_t hash = mix(0xcbf29ce484222325u, kind, sizeof kind);
    if (gamma) hash = mix(hash, gamma, bytes);
    return beta ? mix(hash, beta, bytes) : hash;
}

uint64_t ug_store_params(const ug_args *a)
{
    /* Without parameters their type says nothing. */
    const ug_dtype wide = a->gamma || a->beta ? a->param_dtype : UG_F32;
    return mix_params(a->x.dtype, wide, a->x.cols, a->eps, a->gamma, a->beta);
}

uint64_t ug_store_row(uint64_t params, const void *bits, size_t bytes)
{
    return mix(params, bits, bytes);
}

static int say(ug_args *a, const char *what, const char *path)
{
    snprintf(a->message, sizeof a->message, "%s %.150s: %s", what, path, strerror(errno));
    return -1;
}

/* Calls each(context, name) for the names in a folder, sorted. Returns 0, or -1 when there is no
 * such folder or each() said so. */
static int each_name(const char *folder, int (*each)(void *, const char *), void *context)
{
    struct dirent **list;
    int count = scandir(folder, &list, NULL, alphasort), rc = 0;
    if (count < 0) return -1;
    for (int i = 0; i < count; i++) {
        if (!rc && list[i]->d_name[0] != '.') rc = each(context, list[i]->d_name);
        free(list[i]);
    }
    free(list);
    return rc;
}

typedef struct peer_list {
    const char *folder;
    ug_peer *peer;
    size_t count;
} peer_list;

typedef struct answer_list {
    char folder[PATH_MAX];
    uint32_t dtypes;
} answer_list;

static int add_answer(void *context, const char *name)
{
    answer_list *answers = context;
    char path[PATH_MAX + 256];
    ug_tensor_file file;
    ug_tensor y;
    snprintf(path, sizeof path, "%s/%s", answers->folder, name);
    if (!ug_tensor_open(&file, path) && !ug_tensor_get(&file, "y", &y))
        answers->dtypes |= 1u << y.dtype;
    ug_tensor_close(&file);
    return 0;
}

static int add_peer(void *context, const char *name)
{
    peer_list *list = context;
    answer_list answers = {.dtypes = 0};
    if (list->count == UG_PEERS_MAX || strlen(name) >= UG_PEER_NAME) return 0;
    snprintf(answers.folder, sizeof answers.folder, "%s/outputs/%s", list->folder, name);
    each_name(answers.folder, add_answer, &answers);
    if (!answers.dtypes) return 0;
    snprintf(list->peer[list->count].name, UG_PEER_NAME, "%s", name);
    list->peer[list->count++].dtypes = answers.dtypes;
    return 0;
}

size_t ug_store_peers(const char *folder, ug_peer peers[UG_PEERS_MAX])
{
    peer_list list = {folder, peers, 0};
    char outputs[PATH_MAX];
    snprintf(outputs, sizeof outputs, "%s/outputs", folder);
    each_name(outputs, add_peer, &list);
    return list.count;
}

/* One row that an input file holds. */
typedef struct entry {
    uint64_t hash;
    uint32_t file;
    int64_t row;
} entry;

static struct {
    char (*name)[64]; /* of the files */
    size_t files;
    entry *row;
    size_t rows, room;
} known;

static int by_hash(const void *a, const void *b)
{
    const entry *x = a, *y = b;
    return (x->hash > y->hash) - (x->hash < y->hash);
}

static int know_rows(const ug_tensor_file *file)
{
    ug_tensor x, gamma = {0}, beta = {0};
    const float eps = ug_bits_float((uint32_t)strtoul(ug_tensor_metadata(file, "eps"), NULL, 16));
    const int no_gamma = ug_tensor_get(file, "gamma", &gamma);
    const int no_beta = ug_tensor_get(file, "beta", &beta);
    uint64_t params;
    if (ug_tensor_get(file, "x", &x) || no_gamma < 0 || no_beta < 0) return 0;
    params = mix_params(x.dtype,
                        !no_gamma  ? gamma.dtype
                        : !no_beta ? beta.dtype
                                   : UG_F32,
                        x.cols, eps, no_gamma ? NULL : gamma.data, no_beta ? NULL : beta.data);
    for (int64_t r = 0; r < x.rows; r++) {
        const size_t bytes = (size_t)x.cols * ug_dtype_size(x.dtype);
        if (known.rows == known.room) {
            const size_t room = known.room ? 2 * known.room : 1024;
            entry *wide = realloc(known.row, room * sizeof *wide);
            if (!wide) return -1;
            known.row = wide;
            known.room = room;
        }
        known.row[known.rows++] =
            (entry){ug_store_row(params, (const char *)x.data + (size_t)r * bytes, bytes),
                    (uint32_t)known.files, r};
    }
    return 0;
}

static int know_file(void *context, const char *name)
{
    char path[PATH_MAX];
    ug_tensor_file file;
    void *wide = realloc(known.name, (known.files + 1) * sizeof *known.name);
    int rc = 0;
    if (!wide) return -1;
    known.name = wide;
    if (strlen(name) >= sizeof *known.name) return 0;
    snprintf(known.name[known.files], sizeof *known.name, "%s", name);
    snprintf(path, sizeof path, "%s/inputs/%s", (const char *)context, name);
    if (!ug_tensor_open(&file, path)) rc = know_rows(&file);
    ug_tensor_close(&file);
    known.files++;
    return rc;
}

static void know_all(const char *folder)
{
    char inputs[PATH_MAX];
    if (known.name) return;
    snprintf(inputs, sizeof inputs, "%s/inputs", folder);
    each_name(inputs, know_file, (void *)folder);
    if (known.rows) qsort(known.row, known.rows, sizeof *known.row, by_hash);
}

static const char *row_of(const ug_view *v, int64_t row)
{
    return (const char *)v->data + (size_t)(row * v->row_stride) * ug_dtype_size(v->dtype);
}

/* The answers that a launch draws on, opened one file at a time: its rows come from few. */
typedef struct source {
    uint32_t index;
    int open;
    ug_tensor_file file;
    ug_tensor y;
} source;

static int open_source(source *s, uint32_t index, const char *folder, const ug_peer *peer)
{
    char path[PATH_MAX];
    if (s->open && s->index == index) return 0;
    ug_tensor_close(&s->file);
    s->open = 0;
    snprintf(path, sizeof path, "%s/outputs/%s/%s", folder, peer->name, known.name[index]);
    if (ug_tensor_open(&s->file, path) || ug_tensor_get(&s->file, "y", &s->y)) return -1;
    s->index = index;
    s->open = 1;
    return 0;
}

/* y NULL: only looks whether there is an answer. */
static int answer_row(source *s, const char *folder, const ug_peer *peer, const ug_args *a,
                      uint64_t params, int64_t row, char *y)
{
    const size_t bytes = (size_t)a->x.cols * ug_dtype_size(a->x.dtype);
    const entry key = {.hash = ug_store_row(params, row_of(&a->x, row), bytes)};
    const entry *at = known.rows ? bsearch(&key, known.row, known.rows, sizeof key, by_hash) : NULL;
    if (!at) return -1;
    while (at > known.row && at[-1].hash == key.hash) at--;
    for (; at < known.row + known.rows && at->hash == key.hash; at++) {
        if (open_source(s, at->file, folder, peer)) continue;
        if (s->y.dtype != a->x.dtype || s->y.cols != a->x.cols || at->row >= s->y.rows) continue;
        if (y) memcpy(y, (const char *)s->y.data + (size_t)at->row * bytes, bytes);
        return 0;
    }
    return -1;
}

int ug_store_replay(const char *folder, const ug_peer *peer, ug_args *a)
{
    const uint64_t params = ug_store_params(a);
    source s = {.open = 0};
    int rc = 0;
    know_all(folder);
    for (int pass = 0; pass < 2 && !rc; pass++)
        for (int64_t r = 0; r < a->x.rows && !rc; r++) {
            rc = answer_row(&s, folder, peer, a, params, r, pass ? (char *)row_of(&a->y, r) : NULL);
            if (rc)
                snprintf(a->message, sizeof a->message, "%s has no answer for row %lld", peer->name,
                         (long long)r);
        }
    ug_tensor_close(&s.file);
    return rc;
}

/* The rows of a launch, each once, in order of their hashes. */
static int64_t distinct(const ug_args *a, uint64_t params, entry *row)
{
    const size_t bytes = (size_t)a->x.cols * ug_dtype_size(a->x.dtype);
    int64_t kept = 0;
    for (int64_t r = 0; r < a->x.rows; r++)
        row[r] = (entry){ug_store_row(params, row_of(&a->x, r), bytes), 0, r};
    qsort(row, (size_t)a->x.rows, sizeof *row, by_hash);
    for (int64_t r = 0; r < a->x.rows; r++)
        if (!kept || row[kept - 1].hash != row[r].hash) row[kept++] = row[r];
    return kept;
}

static json_t *make_header(const ug_args *a, int64_t rows, size_t vector)
{
    const size_t matrix = (size_t)(rows * a->x.cols) * ug_dtype_size(a->x.dtype);
    char eps[16];
    json_t *h = json_object();
    snprintf(eps, sizeof eps, "0x%08x", ug_float_bits(a->eps));
    json_object_set_new(h, "__metadata__", json_pack("{s:s}", "eps", eps));
    json_object_set_new(h, "x", ug_tensor_entry(a->x.dtype, rows, a->x.cols, 0, matrix));
    if (a->gamma)
        json_object_set_new(h, "gamma",
                            ug_tensor_entry(a->param_dtype, 0, a->x.cols, matrix, vector));
    if (a->beta)
        json_object_set_new(h, "beta",
                            ug_tensor_entry(a->param_dtype, 0, a->x.cols,
                                            matrix + (a->gamma ? vector : 0), vector));
    return h;
}

static int write_file(FILE *out, const ug_args *a, const entry *row, int64_t rows)
{
    const size_t bytes = (size_t)a->x.cols * ug_dtype_size(a->x.dtype);
    const size_t vector = (size_t)a->x.cols * ug_dtype_size(a->param_dtype);
    json_t *header = make_header(a, rows, vector);
    char *text = json_dumps(header, JSON_COMPACT);
    uint64_t length = text ? strlen(text) : 0;
    int bad = !text;
    json_decref(header);
    bad |= fwrite(&length, sizeof length, 1, out) != 1;
    bad |= text && fwrite(text, 1, length, out) != length;
    free(text);
    for (int64_t r = 0; r < rows; r++)
        bad |= fwrite(row_of(&a->x, row[r].row), 1, bytes, out) != bytes;
    if (a->gamma) bad |= fwrite(a->gamma, 1, vector, out) != vector;
    if (a->beta) bad |= fwrite(a->beta, 1, vector, out) != vector;
    return bad ? -1 : 0;
}

int ug_store_record(const char *folder, ug_args *a)
{
    char path[PATH_MAX], partial[PATH_MAX + 16];
    uint64_t name = ug_store_params(a);
    entry *row = calloc((size_t)a->x.rows + 1, sizeof *row);
    int64_t rows = row ? distinct(a, name, row) : 0;
    FILE *out;
    int rc = -1;
    if (!row || !rows) {
        free(row);
        return 0;
    }
    for (int64_t r = 0; r < rows; r++) name = mix(name, &row[r].hash, sizeof row[r].hash);
    snprintf(path, sizeof path, "%.4000s/inputs", folder);
    mkdir(folder, 0777);
    mkdir(path, 0777);
    snprintf(path, sizeof path, "%.4000s/inputs/%016llx.safetensors", folder,
             (unsigned long long)name);
    snprintf(partial, sizeof partial, "%s.%ld", path, (long)getpid());
    if (!access(path, F_OK)) {
        rc = 0;
    } else if (!(out = fopen(partial, "w"))) {
        say(a, "cannot write", partial);
    } else {
        rc = write_file(out, a, row, rows);
        if (fclose(out) || rc || rename(partial, path)) rc = say(a, "cannot write", path);
    }
    free(row);
    return rc;
}
