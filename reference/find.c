/* SPDX-License-Identifier: Apache-2.0 */
/* The references by name; the first one is the default. */
#include <string.h>

#include "reference/implementations.h"

static const ug_reference *const references[] = {&ug_reference_certified, &ug_reference_mpfr};

const ug_reference *ug_reference_find(const char *name)
{
    if (!name) return references[0];
    for (size_t i = 0; i < sizeof references / sizeof *references; i++)
        if (!strcmp(references[i]->name, name)) return references[i];
    return NULL;
}
