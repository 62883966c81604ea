/* SPDX-License-Identifier: Apache-2.0 */
/* The completion for bash, generated from the tables of commands and options. */
#include <ctype.h>
#include <string.h>

#include "cli/usage.h"

/* Where the values of an option come from, besides choices and files: a list that the program
 * prints ("@"), or words. */
static const struct {
    const char *option, *values;
} sources[] = {{"suite", "@suites"},     {"kernel", "@kernels"},   {"any-bits", "@kernels"},
               {"gate", "@gates"},       {"profile", "@profiles"}, {"reference", "certified mpfr"},
               {"dtype", "f32 f16 bf16"}};

static void words(const char *text, char separator, FILE *out)
{
    for (; *text; text++) fputc(*text == separator ? ' ' : *text, out);
}

/* "words a b", "list kernels", "files", "folders" or "nothing". */
static void print_values(const ug_option *row, FILE *out)
{
    const char *choices = ug_option_choices(row);
    if (choices) {
        fputs("words ", out);
        words(choices, '|', out);
        return;
    }
    for (size_t i = 0; i < sizeof sources / sizeof *sources; i++) {
        const char *values = sources[i].values;
        if (strcmp(sources[i].option, row->name)) continue;
        fprintf(out, "%s %s", *values == '@' ? "list" : "words", values + (*values == '@'));
        return;
    }
    fputs(!row->value                  ? "nothing"
          : strstr(row->value, "FILE") ? "files"
          : strstr(row->value, "DIR")  ? "folders"
                                       : "nothing",
          out);
}

static int takes_value(const ug_option *row)
{
    return row->kind != UG_OPT_FLAG && row->kind != UG_OPT_COUNT;
}

static void print_options(FILE *out)
{
    const ug_command *command;
    const ug_option *row;
    fputs("# The options of a command.\n_ulpgate_options()\n{\n    case $1 in\n", out);
    for (size_t i = 0; (command = ug_command_at(i)); i++) {
        size_t at = 0;
        fprintf(out, "        %s) echo '", command->name);
        for (int first = 1; (row = ug_option_next(command, &at)); first = 0)
            fprintf(out, "%s--%s", first ? "" : " ", row->name);
        fputs("' ;;\n", out);
    }
    fputs("    esac\n}\n\n", out);
}

static void print_option_values(FILE *out)
{
    const ug_command *command;
    const ug_option *row;
    fputs("# The value of an option: the separator of a list or -, then where it comes from.\n"
          "# Nothing for an option without a value.\n_ulpgate_value()\n{\n    case \"$1 $2\" in\n",
          out);
    for (size_t i = 0; (command = ug_command_at(i)); i++) {
        size_t at = 0;
        while ((row = ug_option_next(command, &at))) {
            if (!takes_value(row)) continue;
            fprintf(out, "        '%s --%s'", command->name, row->name);
            if (row->letter) fprintf(out, " | '%s -%c'", command->name, row->letter);
            fprintf(out, ") echo '%c ",
                    isgraph((unsigned char)row->separator) ? row->separator : '-');
            print_values(row, out);
            fputs("' ;;\n", out);
        }
    }
    fputs("    esac\n}\n\n", out);
}

/* Operands in small letters are words, those in capitals say what they are. */
static void print_operands(FILE *out)
{
    static const char *const kinds[][2] = {
        {"FILE", "files"},  {"OLD", "files"},         {"RESULTS", "files"},   {"PLUGIN", "files"},
        {"DIR", "folders"}, {"SUITE", "list suites"}, {"COMMAND", "commands"}};
    const ug_command *command;
    fputs("# What the operands of a command are.\n_ulpgate_operands()\n{\n    case $1 in\n", out);
    for (size_t i = 0; (command = ug_command_at(i)); i++) {
        const char *text = command->operands, *kind = "nothing";
        size_t small = strspn(text, "abcdefghijklmnopqrstuvwxyz|");
        char list[256];
        snprintf(list, sizeof list, "%.*s", (int)small, text);
        for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
            if (strstr(text, kinds[k][0])) kind = kinds[k][1];
        fprintf(out, "        %s) echo '%s", command->name, small ? "words " : kind);
        words(list, '|', out);
        fputs("' ;;\n", out);
    }
    fputs("    esac\n}\n\n", out);
}

/* Bash splits words at : = and @, which names of kernels contain; what it split is joined, and of
 * each reply the part is cut off that bash holds for a word of its own. */
static const char body[] =
    "# The names that `ulpgate list` prints; plugins on the line have kernels too.\n"
    "_ulpgate_list()\n"
    "{\n"
    "    local what=$1 name rest\n"
    "    shift\n"
    "    \"$@\" 2>/dev/null | while read -r name rest; do\n"
    "        case $what in\n"
    "            kernels) [[ $name == *:* ]] && echo \"$name\" ;;\n"
    "            gates) echo \"${name%X}\" ;;\n"
    "            *) echo \"$name\" ;;\n"
    "        esac\n"
    "    done\n"
    "}\n"
    "\n"
    "# usage: _ulpgate_reply VALUE SEPARATOR KIND [WORD]...   Fills COMPREPLY.\n"
    "_ulpgate_reply()\n"
    "{\n"
    "    local value=$1 separator=$2 kind=$3 before='' choices=''\n"
    "    shift 3\n"
    "    if [[ $separator != - && $value == *\"$separator\"* ]]; then\n"
    "        before=${value%\"$separator\"*}$separator\n"
    "        value=${value##*\"$separator\"}\n"
    "    fi\n"
    "    case $kind in\n"
    "        words) choices=$* ;;\n"
    "        commands) choices=$_ulpgate_commands ;;\n"
    "        list)\n"
    "            if [[ $1 == kernels ]]; then\n"
    "                choices=$(_ulpgate_list kernels \"$program\" list kernels \"${plugins[@]}\")\n"
    "            else\n"
    "                choices=$(_ulpgate_list \"$1\" \"$program\" list \"$1\")\n"
    "            fi\n"
    "            ;;\n"
    "        files) mapfile -t COMPREPLY < <(compgen -f -- \"$value\") ;;\n"
    "        folders) mapfile -t COMPREPLY < <(compgen -d -- \"$value\") ;;\n"
    "    esac\n"
    "    case $kind in\n"
    "        files | folders) compopt -o filenames 2>/dev/null ;;\n"
    "        *) mapfile -t COMPREPLY < <(compgen -W \"$choices\" -- \"$value\") ;;\n"
    "    esac\n"
    "    COMPREPLY=(\"${COMPREPLY[@]/#/$before}\")\n"
    "}\n"
    "\n"
    "_ulpgate()\n"
    "{\n"
    "    local words=() plugins=() word last program command kind head i\n"
    "    for ((i = 0; i <= COMP_CWORD; i++)); do\n"
    "        word=${COMP_WORDS[i]}\n"
    "        if ((i > 1)) && [[ $word == [:=@]* || ${words[-1]} == *[:=@] ]]; then\n"
    "            words[-1]+=$word\n"
    "        else\n"
    "            words+=(\"$word\")\n"
    "        fi\n"
    "    done\n"
    "    program=${words[0]} command=${words[1]} last=${words[-1]}\n"
    "    for ((i = 2; i < ${#words[@]} - 1; i++)); do\n"
    "        case ${words[i]} in\n"
    "            --plugin=*) plugins+=(\"${words[i]}\") ;;\n"
    "            --plugin) ((i + 2 < ${#words[@]})) && plugins+=(\"--plugin=${words[i + 1]}\") ;;\n"
    "        esac\n"
    "    done\n"
    "    COMPREPLY=()\n"
    "    if ((${#words[@]} == 2)); then\n"
    "        _ulpgate_reply \"$last\" - words \"$_ulpgate_commands --help --version\"\n"
    "    elif [[ $last == --*=* ]]; then\n"
    "        read -ra kind <<<\"$(_ulpgate_value \"$command\" \"${last%%=*}\")\"\n"
    "        [[ ${kind[0]-} ]] && _ulpgate_reply \"${last#*=}\" \"${kind[@]}\"\n"
    "        COMPREPLY=(\"${COMPREPLY[@]/#/${last%%=*}=}\")\n"
    "    else\n"
    "        read -ra kind <<<\"$(_ulpgate_value \"$command\" \"${words[-2]}\")\"\n"
    "        if ((${#words[@]} > 3)) && [[ ${kind[0]-} ]]; then\n"
    "            _ulpgate_reply \"$last\" \"${kind[@]}\"\n"
    "        elif [[ $last == -* ]]; then\n"
    "            _ulpgate_reply \"$last\" - words \"$(_ulpgate_options \"$command\")\"\n"
    "        else\n"
    "            read -ra kind <<<\"$(_ulpgate_operands \"$command\")\"\n"
    "            _ulpgate_reply \"$last\" - \"${kind[@]:-nothing}\"\n"
    "        fi\n"
    "    fi\n"
    "    # The reply replaces only what follows the last character at which bash splits.\n"
    "    head=$last\n"
    "    while [[ $head && ($head != *[:=@] || $COMP_WORDBREAKS != *\"${head: -1}\"*) ]]; do\n"
    "        head=${head%?}\n"
    "    done\n"
    "    COMPREPLY=(\"${COMPREPLY[@]#\"$head\"}\")\n"
    "    [[ ${#COMPREPLY[@]} -eq 1 && ${COMPREPLY[0]} == *= ]] && compopt -o nospace 2>/dev/null\n"
    "    return 0\n"
    "} && complete -F _ulpgate ulpgate\n";

void ug_help_bash(FILE *out)
{
    const ug_command *command;
    fputs("# shellcheck shell=bash\n# Completion of ulpgate for bash. Written by `ulpgate help "
          "--format bash`; do not edit.\n_ulpgate_commands='",
          out);
    for (size_t i = 0; (command = ug_command_at(i)); i++)
        fprintf(out, "%s%s", i ? " " : "", command->name);
    fputs("'\n\n", out);
    print_options(out);
    print_option_values(out);
    print_operands(out);
    fputs(body, out);
}
