/* SPDX-License-Identifier: Apache-2.0 */
/* ulpgate export: the inputs of cases as files, for programs that answer through files. */
#include <stdlib.h>
#include <string.h>

#include "audit/exchange.h"
#include "cli/commands.h"
#include "cli/gather.h"
#include "ulpgate/dtype.h"

/* Leaves the cases of --dtype. Returns 0, or an exit code with a message. */
static int keep_dtypes(const ug_cli *cli, ug_case_list *list)
{
    static const char *const names[UG_DTYPE_COUNT] = {"f32", "f16", "bf16"};
    unsigned wanted = 0;
    size_t kept = 0;
    for (size_t i = 0; i < cli->dtypes.count; i++) {
        int t = 0;
        while (t < UG_DTYPE_COUNT && strcmp(names[t], cli->dtypes.item[i])) t++;
        if (t == UG_DTYPE_COUNT) {
            ug_error("--dtype is '%s', expected f32, f16 or bf16", cli->dtypes.item[i]);
            return UG_EXIT_USAGE;
        }
        wanted |= 1u << t;
    }
    for (size_t i = 0; wanted && i < list->count; i++)
        if (wanted >> list->item[i].dtype & 1) list->item[kept++] = list->item[i];
    if (wanted) list->count = kept;
    if (list->count) return 0;
    ug_error("nothing was exported: no case has this --dtype");
    return UG_EXIT_NOTHING;
}

/* gamma and beta of the type of x in every case; what then is a case again goes. */
static int narrow_params(ug_case_list *list)
{
    ug_case_list narrow = {0};
    int rc = 0;
    for (size_t i = 0; i < list->count && !rc; i++) {
        ug_case c = list->item[i];
        c.wdtype = c.dtype;
        rc = ug_gather_add(&narrow, &c);
    }
    ug_case_list_free(list);
    *list = narrow;
    return rc ? UG_EXIT_USAGE : 0;
}

/* Operands are suites, as if they stood in --suite. */
static int gather(const ug_cli *cli, ug_case_list *list)
{
    ug_cli all = *cli;
    int rc;
    memset(list, 0, sizeof *list);
    memset(&all.suites, 0, sizeof all.suites);
    for (size_t i = 0; i < cli->operands.count; i++)
        if (ug_list_add(&all.suites, cli->operands.item[i])) return UG_EXIT_USAGE;
    if (!all.suites.count && !cli->cases.count) {
        ug_error("export needs a suite or --case");
        rc = UG_EXIT_USAGE;
    } else {
        rc = ug_gather_cases(&all, list);
    }
    free(all.suites.item);
    if (!rc) rc = keep_dtypes(cli, list);
    return rc || !cli->no_wide_params ? rc : narrow_params(list);
}

static int run(const ug_cli *cli)
{
    ug_case_list cases = {0};
    ug_exported done;
    char err[512] = "";
    int npy = cli->format && !strcmp(cli->format, "npy"), rc;
    if (!cli->out || !*cli->out || !strcmp(cli->out, "-")) {
        ug_error("export needs -o DIR, a folder that is new or empty");
        return UG_EXIT_USAGE;
    }
    rc = gather(cli, &cases);
    if (!rc && ug_export(cases.item, cases.count, cli->out, npy, stderr, &done, err, sizeof err)) {
        ug_error("%s", err);
        rc = UG_EXIT_USAGE;
    } else if (!rc) {
        printf("%s/manifest.json: %zu cases, %.1f MB of inputs; outputs go to %s/outputs/NAME\n",
               cli->out, done.cases, (double)done.bytes * 1e-6, cli->out);
        if (!done.cases) rc = UG_EXIT_NOTHING;
    }
    ug_case_list_free(&cases);
    return rc;
}

const ug_command ug_command_export = {
    "export",
    UG_CMD_EXPORT,
    "[SUITE]...",
    0,
    -1,
    "Write the inputs of cases as files, for any program to answer.",
    "The folder gets inputs/, an empty outputs/ and manifest.json, which says for each case what "
    "x, gamma, beta and eps are, where they lie, and which files are expected under outputs/NAME. "
    "NAME is the kernel's. `ulpgate check` judges what came.",
    "ulpgate export checklist -o exchange\n"
    "ulpgate export condition --dtype f32,bf16 --format npy -o exchange",
    run};
