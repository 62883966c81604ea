/* SPDX-License-Identifier: Apache-2.0 */
/* The one table of options. */
#include <ctype.h>
#include <string.h>

#include "cli/cli.h"
#include "report/report.h"

#define AT(field) offsetof(ug_cli, field)

/* Commands whose --out is no text. */
enum {
    OTHER_OUT = UG_CMD_RUN | UG_CMD_CHECK | UG_CMD_EXPORT | UG_CMD_BENCH | UG_CMD_NEW |
                UG_CMD_MERGE | UG_CMD_SHRINK
};

static const ug_option options[] = {
    {"suite", 0, "NAME[,NAME]", UG_OPT_LIST, UG_CMD_RUN | UG_CMD_LIST | UG_CMD_MUTANTS, 1,
     AT(suites), NULL, ',', 0,
     "suites of cases, by name or as a file; repeatable (default: all suites)"},
    {"suite", 0, "NAME[,NAME]", UG_OPT_LIST, UG_CMD_BENCH, 1, AT(suites), NULL, ',', 0,
     "suites whose tier speed is timed, by name or as a file; repeatable (default: bench)"},
    {"tier", 0, NULL, UG_OPT_CHOICE, UG_CMD_RUN | UG_CMD_LIST | UG_CMD_MUTANTS | UG_CMD_EXPORT, 1,
     AT(tier), "smoke|default|full|huge|speed", 0, 0,
     "take cases up to this tier (default: default)"},
    {"case", 0, "LINE", UG_OPT_LIST, UG_CMD_RUN | UG_CMD_LIST | UG_CMD_BENCH, 1, AT(cases), NULL,
     '\n', 0,
     "a single case, as records and reports print it; repeatable; without --suite nothing else "
     "is taken"},
    {"case", 0, "LINE", UG_OPT_LIST, UG_CMD_EXPORT, 0, AT(cases), NULL, '\n', 0,
     "a single case, as records and reports print it; repeatable"},
    {"shapes", 0, "ROWSxN[,ROWSxN]", UG_OPT_LIST, UG_CMD_BENCH, 1, AT(shapes), NULL, ',', 0,
     "cases by their shape alone, such as 4096x1024; repeatable"},
    {"dtype", 0, "TYPE[,TYPE]", UG_OPT_LIST, UG_CMD_BENCH, 1, AT(dtypes), NULL, ',', 0,
     "types of --shapes: f32, f16, bf16 (default: f32)"},
    {"dtype", 0, "TYPE[,TYPE]", UG_OPT_LIST, UG_CMD_EXPORT, 0, AT(dtypes), NULL, ',', 0,
     "cases of these types alone: f32, f16, bf16 (default: all)"},
    {"kernel", 0, "GLOB[,GLOB]", UG_OPT_LIST,
     UG_CMD_RUN | UG_CMD_LIST | UG_CMD_ADVISE | UG_CMD_BENCH, 1, AT(kernels), NULL, ',', 0,
     "kernels by name, such as host:*/welford; repeatable (default: all kernels)"},
    {"no-wide-params", 0, NULL, UG_OPT_FLAG, UG_CMD_EXPORT, 0, AT(no_wide_params), NULL, 0, 0,
     "give gamma and beta the type of x in every case, for programs that take no other"},
    {"kernel", 0, "GLOB[,GLOB]", UG_OPT_LIST, UG_CMD_CHECK, 0, AT(kernels), NULL, ',', 0,
     "outputs by name, such as files:mine*; repeatable (default: all)"},
    {"kernel", 0, "GLOB", UG_OPT_LIST, UG_CMD_SHRINK, 1, AT(kernels), NULL, ',', 0,
     "the kernel that fails; a pattern must match one"},
    {"plugin", 0, "FILE", UG_OPT_LIST,
     UG_CMD_RUN | UG_CMD_LIST | UG_CMD_DOCTOR | UG_CMD_BENCH | UG_CMD_SHRINK, 1, AT(plugins), NULL,
     ':', 0, "a shared object with kernels, beside the built-in backends; repeatable"},
    {"gate", 0, "GATE", UG_OPT_TEXT, UG_CMD_RUN | UG_CMD_CHECK | UG_CMD_SHRINK, 1, AT(gate), NULL,
     0, 0,
     "what a case has to pass, see `ulpgate list gates` (default: bound for kernels that declare "
     "their algorithm, sound for others)"},
    {"reference", 0, "NAME", UG_OPT_TEXT, UG_CMD_RUN | UG_CMD_BENCH | UG_CMD_CHECK | UG_CMD_SHRINK,
     1, AT(reference), NULL, 0, 0,
     "what computes the exact answer: certified or mpfr (default: certified, the faster one)"},
    {"reference", 0, "NAME", UG_OPT_TEXT, UG_CMD_EXPLAIN, 0, AT(reference), NULL, 0, 0,
     "what computes the exact answer: certified or mpfr (default: mpfr, which gives more digits)"},
    {"profile", 0, "NAME", UG_OPT_TEXT, UG_CMD_RUN | UG_CMD_BENCH | UG_CMD_SHRINK, 1, AT(profile),
     NULL, 0, 0,
     "device limits to run under, see `ulpgate list profiles` (default: each backend's own)"},
    {"block", 0, "N[,N]", UG_OPT_LIST, UG_CMD_BENCH, 1, AT(blocks), NULL, ',', 0,
     "threads a block, for kernels that leave the choice; the record's name says @N (default: the "
     "kernel's own choice)"},
    {"repeats", 0, "N", UG_OPT_INTEGER, UG_CMD_BENCH, 1, AT(repeats), NULL, 0, 1,
     "rounds that count (default: 30)"},
    {"force", 0, NULL, UG_OPT_FLAG, UG_CMD_BENCH, 0, AT(force), NULL, 0, 0,
     "take times that mean nothing as well, those of the CPU executor"},
    {"jobs", 'j', "N", UG_OPT_INTEGER, UG_CMD_RUN | UG_CMD_MUTANTS | UG_CMD_CHECK | UG_CMD_SHRINK,
     1, AT(jobs), NULL, 0, 0, "judges at work side by side; 0: one a core (default)"},
    {"time-limit", 0, "SECONDS", UG_OPT_NUMBER, UG_CMD_RUN, 1, AT(time_limit), NULL, 0, 0,
     "time that a launch may take (default: 30 and an allowance for its size)"},
    {"time-limit", 0, "SECONDS", UG_OPT_NUMBER, UG_CMD_SHRINK, 1, AT(time_limit), NULL, 0, 0,
     "time that a launch may take (default: that of run; 1 where the case hangs)"},
    {"time-limit", 0, "SECONDS", UG_OPT_NUMBER, UG_CMD_BENCH, 1, AT(time_limit), NULL, 0, 0,
     "time that a worker may take for one step (default: 60 and an allowance for the size)"},
    {"shard", 0, "K/N", UG_OPT_TEXT, UG_CMD_RUN, 1, AT(shard), NULL, 0, 0,
     "run only the K-th of N shares of the cases, K from 1; `ulpgate merge` joins the results"},
    {"resume", 0, NULL, UG_OPT_FLAG, UG_CMD_RUN | UG_CMD_CHECK, 1, AT(resume), NULL, 0, 0,
     "keep the records that the results file holds, run what is missing"},
    {"row-digests", 0, NULL, UG_OPT_FLAG, UG_CMD_RUN | UG_CMD_CHECK, 1, AT(row_digests), NULL, 0, 0,
     "record a digest for each of the first 4096 rows"},
    {"keep-outputs", 0, "DIR", UG_OPT_TEXT, UG_CMD_RUN, 1, AT(keep_outputs), NULL, 0, 0,
     "keep the bits of every output in this directory"},
    {"matrix", 0, NULL, UG_OPT_FLAG, UG_CMD_MUTANTS, 0, AT(matrix), NULL, 0, 0,
     "also run the smoke tier and the recipes of other test suites (minutes)"},
    {"row", 0, "R", UG_OPT_INTEGER, UG_CMD_EXPLAIN, 0, AT(row), NULL, 0, 0,
     "the row to explain, from 0 (default: 0)"},
    {"elements", 0, "FIRST..LAST", UG_OPT_TEXT, UG_CMD_EXPLAIN, 0, AT(elements), NULL, 0, 0,
     "the elements to print, from 0 (default: 0..7)"},
    {"format", 0, NULL, UG_OPT_CHOICE, UG_CMD_RUN | UG_CMD_BENCH | UG_CMD_CHECK, 1, AT(format),
     "@formats", 0, 0, "format of the report at the end (default: table)"},
    {"format", 0, NULL, UG_OPT_CHOICE, UG_CMD_REPORT, 0, AT(format), "@formats", 0, 0,
     "format of the report (default: text)"},
    {"format", 0, NULL, UG_OPT_CHOICE, UG_CMD_EXPORT, 0, AT(format), "safetensors|npy", 0, 0,
     "format of the files (default: safetensors)"},
    {"format", 0, NULL, UG_OPT_CHOICE, UG_CMD_LIST, 0, AT(format), "text|json", 0, 0,
     "text for people, json for programs (default: text)"},
    {"format", 0, NULL, UG_OPT_CHOICE, UG_CMD_MUTANTS, 0, AT(format), "text|md", 0, 0,
     "md: the page docs/mutants.md (default: text)"},
    {"format", 0, NULL, UG_OPT_CHOICE, UG_CMD_HELP, 0, AT(format), "text|md|man|bash", 0, 0,
     "md: the whole command line as one page (docs/cli.md); man: the manual page of the program or "
     "of the command; bash: the completion for bash (default: text)"},
    {"format", 0, NULL, UG_OPT_CHOICE, UG_CMD_DIFF, 0, AT(format), "text|md|html", 0, 0,
     "format of the comparison (default: text)"},
    {"format", 0, NULL, UG_OPT_CHOICE, UG_CMD_ADVISE, 0, AT(format), "text|md|json", 0, 0,
     "format of the advice (default: text)"},
    {"abs", 0, "X", UG_OPT_NUMBER, UG_CMD_ADVISE, 0, AT(abs), NULL, 0, 0,
     "the largest absolute error that may be (default: no limit; without any limit the gate sound "
     "is what has to pass)"},
    {"ulp", 0, "X", UG_OPT_NUMBER, UG_CMD_ADVISE, 0, AT(ulp), NULL, 0, 0,
     "the largest error in ulp that may be; elements near the mean reach 1e4 and more with every "
     "float kernel"},
    {"cond", 0, "X", UG_OPT_NUMBER, UG_CMD_ADVISE, 0, AT(cond), NULL, 0, 0,
     "the largest condition-aware error that may be, in units of 2^-24"},
    {"dtype", 0, NULL, UG_OPT_CHOICE, UG_CMD_ADVISE, 0, AT(dtype), "f32|f16|bf16", 0, 0,
     "the type of x and y (default: that of --input, else f32)"},
    {"n", 0, "N|A..B", UG_OPT_TEXT, UG_CMD_ADVISE, 0, AT(n), NULL, 0, 0,
     "the length of rows; one number stands for half to twice of it (default: that of --input, "
     "else any)"},
    {"kappa", 0, "K|A..B", UG_OPT_TEXT, UG_CMD_ADVISE, 0, AT(kappa), NULL, 0, 0,
     "sqrt(1 + mean^2 / variance) of rows, about |mean| / std; one number stands for half to twice "
     "of it (default: that of --input, else any)"},
    {"input", 0, "FILE", UG_OPT_TEXT, UG_CMD_ADVISE, 0, AT(input), NULL, 0, 0,
     "a .npy or .safetensors file of your rows: measured first, and advice is for its kappa, "
     "length and type"},
    {"tensor", 0, "NAME", UG_OPT_TEXT, UG_CMD_ADVISE, 0, AT(tensor), NULL, 0, 0,
     "the tensor of a .safetensors file with several"},
    {"any-bits", 0, "GLOB[,GLOB]", UG_OPT_LIST, UG_CMD_DIFF, 0, AT(any_bits), NULL, ',', 0,
     "kernels whose bits may differ from one device to the other (default: *rsqrtf*)"},
    {"common", 0, NULL, UG_OPT_FLAG, UG_CMD_DIFF, 0, AT(common), NULL, 0, 0,
     "leave out cases and kernels that only one file has"},
    {"outputs", 0, "OLD_DIR,NEW_DIR", UG_OPT_LIST, UG_CMD_DIFF, 0, AT(outputs), NULL, ',', 0,
     "folders of --keep-outputs of the two runs: the first element that differs is shown"},
    {"update", 0, NULL, UG_OPT_FLAG, UG_CMD_DIFF, 0, AT(update), NULL, 0, 0,
     "write OLD anew from NEW, as a baseline; exits 0 whatever got worse"},
    {"failures", 0, "N", UG_OPT_INTEGER, UG_CMD_RUN | UG_CMD_CHECK | UG_CMD_REPORT | UG_CMD_DIFF, 0,
     AT(failures), NULL, 0, 1,
     "failures that a report lists at most (default: table 5, text 20, md 30, html 100, diff 20)"},
    {"out", 'o', "DIR", UG_OPT_TEXT, UG_CMD_EXPORT, 0, AT(out), NULL, 0, 0,
     "the folder to write, new or empty"},
    {"out", 'o', "FILE", UG_OPT_TEXT, UG_CMD_RUN | UG_CMD_CHECK, 1, AT(out), NULL, 0, 0,
     "the results file (default: results.jsonl); -: results go to standard output at the end, the "
     "report to standard error"},
    {"out", 'o', "FILE", UG_OPT_TEXT, UG_CMD_BENCH, 1, AT(out), NULL, 0, 0,
     "the results file (default: bench.jsonl)"},
    {"cuda", 0, NULL, UG_OPT_FLAG, UG_CMD_NEW, 0, AT(cuda), NULL, 0, 0,
     "a kernel in CUDA, for GPUs and for the CPU executor"},
    {"host", 0, NULL, UG_OPT_FLAG, UG_CMD_NEW, 0, AT(host), NULL, 0, 0, "a kernel in C"},
    {"out", 'o', "DIR", UG_OPT_TEXT, UG_CMD_NEW, 0, AT(out), NULL, 0, 0,
     "the folder of the project (default: NAME)"},
    {"out", 'o', "FILE", UG_OPT_TEXT, UG_CMD_SHRINK, 0, AT(out), NULL, 0, 0,
     "also write a C program that shows the fault"},
    {"out", 'o', "FILE", UG_OPT_TEXT, UG_CMD_MERGE, 0, AT(out), NULL, 0, 0,
     "the results file of the whole run (default: -, standard output)"},
    {"out", 'o', "FILE", UG_OPT_TEXT, UG_CMD_ALL & ~OTHER_OUT, 0, AT(out), NULL, 0, 0,
     "where the text goes (default: -, standard output)"},
    {"progress", 0, NULL, UG_OPT_CHOICE, UG_CMD_RUN | UG_CMD_CHECK | UG_CMD_BENCH, 1, AT(progress),
     "auto|always|never", 0, 0, "a progress line on standard error (default: auto, on a terminal)"},
    {"color", 0, NULL, UG_OPT_CHOICE,
     UG_CMD_RUN | UG_CMD_CHECK | UG_CMD_REPORT | UG_CMD_BENCH | UG_CMD_DIFF | UG_CMD_ADVISE, 1,
     AT(color), "auto|always|never", 0, 0,
     "colours (default: auto, on a terminal; NO_COLOR and CLICOLOR_FORCE are honoured)"},
    {"quiet", 'q', NULL, UG_OPT_FLAG, UG_CMD_RUN | UG_CMD_CHECK | UG_CMD_BENCH, 1, AT(quiet), NULL,
     0, 0, "no progress and no report: results file, errors and exit code only"},
    {"verbose", 'v', NULL, UG_OPT_COUNT, UG_CMD_RUN | UG_CMD_CHECK, 1, AT(verbose), NULL, 0, 0,
     "say what will run, list up to 50 failures"},
    {"help", 'h', NULL, UG_OPT_FLAG, UG_CMD_ALL, 0, AT(help), NULL, 0, 0, "print this help"},
};

const ug_option *ug_option_at(size_t index)
{
    return index < sizeof options / sizeof *options ? &options[index] : NULL;
}

const char *ug_option_choices(const ug_option *option)
{
    static char formats[256];
    const ug_format *format;
    size_t i, used = 0;
    if (!option->choices || strcmp(option->choices, "@formats")) return option->choices;
    for (i = 0; (format = ug_format_at(i)) && used < sizeof formats; i++) {
        used += (size_t)snprintf(formats + used, sizeof formats - used, "%s%s", i ? "|" : "",
                                 format->name);
    }
    return formats;
}

const char *ug_option_twin(const ug_option *option, char *text, size_t cap)
{
    size_t i;
    snprintf(text, cap, "ULPGATE_%s", option->name);
    for (i = 0; text[i]; i++)
        text[i] = text[i] == '-' ? '_' : (char)toupper((unsigned char)text[i]);
    return text;
}
