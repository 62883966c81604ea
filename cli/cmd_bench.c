/* SPDX-License-Identifier: Apache-2.0 */
/* ulpgate bench: times kernels beside a copy of the same bytes. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "audit/bench.h"
#include "cli/commands.h"
#include "cli/end.h"
#include "cli/gather.h"
#include "reference/truth.h"

/* Contiguous rows of N(3, 7), parameters of x's own type, no statistics: what the suite `bench`
 * times. */
static int add_shape(const char *shape, const char *dtype, ug_case_list *list)
{
    char line[256], from[128], *end;
    long long rows, n = 0;
    ug_case c;
    errno = 0;
    rows = strtoll(shape, &end, 10);
    if (end != shape && *end == 'x') {
        const char *second = end + 1;
        n = strtoll(second, &end, 10);
        if (end == second) n = 0;
    }
    if (*end || errno || rows < 1 || n < 1) {
        ug_error("--shapes has '%s', expected ROWSxN such as 4096x1024", shape);
        return -1;
    }
    snprintf(
        line, sizeof line,
        "layernorm dtype=%.32s wdtype=%.32s rows=%lld n=%lld stats=0 data=normal(mean=3,std=7)",
        dtype, dtype, rows, n);
    snprintf(from, sizeof from, "--shapes %.40s", shape);
    if (ug_gather_case(line, from, &c)) return -1;
    return ug_gather_add(list, &c);
}

static int add_shapes(const ug_cli *cli, ug_case_list *list)
{
    const size_t dtypes = cli->dtypes.count ? cli->dtypes.count : 1;
    for (size_t d = 0; d < dtypes; d++)
        for (size_t i = 0; i < cli->shapes.count; i++)
            if (add_shape(cli->shapes.item[i], cli->dtypes.count ? cli->dtypes.item[d] : "f32",
                          list))
                return -1;
    return 0;
}

/* Of a suite only what is there to be timed. */
static int add_speed(const char *name, ug_case_list *list)
{
    ug_case_list suite = {0};
    int rc = ug_gather_suite(name, "speed", &suite);
    size_t before = list->count;
    for (size_t i = 0; i < suite.count && !rc; i++)
        if (!strcmp(suite.item[i].tier, "speed")) rc = ug_gather_add(list, &suite.item[i]);
    if (!rc && list->count == before) ug_error("suite '%s' adds no case in tier speed", name);
    ug_case_list_free(&suite);
    return rc;
}

/* Returns 0 or an exit code with a message. */
static int gather(const ug_cli *cli, ug_case_list *list)
{
    memset(list, 0, sizeof *list);
    for (size_t i = 0; i < cli->cases.count; i++) {
        ug_case c;
        if (ug_gather_case(cli->cases.item[i], "--case", &c) || ug_gather_add(list, &c))
            return UG_EXIT_USAGE;
    }
    if (cli->dtypes.count && !cli->shapes.count) {
        ug_error("--dtype is for --shapes, and there is none");
        return UG_EXIT_USAGE;
    }
    if (add_shapes(cli, list)) return UG_EXIT_USAGE;
    for (size_t i = 0; i < cli->suites.count; i++)
        if (add_speed(cli->suites.item[i], list)) return UG_EXIT_USAGE;
    if (!cli->cases.count && !cli->shapes.count && !cli->suites.count && add_speed("bench", list))
        return UG_EXIT_USAGE;
    if (list->count) return 0;
    ug_error("nothing was timed: no case");
    return UG_EXIT_NOTHING;
}

/* Block sizes into blocks[]; returns how many, or -1 with a message. */
static int read_blocks(const ug_list *list, int64_t blocks[], int most)
{
    for (size_t i = 0; i < list->count; i++) {
        char *end;
        long long v = strtoll(list->item[i], &end, 10);
        if (end == list->item[i] || *end || v < 32 || v > 1024 || v % 32) {
            ug_error("--block has '%s', expected a multiple of 32 from 32 to 1024", list->item[i]);
            return -1;
        }
        if ((int)i >= most) {
            ug_error("--block has more than %d sizes", most);
            return -1;
        }
        blocks[i] = v;
    }
    return (int)list->count;
}

static int bench(const ug_cli *cli, const ug_case_list *cases, const int64_t *blocks, int count)
{
    ug_run_summary summary;
    const ug_bench_options o = {.cases = cases->item,
                                .case_count = cases->count,
                                .plugins = cli->plugins.item,
                                .plugin_count = cli->plugins.count,
                                .kernels = cli->kernels.item,
                                .kernel_count = cli->kernels.count,
                                .blocks = blocks,
                                .block_count = (size_t)count,
                                .repeats = cli->repeats > 0 ? (int)cli->repeats : 0,
                                .force = cli->force,
                                .time_limit = cli->time_limit > 0 ? cli->time_limit : 0,
                                .reference = cli->reference,
                                .profile = cli->profile,
                                .out = cli->out ? cli->out : "bench.jsonl",
                                .progress = ug_wants_progress(cli),
                                .command = cli->line,
                                .log = stderr};
    int rc = ug_bench(&o, &summary);
    if (rc == UG_EXIT_USAGE) return rc;
    if (!cli->quiet && summary.results && ug_show(cli, summary.out, stdout)) return UG_EXIT_USAGE;
    if (rc == UG_EXIT_NOTHING) ug_error("nothing was timed: %s", summary.skipped);
    return rc;
}

static int run(const ug_cli *cli)
{
    enum { BLOCKS = 32 };
    int64_t blocks[BLOCKS];
    ug_case_list cases;
    int rc, count = read_blocks(&cli->blocks, blocks, BLOCKS);
    if (count < 0) return UG_EXIT_USAGE;
    if (cli->reference && !ug_reference_find(cli->reference)) {
        ug_error("--reference: there is no reference '%s'", cli->reference);
        return UG_EXIT_USAGE;
    }
    if (cli->profile && !ug_profile_find(cli->profile)) {
        ug_error("--profile: there is no profile '%s'; see `ulpgate list profiles`", cli->profile);
        return UG_EXIT_USAGE;
    }
    rc = gather(cli, &cases);
    if (!rc) rc = bench(cli, &cases, blocks, count);
    ug_case_list_free(&cases);
    return rc;
}

const ug_command ug_command_bench = {
    "bench",
    UG_CMD_BENCH,
    "",
    0,
    0,
    "Time kernels beside a copy of the same bytes.",
    "Device events around graph replays, buffers rotated past the last-level cache, all kernels of "
    "a backend in turn with the yardstick, which is the faster of two ways of copying; medians and "
    "interquartile ranges. What is timed is judged as well, on its first rows. Without options all "
    "kernels run over the tier speed of suite bench. Times of the CPU executor mean nothing: it is "
    "left out, and the exit code is 77 when nothing else is there.",
    "ulpgate bench --kernel 'cuda:*' --shapes 4096x1024,8192x8192 --dtype f32,bf16\n"
    "ulpgate bench --kernel 'cuda:vec4/*' --shapes 4096x1024 --block 128,256,512,1024",
    run};
