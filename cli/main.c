/* SPDX-License-Identifier: Apache-2.0 */
/* ulpgate: finds the command, parses its options, runs it. */
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"

static const char *next_command(const void *context, size_t index)
{
    const ug_command *command = ug_command_at(index);
    (void)context;
    return command ? command->name : NULL;
}

static int unknown_command(const char *word)
{
    const char *near = ug_nearest(word, next_command, NULL);
    if (near) {
        ug_error("unknown command '%s'; did you mean '%s'?", word, near);
    } else {
        ug_error("unknown command '%s'; `ulpgate --help` lists them", word);
    }
    return UG_EXIT_USAGE;
}

/* The command line as a shell would take it, NULL when out of memory. */
static char *quoted_line(int argc, char **argv)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "_-+=:,./@";
    char *line = NULL;
    size_t size;
    FILE *out = open_memstream(&line, &size);
    int i;
    if (!out) return NULL;
    fputs("ulpgate", out);
    for (i = 1; i < argc; i++) {
        const char *c = argv[i];
        int quote = !*c || strspn(c, plain) != strlen(c);
        fputs(quote ? " '" : " ", out);
        for (; *c; c++) *c == '\'' ? (void)fputs("'\\''", out) : (void)fputc(*c, out);
        if (quote) fputc('\'', out);
    }
    return fclose(out) ? NULL : line;
}

static int run_command(const ug_command *command, int argc, char **argv)
{
    ug_cli cli;
    int rc = UG_EXIT_USAGE;
    memset(&cli, 0, sizeof cli);
    cli.line = quoted_line(argc, argv);
    if (!cli.line) {
        ug_error("out of memory");
    } else if (ug_parse(command, argc - 1, argv + 1, &cli)) {
        fprintf(stderr, "`ulpgate %s --help` prints its options\n", command->name);
    } else if (cli.help) {
        ug_help(command, stdout);
        rc = UG_EXIT_PASS;
    } else {
        rc = command->run(&cli);
    }
    ug_cli_free(&cli);
    return rc;
}

int main(int argc, char **argv)
{
    const ug_command *command;
    if (argc < 2) {
        ug_usage(stderr);
        return UG_EXIT_USAGE;
    }
    if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h")) {
        ug_usage(stdout);
        return UG_EXIT_PASS;
    }
    if (!strcmp(argv[1], "--version") || !strcmp(argv[1], "-V")) {
        puts("ulpgate " ULPGATE_VERSION);
        return UG_EXIT_PASS;
    }
    command = ug_command_find(argv[1]);
    return command ? run_command(command, argc, argv) : unknown_command(argv[1]);
}
