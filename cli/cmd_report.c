/* SPDX-License-Identifier: Apache-2.0 */
/* ulpgate report: renders results files. */
#include "cli/commands.h"

static int render(const ug_cli *cli, const ug_results *results)
{
    const ug_format *format = ug_format_find(cli->format ? cli->format : "text");
    ug_report_options options;
    ug_output output;
    char err[512] = "";
    int rc;
    if (ug_output_open(&output, cli->out)) return -1;
    options.width = ug_output_width(output.stream);
    options.colour = ug_output_colour(cli, output.stream);
    options.failures = cli->failures > 0 ? (int)cli->failures : 0;
    rc = format->render(results, &options, output.stream, err, sizeof err);
    if (rc) ug_error("%s", err);
    return ug_output_close(&output) || rc ? -1 : 0;
}

static int run(const ug_cli *cli)
{
    ug_results results = {0};
    int rc = UG_EXIT_USAGE;
    if (!ug_read_results(cli, &results) && !render(cli, &results)) {
        rc = results.count || results.benches ? UG_EXIT_PASS : UG_EXIT_NOTHING;
    }
    ug_results_free(&results);
    return rc;
}

const ug_command ug_command_report = {
    "report",
    UG_CMD_REPORT,
    "[FILE]...",
    0,
    -1,
    "Render results files for people, on any machine.",
    "Reads results.jsonl, or the files given (- is standard input), and writes a report. It says "
    "what the files hold and judges nothing anew: the exit code is 0 when the report was written, "
    "77 when the files hold no result.",
    "ulpgate report --format md -o comment.md results.jsonl",
    run};
