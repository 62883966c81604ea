/* SPDX-License-Identifier: Apache-2.0 */
/* Globs over the kernels that plugins report. */
#include "audit/select.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "audit/exchange.h"

static const char yardstick[] = "openblas"; /* the backend; its file is named after it */

static void append(char *text, size_t cap, const char *what)
{
    size_t used = strlen(text);
    if (used + 1 < cap) snprintf(text + used, cap - used, "%s", what);
}

/* The exchange's outputs as the last card, the yardstick beside it. */
static int collect_files(const ug_run_options *o, ug_selection *s, char *err, size_t cap)
{
    const ug_backend_card *from = &o->exchange->card;
    const char *const *builtin;
    size_t count = ug_builtin_plugins(&builtin), bytes;
    ug_backend_card *wide;
    s->plugins = calloc(count + 1, sizeof *s->plugins);
    if (!s->plugins) return snprintf(err, cap, "out of memory"), -1;
    for (size_t i = 0; i < count; i++)
        if (strstr(builtin[i], yardstick)) s->plugins[s->plugin_count++] = builtin[i];
    s->builtin_count = s->plugin_count;
    if (ug_backends(s->plugins, s->plugin_count, &s->cards, err, cap)) return -1;
    wide = realloc(s->cards, (s->plugin_count + 1) * sizeof *wide);
    if (wide) s->cards = wide;
    bytes = from->kernel_count * sizeof *from->kernels;
    if (wide) {
        wide[s->plugin_count] = *from;
        wide[s->plugin_count].kernels = malloc(bytes + 1);
    }
    if (!wide || !wide[s->plugin_count].kernels) return snprintf(err, cap, "out of memory"), -1;
    if (bytes) memcpy(wide[s->plugin_count].kernels, from->kernels, bytes);
    s->files = s->plugin_count;
    s->plugins[s->plugin_count++] = from->plugin;
    return 0;
}

static int collect(const ug_run_options *o, ug_selection *s, char *err, size_t cap)
{
    const char *const *builtin;
    if (o->exchange) return collect_files(o, s, err, cap);
    s->builtin_count = ug_builtin_plugins(&builtin);
    s->plugins = calloc(s->builtin_count + o->plugin_count + 1, sizeof *s->plugins);
    if (!s->plugins) return snprintf(err, cap, "out of memory"), -1;
    for (size_t i = 0; i < s->builtin_count; i++) s->plugins[s->plugin_count++] = builtin[i];
    for (size_t i = 0; i < o->plugin_count; i++) s->plugins[s->plugin_count++] = o->plugins[i];
    return ug_backends(s->plugins, s->plugin_count, &s->cards, err, cap);
}

/* Names must tell kernels apart; a plugin that somebody asked for must work. */
static int check_backends(const ug_selection *s, char *err, size_t cap)
{
    for (size_t i = 0; i < s->plugin_count; i++) {
        const ug_backend_card *card = &s->cards[i];
        if (i >= s->builtin_count && !card->backend[0])
            return snprintf(err, cap, "%s", card->unusable), -1;
        for (size_t j = 0; j < i && card->backend[0]; j++)
            if (!strcmp(card->backend, s->cards[j].backend))
                return snprintf(err, cap, "%s and %s both call their backend '%s'", s->plugins[j],
                                s->plugins[i], card->backend),
                       -1;
    }
    return 0;
}

static int wanted(const ug_run_options *o, const char *name)
{
    for (size_t i = 0; i < o->kernel_count; i++)
        if (!fnmatch(o->kernels[i], name, 0)) return 1;
    return o->kernel_count == 0;
}

/* Takes what matches; collects why a backend that matches cannot run. */
static int take(const ug_run_options *o, ug_selection *s, char *unusable, size_t cap)
{
    size_t most = 1;
    for (size_t i = 0; i < s->plugin_count; i++) most += s->cards[i].kernel_count;
    s->kernels = calloc(most, sizeof *s->kernels);
    if (!s->kernels) return -1;
    for (size_t i = 0; i < s->plugin_count; i++) {
        const ug_backend_card *card = &s->cards[i];
        int told = 0;
        for (size_t k = 0; k < card->kernel_count; k++) {
            ug_chosen *c = &s->kernels[s->kernel_count];
            snprintf(c->name, sizeof c->name, "%s:%s", card->backend, card->kernels[k].name);
            if (!wanted(o, c->name) || (o->exchange && i != s->files)) continue;
            if (card->unusable[0]) {
                if (!told++) {
                    append(unusable, cap, unusable[0] ? "; " : "");
                    append(unusable, cap, card->backend);
                    append(unusable, cap, ": ");
                    append(unusable, cap, card->unusable);
                }
                continue;
            }
            *c = (ug_chosen){i, (uint32_t)k, &card->kernels[k], !card->kernels[k].yardstick, ""};
            snprintf(c->name, sizeof c->name, "%s:%s", card->backend, card->kernels[k].name);
            s->kernel_count++;
        }
    }
    return 0;
}

static void tell_empty(const ug_run_options *o, const ug_selection *s, const char *unusable,
                       char *text, size_t cap)
{
    snprintf(text, cap, "%s", unusable);
    if (unusable[0]) return;
    if (o->exchange && !o->exchange->card.kernel_count) {
        snprintf(text, cap, "there is no folder of outputs in %.300s/outputs", o->exchange->dir);
        return;
    }
    snprintf(text, cap, "no kernel matches");
    for (size_t i = 0; i < o->kernel_count; i++) {
        append(text, cap, i ? ", '" : " '");
        append(text, cap, o->kernels[i]);
        append(text, cap, "'");
    }
    append(text, cap, "; there are:");
    for (size_t i = 0; i < s->plugin_count; i++) {
        const ug_backend_card *card = &s->cards[i];
        for (size_t k = 0; k < card->kernel_count; k++) {
            append(text, cap, " ");
            append(text, cap, card->backend);
            append(text, cap, ":");
            append(text, cap, card->kernels[k].name);
        }
        if (!card->backend[0]) {
            append(text, cap, " (");
            append(text, cap, card->unusable);
            append(text, cap, ")");
        }
    }
    if (!s->plugin_count) append(text, cap, " none");
}

int ug_select(const ug_run_options *o, ug_selection *s, char *skipped, size_t cap, char *err,
              size_t err_cap)
{
    char unusable[512] = "";
    size_t counted = 0;
    *s = (ug_selection){.files = SIZE_MAX, .yardstick_plugin = SIZE_MAX};
    if (collect(o, s, err, err_cap) || check_backends(s, err, err_cap)) return 2;
    if (take(o, s, unusable, sizeof unusable)) {
        snprintf(err, err_cap, "out of memory");
        return 2;
    }
    for (size_t i = 0; i < s->plugin_count; i++)
        if (s->cards[i].kernel_count && !s->cards[i].unusable[0] &&
            !strcmp(s->cards[i].backend, yardstick))
            s->yardstick_plugin = i;
    for (size_t i = 0; i < s->kernel_count; i++) counted += (size_t)s->kernels[i].counted;
    for (size_t i = 0; i < s->kernel_count && !counted; i++) s->kernels[i].counted = 1;
    if (s->kernel_count) return 0;
    tell_empty(o, s, unusable, skipped, cap);
    return 77;
}

void ug_selection_free(ug_selection *s)
{
    ug_backends_free(s->cards, s->plugin_count);
    free(s->plugins);
    free(s->kernels);
    *s = (ug_selection){0};
}
