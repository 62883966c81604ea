/* SPDX-License-Identifier: Apache-2.0 */
/* The registry of report formats; its list is written by the build from the files format_*.c. */
#include <string.h>

#include "report/report.h"

#define UG_FORMAT(name) extern const ug_format ug_format_##name;
#include "formats.inc"
#undef UG_FORMAT

#define UG_FORMAT(name) &ug_format_##name,
static const ug_format *const formats[] = {
#include "formats.inc"
};

const ug_format *ug_format_at(size_t index)
{
    return index < sizeof formats / sizeof *formats ? formats[index] : NULL;
}

const ug_format *ug_format_find(const char *name)
{
    size_t i;
    for (i = 0; i < sizeof formats / sizeof *formats; i++) {
        if (!strcmp(formats[i]->name, name)) return formats[i];
    }
    return NULL;
}
