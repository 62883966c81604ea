/* SPDX-License-Identifier: Apache-2.0 */
/* Folders of outputs as kernels: their names, and what kernel.json declares of them. */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "audit/exchange_parts.h"
#include "audit/record.h"

enum { FACTS_MOST = sizeof((ug_backend_card *)0)->facts / sizeof((ug_backend_card *)0)->facts[0] };
static const double rsqrt_error = 2.15; /* of an unknown kernel: the worst in common use */

/* Index of a word in words, NULL at the end; fallback where the key is absent. -1: none of them. */
static int word_of(const json_t *o, const char *key, const char *const words[], int fallback)
{
    const json_t *value = json_object_get(o, key);
    const char *text = json_string_value(value);
    if (!value) return fallback;
    for (int i = 0; text && words[i]; i++)
        if (!strcmp(text, words[i])) return i;
    return -1;
}

static int refuse(const char *path, const char *key, const char *expected, char *err, size_t cap)
{
    snprintf(err, cap, "%s: %s, expected %s", path, key, expected);
    return -1;
}

/* Facts of a kernel's environment go into the header under the kernel's name. */
static int add_facts(ug_backend_card *card, const char *name, json_t *facts, const char *path,
                     char *err, size_t cap)
{
    const char *key;
    json_t *value;
    if (facts && !json_is_object(facts)) return refuse(path, "facts", "an object", err, cap);
    json_object_foreach(facts, key, value)
    {
        char(*fact)[128] = card->facts[card->fact_count];
        if (!json_is_string(value)) return refuse(path, "facts", "strings", err, cap);
        if (card->fact_count == FACTS_MOST) return 0; /* they are for people: enough is enough */
        snprintf(fact[0], sizeof fact[0], "%.60s %.60s", name, key);
        snprintf(fact[1], sizeof fact[1], "%s", json_string_value(value));
        card->fact_count++;
    }
    return 0;
}

static int declare(ug_exchange *x, ug_kernel_card *k, char *err, size_t cap)
{
    static const char *const keys[] = {"summary",     "variance", "rounding", "promise",
                                       "rsqrt_error", "facts",    NULL};
    static const char *const rounding[] = {"once", "before_affine", NULL};
    static const char *const promise[] = {"none", "faithful", "exact", NULL};
    const char *variance[UG_VAR_COUNT + 1] = {0}, *text;
    char path[UG_EXCHANGE_PATH];
    json_t *o, *error;
    int v, r, p, rc;
    snprintf(path, sizeof path, "%s/outputs/%s/kernel.json", x->dir, k->name);
    rc = ug_exchange_json(path, keys, &o, err, cap);
    if (rc) return rc < 0 ? -1 : 0;
    memcpy(variance, ug_variance_names, sizeof ug_variance_names);
    v = word_of(o, "variance", variance, UG_VAR_UNKNOWN);
    r = word_of(o, "rounding", rounding, UG_ROUND_ONCE);
    p = word_of(o, "promise", promise, UG_PROMISE_NONE);
    error = json_object_get(o, "rsqrt_error");
    text = json_string_value(json_object_get(o, "summary"));
    if (text) snprintf(k->summary, sizeof k->summary, "%s", text);
    if (error) k->rsqrt_error = json_is_number(error) ? json_number_value(error) : NAN;
    if (v < 0)
        rc = refuse(path, "variance",
                    "unknown, sum2, twopass, welford, shifted, pairmean, exact or pairwise", err,
                    cap);
    else if (r < 0)
        rc = refuse(path, "rounding", "once or before_affine", err, cap);
    else if (p < 0)
        rc = refuse(path, "promise", "none, faithful or exact", err, cap);
    else if (!(k->rsqrt_error >= 0 && k->rsqrt_error <= 0x1p23))
        rc = refuse(path, "rsqrt_error", "a number from 0 to 2^23", err, cap);
    else
        rc = add_facts(&x->card, k->name, json_object_get(o, "facts"), path, err, cap);
    k->variance = (ug_variance)v;
    k->rounding = (ug_rounding)r;
    k->promise = (ug_promise)p;
    json_decref(o);
    return rc;
}

/* 1 for what a folder of outputs may hold: files of a case of the exchange, kernel.json. */
static int belongs(const ug_exchange *x, const char *file)
{
    static const char *const one[] = {".json", ".safetensors", NULL};
    static const char *const each[] = {".json", ".y.npy", ".mean.npy", ".rstd.npy", NULL};
    const char *const *ends = x->npy ? each : one;
    char *end;
    uint64_t id = strtoull(file, &end, 16);
    if (!strcmp(file, "kernel.json")) return 1;
    while (*ends && strcmp(*ends, end)) ends++;
    if (!*ends || end - file != 16 || strspn(file, "0123456789abcdef") < 16) return 0;
    for (size_t i = 0; i < x->cases.count; i++)
        if (x->ids[i] == id) return 1;
    return 0;
}

/* Calls each(context, name) for the names in a folder, sorted, hidden ones left out; a nonzero
 * answer ends it. */
static int each_name(const char *path, int (*each)(void *, const char *), void *context, char *err,
                     size_t cap)
{
    struct dirent **list;
    int count = scandir(path, &list, NULL, alphasort), rc = 0;
    if (count < 0) return snprintf(err, cap, "cannot list %s: %s", path, strerror(errno)), -1;
    for (int i = 0; i < count; i++) {
        if (!rc && list[i]->d_name[0] != '.') rc = each(context, list[i]->d_name);
        free(list[i]);
    }
    free(list);
    return rc;
}

typedef struct search {
    ug_exchange *x;
    const char *folder; /* of the kernel */
    char *err;
    size_t cap;
} search;

static int check_file(void *context, const char *name)
{
    const search *s = context;
    if (belongs(s->x, name)) return 0;
    snprintf(s->err, s->cap, "%s/%s: expected kernel.json or %s of a case of the manifest",
             s->folder, name,
             s->x->npy ? "ID.y.npy, ID.mean.npy, ID.rstd.npy, ID.json" : "ID.safetensors, ID.json");
    return -1;
}

/* As kernel.h has it for names; no '/' since it is a file's. */
static int good_name(const char *name)
{
    for (const char *p = name; *p; p++)
        if (!isgraph((unsigned char)*p) || (unsigned char)*p >= 0x80 || strchr(":,*?[]\\", *p))
            return 0;
    return strlen(name) < sizeof((ug_kernel_card *)0)->name;
}

static int add_kernel(void *context, const char *name)
{
    search *s = context;
    ug_backend_card *card = &s->x->card;
    char folder[UG_EXCHANGE_PATH];
    ug_kernel_card *wide, *k;
    snprintf(folder, sizeof folder, "%s/outputs/%s", s->x->dir, name);
    if (!good_name(name))
        return snprintf(s->err, s->cap,
                        "%s: a kernel's name has at most 63 graphic ASCII "
                        "characters, none of : , * ? [ ] and backslash",
                        folder),
               -1;
    wide = realloc(card->kernels, (card->kernel_count + 1) * sizeof *wide);
    if (!wide) return snprintf(s->err, s->cap, "out of memory"), -1;
    card->kernels = wide;
    k = &wide[card->kernel_count++];
    *k = (ug_kernel_card){.repeatable = 1,
                          .depends = UG_DEPENDS_ANY,
                          .no_times = 1,
                          .ops = 1u << UG_OP_LAYERNORM,
                          .dtypes = (1u << UG_DTYPE_COUNT) - 1,
                          .rsqrt_error = rsqrt_error};
    snprintf(k->backend, sizeof k->backend, "%s", card->backend);
    snprintf(k->name, sizeof k->name, "%s", name);
    snprintf(k->summary, sizeof k->summary, "outputs from files");
    s->folder = folder;
    if (each_name(folder, check_file, s, s->err, s->cap)) return -1;
    return declare(s->x, k, s->err, s->cap);
}

int ug_exchange_kernels(ug_exchange *x, char *err, size_t cap)
{
    char path[UG_EXCHANGE_PATH];
    search s = {.x = x, .err = err, .cap = cap};
    snprintf(path, sizeof path, "%s/outputs", x->dir);
    return each_name(path, add_kernel, &s, err, cap);
}
