/* SPDX-License-Identifier: Apache-2.0 */
/* ulpgate advise: which variance and structure for given needs. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/commands.h"
#include "cli/measure_tensor.h"
#include "report/advise.h"

/* A number above 0 that ends where text does, -1 for anything else. */
static double read_number(const char *text)
{
    char *end;
    double v;
    errno = 0;
    v = strtod(text, &end);
    return end != text && !*end && !errno && v > 0 && isfinite(v) ? v : -1;
}

/* "K" stands for half to twice of it, "A..B" for itself. */
static int read_range(const char *option, const char *text, double *least, double *most)
{
    const char *dots = strstr(text, "..");
    char first[64] = "";
    if (dots) {
        if (dots - text < (int)sizeof first) memcpy(first, text, (size_t)(dots - text));
        *least = read_number(first);
        *most = read_number(dots + 2);
    } else {
        *least = read_number(text) / 2;
        *most = read_number(text) * 2;
    }
    if (*least > 0 && *most >= *least) return 0;
    ug_error("--%s is '%s', expected a number above 0 or a range such as 1..1e4", option, text);
    return -1;
}

static int read_needs(const ug_cli *cli, const ug_tensor_rec *tensor, ug_needs *needs)
{
    double least, most;
    *needs = (ug_needs){cli->abs > 0 ? cli->abs : NAN,
                        cli->ulp > 0 ? cli->ulp : NAN,
                        cli->cond > 0 ? cli->cond : NAN,
                        "f32",
                        0,
                        -1,
                        0,
                        INFINITY,
                        cli->kernels.item,
                        cli->kernels.count};
    if (tensor) {
        needs->dtype = tensor->dtype;
        needs->n_least = tensor->n / 2;
        needs->n_most = 2 * tensor->n;
        /* Of a tensor whose rows are all near constant nothing is known. */
        needs->kappa_least = isnan(tensor->kappa_least) ? 0 : tensor->kappa_least / 2;
        needs->kappa_most = isnan(tensor->kappa_most) ? INFINITY : 2 * tensor->kappa_most;
    }
    if (cli->dtype) needs->dtype = cli->dtype;
    if (cli->kappa && read_range("kappa", cli->kappa, &needs->kappa_least, &needs->kappa_most)) {
        return -1;
    }
    if (cli->n) {
        if (read_range("n", cli->n, &least, &most)) return -1;
        needs->n_least = (int64_t)fmin(ceil(least), 0x1p62);
        needs->n_most = (int64_t)fmin(most, 0x1p62);
    }
    return 0;
}

static int show(const ug_cli *cli, const ug_results *results, const ug_needs *needs,
                const ug_advice *advice, const ug_tensor_rec *tensor)
{
    static const char *const names[] = {"text", "md", "json"};
    ug_advise_format format = UG_ADVISE_TEXT;
    ug_report_options options = {0, 0, 0};
    ug_output output;
    int rc;
    while (cli->format && format < UG_ADVISE_JSON && strcmp(cli->format, names[format])) format++;
    if (ug_output_open(&output, cli->out)) return -1;
    options.width = ug_output_width(output.stream);
    options.colour = ug_output_colour(cli, output.stream);
    rc = ug_advice_print(results, needs, advice, tensor, format, &options, output.stream);
    if (rc) ug_error("out of memory");
    return ug_output_close(&output) || rc ? -1 : 0;
}

static int run(const ug_cli *cli)
{
    ug_results results = {0};
    ug_tensor_rec tensor;
    ug_advice advice = {0};
    ug_needs needs;
    char err[512] = "";
    int rc = UG_EXIT_USAGE, bad = 0;
    if (cli->tensor && !cli->input) {
        ug_error("--tensor names a tensor of --input, and there is none");
        return rc;
    }
    if (cli->input)
        bad = ug_measure_tensor(cli->input, cli->tensor, cli->dtype, &tensor, err, sizeof err);
    if (bad) {
        ug_error("--input: %s", err);
    } else if (!read_needs(cli, cli->input ? &tensor : NULL, &needs) &&
               !ug_read_results(cli, &results)) {
        if (ug_advise(&results, &needs, &advice)) {
            ug_error("out of memory");
        } else if (!show(cli, &results, &needs, &advice, cli->input ? &tensor : NULL)) {
            rc = advice.best ? UG_EXIT_PASS : advice.count ? UG_EXIT_FAIL : UG_EXIT_NOTHING;
        }
    }
    ug_advice_free(&advice);
    ug_results_free(&results);
    return rc;
}

const ug_command ug_command_advise = {
    "advise",
    UG_CMD_ADVISE,
    "[RESULTS]...",
    0,
    -1,
    "Recommend a variance and a structure for given needs.",
    "From results files (default: results.jsonl) and timed kernels in them: which kernels pass the "
    "limits in every judged case of this type, length and kappa, how fast they are, and which one "
    "to take: the fastest that passes, or one within 2% of it that has a smaller error. With "
    "--input it first measures your own rows. Says what the files do not know. Exits 0 with a "
    "recommendation, 1 when nothing passes, 77 when no case is of this kind.",
    "ulpgate advise --abs 1e-4 --kappa 1e4 results.jsonl bench.jsonl\n"
    "ulpgate advise --input activations.npy results.jsonl bench.jsonl",
    run};
