/* SPDX-License-Identifier: Apache-2.0 */
/* What differs around two runs, and where the outputs of a pair first differ. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/diff.h"
#include "ulpgate/dtype.h"

enum { PATH_TEXT = 4096 };

static int add_fact(ug_diff *d, const char *scope, const char *key, const char *was, const char *is)
{
    ug_diff_fact *grown;
    if (!strcmp(was, is)) return 0;
    grown = realloc(d->fact, (d->facts + 1) * sizeof *grown);
    if (!grown) return -1;
    d->fact = grown;
    grown += d->facts++;
    snprintf(grown->what, sizeof grown->what, "%.40s%s%.40s", scope, *scope ? " " : "", key);
    grown->was = was;
    grown->is = is;
    return 0;
}

static const ug_rec_backend *find_backend(const ug_rec_run *run, const char *name)
{
    size_t b;
    for (b = 0; b < run->backends; b++) {
        if (!strcmp(run->backend[b].backend, name)) return &run->backend[b];
    }
    return NULL;
}

static const char *find_fact(const ug_rec_backend *backend, const char *key)
{
    size_t f;
    for (f = 0; f < backend->facts; f++) {
        if (!strcmp(backend->fact[f].key, key)) return backend->fact[f].value;
    }
    return "";
}

/* Facts of a backend that both sides have. */
static int compare_backend(const ug_rec_backend *was, const ug_rec_backend *is, ug_diff *d)
{
    size_t f;
    for (f = 0; f < was->facts; f++) {
        const ug_rec_fact *fact = &was->fact[f];
        if (add_fact(d, was->backend, fact->key, fact->value, find_fact(is, fact->key))) return -1;
    }
    for (f = 0; f < is->facts; f++) {
        const ug_rec_fact *fact = &is->fact[f];
        if (*find_fact(was, fact->key)) continue;
        if (add_fact(d, was->backend, fact->key, "", fact->value)) return -1;
    }
    return 0;
}

int ug_diff_surroundings(const ug_results *results, ug_diff *d)
{
    const ug_rec_run *was = &results->run[0], *is = &results->run[1];
    const char *const fact[][3] = {{"version", was->version, is->version},
                                   {"source", was->git, is->git},
                                   {"compiler", was->compiler, is->compiler},
                                   {"flags", was->flags, is->flags},
                                   {"processor", was->cpu, is->cpu},
                                   {"system", was->os, is->os},
                                   {"profile", was->profile, is->profile},
                                   {"gate", was->gate, is->gate},
                                   {"reference", was->reference, is->reference}};
    size_t i;
    for (i = 0; i < was->backends; i++) {
        const ug_rec_backend *other = find_backend(is, was->backend[i].backend);
        if (other && compare_backend(&was->backend[i], other, d)) return -1;
    }
    for (i = 0; i < sizeof fact / sizeof *fact; i++) {
        if (add_fact(d, "", fact[i][0], fact[i][1], fact[i][2])) return -1;
    }
    return 0;
}

/* The file that a run with --keep-outputs left, NULL when there is none. */
static FILE *open_output(const char *folder, const ug_rec *rec)
{
    char path[PATH_TEXT], name[128], *c;
    snprintf(name, sizeof name, "%s", rec->kernel);
    for (c = name; *c; c++) {
        if (strchr(":/@", *c)) *c = '_';
    }
    snprintf(path, sizeof path, "%s/%s-%s.bin", folder, rec->id, name);
    return fopen(path, "rb");
}

static int dtype_of(const ug_rec *rec, ug_dtype *t)
{
    int i;
    for (i = 0; i < UG_DTYPE_COUNT; i++) {
        *t = (ug_dtype)i;
        if (!strcmp(ug_dtype_name(*t), rec->dtype)) return 0;
    }
    return -1;
}

/* Elements lie row by row without gaps. NaNs are the same whatever their payload. */
static void locate_element(FILE *was, FILE *is, ug_dtype t, ug_diff_item *item)
{
    unsigned char a[4], b[4];
    size_t size = ug_dtype_size(t);
    int64_t at;
    for (at = 0; fread(a, size, 1, was) == 1 && fread(b, size, 1, is) == 1; at++) {
        float x, y;
        if (!memcmp(a, b, size)) continue;
        x = ug_load(a, t, 0);
        y = ug_load(b, t, 0);
        if (isnan(x) && isnan(y)) continue;
        item->row = at / item->is->n;
        item->col = at % item->is->n;
        item->old_value = (double)x;
        item->new_value = (double)y;
        return;
    }
}

void ug_diff_locate(const ug_diff_options *o, ug_diff_item *item)
{
    const ug_rec *was = item->was, *is = item->is;
    FILE *a, *b;
    ug_dtype t;
    int64_t r;
    for (r = 0; r < was->row_digests && r < is->row_digests; r++) {
        if (was->row_digest[r] == is->row_digest[r]) continue;
        item->row = r;
        break;
    }
    if (!o->outputs[0] || !o->outputs[1] || is->n < 1 || dtype_of(is, &t)) return;
    a = open_output(o->outputs[0], was);
    b = open_output(o->outputs[1], is);
    if (a && b) locate_element(a, b, t, item);
    if (a) fclose(a);
    if (b) fclose(b);
}
