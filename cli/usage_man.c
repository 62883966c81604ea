/* SPDX-License-Identifier: Apache-2.0 */
/* Manual pages, generated from the tables of commands and options. */
#include <ctype.h>
#include <string.h>

#include "cli/usage.h"

enum { LINE = 72 };

/* A character as roff takes it: what it would read as an escape or set as a prettier one. Returns
 * how many columns it takes in the source. */
static size_t put(char c, FILE *out)
{
    static const char odd[] = "\\-'^~";
    static const char *const codes[] = {"\\e", "\\-", "\\(aq", "\\(ha", "\\(ti"};
    const char *at = strchr(odd, c);
    fputs(at ? codes[at - odd] : (char[]){c, 0}, out);
    return at ? strlen(codes[at - odd]) : 1;
}

/* A line as it stands; a dot in front would make it a request. */
static void plain(const char *text, size_t length, FILE *out)
{
    if (length && *text == '.') fputs("\\&", out);
    for (size_t i = 0; i < length; i++) put(text[i], out);
}

/* Text in lines of about LINE columns, `code` in bold. */
static void paragraph(const char *text, FILE *out)
{
    size_t column = 0;
    int bold = 0;
    while (*text) {
        size_t length = strcspn(text, " ");
        if (column && column + 1 + length > LINE) {
            fputc('\n', out);
            column = 0;
        }
        if (column) column += put(' ', out);
        if (!column && *text == '.') fputs("\\&", out);
        for (size_t i = 0; i < length; i++) {
            if (text[i] != '`') {
                column += put(text[i], out);
                continue;
            }
            bold = !bold;
            column += 3;
            fputs(bold ? "\\fB" : "\\fR", out);
        }
        text += length;
        text += *text == ' ';
    }
    fputc('\n', out);
}

static void examples(const char *text, FILE *out)
{
    if (!*text) return;
    fputs(".SH EXAMPLES\n.nf\n", out);
    while (*text) {
        size_t length = strcspn(text, "\n");
        plain(text, length, out);
        fputc('\n', out);
        text += length;
        text += *text == '\n';
    }
    fputs(".fi\n", out);
}

static void options(const ug_command *command, FILE *out)
{
    const ug_option *row;
    char twin[64];
    size_t i = 0;
    fputs(".SH OPTIONS\n", out);
    while ((row = ug_option_next(command, &i))) {
        const char *value = ug_option_value(row);
        fputs(".TP\n", out);
        if (row->letter) fprintf(out, "\\fB\\-%c\\fR, ", row->letter);
        fputs("\\fB\\-\\-", out);
        plain(row->name, strlen(row->name), out);
        fputs("\\fR", out);
        if (value) {
            fputs(row->value ? " \\fI" : " ", out);
            plain(value, strlen(value), out);
            if (row->value) fputs("\\fR", out);
        }
        fputc('\n', out);
        paragraph(row->help, out);
        if (row->twin)
            fprintf(out, ".br\nEnvironment: \\fB%s\\fR\n", ug_option_twin(row, twin, sizeof twin));
    }
}

/* "Judge kernels." as a manual lists it: "judge kernels" */
static void summary(const char *text, FILE *out)
{
    size_t length = strlen(text);
    if (length && text[length - 1] == '.') length--;
    fputc(tolower((unsigned char)*text), out);
    plain(text + 1, length - 1, out);
    fputc('\n', out);
}

static void title(const char *command, FILE *out)
{
    fputs(".\\\" Written by `ulpgate help --format man`; do not edit.\n.TH ULPGATE", out);
    if (*command) fputc('-', out);
    for (; *command; command++) fputc(toupper((unsigned char)*command), out);
    fputs(" 1 \"\" \"ulpgate " ULPGATE_VERSION "\" \"User Commands\"\n.SH NAME\n", out);
}

static void program(FILE *out)
{
    static const char *const variables[][2] = {
        {"ULPGATE_...", "what an option's description names stands for that option where it is "
                        "absent"},
        {"ULPGATE_DATA", "the folder of suites and tensors"},
        {"ULPGATE_PLUGINS", "the folder of the built-in backends"},
        {"NO_COLOR, CLICOLOR_FORCE, CLICOLOR", "no colours, colours always, colours on a terminal"},
        {"TMPDIR", "where files lie that pass through to standard output"}};
    const ug_command *command;
    size_t i;
    title("", out);
    fputs(
        "ulpgate \\- audit the accuracy of LayerNorm\\-type kernels\n.SH SYNOPSIS\n\\fBulpgate\\fR "
        "\\fICOMMAND\\fR [\\fIOPTION\\fR]... [\\fIARGUMENT\\fR]...\n.br\n\\fBulpgate\\fR "
        "\\fB\\-\\-help\\fR | \\fB\\-\\-version\\fR\n.SH DESCRIPTION\n",
        out);
    paragraph(ug_tagline, out);
    paragraph("Results go to standard output, progress and diagnostics to standard error. Long "
              "options may be shortened as long as they stay unambiguous.",
              out);
    fputs(".SH COMMANDS\n", out);
    for (i = 0; (command = ug_command_at(i)); i++) {
        fprintf(out, ".TP\n\\fBulpgate\\-%s\\fR(1)\n", command->name);
        paragraph(command->summary, out);
    }
    fputs(".SH ENVIRONMENT\n", out);
    for (i = 0; i < sizeof variables / sizeof *variables; i++) {
        fprintf(out, ".TP\n\\fB%s\\fR\n", variables[i][0]);
        paragraph(variables[i][1], out);
    }
}

void ug_help_man(const ug_command *command, FILE *out)
{
    if (command) {
        title(command->name, out);
        fprintf(out, "ulpgate\\-%s \\- ", command->name);
        summary(command->summary, out);
        fprintf(out, ".SH SYNOPSIS\n\\fBulpgate %s\\fR [\\fIOPTION\\fR]...%s", command->name,
                *command->operands ? " " : "");
        plain(command->operands, strlen(command->operands), out);
        fputs("\n.SH DESCRIPTION\n", out);
        paragraph(command->text, out);
        options(command, out);
        examples(command->examples, out);
    } else {
        program(out);
    }
    fputs(".SH EXIT STATUS\n", out);
    paragraph(ug_exits + strlen("Exit codes: "), out);
    if (command) fputs(".SH SEE ALSO\n\\fBulpgate\\fR(1)\n", out);
}
