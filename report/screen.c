/* SPDX-License-Identifier: Apache-2.0 */
/* The blocks of a terminal report. */
#include "report/screen.h"

#include <stdlib.h>
#include <string.h>

#include "report/words.h"

enum { CASE_ROOM = 26, TEXT = 1600 };

/* Prints text cut to `room` columns (0: whole), never inside a UTF-8 sequence. */
static void print_cut(FILE *out, int colour, ug_tint tint, const char *text, int room)
{
    char cut[TEXT];
    size_t length = strlen(text);
    if (room <= 0 || length <= (size_t)room) {
        ug_print_tint(out, colour, tint, text);
        return;
    }
    if (room > TEXT - 1) room = TEXT - 1;
    length = room > 3 ? (size_t)room - 3 : 0;
    while (length > 0 && ((unsigned char)text[length] & 0xc0) == 0x80) length--;
    snprintf(cut, sizeof cut, "%.*s...", (int)length, text);
    ug_print_tint(out, colour, tint, cut);
}

void ug_screen_wrapped(FILE *out, const char *text, int indent, int width)
{
    int column = indent;
    fprintf(out, "%*s", indent, "");
    while (*text) {
        size_t length = strcspn(text, " ");
        char word[TEXT];
        if (column > indent && width > 0 && column + 1 + (int)length > width) {
            fprintf(out, "\n%*s", indent, "");
            column = indent;
        } else if (column > indent) {
            fputc(' ', out);
            column++;
        }
        snprintf(word, sizeof word, "%.*s", (int)length, text);
        ug_print_safe(out, word);
        column += (int)length;
        text += length;
        text += strspn(text, " ");
    }
    fputc('\n', out);
}

void ug_screen_notices(const ug_results *results, const ug_report_options *o, FILE *out)
{
    char text[TEXT];
    size_t i;
    for (i = 0; ug_results_notice(results, i, text, sizeof text); i++) {
        ug_print_tint(out, o->colour, UG_BAD, "note: ");
        ug_print_safe(out, text);
        fputc('\n', out);
    }
}

void ug_print_md_notices(const ug_results *results, FILE *out)
{
    char text[TEXT];
    size_t i;
    for (i = 0; i < 10 && ug_results_notice(results, i, text, sizeof text); i++) {
        fputs("> ", out);
        ug_print_md(out, text);
        fputs("\n\n", out);
    }
}

static void print_kernels(const ug_table *t, const ug_kernel_sum *const *kernels, int used,
                          const ug_report_options *o, FILE *out)
{
    int inline_case = !o->width || o->width - used - 2 >= CASE_ROOM;
    size_t i;
    ug_table_print_head(t, o->colour, out);
    if (inline_case) {
        fputs("  ", out);
        ug_print_tint(out, o->colour, UG_BOLD, "worst case");
    }
    fputc('\n', out);
    for (i = 0; i < t->rows; i++) {
        const ug_rec *worst = kernels[i]->worst_case;
        ug_table_print_row(t, i, o->colour, out);
        if (worst && inline_case) {
            fputs("  ", out);
            print_cut(out, 0, UG_PLAIN, worst->line, o->width ? o->width - used - 2 : 0);
        } else if (worst) {
            fputs("\n    ", out);
            print_cut(out, o->colour, UG_DIM, worst->line, o->width > 4 ? o->width - 4 : 0);
        }
        fputc('\n', out);
    }
}

int ug_screen_kernels(const ug_summary *s, const ug_report_options *o, FILE *out)
{
    const ug_kernel_sum **order = malloc((s->kernels + 1) * sizeof *order);
    ug_table t = {0};
    char text[TEXT], counts[256];
    size_t i, count = 0;
    int rc = -1, pass;
    if (!order) return -1;
    for (pass = 0; pass < 2; pass++) {
        for (i = 0; i < s->kernels; i++) {
            if (s->kernel[i].yardstick == pass) order[count++] = &s->kernel[i];
        }
    }
    if (!ug_kernel_table(order, count, &t)) {
        print_kernels(&t, order, ug_table_fit(&t, o->width), o, out);
        ug_count_text(s->verdict, counts, sizeof counts);
        fprintf(out, "%s\n", counts);
        for (i = 0; ug_summary_note(s, i, text, sizeof text); i++)
            ug_screen_wrapped(out, text, 0, o->width);
        rc = 0;
    }
    ug_table_free(&t);
    free(order);
    return rc;
}

int ug_screen_failures(const ug_results *results, const ug_summary *s, size_t limit,
                       const ug_report_options *o, FILE *out)
{
    const ug_rec **picked;
    char text[TEXT];
    size_t i, count;
    if (o->failures > 0) limit = (size_t)o->failures;
    if (limit > s->failures) limit = s->failures;
    if (!limit) return 0;
    picked = malloc(limit * sizeof *picked);
    if (!picked) return -1;
    count = ug_pick_failures(s, limit, picked);
    fputs("failures, worst first, each with the command that repeats it:\n", out);
    for (i = 0; i < count; i++) {
        int room = o->width > 40 ? o->width - 4 - (int)strlen(picked[i]->kernel) - 8 : 0;
        fputs("  ", out);
        ug_print_tint(out, o->colour, UG_BAD, ug_rec_verdict_name(picked[i]->verdict));
        fputs("  ", out);
        ug_print_safe(out, picked[i]->kernel);
        ug_reason_text(picked[i], text, sizeof text);
        if (*text) fputs("  ", out);
        print_cut(out, 0, UG_PLAIN, text, room > 0 ? room : 0);
        fputs("\n    ", out);
        ug_print_repeat(out, results, picked[i]);
        fputc('\n', out);
    }
    if (s->failures > count) fprintf(out, "  ... %zu more\n", s->failures - count);
    free(picked);
    return 0;
}

int ug_screen_variances(const ug_results *results, const ug_report_options *o, FILE *out)
{
    ug_variances variances;
    ug_table t = {0};
    char text[TEXT];
    int rc;
    ug_sum_variances(results, &variances);
    if (!variances.count) return 0;
    rc = ug_variance_table(&variances, &t);
    if (!rc) {
        fputs("which variance (worst cond by kappa; sound allows 8 + c/4):\n", out);
        ug_table_fit(&t, o->width);
        ug_table_print(&t, o->colour, out);
        ug_variance_advice(&variances, text, sizeof text);
        ug_screen_wrapped(out, text, 0, o->width);
    }
    ug_table_free(&t);
    return rc;
}
