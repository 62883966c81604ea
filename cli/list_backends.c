/* SPDX-License-Identifier: Apache-2.0 */
/* Lists kernels and backends as worker processes report them. */
#include <stdlib.h>
#include <string.h>

#include "audit/audit.h"
#include "audit/record.h"
#include "cli/gather.h"
#include "cli/list.h"
#include "report/table.h"
#include "ulpgate/dtype.h"

static const char *const depends_names[] = {"row", "alignment", "any"};
static const char *const promise_names[] = {"none", "faithful", "exact"};
static const char *const rounding_names[] = {"once", "before-affine"};
static const char *const support_names[] = {"row-stride", "col-stride", "misaligned",
                                            "in-place",   "no-gamma",   "no-beta",
                                            "stats",      "wide-params"};

static const char *name_at(const char *const *names, size_t count, unsigned index)
{
    return index < count ? names[index] : "?";
}
#define NAME_AT(names, index) name_at(names, sizeof names / sizeof *names, (unsigned)(index))

static int ask(const ug_cli *cli, ug_backend_card **cards, size_t *count)
{
    ug_list plugins;
    char err[512] = "";
    int rc = ug_gather_plugins(cli, &plugins);
    if (rc) snprintf(err, sizeof err, "out of memory");
    if (!rc) rc = ug_backends(plugins.item, plugins.count, cards, err, sizeof err);
    *count = plugins.count;
    free(plugins.item);
    if (rc) ug_error("%s", err);
    return rc;
}

static void dtype_text(uint32_t dtypes, char *text, size_t cap)
{
    int t;
    text[0] = 0;
    for (t = 0; t < UG_DTYPE_COUNT; t++) {
        size_t used = strlen(text);
        if (!(dtypes & 1u << t)) continue;
        snprintf(text + used, cap - used, "%s%s", used ? " " : "", ug_dtype_name((ug_dtype)t));
    }
}

static json_t *names_of(uint32_t mask, const char *const *names, size_t count)
{
    json_t *list = json_array();
    size_t i;
    for (i = 0; i < count; i++) {
        if (mask & 1u << i) json_array_append_new(list, json_string(names[i]));
    }
    return list;
}

static json_t *kernel_json(const ug_backend_card *b, const ug_kernel_card *k, const char *name)
{
    static const char *const dtypes[] = {"f32", "f16", "bf16"};
    json_t *paths = json_array();
    char copy[sizeof k->paths], *path, *rest;
    snprintf(copy, sizeof copy, "%s", k->paths);
    for (path = strtok_r(copy, ",", &rest); path; path = strtok_r(NULL, ",", &rest)) {
        json_array_append_new(paths, json_string(path));
    }
    return json_pack("{s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:b, s:b, s:b, s:f, s:o, s:o, s:o}",
                     "kernel", name, "backend", b->backend, "summary", k->summary, "variance",
                     NAME_AT(ug_variance_names, k->variance), "rounding",
                     NAME_AT(rounding_names, k->rounding), "depends",
                     NAME_AT(depends_names, k->depends), "promise",
                     NAME_AT(promise_names, k->promise), "repeatable", k->repeatable, "yardstick",
                     k->yardstick, "usable", !*b->unusable, "rsqrt_error", k->rsqrt_error, "dtypes",
                     names_of(k->dtypes, dtypes, UG_DTYPE_COUNT), "supports",
                     names_of(k->supports, support_names, 8), "paths", paths);
}

static int add_kernel(ug_table *t, const ug_backend_card *b, const ug_kernel_card *k,
                      const char *name)
{
    ug_cell *cell = ug_table_row(t);
    if (!cell) return -1;
    snprintf(cell[0].text, UG_CELL_TEXT, "%.90s%s", name, k->yardstick ? " *" : "");
    snprintf(cell[1].text, UG_CELL_TEXT, "%s", NAME_AT(ug_variance_names, k->variance));
    dtype_text(k->dtypes, cell[2].text, UG_CELL_TEXT);
    snprintf(cell[3].text, UG_CELL_TEXT, "%s", NAME_AT(depends_names, k->depends));
    snprintf(cell[4].text, UG_CELL_TEXT, "%s", *b->unusable ? "no" : "yes");
    snprintf(cell[5].text, UG_CELL_TEXT, "%.90s", k->summary);
    return 0;
}

int ug_list_kernels(const ug_cli *cli, int json, FILE *out)
{
    static const char *const heads[] = {"kernel",     "variance", "dtypes",
                                        "depends on", "usable",   "summary"};
    json_t *list = json_array();
    ug_table t = {0};
    ug_backend_card *cards = NULL;
    size_t b, k, count;
    int rc;
    for (k = 0; k < sizeof heads / sizeof *heads; k++) ug_table_column(&t, heads[k], 1, 0);
    if (ask(cli, &cards, &count)) return UG_EXIT_USAGE;
    for (b = 0; b < count; b++) {
        for (k = 0; k < cards[b].kernel_count; k++) {
            char name[sizeof cards->backend + sizeof cards->kernels->name];
            snprintf(name, sizeof name, "%s:%s", cards[b].backend, cards[b].kernels[k].name);
            if (!ug_kernel_selected(cli, name)) continue;
            add_kernel(&t, &cards[b], &cards[b].kernels[k], name);
            json_array_append_new(list, kernel_json(&cards[b], &cards[b].kernels[k], name));
        }
    }
    rc = json_array_size(list) ? UG_EXIT_PASS : UG_EXIT_NOTHING;
    if (rc) ug_error("no kernel matches");
    if (json && ug_list_json(json_incref(list), out)) rc = UG_EXIT_USAGE;
    if (!json) ug_table_print(&t, 0, out);
    json_decref(list);
    ug_table_free(&t);
    ug_backends_free(cards, count);
    return rc;
}

static json_t *backend_json(const ug_backend_card *b)
{
    json_t *facts = json_object();
    int i;
    for (i = 0; i < b->fact_count; i++) {
        json_object_set_new(facts, b->facts[i][0], json_string(b->facts[i][1]));
    }
    return json_pack("{s:s, s:s, s:i, s:b, s:s, s:i, s:o}", "backend", b->backend, "plugin",
                     b->plugin, "devices", b->devices, "usable", !*b->unusable, "why", b->unusable,
                     "kernels", (int)b->kernel_count, "facts", facts);
}

static void print_backend(const ug_backend_card *b, FILE *out)
{
    int i;
    fprintf(out, "%s: %zu kernels, %s\n", *b->backend ? b->backend : b->plugin, b->kernel_count,
            b->plugin);
    if (*b->unusable) fprintf(out, "  cannot run here: %s\n", b->unusable);
    if (b->devices >= 0) fprintf(out, "  devices: %d\n", b->devices);
    for (i = 0; i < b->fact_count; i++) {
        fprintf(out, "  %s: %s\n", b->facts[i][0], b->facts[i][1]);
    }
}

int ug_list_backends(const ug_cli *cli, int json, FILE *out)
{
    json_t *list = json_array();
    ug_backend_card *cards = NULL;
    size_t b, count;
    int rc;
    if (ask(cli, &cards, &count)) return UG_EXIT_USAGE;
    for (b = 0; b < count; b++) {
        json_array_append_new(list, backend_json(&cards[b]));
        if (!json) print_backend(&cards[b], out);
    }
    rc = count ? UG_EXIT_PASS : UG_EXIT_NOTHING;
    if (rc) ug_error("there is no backend");
    if (json && ug_list_json(json_incref(list), out)) rc = UG_EXIT_USAGE;
    json_decref(list);
    ug_backends_free(cards, count);
    return rc;
}
