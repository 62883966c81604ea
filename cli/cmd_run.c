/* SPDX-License-Identifier: Apache-2.0 */
/* ulpgate run: judges kernels on cases, appends to the results file, ends with a report. */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "audit/exchange.h"
#include "cli/commands.h"
#include "cli/end.h"
#include "cli/gather.h"
#include "reference/truth.h"

/* "K/N" with 1 <= K <= N. */
static int parse_shard(const char *text, size_t *shard, size_t *shards)
{
    int end = 0;
    if (isdigit((unsigned char)*text) && sscanf(text, "%9zu/%n", shard, &end) == 1 && end &&
        isdigit((unsigned char)text[end])) {
        const char *count = text + end;
        if (sscanf(count, "%9zu%n", shards, &end) == 1 && !count[end] && *shard >= 1 &&
            *shard <= *shards)
            return 0;
    }
    ug_error("--shard is '%s', expected K/N with K from 1 to N, such as 2/4", text);
    return -1;
}

/* Mistakes in option values that the rooms can tell before anything is started. */
static int check(const ug_cli *cli)
{
    char err[512] = "";
    if (cli->gate && ug_gate_check(cli->gate, err, sizeof err)) {
        ug_error("--gate: %s", err);
        return -1;
    }
    if (cli->reference && !ug_reference_find(cli->reference)) {
        ug_error("--reference: there is no reference '%s'", cli->reference);
        return -1;
    }
    if (cli->profile && !ug_profile_find(cli->profile)) {
        ug_error("--profile: there is no profile '%s'; see `ulpgate list profiles`", cli->profile);
        return -1;
    }
    if (cli->resume && cli->out && !strcmp(cli->out, "-")) {
        ug_error("--resume needs a results file, --out is -");
        return -1;
    }
    return 0;
}

static int audit(const ug_cli *cli, const ug_case_list *cases, const ug_exchange *exchange,
                 const char *out, int to_stdout)
{
    ug_run_summary summary;
    ug_run_options o;
    int rc;
    memset(&summary, 0, sizeof summary);
    memset(&o, 0, sizeof o);
    o.cases = cases->item;
    o.case_count = cases->count;
    o.plugins = cli->plugins.item;
    o.plugin_count = cli->plugins.count;
    o.kernels = cli->kernels.item;
    o.kernel_count = cli->kernels.count;
    o.gate = cli->gate;
    o.reference = cli->reference;
    o.profile = cli->profile;
    o.out = out;
    o.resume = cli->resume;
    o.jobs = cli->jobs > 0 ? (int)cli->jobs : 0;
    o.row_digests = cli->row_digests;
    o.keep_outputs = cli->keep_outputs;
    o.time_limit = cli->time_limit > 0 ? cli->time_limit : 0;
    o.progress = ug_wants_progress(cli);
    o.exchange = exchange;
    o.command = cli->line;
    o.log = stderr;
    if (cli->shard && parse_shard(cli->shard, &o.shard, &o.shards)) return UG_EXIT_USAGE;
    rc = ug_run(&o, &summary);
    if (rc == UG_EXIT_USAGE) return rc;
    if (to_stdout && ug_output_copy(out)) return UG_EXIT_USAGE;
    if (!cli->quiet && (rc != UG_EXIT_NOTHING || summary.results) &&
        ug_show(cli, out, to_stdout ? stderr : stdout)) {
        return UG_EXIT_USAGE;
    }
    if (rc == UG_EXIT_NOTHING) ug_error("nothing was tested: %s", summary.skipped);
    return rc;
}

/* Results for standard output pass through a file, from which the report is made as well. */
static int audit_to_stdout(const ug_cli *cli, const ug_case_list *cases,
                           const ug_exchange *exchange)
{
    char name[512];
    int rc;
    if (ug_output_temporary(name, sizeof name)) return UG_EXIT_USAGE;
    rc = audit(cli, cases, exchange, name, 1);
    unlink(name);
    return rc;
}

int ug_run_cases(const ug_cli *cli, const ug_case_list *cases, const ug_exchange *exchange)
{
    if (check(cli)) return UG_EXIT_USAGE;
    if (cli->verbose) ug_error("%zu cases", cases->count);
    return cli->out && !strcmp(cli->out, "-")
               ? audit_to_stdout(cli, cases, exchange)
               : audit(cli, cases, exchange, cli->out ? cli->out : "results.jsonl", 0);
}

static int run(const ug_cli *cli)
{
    ug_case_list cases;
    int rc;
    if (check(cli)) return UG_EXIT_USAGE;
    rc = ug_gather_cases(cli, &cases);
    if (!rc) rc = ug_run_cases(cli, &cases, NULL);
    ug_case_list_free(&cases);
    return rc;
}

const ug_command ug_command_run = {
    "run",
    UG_CMD_RUN,
    "",
    0,
    0,
    "Judge kernels on cases and show the verdicts.",
    "Every kernel runs in a worker process of its own on every case; one record a pair is appended "
    "to the results file as it comes. The report at the end goes to standard output. Without "
    "options all kernels run over all suites in the default tier.",
    "ulpgate run --suite condition --kernel 'host:*' --gate sound\n"
    "ulpgate run --case 'layernorm n=1023 rows=4 data=normal(mean=1e4,std=1)'\n"
    "ulpgate run --tier full --shard 2/8 -o shard2.jsonl",
    run};
