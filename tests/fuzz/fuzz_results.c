/* SPDX-License-Identifier: Apache-2.0 */
/* Any results file: read and rendered in every format, or a message. */
#include <stdio.h>
#include <string.h>

#include "report/report.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static FILE *nowhere;
    const char *path = ug_fuzz_file(data, size);
    const ug_format *format;
    ug_report_options options = {0};
    ug_results results = {0};
    char err[512] = "";
    int rc;
    if (!nowhere) nowhere = fopen("/dev/null", "w");
    if (!path || !nowhere) return 0;
    rc = ug_results_read(&results, path, err, sizeof err);
    for (size_t k = 0; !rc && (format = ug_format_at(k)); k++)
        rc = format->render(&results, &options, nowhere, err, sizeof err);
    if (rc) ug_fuzz_require(err[0], "a refusal without a message");
    ug_results_free(&results);
    return 0;
}
