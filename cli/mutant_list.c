/* SPDX-License-Identifier: Apache-2.0 */
/* The list of mutants that lies beside their plugin. */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/gather.h"
#include "cli/mutants.h"

static int copy(const json_t *entry, const char *key, char *text, size_t cap, const char *file)
{
    const char *value = json_string_value(json_object_get(entry, key));
    if (value && strlen(value) < cap) {
        memcpy(text, value, strlen(value) + 1);
        return 0;
    }
    ug_error("%s: '%s' of a mutant is missing or longer than %zu bytes", file, key, cap - 1);
    return -1;
}

static int read_mutant(const json_t *entry, ug_mutant *m, const char *file)
{
    char kernel[96];
    if (copy(entry, "name", m->name, sizeof m->name, file) ||
        copy(entry, "parent", m->parent, sizeof m->parent, file) ||
        copy(entry, "class", m->cls, sizeof m->cls, file) ||
        copy(entry, "what", m->what, sizeof m->what, file) ||
        copy(entry, "case", m->line, sizeof m->line, file) ||
        copy(entry, "kernel", kernel, sizeof kernel, file))
        return -1;
    snprintf(m->kernel, sizeof m->kernel, "mutant:%s", kernel);
    return ug_gather_case(m->line, m->name, &m->c);
}

int ug_mutants_load(const char *plugin, ug_mutants *m)
{
    char file[4096];
    size_t length = strlen(plugin), i;
    json_error_t error;
    json_t *list;
    *m = (ug_mutants){.plugin = plugin};
    if (length > 3 && !strcmp(plugin + length - 3, ".so")) length -= 3;
    if (snprintf(file, sizeof file, "%.*s.json", (int)length, plugin) >= (int)sizeof file) {
        ug_error("the plugin's path is longer than %zu characters", sizeof file);
        return UG_EXIT_USAGE;
    }
    if (access(plugin, R_OK) || access(file, R_OK)) {
        ug_error("there are no mutants: '%s' and its list '%s' are needed", plugin, file);
        return UG_EXIT_NOTHING;
    }
    list = json_load_file(file, 0, &error);
    if (!json_is_array(list) || !json_array_size(list)) {
        ug_error("%s:%d: %s", file, list ? 1 : error.line,
                 list ? "expected an array of mutants" : error.text);
        json_decref(list);
        return UG_EXIT_USAGE;
    }
    m->item = calloc(json_array_size(list), sizeof *m->item);
    for (i = 0; m->item && i < json_array_size(list); i++, m->count++)
        if (read_mutant(json_array_get(list, i), &m->item[i], file)) break;
    if (!m->item) ug_error("out of memory");
    i = json_array_size(list);
    json_decref(list);
    return m->count == i ? 0 : UG_EXIT_USAGE;
}

void ug_mutants_free(ug_mutants *m)
{
    free(m->item);
    free(m->right);
    m->item = NULL;
    m->right = NULL;
}

size_t ug_mutants_alive(const ug_mutants *m)
{
    size_t alive = 0;
    for (size_t i = 0; i < m->count; i++) alive += !m->item[i].killed;
    return alive;
}
