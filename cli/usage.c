/* SPDX-License-Identifier: Apache-2.0 */
/* Help texts, generated from the tables of commands and options. */
#include "cli/usage.h"

#include <string.h>

enum { WIDTH = 90, HELP_COLUMN = 30 };

const char ug_tagline[] = "ulpgate audits the accuracy of LayerNorm-type kernels.";
const char ug_exits[] =
    "Exit codes: 0 all passed; 1 a gate failed or a kernel crashed, hung or erred; 2 usage or "
    "environment; 77 nothing was tested.";

/* Prints words from `column` on, in lines of WIDTH that go on at `indent`; ends the line. */
static void wrap(FILE *out, const char *text, int column, int indent)
{
    int start = column;
    while (*text) {
        int length = (int)strcspn(text, " ");
        if (column > start && column + 1 + length > WIDTH) {
            fprintf(out, "\n%*s", indent, "");
            column = start = indent;
        } else if (column > start) {
            fputc(' ', out);
            column++;
        }
        fprintf(out, "%.*s", length, text);
        column += length;
        text += length;
        text += *text == ' ';
    }
    fputc('\n', out);
}

const char *ug_option_value(const ug_option *row)
{
    return row->value ? row->value : ug_option_choices(row);
}

void ug_option_usage(const ug_option *row, char *text, size_t cap)
{
    const char *value = ug_option_value(row);
    char letter[8] = "";
    if (row->letter) snprintf(letter, sizeof letter, "-%c, ", row->letter);
    snprintf(text, cap, "%s--%s%s%s", letter, row->name, value ? " " : "", value ? value : "");
}

const ug_option *ug_option_next(const ug_command *command, size_t *index)
{
    const ug_option *row;
    while ((row = ug_option_at((*index)++)))
        if (row->commands & command->bit) return row;
    return NULL;
}

static void help_text(const ug_option *row, char *text, size_t cap)
{
    char twin[64];
    if (row->twin) {
        snprintf(text, cap, "%s [%s]", row->help, ug_option_twin(row, twin, sizeof twin));
    } else {
        snprintf(text, cap, "%s", row->help);
    }
}

static void print_option(const ug_option *row, FILE *out)
{
    char text[256], help[512];
    int length;
    ug_option_usage(row, text, sizeof text);
    help_text(row, help, sizeof help);
    length = fprintf(out, "  %s", text);
    if (length > HELP_COLUMN - 2) {
        fputc('\n', out);
        length = 0;
    }
    fprintf(out, "%*s", HELP_COLUMN - length, "");
    wrap(out, help, HELP_COLUMN, HELP_COLUMN);
}

void ug_help(const ug_command *command, FILE *out)
{
    const ug_option *row;
    const char *c;
    size_t i = 0;
    fprintf(out, "usage: ulpgate %s [OPTION]...%s%s\n\n", command->name,
            *command->operands ? " " : "", command->operands);
    wrap(out, command->summary, 0, 0);
    fputc('\n', out);
    wrap(out, command->text, 0, 0);
    if (*command->examples) {
        fputs("\nExamples:\n  ", out);
        for (c = command->examples; *c; c++) fputs(*c == '\n' ? "\n  " : (char[]){*c, 0}, out);
        fputc('\n', out);
    }
    fputs("\nOptions:\n", out);
    while ((row = ug_option_next(command, &i))) print_option(row, out);
    fputs("\nA name in brackets is the environment variable that stands for an absent option.\n",
          out);
    wrap(out, ug_exits, 0, 0);
}

void ug_usage(FILE *out)
{
    const ug_command *command;
    size_t i;
    fprintf(out,
            "%s\n\nusage: ulpgate COMMAND [OPTION]... [ARGUMENT]...\n       ulpgate --help | "
            "--version\n\nCommands:\n",
            ug_tagline);
    for (i = 0; (command = ug_command_at(i)); i++) {
        fprintf(out, "  %-9s ", command->name);
        wrap(out, command->summary, 12, 12);
    }
    fputs("\n`ulpgate COMMAND --help` prints the options of a command.\n", out);
    wrap(out, ug_exits, 0, 0);
}

/* Inside a table cell '|' has to be escaped, even in code spans. */
static void print_cell(const char *text, FILE *out)
{
    for (; *text; text++) {
        if (*text == '|') fputc('\\', out);
        fputc(*text, out);
    }
}

static void command_md(const ug_command *command, FILE *out)
{
    const ug_option *row;
    char text[256];
    size_t i = 0;
    fprintf(out, "## ulpgate %s\n\n```\nulpgate %s [OPTION]...%s%s\n```\n\n%s\n\n%s\n\n",
            command->name, command->name, *command->operands ? " " : "", command->operands,
            command->summary, command->text);
    if (*command->examples) fprintf(out, "```sh\n%s\n```\n\n", command->examples);
    fputs("| option | environment | meaning |\n|---|---|---|\n", out);
    while ((row = ug_option_next(command, &i))) {
        ug_option_usage(row, text, sizeof text);
        fputs("| `", out);
        print_cell(text, out);
        fprintf(out, "` | %s | ", row->twin ? ug_option_twin(row, text, sizeof text) : "");
        print_cell(row->help, out);
        fputs(" |\n", out);
    }
    fputc('\n', out);
}

void ug_help_md(FILE *out)
{
    const ug_command *command;
    size_t i;
    fprintf(out,
            "<!-- Written by `ulpgate help --format md`; do not edit. -->\n# The command "
            "line\n\n%s\n\nResults go to standard output, progress and diagnostics to standard "
            "error. %s\n\nLong options may be shortened as long as they stay unambiguous; "
            "scripts should spell them out, since a later version may add options. An "
            "environment variable stands for an option that is absent from the command line; "
            "lists in it are separated as in the option (cases by newlines, plugins by "
            "colons).\n\n",
            ug_tagline, ug_exits);
    for (i = 0; (command = ug_command_at(i)); i++) command_md(command, out);
}
