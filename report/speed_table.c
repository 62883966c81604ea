/* SPDX-License-Identifier: Apache-2.0 */
/* Speed beside error, as tables. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "report/cells.h"
#include "report/screen.h"
#include "report/speed.h"
#include "report/words.h"

enum { NOTE = 512 };

/* Microseconds to four digits. */
static void put_us(ug_cell *cell, double v)
{
    if (isnan(v))
        ug_cell_put(cell, UG_DIM, "-");
    else
        ug_cell_put(cell, UG_PLAIN, "%.*f", v < 10 ? 3 : v < 100 ? 2 : 1, v);
}

void ug_speed_case(const ug_rec *rec, char *text, size_t cap)
{
    snprintf(text, cap, "%s %" PRId64 " x %" PRId64, rec->dtype, rec->rows, rec->n);
}

int ug_speed_kernel_table(const ug_speeds *s, ug_table *t)
{
    ug_table_column(t, "kernel", 1, 0);
    ug_table_column(t, "cases", 0, 0);
    ug_table_column(t, "of copy", 0, 0);
    ug_table_column(t, "least", 0, 0);
    ug_table_column(t, "at", 1, 3);
    ug_table_column(t, "fastest", 0, 1);
    ug_table_column(t, "cond", 0, 0);
    ug_table_column(t, "right", 0, 2);
    ug_table_column(t, "sound", 0, 0);
    for (size_t i = 0; i < s->kernels; i++) {
        const ug_speed_sum *k = &s->kernel[i];
        ug_cell *cell = ug_table_row(t);
        char at[UG_CELL_TEXT] = "-";
        if (!cell) return -1;
        if (k->least) ug_speed_case(&k->least->first->rec, at, sizeof at);
        ug_cell_kernel(&cell[0], k->kernel, k->yardstick);
        ug_cell_put(&cell[1], UG_PLAIN, "%" PRId64 "/%" PRId64, k->timed, k->cases);
        ug_cell_ratio(&cell[2], k->share_geo);
        ug_cell_ratio(&cell[3], k->share_least);
        ug_cell_put(&cell[4], UG_PLAIN, "%.90s", at);
        ug_cell_put(&cell[5], k->fastest ? UG_GOOD : UG_DIM, "%" PRId64, k->fastest);
        ug_cell_number(&cell[6], !isnan(k->cond), k->cond);
        ug_cell_ratio(&cell[7], k->cr);
        if (k->judged && k->judged->sound_judged)
            ug_cell_put(&cell[8],
                        k->judged->sound_pass == k->judged->sound_judged && !k->unsound ? UG_GOOD
                                                                                        : UG_BAD,
                        "%" PRId64 "/%" PRId64, k->judged->sound_pass, k->judged->sound_judged);
        else
            ug_cell_put(&cell[8], k->unsound ? UG_BAD : UG_DIM, "%s", k->unsound ? "no" : "-");
    }
    return 0;
}

static void case_row(const ug_speed *s, ug_cell *cell)
{
    const ug_rec *rec = &s->first->rec;
    char text[UG_CELL_TEXT], reason[NOTE];
    ug_speed_case(rec, text, sizeof text);
    ug_cell_put(&cell[0], UG_PLAIN, "%.90s", text);
    ug_cell_put(&cell[1],
                rec->yardstick ? UG_DIM
                : s->fastest   ? UG_GOOD
                               : UG_BOLD,
                "%.90s%s", rec->kernel, rec->yardstick ? " *" : "");
    put_us(&cell[2], s->us);
    put_us(&cell[3], s->spread);
    if (isnan(s->gbps))
        ug_cell_put(&cell[4], UG_DIM, "-");
    else
        ug_cell_put(&cell[4], UG_PLAIN, "%.0f", s->gbps);
    ug_cell_ratio(&cell[5], s->share);
    ug_cell_number(&cell[6], !isnan(s->abs), s->abs);
    ug_cell_number(&cell[7], !isnan(s->ulp), s->ulp);
    ug_cell_number(&cell[8], !isnan(s->cond), s->cond);
    ug_cell_ratio(&cell[9], s->cr);
    ug_reason_text(rec, reason, sizeof reason);
    ug_cell_put(&cell[10],
                rec->verdict == UG_REC_PASS       ? UG_GOOD
                : rec->verdict == UG_REC_DECLINED ? UG_DIM
                                                  : UG_BAD,
                "%s%s%s%.60s", ug_rec_verdict_name(rec->verdict),
                s->sound == 0 ? ", not sound" : "", *reason ? ": " : "", reason);
}

int ug_speed_case_table(const ug_speeds *s, size_t most, ug_table *t)
{
    size_t taken = 0;
    ug_table_column(t, "case", 1, 0);
    ug_table_column(t, "kernel", 1, 0);
    ug_table_column(t, "us", 0, 0);
    ug_table_column(t, "spread", 0, 2);
    ug_table_column(t, "GB/s", 0, 0);
    ug_table_column(t, "of copy", 0, 0);
    ug_table_column(t, "abs", 0, 3);
    ug_table_column(t, "ulp", 0, 4);
    ug_table_column(t, "cond", 0, 0);
    ug_table_column(t, "right", 0, 1);
    ug_table_column(t, "verdict", 1, 0);
    for (size_t i = 0; i < s->count; i++) {
        const ug_speed *item = &s->item[i];
        ug_cell *cell;
        if (i == 0 || s->item[i - 1].case_at != item->case_at) taken = 0;
        taken += !item->first->rec.yardstick;
        if (most && taken > most) continue;
        cell = ug_table_row(t);
        if (!cell) return -1;
        case_row(item, cell);
    }
    return 0;
}

int ug_speed_note(const ug_speeds *s, size_t index, char *text, size_t cap)
{
    if (s->emulated && !index--) {
        snprintf(text, cap, "times of the CPU executor mean nothing");
        return 1;
    }
    if (s->runs > 1 && !index--) {
        snprintf(text, cap, "medians over %d runs, the largest spread of them", s->runs);
        return 1;
    }
    if (s->count && !index--) {
        snprintf(text, cap,
                 "of copy: GB/s over those of the faster copy (*) of the same run, as a geometric "
                 "mean over cases; spread: interquartile range in us; abs, ulp, cond and right "
                 "(share correctly rounded): of the rows of the timed case that were judged; "
                 "sound: cases of the same kernel in these files");
        return 1;
    }
    return 0;
}

int ug_screen_speed(const ug_results *results, const ug_summary *summary, size_t most,
                    const ug_report_options *o, FILE *out)
{
    ug_speeds s;
    ug_table kernels = {0}, cases = {0};
    char text[NOTE];
    int rc;
    if (!results->benches) return 0;
    rc = ug_speed_sums(results, summary, &s) || ug_speed_kernel_table(&s, &kernels) ||
         ug_speed_case_table(&s, most, &cases);
    if (!rc) {
        ug_table_fit(&kernels, o->width);
        ug_table_fit(&cases, o->width);
        ug_table_print(&cases, o->colour, out);
        fputc('\n', out);
        ug_table_print(&kernels, o->colour, out);
        for (size_t i = 0; ug_speed_note(&s, i, text, sizeof text); i++)
            ug_screen_wrapped(out, text, 0, o->width);
    }
    ug_table_free(&kernels);
    ug_table_free(&cases);
    ug_speeds_free(&s);
    return rc ? -1 : 0;
}

static void print_md(const ug_table *t, size_t rows, FILE *out)
{
    ug_table_print_md_head(t, out);
    for (size_t i = 0; i < t->rows && i < rows; i++) ug_table_print_md_row(t, i, out);
    if (t->rows > rows) fprintf(out, "\n... %zu more\n", t->rows - rows);
    fputc('\n', out);
}

int ug_md_speed(const ug_results *results, const ug_summary *summary, size_t rows, FILE *out)
{
    ug_speeds s;
    ug_table kernels = {0}, cases = {0};
    char text[NOTE];
    int rc;
    if (!results->benches) return 0;
    rc = ug_speed_sums(results, summary, &s) || ug_speed_kernel_table(&s, &kernels) ||
         ug_speed_case_table(&s, 0, &cases);
    if (!rc) {
        fputs("**Speed and error of kernels**\n\n", out);
        print_md(&kernels, rows, out);
        for (size_t i = 0; ug_speed_note(&s, i, text, sizeof text); i++) {
            ug_print_md(out, text);
            fputs("\n\n", out);
        }
        fputs("**By case**\n\n", out);
        print_md(&cases, rows, out);
    }
    ug_table_free(&kernels);
    ug_table_free(&cases);
    ug_speeds_free(&s);
    return rc ? -1 : 0;
}
