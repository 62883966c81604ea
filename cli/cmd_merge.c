/* SPDX-License-Identifier: Apache-2.0 */
/* ulpgate merge: the results of all shards of a run as one file. */
#include <string.h>
#include <unistd.h>

#include "audit/merge.h"
#include "cli/commands.h"

static int run(const ug_cli *cli)
{
    int to_stdout = !cli->out || !strcmp(cli->out, "-"), rc = UG_EXIT_PASS;
    ug_merge_options options = {cli->operands.item, cli->operands.count,
                                to_stdout ? NULL : cli->out, cli->line};
    ug_merge_summary summary;
    char err[1536] = "";
    if (ug_merge(&options, &summary, err, sizeof err)) {
        ug_error("%s", err);
        rc = UG_EXIT_USAGE;
    } else if (to_stdout && ug_output_copy(summary.out)) {
        rc = UG_EXIT_USAGE;
    }
    if (to_stdout && summary.out[0]) unlink(summary.out);
    if (rc == UG_EXIT_PASS) {
        ug_error("%s: %zu shards, %zu cases, %zu results (%s)",
                 to_stdout ? "standard output" : cli->out, summary.shards, summary.cases,
                 summary.results, summary.verdicts);
    }
    return rc;
}

const ug_command ug_command_merge = {
    "merge",
    UG_CMD_MERGE,
    "FILE...",
    1,
    -1,
    "Join the results of all shards of a run.",
    "Takes the files of `run --shard K/N`, in any order, and writes the results that the run would "
    "have left unsharded. Refused are a missing or doubled shard, missing, doubled or foreign "
    "results, an interrupted run, and shards that differ in version, build, gate, profile, "
    "reference, kernels, cases or devices. The verdicts are told and not judged anew: the exit "
    "code is 0 when the file was written.",
    "ulpgate merge shard*.jsonl -o results.jsonl",
    run};
