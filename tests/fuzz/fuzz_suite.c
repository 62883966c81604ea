/* SPDX-License-Identifier: Apache-2.0 */
/* Any suite file: its cases, or a message. */
#include <string.h>

#include "cases/case.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    ug_case_list list = {0};
    ug_case_error error = {0};
    char text[UG_CASE_TEXT];
    const char *path = ug_fuzz_file(data, size);
    if (!path) return 0;
    if (ug_suite_load(path, "huge", &list, &error))
        ug_fuzz_require(error.text[0], "a refusal without a message");
    for (size_t i = 0; i < list.count && i < 100; i++)
        ug_case_format(&list.item[i], text, sizeof text);
    ug_case_list_free(&list);
    return 0;
}
