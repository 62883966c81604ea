/* SPDX-License-Identifier: Apache-2.0 */
/* What a difference says, in words. */
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "report/diff.h"
#include "report/screen.h"
#include "report/words.h"

typedef struct line {
    char *text;
    size_t used, cap;
} line;

static void add(line *l, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void add(line *l, const char *format, ...)
{
    va_list ap;
    int length;
    if (l->used + 1 >= l->cap) return;
    va_start(ap, format);
    length = vsnprintf(l->text + l->used, l->cap - l->used, format, ap);
    va_end(ap);
    if (length > 0) l->used += (size_t)length;
    if (l->used >= l->cap) l->used = l->cap - 1;
}

static void add_change(line *l, const char *name, const ug_rec *was, const ug_rec *is,
                       ug_rec_metric m)
{
    char a[UG_NUMBER_TEXT], b[UG_NUMBER_TEXT];
    double before = was->metric[m], after = is->metric[m];
    if (!(was->has & is->has & 1u << m)) return;
    if (fabs(after - before) <= 1e-3 * fabs(before)) return;
    add(l, "%s%s %s -> %s", l->used ? ", " : "", name, ug_number_short(before, a),
        ug_number_short(after, b));
}

static void add_verdict(line *l, const ug_rec *was, const ug_rec *is)
{
    char reason[200];
    add(l, "%s -> %s", ug_rec_verdict_name(was->verdict), ug_rec_verdict_name(is->verdict));
    ug_reason_text(is, reason, sizeof reason);
    if (*reason) add(l, " (%s)", reason);
}

static void add_gate(line *l, const char *gate, int was, int is)
{
    static const char *const state[] = {"not judged", "fails", "passes"};
    if (was != is)
        add(l, "%s%s %s -> %s", l->used ? ", " : "", gate, state[was + 1], state[is + 1]);
}

static void add_bits(line *l, const ug_diff_item *i)
{
    char a[UG_NUMBER_TEXT], b[UG_NUMBER_TEXT];
    add(l, "%sbits differ", l->used ? ", " : "");
    if (i->row >= 0) add(l, " first in row %" PRId64, i->row);
    if (i->col < 0) return;
    add(l, ", element %" PRId64 ": %s -> %s", i->col, ug_number_exact(i->old_value, a),
        ug_number_exact(i->new_value, b));
}

void ug_diff_text(const ug_diff_item *i, char *text, size_t cap)
{
    line l = {text, 0, cap};
    text[0] = 0;
    if (!i->was) add(&l, "only in the new file: %s", ug_rec_verdict_name(i->is->verdict));
    if (!i->is) add(&l, "only in the old file: %s", ug_rec_verdict_name(i->was->verdict));
    if (!i->was || !i->is) return;
    if (i->was->verdict != i->is->verdict) add_verdict(&l, i->was, i->is);
    if (i->what & (UG_DIFF_JUDGED | UG_DIFF_BETTER)) {
        add_gate(&l, "bound", i->was->bound, i->is->bound);
        add_gate(&l, "sound", i->was->sound, i->is->sound);
    }
    if (i->what & UG_DIFF_INPUTS) add(&l, "%sinputs differ", l.used ? ", " : "");
    if (i->what & (UG_DIFF_BITS | UG_DIFF_FREE)) add_bits(&l, i);
    if (i->what & (UG_DIFF_GREW | UG_DIFF_MORE | UG_DIFF_LESS)) {
        add_change(&l, "cond", i->was, i->is, UG_REC_max_cond);
        add_change(&l, "share of bound", i->was, i->is, UG_REC_max_bound);
        add_change(&l, "abs", i->was, i->is, UG_REC_max_abs);
        add_change(&l, "ulp", i->was, i->is, UG_REC_max_ulp);
    }
    if (i->what & (UG_DIFF_TIGHTER | UG_DIFF_LOOSER)) {
        char a[UG_NUMBER_TEXT], b[UG_NUMBER_TEXT];
        add(&l, "%sbound %s -> %s", l.used ? ", " : "", ug_number_short(i->was->bound_abs, a),
            ug_number_short(i->is->bound_abs, b));
    }
}
