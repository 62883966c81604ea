/* SPDX-License-Identifier: Apache-2.0 */
/* Runs of test plugins through ug_run, and their records. */
#include "audit_fixture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void fixture_init(fixture *f, const char *plugin, const char *globs, const char *const *lines)
{
    static char words[512];
    ug_case_error error;
    memset(f, 0, sizeof *f);
    for (size_t i = 0; lines[i]; i++) {
        if (ug_case_parse(lines[i], &f->cases[i], &error)) fail_msg("%s: %s", lines[i], error.text);
        f->options.case_count++;
    }
    snprintf(words, sizeof words, "%s", globs ? globs : "");
    for (char *word = strtok(words, " "); word; word = strtok(NULL, " "))
        f->kernels[f->options.kernel_count++] = word;
    f->plugins[0] = plugin;
    f->options.plugin_count = plugin != NULL;
    f->options.cases = f->cases;
    f->options.plugins = f->plugins;
    f->options.kernels = f->kernels;
    f->options.command = "a test";
}

/* Whoever reads that something went wrong also reads what. */
static void expect_reasons(const json_t *record)
{
    const json_t *reasons = json_object_get(record, "reasons");
    if (!strcmp(record_text(record, "verdict"), "PASS")) return;
    if (!json_array_size(reasons)) fail_msg("no reason: %s", json_dumps(record, 0));
    for (size_t i = 0; i < json_array_size(reasons); i++) {
        const char *text = json_string_value(json_array_get(reasons, i));
        const char *words = strchr(text, ' ');
        size_t n = strlen(text);
        if (!words || !words[1] || text[n - 1] == ' ' || text[n - 1] == ':')
            fail_msg("a reason without words: '%s'", text);
    }
}

void fixture_read(fixture *f, const char *path)
{
    FILE *in = fopen(path, "r");
    char *line = NULL;
    size_t room = 0;
    json_decref(f->header);
    json_decref(f->end);
    json_decref(f->records);
    f->header = f->end = NULL;
    f->records = json_array();
    assert_non_null(in);
    while (getline(&line, &room, in) > 0) {
        json_t *value = json_loads(line, 0, NULL);
        const char *type = record_text(value, "type");
        if (!strcmp(type, "run"))
            f->header = value;
        else if (!strcmp(type, "end"))
            f->end = value;
        else {
            if (!strcmp(type, "result")) expect_reasons(value);
            json_array_append_new(f->records, value);
        }
    }
    free(line);
    fclose(in);
}

void fixture_run(fixture *f)
{
    char *text = NULL;
    size_t bytes = 0;
    f->options.log = open_memstream(&text, &bytes);
    f->rc = ug_run(&f->options, &f->summary);
    fclose(f->options.log);
    snprintf(f->log, sizeof f->log, "%s", text);
    free(text);
    if (f->summary.out[0]) fixture_read(f, f->summary.out);
}

void fixture_done(fixture *f)
{
    if (f->summary.out[0]) unlink(f->summary.out);
    json_decref(f->header);
    json_decref(f->end);
    json_decref(f->records);
}

const char *record_text(const json_t *record, const char *key)
{
    const char *text = json_string_value(json_object_get(record, key));
    return text ? text : "";
}

int record_has(const json_t *record, const char *tag)
{
    const json_t *reasons = json_object_get(record, "reasons");
    for (size_t i = 0; i < json_array_size(reasons); i++) {
        const char *text = json_string_value(json_array_get(reasons, i));
        size_t n = strlen(tag);
        if (!strncmp(text, tag, n) && (text[n] == ' ' || !text[n])) return 1;
    }
    return 0;
}
