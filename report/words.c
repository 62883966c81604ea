/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers, quoting, repeat commands and notices. */
#include "report/words.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *non_finite(double v)
{
    if (isnan(v)) return "nan";
    return isinf(v) ? v > 0 ? "inf" : "-inf" : NULL;
}

const char *ug_number_short(double v, char text[UG_NUMBER_TEXT])
{
    const char *special = non_finite(v);
    double a = fabs(v);
    char mantissa[8];
    int exponent;
    if (special) return special;
    if (a == 0 || (a >= 0.001 && a < 9999.5)) {
        snprintf(text, UG_NUMBER_TEXT, a >= 999.5 ? "%.4g" : "%.3g", v);
        return text;
    }
    snprintf(text, UG_NUMBER_TEXT, "%.1e", v);
    exponent = atoi(strchr(text, 'e') + 1);
    snprintf(mantissa, sizeof mantissa, "%.*s", (int)(strchr(text, 'e') - text), text);
    snprintf(text, UG_NUMBER_TEXT, "%se%d", mantissa, exponent);
    return text;
}

const char *ug_number_exact(double v, char text[UG_NUMBER_TEXT])
{
    const char *special = non_finite(v);
    int digits;
    if (special) return special;
    if (v == rint(v) && fabs(v) < 1e15) {
        snprintf(text, UG_NUMBER_TEXT, "%.0f", v);
        return text;
    }
    /* "%g" drops trailing zeros, so that 15 digits give any shorter decimal as it is. */
    for (digits = 15; digits <= 17; digits++) {
        snprintf(text, UG_NUMBER_TEXT, "%.*g", digits, v);
        if (strtod(text, NULL) == v) break;
    }
    return text;
}

void ug_print_safe(FILE *out, const char *text)
{
    for (; *text; text++) {
        unsigned char c = (unsigned char)*text;
        fputc(c < 0x20 || c == 0x7f ? '?' : c, out);
    }
}

void ug_print_markup(FILE *out, const char *text)
{
    for (; *text; text++) {
        unsigned char c = (unsigned char)*text;
        if (c == '&') {
            fputs("&amp;", out);
        } else if (c == '<') {
            fputs("&lt;", out);
        } else if (c == '>') {
            fputs("&gt;", out);
        } else if (c == '"') {
            fputs("&quot;", out);
        } else {
            fputc(c < 0x20 || c == 0x7f ? '?' : c, out);
        }
    }
}

static void print_quoted(FILE *out, const char *text)
{
    fputc('\'', out);
    for (; *text; text++) {
        if (*text == '\'') {
            fputs("'\\''", out);
        } else {
            unsigned char c = (unsigned char)*text;
            fputc(c < 0x20 || c == 0x7f ? '?' : c, out);
        }
    }
    fputc('\'', out);
}

static void print_plain_or_quoted(FILE *out, const char *text)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "_-+=:,./@";
    if (*text && strspn(text, plain) == strlen(text)) {
        fputs(text, out);
    } else {
        print_quoted(out, text);
    }
}

/* The plugin that a repeat has to name: one that is not built in. */
static const char *foreign_plugin(const ug_rec_run *run, const char *kernel)
{
    size_t i, length = strcspn(kernel, ":");
    for (i = 0; i < run->backends; i++) {
        const char *name = run->backend[i].backend, *plugin = run->backend[i].plugin;
        const char *slash = strrchr(plugin, '/');
        const char *base = slash ? slash + 1 : plugin;
        if (strlen(name) != length || strncmp(name, kernel, length)) continue;
        if (!strcmp(base, "libulpgate_host.so") || !strcmp(base, "libulpgate_cuda.so") ||
            !strcmp(base, "libulpgate_openblas.so")) {
            return NULL;
        }
        return *plugin ? plugin : NULL;
    }
    return NULL;
}

/* --profile and --plugin, where the run had any that the program would not choose by itself. */
static void print_surroundings(FILE *out, const ug_rec_run *run, const char *kernel)
{
    const char *plugin = foreign_plugin(run, kernel);
    if (*run->profile) {
        fputs(" --profile ", out);
        print_plain_or_quoted(out, run->profile);
    }
    if (plugin) {
        fputs(" --plugin ", out);
        print_plain_or_quoted(out, plugin);
    }
}

void ug_print_repeat(FILE *out, const ug_results *results, const ug_rec *rec)
{
    /* Outputs from files are the other program's to make again. */
    int files = !strncmp(rec->kernel, "files:", 6);
    fprintf(out, "ulpgate %s --case ", files ? "export" : "run");
    print_quoted(out, rec->line);
    if (files) {
        fputs(" -o DIR", out);
        return;
    }
    fputs(" --kernel ", out);
    print_plain_or_quoted(out, rec->kernel);
    if (*rec->gate) {
        fputs(" --gate ", out);
        print_plain_or_quoted(out, rec->gate);
    }
    print_surroundings(out, &results->run[rec->run], rec->kernel);
}

void ug_print_repeat_bench(FILE *out, const ug_results *results, const ug_rec_bench *bench)
{
    const char *kernel = bench->rec.kernel, *at = strchr(kernel, '@');
    char name[256];
    /* The name of a kernel that was asked for a block size carries it; the option gives it again.
     */
    if (bench->block > 0 && at) {
        snprintf(name, sizeof name, "%.*s%s", (int)(at - kernel), kernel, at + strcspn(at, "/"));
        kernel = name;
    }
    fputs("ulpgate bench --case ", out);
    print_quoted(out, bench->rec.line);
    fputs(" --kernel ", out);
    print_plain_or_quoted(out, kernel);
    if (bench->block > 0) fprintf(out, " --block %" PRId64, bench->block);
    print_surroundings(out, &results->run[bench->rec.run], bench->rec.kernel);
}

/* The footer is there and counts other results than the file has: lines were lost or added. */
static int is_miscounted(const ug_rec_run *run)
{
    return run->complete && run->counted >= 0 &&
           (uint64_t)run->counted != run->count + run->benches;
}

int ug_results_notice(const ug_results *results, size_t index, char *text, size_t cap)
{
    size_t i;
    for (i = 0; i < results->runs; i++) {
        const ug_rec_run *run = &results->run[i];
        size_t found = run->count + run->benches;
        if (run->empty) {
            if (index--) continue;
            snprintf(text, cap, "%s is empty and holds no run: nothing was tested", run->file);
            return 1;
        }
        if (!found && !index--) {
            snprintf(text, cap, "%s holds no result: nothing was tested", run->file);
            return 1;
        }
        if (!run->complete && !index--) {
            snprintf(text, cap,
                     "%s has no footer: the run was interrupted after %zu results; the same "
                     "command%s completes it",
                     run->file, found, run->benches ? "" : " with --resume");
            return 1;
        }
        if (is_miscounted(run) && !index--) {
            snprintf(text, cap, "%s has %s results: its footer counts %" PRId64 ", there are %zu",
                     run->file, (uint64_t)run->counted > found ? "lost" : "additional",
                     run->counted, found);
            return 1;
        }
        if (run->cut && !index--) {
            snprintf(text, cap, "the last line of %s is cut and was dropped", run->file);
            return 1;
        }
    }
    return 0;
}
