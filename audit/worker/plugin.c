/* SPDX-License-Identifier: Apache-2.0 */
/* Loads a plugin and checks what it declares, so that nothing later has to doubt the table. */
#include "audit/worker/plugin.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "audit/worker/catch.h"

/* Beyond it no bound holds, and the gate `bound` would judge nothing ever. */
static const double rsqrt_most = 1 << 23;

static void copy(char *to, size_t cap, const char *from)
{
    snprintf(to, cap, "%s", from ? from : "");
}

/* Names go into globs, lists and file names, onto terminals and back onto command lines. */
static int plain_name(const char *s, size_t cap)
{
    size_t n = s ? strlen(s) : 0;
    for (size_t i = 0; i < n; i++)
        if (s[i] <= ' ' || s[i] > '~' || strchr(":,*?[]\\", s[i])) return 0;
    return n > 0 && n < cap;
}

/* The table's own sizes and names. Returns 0, or -1 with a message. */
static int check_plugin(const ug_plugin *p, char *message, size_t cap)
{
    if (!p) return snprintf(message, cap, "ulpgate_plugin() returned NULL"), -1;
    if (p->abi != UG_ABI_VERSION)
        return snprintf(message, cap, "ABI version %u, expected %u", p->abi, UG_ABI_VERSION), -1;
    if (p->size < sizeof(ug_plugin))
        return snprintf(message, cap, "ug_plugin.size is %u, expected %zu or more", p->size,
                        sizeof(ug_plugin)),
               -1;
    if (!plain_name(p->backend, sizeof((ug_backend_card *)0)->backend))
        return snprintf(message, cap, "the backend's name is missing, long or no plain word"), -1;
    if (p->count > UG_CARDS_MAX || (p->count && !p->kernels))
        return snprintf(message, cap, "%zu kernels, expected at most %d and a table", p->count,
                        UG_CARDS_MAX),
               -1;
    if (p->space && (p->space->size < offsetof(ug_space, timing) || !p->space->device_count ||
                     !p->space->alloc || !p->space->free || !p->space->to_device ||
                     !p->space->to_host || !p->space->synchronize))
        return snprintf(message, cap,
                        "the memory space is smaller than ug_space or lacks functions"),
               -1;
    const ug_tiles *t = ug_plugin_tiles(p);
    if (t && (t->size < sizeof(ug_tiles) || !t->memory || !t->pattern || !t->put || !t->compare ||
              !t->scan))
        return snprintf(message, cap, "ug_tiles of the memory space lacks functions"), -1;
    return 0;
}

static int check_kernel(const ug_plugin *p, size_t i, char *message, size_t cap)
{
    const ug_kernel *k = ug_plugin_kernel(p, i);
    if (k->size < sizeof(ug_kernel) || k->size != p->kernels[0].size)
        return snprintf(message, cap, "kernel %zu: ug_kernel.size is %u, expected %zu", i, k->size,
                        sizeof(ug_kernel)),
               -1;
    if (!plain_name(k->name, sizeof((ug_kernel_card *)0)->name))
        return snprintf(message, cap, "kernel %zu: its name is missing, long or no plain word", i),
               -1;
    for (size_t j = 0; j < i; j++)
        if (!strcmp(ug_plugin_kernel(p, j)->name, k->name))
            return snprintf(message, cap, "two kernels are named %s", k->name), -1;
    if (!k->launch) return snprintf(message, cap, "kernel %s has no launch", k->name), -1;
    if ((unsigned)k->variance >= UG_VAR_COUNT || (unsigned)k->depends > UG_DEPENDS_ANY ||
        (unsigned)k->rounding > UG_ROUND_BEFORE_AFFINE || (unsigned)k->promise > UG_PROMISE_EXACT)
        return snprintf(message, cap,
                        "kernel %s: variance %u, rounding %u, depends %u or promise %u is unknown",
                        k->name, k->variance, k->rounding, k->depends, k->promise),
               -1;
    if (!(k->rsqrt_error >= 0 && k->rsqrt_error <= rsqrt_most))
        return snprintf(message, cap, "kernel %s: rsqrt_error is %g, expected 0 to 2^23 (units u)",
                        k->name, k->rsqrt_error),
               -1;
    return 0;
}

static int fill_kernel(const ug_plugin *p, size_t i, ug_kernel_card *card, char *message,
                       size_t cap)
{
    const ug_kernel *k = ug_plugin_kernel(p, i);
    size_t used = 0;
    *card = (ug_kernel_card){.variance = k->variance,
                             .rounding = k->rounding,
                             .depends = k->depends,
                             .promise = k->promise,
                             .repeatable = k->repeatable != 0,
                             .yardstick = (p->flags & UG_PLUGIN_YARDSTICK) != 0,
                             .no_times = (p->flags & UG_PLUGIN_NO_TIMES) != 0,
                             .ops = k->ops,
                             .dtypes = k->dtypes,
                             .supports = k->supports,
                             .rsqrt_error = k->rsqrt_error};
    copy(card->backend, sizeof card->backend, p->backend);
    copy(card->name, sizeof card->name, k->name);
    copy(card->summary, sizeof card->summary, k->summary);
    for (size_t j = 0; k->paths && k->paths[j]; j++) {
        int n = snprintf(card->paths + used, sizeof card->paths - used, "%s%s", j ? "," : "",
                         k->paths[j]);
        used += (size_t)n;
        if (used >= sizeof card->paths || !plain_name(k->paths[j], 64))
            return snprintf(message, cap,
                            "kernel %s: its list of paths is too long or path %zu is"
                            " no plain word",
                            k->name, j),
                   -1;
    }
    return 0;
}

static void fill_facts(const ug_plugin *p, ug_backend_card *card)
{
    const char *key = NULL, *value = NULL;
    int most = (int)(sizeof card->facts / sizeof card->facts[0]);
    while (p->describe && card->fact_count < most && p->describe(card->fact_count, &key, &value)) {
        copy(card->facts[card->fact_count][0], sizeof card->facts[0][0], key);
        copy(card->facts[card->fact_count][1], sizeof card->facts[0][1], value);
        card->fact_count++;
    }
}

typedef struct load {
    const ug_plugin *(*entry)(void);
    const ug_plugin *plugin;
    ug_wire *wire;
} load;

static void read_table(void *what)
{
    load *l = what;
    ug_wire *w = l->wire;
    const ug_plugin *p = l->entry();
    if (check_plugin(p, w->message, sizeof w->message)) return;
    for (size_t i = 0; i < p->count; i++)
        if (check_kernel(p, i, w->message, sizeof w->message) ||
            fill_kernel(p, i, &w->kernels[i], w->message, sizeof w->message))
            return;
    w->stage = UG_STAGE_DESCRIBE;
    copy(w->card.backend, sizeof w->card.backend, p->backend);
    w->card.kernel_count = p->count;
    w->card.devices = p->space ? p->space->device_count() : -1;
    w->card.tiles = ug_plugin_tiles(p) != NULL;
    fill_facts(p, &w->card);
    if (p->space && w->card.devices <= 0) {
        w->card.devices = 0;
        copy(w->card.unusable, sizeof w->card.unusable, "no usable device");
    }
    l->plugin = p;
}

const ug_plugin *ug_plugin_load(const char *path, ug_wire *wire)
{
    load l = {.wire = wire};
    void *object, *symbol;
    wire->card = (ug_backend_card){0};
    object = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!object) {
        copy(wire->message, sizeof wire->message, dlerror());
        return NULL;
    }
    symbol = dlsym(object, "ulpgate_plugin");
    if (!symbol) {
        copy(wire->message, sizeof wire->message, "it exports no function ulpgate_plugin");
        return NULL;
    }
    memcpy(&l.entry, &symbol, sizeof symbol); /* ISO C knows no cast from object to function */
    ug_catch(read_table, &l, wire->message, sizeof wire->message);
    return l.plugin;
}
