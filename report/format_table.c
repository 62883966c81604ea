/* SPDX-License-Identifier: Apache-2.0 */
/* The table at the end of a run: one line a kernel, a few failures, which variance. */
#include "report/screen.h"
#include "report/speed.h"

enum { FAILURES = 5, FASTEST = 3 };

static int render(const ug_results *results, const ug_report_options *options, FILE *out, char *err,
                  size_t cap)
{
    ug_summary summary;
    int rc;
    ug_screen_notices(results, options, out);
    if (!results->count && !results->benches) return 0;
    if (ug_summarize(results, &summary)) {
        snprintf(err, cap, "out of memory");
        return -1;
    }
    rc = results->count ? ug_screen_kernels(&summary, options, out) : 0;
    if (!rc && summary.failures) {
        fputc('\n', out);
        rc = ug_screen_failures(results, &summary, FAILURES, options, out);
    }
    if (!rc && results->count) {
        fputc('\n', out);
        rc = ug_screen_variances(results, options, out);
    }
    if (!rc && results->benches) {
        if (results->count) fputc('\n', out);
        rc = ug_screen_speed(results, &summary, FASTEST, options, out);
    }
    ug_summary_free(&summary);
    if (rc) snprintf(err, cap, "out of memory");
    return rc;
}

const ug_format ug_format_table = {"table", "one line a kernel, as at the end of a run", render};
