/* SPDX-License-Identifier: Apache-2.0 */
/* Strings kept once each: a hundred thousand records share few case lines and kernel names. */
#ifndef ULPGATE_REPORT_STRINGS_H
#define ULPGATE_REPORT_STRINGS_H

#include <stddef.h>

typedef struct ug_strings ug_strings;

ug_strings *ug_strings_new(void); /* NULL when out of memory */
void ug_strings_free(ug_strings *strings);

/* The kept copy of text, the same pointer for the same text; NULL when out of memory. Lives as long
 * as *strings. */
const char *ug_strings_keep(ug_strings *strings, const char *text);

/* Zeroed memory that lives as long as *strings, NULL when out of memory. */
void *ug_strings_room(ug_strings *strings, size_t bytes);

#endif
