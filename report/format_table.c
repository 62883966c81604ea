/* SPDX-License-Identifier: Apache-2.0 */
/* The table at the end of a run: one line a kernel, a few failures, which variance. */
#include "report/screen.h"

enum { FAILURES = 5 };

static int render(const ug_results *results, const ug_report_options *options, FILE *out, char *err,
                  size_t cap)
{
    ug_summary summary;
    int rc;
    ug_screen_notices(results, options, out);
    if (!results->count) return 0;
    if (ug_summarize(results, &summary)) {
        snprintf(err, cap, "out of memory");
        return -1;
    }
    rc = ug_screen_kernels(&summary, options, out);
    if (!rc && summary.failures) {
        fputc('\n', out);
        rc = ug_screen_failures(results, &summary, FAILURES, options, out);
    }
    if (!rc) {
        fputc('\n', out);
        rc = ug_screen_variances(results, options, out);
    }
    ug_summary_free(&summary);
    if (rc) snprintf(err, cap, "out of memory");
    return rc;
}

const ug_format ug_format_table = {"table", "one line a kernel, as at the end of a run", render};
