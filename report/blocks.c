/* SPDX-License-Identifier: Apache-2.0 */
/* Tables and sentences that both terminal and Markdown reports are made of. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "report/cells.h"
#include "report/screen.h"
#include "report/words.h"

enum { COLUMN_VERDICTS = 2 };

static void kernel_columns(ug_table *t)
{
    int v;
    ug_table_column(t, "kernel", 1, 0);
    ug_table_column(t, "cases", 0, 0);
    for (v = 0; v < UG_REC_VERDICTS; v++) {
        ug_table_column(t, ug_rec_verdict_name((ug_rec_verdict)v), 0, v == UG_REC_PASS ? 3 : 0);
    }
    ug_table_column(t, "bound", 0, 0);
    ug_table_column(t, "sound", 0, 0);
    ug_table_column(t, "cond", 0, 0);
    ug_table_column(t, "abs", 0, 1);
    ug_table_column(t, "ulp", 0, 2);
    ug_table_column(t, "vs blas abs", 0, 4);
    ug_table_column(t, "vs blas ulp", 0, 5);
}

static void kernel_row(const ug_kernel_sum *k, ug_cell *cell)
{
    int v, c = 0;
    ug_cell_kernel(&cell[c++], k->kernel, k->yardstick);
    ug_cell_put(&cell[c++], UG_PLAIN, "%" PRId64, k->cases);
    for (v = 0; v < UG_REC_VERDICTS; v++) {
        ug_tint tint = v == UG_REC_PASS ? UG_GOOD : v == UG_REC_DECLINED ? UG_PLAIN : UG_BAD;
        ug_cell_put(&cell[c++], k->verdict[v] ? tint : UG_DIM, "%" PRId64, k->verdict[v]);
    }
    ug_cell_share(&cell[c++], k->bound_pass, k->bound_judged);
    ug_cell_share(&cell[c++], k->sound_pass, k->sound_judged);
    for (v = 0; v < UG_SUM_WORST; v++) ug_cell_number(&cell[c++], k->worst[v] != -1, k->worst[v]);
}

int ug_kernel_table(const ug_kernel_sum *const *kernels, size_t count, ug_table *t)
{
    size_t i;
    int v;
    kernel_columns(t);
    for (v = UG_REC_CRASH; v <= UG_REC_ERROR; v++) {
        for (i = 0; i < count && !kernels[i]->verdict[v]; i++) {}
        t->column[COLUMN_VERDICTS + v].hidden = i == count;
    }
    for (i = 0; i < count; i++) {
        ug_cell *cell = ug_table_row(t);
        if (!cell) return -1;
        kernel_row(kernels[i], cell);
    }
    return 0;
}

int ug_variance_table(const ug_variances *variances, ug_table *t)
{
    static const char *const heads[UG_DECADES] = {"kappa<10", "<100", "<1e3", "<1e4",
                                                  "<1e5",     "<1e6", "more"};
    size_t i;
    int d, c;
    ug_table_column(t, "variance", 1, 0);
    ug_table_column(t, "sound", 0, 0);
    ug_table_column(t, "to kappa", 0, 0);
    ug_table_column(t, "breaks at", 0, 0);
    for (d = 0; d < UG_DECADES; d++) ug_table_column(t, heads[d], 0, UG_DECADES - d);
    for (i = 0; i < variances->count; i++) {
        const ug_variance_sum *s = &variances->item[i];
        ug_cell *cell = ug_table_row(t);
        if (!cell) return -1;
        c = 0;
        ug_cell_put(&cell[c++], UG_BOLD, "%.90s", s->variance);
        ug_cell_share(&cell[c++], s->sound, s->judged);
        ug_cell_number(&cell[c++], s->sound_to > 0, s->sound_to);
        ug_cell_number(&cell[c++], s->breaking != NULL, s->breaks_at);
        for (d = 0; d < UG_DECADES; d++) ug_cell_number(&cell[c++], s->cond[d] != -1, s->cond[d]);
    }
    return 0;
}

void ug_count_text(const int64_t verdict[UG_REC_VERDICTS], char *text, size_t cap)
{
    size_t used = 0;
    int v;
    text[0] = 0;
    for (v = 0; v < UG_REC_VERDICTS; v++) {
        if (!verdict[v] || used >= cap) continue;
        used += (size_t)snprintf(text + used, cap - used, "%s%" PRId64 " %s", used ? ", " : "",
                                 verdict[v], ug_rec_verdict_name((ug_rec_verdict)v));
    }
    if (!used) snprintf(text, cap, "no counted result");
}

int ug_summary_note(const ug_summary *s, size_t index, char *text, size_t cap)
{
    int64_t range = 0, wrong = 0, blind = 0;
    size_t k, kernels = 0;
    for (k = 0; k < s->kernels; k++) {
        range += s->kernel[k].range;
        wrong += s->kernel[k].range_wrong;
        blind += s->kernel[k].blind;
        kernels += s->kernel[k].range_wrong > 0;
    }
    if (wrong && !index--) {
        snprintf(text, cap,
                 "%" PRId64 " of %" PRId64 " rows whose float sums leave the range came out wrong, "
                 "in %zu of %zu kernels (shown, not judged by bound and sound)",
                 wrong, range, kernels, s->kernels);
        return 1;
    }
    if (blind && !index--) {
        snprintf(text, cap,
                 "%" PRId64 " rows are blind (y = beta throughout would pass as well): no evidence "
                 "of soundness",
                 blind);
        return 1;
    }
    if (s->shown && !index--) {
        snprintf(text, cap,
                 "* yardstick: %" PRId64 " results shown, not counted (%" PRId64 " failed)",
                 s->shown, s->shown_bad);
        return 1;
    }
    return 0;
}

void ug_reason_text(const ug_rec *rec, char *text, size_t cap)
{
    size_t used = 0;
    int r;
    text[0] = 0;
    for (r = 0; r < rec->reasons && r < 2 && used < cap; r++) {
        used += (size_t)snprintf(text + used, cap - used, "%s%s", r ? "; " : "", rec->reason[r]);
    }
    if (rec->reasons > 2 && used < cap) {
        snprintf(text + used, cap - used, "; and %d more", rec->reasons - 2);
    }
}
