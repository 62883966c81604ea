/* SPDX-License-Identifier: Apache-2.0 */
/* One line a result in a stable order of columns (docs/reports.md), quoted as RFC 4180 says. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "report/report.h"
#include "report/words.h"

static void print_text(FILE *out, const char *text)
{
    if (!strpbrk(text, ",\"\r\n")) {
        fputs(text, out);
        return;
    }
    fputc('"', out);
    for (; *text; text++) {
        if (*text == '"') fputc('"', out);
        fputc(*text, out);
    }
    fputc('"', out);
}

static void print_integer(FILE *out, int64_t v)
{
    if (v >= 0) fprintf(out, "%" PRId64, v);
}

static void print_number(FILE *out, double v)
{
    char text[UG_NUMBER_TEXT];
    fputs(ug_number_exact(v, text), out);
}

static void print_head(FILE *out)
{
    int m;
    fputs("kernel,variance,yardstick,suite,family,tier,dtype,rows,n,id,case,verdict,gate,"
          "bound,sound,reasons,path,threads,chain,levels",
          out);
    for (m = 0; m < UG_REC_METRICS; m++) {
        fprintf(out, ",%s", ug_rec_metric_name((ug_rec_metric)m));
    }
    fputs(",bound_abs,cond_kappa,cond_row,cond_col", out);
    for (m = 0; m < UG_REC_ROWS_COUNT; m++) {
        fprintf(out, ",rows_%s", ug_rec_rows_name((ug_rec_rows)m));
    }
    fputs(",time_us,digest,type,us,us_spread,gbps,copy_share,copy_us,copy,bytes,block,sets,repeats,"
          "judged_rows\r\n",
          out);
}

static void print_names(FILE *out, const ug_rec *rec)
{
    const char *const text[] = {rec->suite, rec->family, rec->tier, rec->dtype};
    size_t i;
    print_text(out, rec->kernel);
    fputc(',', out);
    print_text(out, rec->variance);
    fputs(rec->yardstick ? ",1" : ",0", out);
    for (i = 0; i < sizeof text / sizeof *text; i++) {
        fputc(',', out);
        print_text(out, text[i]);
    }
    fputc(',', out);
    print_integer(out, rec->rows);
    fputc(',', out);
    print_integer(out, rec->n);
    fputc(',', out);
    print_text(out, rec->id);
    fputc(',', out);
    print_text(out, rec->line);
}

/* Reasons go into one field, joined by "; ". */
static void print_reasons(FILE *out, const ug_rec *rec)
{
    int r;
    if (!rec->reasons) return;
    fputc('"', out);
    for (r = 0; r < rec->reasons; r++) {
        const char *c;
        if (r) fputs("; ", out);
        for (c = rec->reason[r]; *c; c++) {
            if (*c == '"') fputc('"', out);
            fputc(*c, out);
        }
    }
    fputc('"', out);
}

static void print_record(FILE *out, const ug_rec *rec)
{
    int m;
    print_names(out, rec);
    fprintf(out, ",%s,", ug_rec_verdict_name(rec->verdict));
    print_text(out, rec->gate);
    fputc(',', out);
    print_integer(out, rec->bound);
    fputc(',', out);
    print_integer(out, rec->sound);
    fputc(',', out);
    print_reasons(out, rec);
    fputc(',', out);
    print_text(out, rec->path);
    fputc(',', out);
    print_integer(out, rec->threads);
    fputc(',', out);
    print_integer(out, rec->chain);
    fputc(',', out);
    print_integer(out, rec->levels);
    for (m = 0; m < UG_REC_METRICS; m++) {
        fputc(',', out);
        if (rec->has & 1u << m) print_number(out, rec->metric[m]);
    }
    fputc(',', out);
    if (!isnan(rec->bound_abs)) print_number(out, rec->bound_abs);
    fputc(',', out);
    if (rec->worst[3].known) print_number(out, rec->worst[3].kappa);
    fputc(',', out);
    print_integer(out, rec->worst[3].row);
    fputc(',', out);
    print_integer(out, rec->worst[3].col);
    for (m = 0; m < UG_REC_ROWS_COUNT; m++) {
        fputc(',', out);
        print_integer(out, rec->row_count[m]);
    }
    fputc(',', out);
    if (!isnan(rec->time_us)) print_number(out, rec->time_us);
    fputc(',', out);
    print_text(out, rec->digest);
}

static void print_bench(FILE *out, const ug_rec_bench *b)
{
    const double number[] = {b->us, b->us_spread, b->gbps, b->copy_share, b->copy_us};
    const int64_t count[] = {b->block, b->sets, b->repeats, b->judged_rows};
    size_t i;
    print_record(out, &b->rec);
    fputs(",bench", out);
    for (i = 0; i < sizeof number / sizeof *number; i++) {
        fputc(',', out);
        if (!isnan(number[i])) print_number(out, number[i]);
    }
    fputc(',', out);
    print_text(out, b->copy);
    fputc(',', out);
    if (!isnan(b->bytes)) print_number(out, b->bytes);
    for (i = 0; i < sizeof count / sizeof *count; i++) {
        fputc(',', out);
        print_integer(out, count[i]);
    }
    fputs("\r\n", out);
}

static int render(const ug_results *results, const ug_report_options *options, FILE *out, char *err,
                  size_t cap)
{
    size_t i;
    (void)options, (void)err, (void)cap;
    print_head(out);
    for (i = 0; i < results->count; i++) {
        print_record(out, &results->rec[i]);
        fputs(",result,,,,,,,,,,,\r\n", out);
    }
    for (i = 0; i < results->benches; i++) print_bench(out, &results->bench[i]);
    return 0;
}

const ug_format ug_format_csv = {"csv", "one line a result, for spreadsheets and R", render};
