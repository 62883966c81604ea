/* SPDX-License-Identifier: Apache-2.0 */
/* ulpgate shrink: the smallest case that fails alike. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "audit/audit.h"
#include "cli/commands.h"
#include "cli/gather.h"
#include "cli/shrink.h"
#include "report/words.h"

static int check(const ug_cli *cli)
{
    char err[512] = "";
    if (!cli->kernels.count) {
        ug_error("--kernel is missing: one kernel's failure is shrunk");
    } else if (cli->gate && ug_gate_check(cli->gate, err, sizeof err)) {
        ug_error("--gate: %s", err);
    } else if (cli->profile && !ug_profile_find(cli->profile)) {
        ug_error("--profile: there is no profile '%s'; see `ulpgate list profiles`", cli->profile);
    } else {
        return 0;
    }
    return -1;
}

static void print_repeat(const ug_shrink *s, const char *line)
{
    const ug_cli *cli = s->cli;
    printf("repeat:  ulpgate run");
    for (size_t i = 0; i < cli->plugins.count; i++) printf(" --plugin '%s'", cli->plugins.item[i]);
    if (cli->gate) printf(" --gate '%s'", cli->gate);
    if (cli->profile) printf(" --profile %s", cli->profile);
    printf(" --kernel '%s' --case '%s'\n", s->kernel, line);
}

static void print(const ug_shrink *s, const ug_case *was, const char *reason)
{
    const ug_shrink_failure *f = &s->best;
    char line[UG_CASE_TEXT];
    int whole = ug_case_format(was, line, sizeof line) > 0;
    printf("was:     %s\n         %s\n", whole ? line : "", reason);
    ug_case_format(&f->c, line, sizeof line);
    printf("smallest: %s\n", line);
    for (int i = 0; i < f->reasons; i++) {
        printf("         ");
        ug_print_safe(stdout, f->reason[i]);
        putchar('\n');
    }
    printf("trials:  %zu, %" PRId64 " rows of %" PRId64 " to %" PRId64 " of %" PRId64 "%s\n",
           s->trials, was->rows, was->n, f->c.rows, f->c.n,
           s->stopped ? "; time was up, a smaller one may exist" : "");
    print_repeat(s, line);
}

static int write_program(const ug_shrink *s, const char *path)
{
    ug_output output;
    int rc;
    if (ug_output_open(&output, path)) return UG_EXIT_USAGE;
    rc = ug_shrink_write(s, output.stream);
    if (ug_output_close(&output) || rc) return UG_EXIT_USAGE;
    if (strcmp(path, "-")) {
        size_t length = strlen(path), stem = length;
        if (length > 2 && !strcmp(path + length - 2, ".c")) stem -= 2;
        /* Never over the source, should its name have no ending. */
        printf("program: %s: gcc -I include %s -o %.*s%s -ldl -lm\n", path, path, (int)stem, path,
               stem == length ? ".out" : "");
    }
    return 0;
}

static int run(const ug_cli *cli)
{
    char reason[UG_SHRINK_TEXT];
    ug_shrink s = {0};
    ug_case c;
    int rc;
    if (check(cli) || ug_gather_case(cli->operands.item[0], "the case", &c)) return UG_EXIT_USAGE;
    rc = ug_shrink_begin(&s, cli, &c);
    snprintf(reason, sizeof reason, "%s", s.best.reason[0]);
    if (!rc) rc = ug_shrink_reduce(&s);
    if (!rc) {
        print(&s, &c, reason);
        if (cli->out) rc = write_program(&s, cli->out);
    }
    ug_shrink_free(&s);
    return rc;
}

const ug_command ug_command_shrink = {
    "shrink",
    UG_CMD_SHRINK,
    "CASE",
    1,
    1,
    "Reduce a failing case to a smallest one that fails alike.",
    "Takes away rows, columns, strides, offsets, special values, operands and types, and puts "
    "simpler data in their place, as long as the same check fails; every trial goes through the "
    "ordinary judge, so that crashes and hangs shrink as well. Prints the case. With --out it "
    "writes a C program that loads the plugin through kernel.h alone, holds the tensors, prints "
    "what came and what was wanted, and exits 1 when the fault shows. Exits 0 when the case was "
    "shrunk, 77 when it does not fail.",
    "ulpgate shrink 'layernorm n=1023 rows=64 data=normal(mean=3)' --plugin ./libmine.so "
    "--kernel 'mine:*' -o fault.c\n"
    "gcc -I include fault.c -o fault -ldl -lm && ./fault",
    run};
