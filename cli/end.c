/* SPDX-License-Identifier: Apache-2.0 */
/* The end of a run or a bench. */
#include "cli/end.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "report/report.h"

enum { VERBOSE_FAILURES = 50 };

int ug_wants_progress(const ug_cli *cli)
{
    if (cli->progress && !strcmp(cli->progress, "always")) return 1;
    if (cli->quiet || (cli->progress && !strcmp(cli->progress, "never"))) return 0;
    return isatty(fileno(stderr));
}

int ug_show(const ug_cli *cli, const char *file, FILE *out)
{
    const ug_format *format = ug_format_find(cli->format ? cli->format : "table");
    ug_report_options options = {ug_output_width(out), ug_output_colour(cli, out),
                                 cli->failures > 0 ? (int)cli->failures
                                 : cli->verbose    ? VERBOSE_FAILURES
                                                   : 0};
    ug_results results = {0};
    char err[512] = "";
    int rc = ug_results_read(&results, file, err, sizeof err) ||
             format->render(&results, &options, out, err, sizeof err);
    ug_results_free(&results);
    if (rc) ug_error("%s", err);
    if (!rc && fflush(out)) {
        ug_error("cannot write the report: %s", strerror(errno));
        rc = -1;
    }
    return rc ? -1 : 0;
}
