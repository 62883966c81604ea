/* SPDX-License-Identifier: Apache-2.0 */
/* Advice for a terminal, as Markdown and as JSON. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include <jansson.h>

#include "report/advise.h"
#include "report/cells.h"
#include "report/screen.h"
#include "report/words.h"

enum { TEXT = 1600 };

static const char *const fit_name[] = {"passes", "fails", "unknown"};

static int make_table(const ug_advice *a, ug_table *t)
{
    size_t i;
    ug_table_column(t, "kernel", 1, 0);
    ug_table_column(t, "fit", 1, 0);
    ug_table_column(t, "cases", 0, 0);
    ug_table_column(t, "abs", 0, 0);
    ug_table_column(t, "ulp", 0, 2);
    ug_table_column(t, "cond", 0, 1);
    ug_table_column(t, "of copy", 0, 0);
    ug_table_column(t, "behind", 0, 0);
    for (i = 0; i < a->count; i++) {
        const ug_choice *c = &a->choice[i];
        ug_cell *cell = ug_table_row(t);
        if (!cell) return -1;
        ug_cell_put(&cell[0], UG_BOLD, "%.88s%s", c->kernel, c == a->best ? " <" : "");
        ug_cell_put(&cell[1],
                    c->fit == UG_FIT_PASSES  ? UG_GOOD
                    : c->fit == UG_FIT_FAILS ? UG_BAD
                                             : UG_DIM,
                    "%s", fit_name[c->fit]);
        ug_cell_put(&cell[2], UG_PLAIN, "%" PRId64 "/%" PRId64, c->passed, c->judged);
        ug_cell_number(&cell[3], c->abs != -1, c->abs);
        ug_cell_number(&cell[4], c->ulp != -1, c->ulp);
        ug_cell_number(&cell[5], c->cond != -1, c->cond);
        ug_cell_ratio(&cell[6], c->share);
        ug_cell_ratio(&cell[7], c->behind);
    }
    return 0;
}

static void tensor_text(const ug_tensor_rec *t, char *text, size_t cap)
{
    char a[UG_NUMBER_TEXT], b[UG_NUMBER_TEXT], c[UG_NUMBER_TEXT], d[UG_NUMBER_TEXT],
        e[UG_NUMBER_TEXT], f[UG_NUMBER_TEXT], g[UG_NUMBER_TEXT];
    snprintf(text, cap,
             "%s%s%s: %s, %" PRId64 " rows of %" PRId64 "; kappa %s to %s, median %s, 99%% below "
             "%s; largest |x| %s, std %s to %s; rows near constant %" PRId64 ", non-finite %" PRId64
             ", out of range %" PRId64,
             t->file, *t->tensor ? " " : "", t->tensor, t->dtype, t->rows, t->n,
             ug_number_short(t->kappa_least, a), ug_number_short(t->kappa_most, b),
             ug_number_short(t->kappa_median, c), ug_number_short(t->kappa_99, d),
             ug_number_short(t->x_most, e), ug_number_short(t->std_least, f),
             ug_number_short(t->std_most, g), t->near_constant, t->nonfinite, t->out_of_range);
}

static void print_line(const char *head, const char *text, int md, const ug_report_options *o,
                       FILE *out)
{
    if (md) {
        fprintf(out, "%s%s%s%s", *head ? "**" : "- ", head, *head ? "**" : "",
                *head && *text ? " " : "");
        ug_print_md(out, text);
        fputs(*head ? "\n\n" : "\n", out);
        return;
    }
    if (!*head) {
        ug_screen_wrapped(out, text, 2, o->width);
        return;
    }
    fprintf(out, "%s%s", head, *text ? " " : "");
    ug_print_safe(out, text);
    fputc('\n', out);
}

static int print_text(const ug_results *results, const ug_needs *needs, const ug_advice *a,
                      const ug_tensor_rec *tensor, int md, const ug_report_options *o, FILE *out)
{
    ug_table t = {0};
    char text[TEXT];
    size_t i;
    int rc = make_table(a, &t);
    if (md) {
        ug_print_md_notices(results, out);
    } else {
        ug_screen_notices(results, o, out);
    }
    if (tensor) {
        tensor_text(tensor, text, sizeof text);
        print_line("measured:", text, md, o, out);
    }
    ug_advice_needs(needs, text, sizeof text);
    print_line("needed:", text, md, o, out);
    if (!rc && a->count && md) {
        ug_table_print_md_head(&t, out);
        for (i = 0; i < t.rows; i++) ug_table_print_md_row(&t, i, out);
        fputc('\n', out);
    } else if (!rc && a->count) {
        fputc('\n', out);
        ug_table_fit(&t, o->width);
        ug_table_print(&t, o->colour, out);
        fputc('\n', out);
    }
    ug_table_free(&t);
    if (a->best) print_line("recommended:", a->best->kernel, md, o, out);
    ug_advice_reason(needs, a, text, sizeof text);
    print_line("", text, md, o, out);
    print_line("not known:", "", md, o, out);
    for (i = 0; ug_advice_unknown(needs, a, tensor, i, text, sizeof text); i++) {
        print_line("", text, md, o, out);
    }
    return rc;
}

static json_t *number(double v)
{
    if (isnan(v)) return json_string("nan");
    return isinf(v) ? json_string(v > 0 ? "inf" : "-inf") : json_real(v);
}

static int dump(json_t *value, FILE *out)
{
    char *text = value ? json_dumps(value, JSON_COMPACT | JSON_REAL_PRECISION(17)) : NULL;
    int rc = text ? 0 : -1;
    if (text) fprintf(out, "%s\n", text);
    free(text);
    json_decref(value);
    return rc;
}

static int print_tensor(const ug_tensor_rec *t, FILE *out)
{
    return dump(
        json_pack("{s:s, s:s, s:s, s:s, s:I, s:I, s:I, s:I, s:I, s:I, s:{s:o, s:o, s:o, s:o}, "
                  "s:o, s:o, s:o, s:o}",
                  "type", "tensor", "file", t->file, "tensor", t->tensor, "dtype", t->dtype, "rows",
                  (json_int_t)t->rows, "n", (json_int_t)t->n, "regular", (json_int_t)t->regular,
                  "near_constant", (json_int_t)t->near_constant, "nonfinite",
                  (json_int_t)t->nonfinite, "out_of_range", (json_int_t)t->out_of_range, "kappa",
                  "least", number(t->kappa_least), "median", number(t->kappa_median), "p99",
                  number(t->kappa_99), "most", number(t->kappa_most), "x_most", number(t->x_most),
                  "std_least", number(t->std_least), "std_most", number(t->std_most), "eps",
                  number(t->eps)),
        out);
}

static json_t *choice_json(const ug_choice *c)
{
    json_t *o = json_pack("{s:s, s:s, s:s, s:I, s:I, s:I}", "kernel", c->kernel, "variance",
                          c->variance, "fit", fit_name[c->fit], "judged", (json_int_t)c->judged,
                          "passed", (json_int_t)c->passed, "declined", (json_int_t)c->declined);
    if (o && c->abs != -1) json_object_set_new(o, "max_abs", number(c->abs));
    if (o && c->ulp != -1) json_object_set_new(o, "max_ulp", number(c->ulp));
    if (o && c->cond != -1) json_object_set_new(o, "max_cond", number(c->cond));
    if (o && !isnan(c->share)) json_object_set_new(o, "copy_share", number(c->share));
    if (o && !isnan(c->behind)) json_object_set_new(o, "behind", number(c->behind));
    return o;
}

static int print_json(const ug_results *results, const ug_needs *needs, const ug_advice *a,
                      const ug_tensor_rec *tensor, FILE *out)
{
    json_t *choices = json_array(), *unknown = json_array(), *advice;
    char text[TEXT], needed[TEXT];
    size_t i;
    if (tensor && print_tensor(tensor, out)) return -1;
    for (i = 0; i < a->count; i++) json_array_append_new(choices, choice_json(&a->choice[i]));
    /* Lines that a file lost are the first thing that the advice does not know. */
    for (i = 0; ug_results_notice(results, i, text, sizeof text); i++) {
        json_array_append_new(unknown, json_string(text));
    }
    for (i = 0; ug_advice_unknown(needs, a, tensor, i, text, sizeof text); i++) {
        json_array_append_new(unknown, json_string(text));
    }
    ug_advice_reason(needs, a, text, sizeof text);
    ug_advice_needs(needs, needed, sizeof needed);
    advice = json_pack("{s:s, s:s, s:s, s:o, s:o}", "type", "advice", "needed", needed, "reason",
                       text, "kernels", choices, "not_known", unknown);
    if (advice && a->best) {
        json_object_set_new(advice, "recommended", json_string(a->best->kernel));
    }
    return dump(advice, out);
}

int ug_advice_print(const ug_results *results, const ug_needs *needs, const ug_advice *advice,
                    const ug_tensor_rec *tensor, ug_advise_format format,
                    const ug_report_options *options, FILE *out)
{
    if (format == UG_ADVISE_JSON) return print_json(results, needs, advice, tensor, out);
    return print_text(results, needs, advice, tensor, format == UG_ADVISE_MD, options, out);
}
