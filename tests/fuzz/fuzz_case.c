/* SPDX-License-Identifier: Apache-2.0 */
/* Any line: parsed or refused with a message; what is parsed is written and read back the same. */
#include <stdlib.h>
#include <string.h>

#include "cases/case.h"
#include "tests/fuzz/fuzz.h"

enum { MOST = 4096 };

static void read_back(const ug_case *c)
{
    char text[UG_CASE_TEXT], again[UG_CASE_TEXT], value[UG_CASE_TEXT];
    const char *key;
    ug_case_error error = {0};
    ug_case copy;
    if (ug_case_format(c, text, sizeof text) < 0) return;
    ug_fuzz_require(ug_case_parse(text, &copy, &error) == 0, text);
    ug_fuzz_require(ug_case_format(&copy, again, sizeof again) > 0, text);
    ug_fuzz_require(!strcmp(text, again) && ug_case_hash(c) == ug_case_hash(&copy), text);
    for (int i = 0; ug_case_param(c, i, &key, value); i++) {}
}

static void make_values(const ug_case *c)
{
    static float values[MOST];
    char err[256];
    if (c->n > MOST || c->rows < 1) return;
    ug_case_row(c, c->rows - 1, 1, values, err, sizeof err);
    ug_case_gamma(c, values, err, sizeof err);
    ug_case_beta(c, values, err, sizeof err);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *line = malloc(size + 1);
    ug_case_error error = {0};
    ug_case c;
    if (!line) return 0;
    memcpy(line, data, size);
    line[size] = 0;
    if (ug_case_parse(line, &c, &error)) {
        ug_fuzz_require(error.text[0], "a refusal without a message");
    } else if (!strstr(line, "file(")) { /* a path may name anything */
        read_back(&c);
        make_values(&c);
    } else {
        read_back(&c);
    }
    free(line);
    return 0;
}
