/* SPDX-License-Identifier: Apache-2.0 */
/* Reading a results file while another may still be written: only whole lines count. */
#include "audit/lines.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int ug_lines_open(ug_lines *in, int fd, const char *path, char *err, size_t cap)
{
    int own = dup(fd);
    *in = (ug_lines){0};
    if (own >= 0 && lseek(own, 0, SEEK_SET) == 0) in->f = fdopen(own, "r");
    if (in->f) return 0;
    snprintf(err, cap, "cannot read %s: %s", path, strerror(errno));
    if (own >= 0) close(own);
    return -1;
}

void ug_lines_close(ug_lines *in)
{
    if (in->f) fclose(in->f);
    free(in->line);
    in->f = NULL;
    in->line = NULL;
    in->room = 0;
}

int ug_lines_whole(ug_lines *in)
{
    in->last = getline(&in->line, &in->room, in->f);
    if (in->last <= 0 || in->line[in->last - 1] != '\n') return 0;
    in->number++;
    return 1;
}

json_t *ug_lines_next(ug_lines *in, int *bad)
{
    json_error_t error;
    json_t *value;
    *bad = 0;
    if (!ug_lines_whole(in)) return NULL;
    value = json_loadb(in->line, (size_t)in->last, 0, &error);
    *bad = !json_is_object(value);
    if (!*bad) return value;
    json_decref(value);
    return NULL;
}

const char *ug_text_of(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    return text ? text : "";
}
