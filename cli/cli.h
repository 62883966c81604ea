/* SPDX-License-Identifier: Apache-2.0 */
/* The command line: commands, the one option table, and what parsing gives.
 *
 * Results go to standard output, progress and diagnostics to standard error. Exit codes: 0 passed,
 * 1 a gate failed or a kernel crashed, hung or erred, 2 usage or environment, 77 nothing was
 * tested. A command is one file cmd_NAME.c and one line in commands.c.
 */
#ifndef ULPGATE_CLI_H
#define ULPGATE_CLI_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "report/report.h"

enum { UG_EXIT_PASS = 0, UG_EXIT_FAIL = 1, UG_EXIT_USAGE = 2, UG_EXIT_NOTHING = 77 };

/* One bit a command, for the option table. */
enum {
    UG_CMD_RUN = 1 << 0,
    UG_CMD_REPORT = 1 << 1,
    UG_CMD_LIST = 1 << 2,
    UG_CMD_EXPLAIN = 1 << 3,
    UG_CMD_DOCTOR = 1 << 4,
    UG_CMD_HELP = 1 << 5,
    UG_CMD_BENCH = 1 << 6,
    UG_CMD_MUTANTS = 1 << 7,
    UG_CMD_DIFF = 1 << 8,
    UG_CMD_ADVISE = 1 << 9,
    UG_CMD_NEW = 1 << 10,
    UG_CMD_MERGE = 1 << 11,
    UG_CMD_EXPORT = 1 << 12,
    UG_CMD_CHECK = 1 << 13,
    UG_CMD_SHRINK = 1 << 14,
    UG_CMD_ALL = (1 << 15) - 1
};

typedef struct ug_list {
    const char **item;
    size_t count;
} ug_list;

/* Values of all options; absent text is NULL, absent numbers are -1. Strings live as long as the
 * struct. */
typedef struct ug_cli {
    ug_list operands, suites, cases, kernels, plugins, shapes, dtypes, blocks, any_bits, outputs;
    const char *tier, *gate, *reference, *profile, *out, *keep_outputs, *format, *elements;
    const char *progress, *color, *shard, *dtype, *n, *kappa, *input, *tensor;
    int64_t jobs, row, failures, repeats;
    double time_limit, abs, ulp, cond;
    int no_wide_params, resume, row_digests, matrix, quiet, verbose, help, force, common, update,
        cuda, host;
    char *line;    /* the command line, quoted for a shell */
    ug_list owned; /* copies that list items point into */
} ug_cli;

typedef struct ug_command {
    const char *name;
    unsigned bit;
    const char *operands; /* as in usage, "" for none */
    int least, most;      /* operands taken, most -1: any number */
    const char *summary;  /* one line */
    const char *text;     /* a paragraph of the help, plain text */
    const char *examples; /* command lines, one a line, "" for none */
    int (*run)(const ug_cli *cli);
} ug_command;

const ug_command *ug_command_find(const char *name);
const ug_command *ug_command_at(size_t index); /* NULL past the last */

typedef enum ug_opt_kind {
    UG_OPT_FLAG,    /* int 1 */
    UG_OPT_COUNT,   /* int, one more a time */
    UG_OPT_TEXT,    /* const char * */
    UG_OPT_CHOICE,  /* const char *, one of `choices` */
    UG_OPT_LIST,    /* ug_list, repeatable, split at `separator` */
    UG_OPT_INTEGER, /* int64_t of at least `least` */
    UG_OPT_NUMBER   /* double above 0 */
} ug_opt_kind;

/* Usage, --help, docs/cli.md, man pages, completion and parsing all come from rows of this kind. */
typedef struct ug_option {
    const char *name;
    char letter;       /* 0: none */
    const char *value; /* name of the value in usage, NULL for flags and choices */
    ug_opt_kind kind;
    unsigned commands;
    int twin;            /* nonzero: ULPGATE_NAME stands for it where the option is absent */
    size_t offset;       /* in ug_cli */
    const char *choices; /* "a|b|c"; "@formats": the report formats */
    char separator;      /* of a list's items within one value, 0: none */
    int64_t least;
    const char *help;
} ug_option;

const ug_option *ug_option_at(size_t index); /* NULL past the last */
const char *ug_option_choices(const ug_option *option);
/* ULPGATE_NAME into text[cap]. */
const char *ug_option_twin(const ug_option *option, char *text, size_t cap);

/* Fills *cli from the environment and from argv[1..] (argv[0] is the command). Returns 0, or -1
 * with a message on standard error; to be freed either way. */
int ug_parse(const ug_command *command, int argc, char **argv, ug_cli *cli);
void ug_cli_free(ug_cli *cli);

void ug_usage(FILE *out);                           /* of the program */
void ug_help(const ug_command *command, FILE *out); /* of a command */
void ug_help_md(FILE *out);                         /* docs/cli.md */
void ug_help_bash(FILE *out);                       /* cli/completion/ulpgate */
/* A page of docs/man/: of a command, NULL: of the program. */
void ug_help_man(const ug_command *command, FILE *out);

/* Writes "ulpgate: message\n" to standard error. */
void ug_error(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The candidate that a mistyped word most likely meant, NULL when none is near. next(context, i)
 * gives the candidates until NULL. */
const char *ug_nearest(const char *word, const char *(*next)(const void *context, size_t index),
                       const void *context);

/* Standard output, or the file of --out. */
typedef struct ug_output {
    FILE *stream;
    const char *name; /* NULL: standard output */
} ug_output;

/* Return 0, or -1 with a message on standard error. */
int ug_output_open(ug_output *output, const char *path);
int ug_output_close(ug_output *output);
int ug_output_copy(const char *file);            /* a whole file to standard output */
int ug_output_temporary(char *name, size_t cap); /* makes an empty file in $TMPDIR; its path */

/* Reads the files that are the operands, results.jsonl without any. Returns 0, or -1 with a message
 * on standard error. */
int ug_read_results(const ug_cli *cli, ug_results *results);

int ug_output_colour(const ug_cli *cli, FILE *stream); /* whether to use colours */
int ug_output_width(FILE *stream);                     /* columns, 0: no terminal */

int ug_list_add(ug_list *list, const char *item); /* 0, or -1 when out of memory */

#endif
