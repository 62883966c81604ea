/* SPDX-License-Identifier: Apache-2.0 */
/* The first record of a results file: what ran, where, built how. */
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "audit/record.h"
#include "audit/results.h"

static int put(json_t *object, const char *key, const char *text)
{
    return json_object_set_new(object, key, ug_record_string(text ? text : ""));
}

void ug_results_time(char text[32])
{
    time_t now = time(NULL);
    struct tm utc;
    gmtime_r(&now, &utc);
    strftime(text, 32, "%Y-%m-%dT%H:%M:%SZ", &utc);
}

/* What follows `key` and `separator` in the first line of a file that starts with key. */
static void look_up(const char *file, const char *key, char separator, char *value, size_t cap)
{
    char line[512];
    FILE *f = fopen(file, "r");
    value[0] = 0;
    while (f && !value[0] && fgets(line, sizeof line, f)) {
        char *at = strncmp(line, key, strlen(key)) ? NULL : strchr(line, separator);
        if (!at) continue;
        at += 1 + strspn(at + 1, " \"\t");
        at[strcspn(at, "\"\n")] = 0;
        snprintf(value, cap, "%s", at);
    }
    if (f) fclose(f);
}

static json_t *host(void)
{
    json_t *h = json_object();
    struct utsname u;
    char os[256], cpu[256], text[768];
    int bad = !h || uname(&u);
    if (bad) return h;
    look_up("/etc/os-release", "PRETTY_NAME", '=', os, sizeof os);
    look_up("/proc/cpuinfo", "model name", ':', cpu, sizeof cpu);
    snprintf(text, sizeof text, "%s, %s %s", os, u.sysname, u.release);
    put(h, "name", u.nodename);
    put(h, "os", text);
    put(h, "cpu", cpu[0] ? cpu : u.machine);
    json_object_set_new(h, "cores", json_integer(sysconf(_SC_NPROCESSORS_ONLN)));
    return h;
}

/* A built-in plugin by its file's name, any other as it was given: repeats have to name it. */
static const char *plugin_name(const char *path)
{
    const char *const *builtin, *slash = strrchr(path, '/');
    size_t count = ug_builtin_plugins(&builtin);
    for (size_t i = 0; i < count; i++)
        if (slash && !strcmp(builtin[i], path)) return slash + 1;
    return path;
}

static json_t *backends(const ug_selection *s)
{
    json_t *list = json_array();
    for (size_t i = 0; i < s->plugin_count; i++) {
        const ug_backend_card *card = &s->cards[i];
        json_t *b, *facts;
        int used = i == s->yardstick_plugin;
        for (size_t k = 0; k < s->kernel_count; k++) used |= s->kernels[k].plugin == i;
        if (!used) continue;
        b = json_object();
        facts = json_object();
        put(b, "backend", card->backend);
        put(b, "plugin", plugin_name(card->plugin));
        for (int k = 0; k < card->fact_count; k++) put(facts, card->facts[k][0], card->facts[k][1]);
        json_object_set_new(b, "facts", facts);
        json_array_append_new(list, b);
    }
    return list;
}

#ifdef __clang__
#define COMPILER "clang " __clang_version__
#else
#define COMPILER "gcc " __VERSION__
#endif

json_t *ug_results_header(const ug_run_options *o, const ug_selection *s, const char *reference,
                          int jobs)
{
    json_t *h = json_object(), *kernels = json_array();
    char now[32];
    if (!h || !kernels) {
        json_decref(h);
        json_decref(kernels);
        return NULL;
    }
    ug_results_time(now);
    for (size_t k = 0; k < s->kernel_count; k++)
        json_array_append_new(kernels, ug_record_string(s->kernels[k].name));
    put(h, "type", "run");
    json_object_set_new(h, "schema", json_integer(UG_RESULTS_SCHEMA));
    put(h, "version", ULPGATE_VERSION);
    put(h, "git", ULPGATE_GIT);
    put(h, "started", now);
    json_object_set_new(h, "host", host());
    put(h, "compiler", COMPILER);
    put(h, "flags", ULPGATE_FLAGS);
    put(h, "command", o->command);
    put(h, "gate", o->gate);
    put(h, "profile", o->profile);
    put(h, "reference", reference);
    json_object_set_new(h, "jobs", json_integer(jobs));
    json_object_set_new(h, "cases", json_integer((json_int_t)o->case_count));
    json_object_set_new(h, "kernels", kernels);
    json_object_set_new(h, "backends", backends(s));
    return h;
}
