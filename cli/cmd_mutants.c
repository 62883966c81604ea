/* SPDX-License-Identifier: Apache-2.0 */
/* ulpgate mutants: do the checks catch what they are there for? */
#include <limits.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cli/commands.h"
#include "cli/gather.h"
#include "cli/mutants.h"

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* PREFIX/bin/program, PREFIX/lib/ulpgate/libulpgate_mutants.so */
static void default_plugin(char *path, size_t cap)
{
    char folder[PATH_MAX];
    ssize_t n = readlink("/proc/self/exe", folder, sizeof folder - 1);
    folder[n > 0 ? n : 0] = 0;
    for (int up = 0; up < 2; up++)
        if (strrchr(folder, '/')) *strrchr(folder, '/') = 0;
    snprintf(path, cap, "%s/lib/ulpgate/libulpgate_mutants.so", folder);
}

static int show(const ug_cli *cli, const ug_mutants *m, const char *tier)
{
    ug_output output;
    int rc;
    if (ug_output_open(&output, cli->out)) return -1;
    rc = cli->format && !strcmp(cli->format, "md") ? ug_mutants_md(m, output.stream)
                                                   : ug_mutants_text(m, tier, output.stream);
    return ug_output_close(&output) || rc ? -1 : 0;
}

static int judge(const ug_cli *cli, ug_mutants *m, const ug_case_list *cases)
{
    double start = now();
    int rc;
    m->jobs = cli->jobs;
    rc = ug_mutants_kill(m, cases);
    m->seconds = now() - start;
    start = now();
    if (!rc && cli->matrix) rc = ug_mutants_matrix(m);
    m->matrix_seconds = now() - start;
    if (!rc && show(cli, m, cli->tier ? cli->tier : "default")) rc = UG_EXIT_USAGE;
    if (rc) return rc;
    return ug_mutants_alive(m) ? UG_EXIT_FAIL : UG_EXIT_PASS;
}

static int run(const ug_cli *cli)
{
    char plugin[PATH_MAX + 64];
    ug_case_list cases;
    ug_mutants m;
    int rc;
    default_plugin(plugin, sizeof plugin);
    if (cli->operands.count) snprintf(plugin, sizeof plugin, "%s", cli->operands.item[0]);
    rc = ug_mutants_load(plugin, &m);
    if (!rc) {
        rc = ug_gather_cases(cli, &cases);
        if (!rc) rc = judge(cli, &m, &cases);
        ug_case_list_free(&cases);
    }
    ug_mutants_free(&m);
    return rc;
}

const ug_command ug_command_mutants = {
    "mutants",
    UG_CMD_MUTANTS,
    "[PLUGIN]",
    0,
    1,
    "Judge kernels with one planted fault each: all must be caught.",
    "Each mutant runs on the case that its file names, and on the whole tier when that does not "
    "show it. Exit code 1 says that one survived. With --matrix, also which smoke cases show it "
    "and which published recipes of other test suites would have caught it on their own inputs. "
    "PLUGIN is a plugin of mutants with its list beside it (default: the one of the build).",
    "ulpgate mutants\nulpgate mutants --matrix --format md --out docs/mutants.md",
    run};
