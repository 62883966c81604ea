/* SPDX-License-Identifier: Apache-2.0 */
/* ulpgate diff: what got worse from one results file to another. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli/commands.h"
#include "report/diff.h"
#include "report/words.h"

static int check(const ug_cli *cli)
{
    if (cli->outputs.count && cli->outputs.count != 2) {
        ug_error("--outputs needs two folders, of the old run and of the new, there is %zu",
                 cli->outputs.count);
        return -1;
    }
    if (cli->update && !strcmp(cli->operands.item[0], "-")) {
        ug_error("--update rewrites the old file, and that is -");
        return -1;
    }
    return 0;
}

static int read_sides(const ug_cli *cli, ug_results *results)
{
    char err[512] = "";
    size_t i;
    for (i = 0; i < 2; i++) {
        if (ug_results_read(results, cli->operands.item[i], err, sizeof err)) {
            ug_error("%s", err);
            return -1;
        }
    }
    for (i = 0; ug_results_notice(results, i, err, sizeof err); i++) ug_error("%s", err);
    return 0;
}

/* The baseline is replaced as a whole or not at all. */
static int update(const ug_cli *cli, const ug_results *results)
{
    const char *path = cli->operands.item[0];
    char err[512] = "", name[4096];
    FILE *out;
    int bad;
    snprintf(name, sizeof name, "%.4000s.new", path);
    out = fopen(name, "w");
    if (!out) {
        ug_error("cannot write '%s': %s", name, strerror(errno));
        return -1;
    }
    bad = ug_baseline_write(results, 1, out, err, sizeof err);
    if (bad) ug_error("%s", err);
    if (fclose(out)) bad = 1;
    if (!bad && rename(name, path)) bad = 1;
    if (bad) {
        ug_error("cannot write '%s': %s", path, strerror(errno));
        remove(name);
        return -1;
    }
    ug_error("%s was written anew from %zu results; review it before it is kept", path,
             results->run[1].count);
    return 0;
}

static int show(const ug_cli *cli, const ug_diff *diff)
{
    static const char *const names[] = {"text", "md", "html"};
    ug_report_options options = {0, 0, cli->failures > 0 ? (int)cli->failures : 0};
    ug_diff_format format = UG_DIFF_TEXT;
    ug_output output;
    int rc;
    if (ug_output_open(&output, cli->out)) return -1;
    options.width = ug_output_width(output.stream);
    options.colour = ug_output_colour(cli, output.stream);
    while (cli->format && format < UG_DIFF_HTML && strcmp(cli->format, names[format])) format++;
    rc = ug_diff_print(diff, format, &options, output.stream);
    if (rc) ug_error("out of memory");
    return ug_output_close(&output) || rc ? -1 : 0;
}

static int judge(const ug_cli *cli, const ug_results *results)
{
    const ug_diff_options options = {cli->any_bits.item,
                                     cli->any_bits.count,
                                     cli->common,
                                     {cli->outputs.count ? cli->outputs.item[0] : NULL,
                                      cli->outputs.count ? cli->outputs.item[1] : NULL}};
    ug_diff diff;
    int rc = UG_EXIT_USAGE;
    if (ug_diff_make(results, &options, &diff)) {
        ug_error("out of memory");
    } else if (!show(cli, &diff)) {
        rc = diff.worse ? UG_EXIT_FAIL : UG_EXIT_PASS;
        if (!diff.matched) {
            ug_error("the files have no case and kernel in common");
            rc = diff.worse ? UG_EXIT_FAIL : UG_EXIT_NOTHING;
        }
    }
    ug_diff_free(&diff);
    return rc;
}

static int run(const ug_cli *cli)
{
    ug_results results = {0};
    int rc = UG_EXIT_USAGE;
    if (!check(cli) && !read_sides(cli, &results)) {
        rc = judge(cli, &results);
        if (cli->update && rc != UG_EXIT_USAGE) {
            rc = results.run[1].count ? UG_EXIT_PASS : UG_EXIT_NOTHING;
            if (rc == UG_EXIT_PASS && update(cli, &results)) rc = UG_EXIT_USAGE;
        }
    }
    ug_results_free(&results);
    return rc;
}

const ug_command ug_command_diff = {
    "diff",
    UG_CMD_DIFF,
    "OLD NEW",
    2,
    2,
    "Compare two results files: what got worse.",
    "Results are matched by case and kernel. Worse is: a worse verdict; bound or sound that passed "
    "and no longer do; other inputs; other bits; cond or bound grown by more than a quarter; and "
    "what only the old file has. Everything else is a note. Exits 1 when anything got worse, 0 "
    "otherwise, 77 when the files have nothing in common. OLD may be a baseline, a compact file "
    "that --update writes from NEW.",
    "ulpgate diff h200.jsonl b200.jsonl --format html -o diff.html\n"
    "ulpgate diff --outputs old/,new/ old.jsonl new.jsonl\n"
    "ulpgate diff --update docs/audits/host/baseline.jsonl results.jsonl",
    run};
