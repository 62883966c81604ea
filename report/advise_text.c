/* SPDX-License-Identifier: Apache-2.0 */
/* Advice in sentences: what is recommended and why, and what the results do not say. */
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "report/advise.h"
#include "report/words.h"

static void add(char *text, size_t cap, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static void add(char *text, size_t cap, const char *format, ...)
{
    size_t used = strlen(text);
    va_list ap;
    if (used + 1 >= cap) return;
    va_start(ap, format);
    vsnprintf(text + used, cap - used, format, ap);
    va_end(ap);
}

static void add_limit(char *text, size_t cap, const char *name, double limit)
{
    char number[UG_NUMBER_TEXT];
    if (isnan(limit)) return;
    add(text, cap, "%s%s up to %s", *text ? ", " : "", name, ug_number_short(limit, number));
}

static void limits_text(const ug_needs *needs, char *text, size_t cap)
{
    text[0] = 0;
    add_limit(text, cap, "abs", needs->abs);
    add_limit(text, cap, "ulp", needs->ulp);
    add_limit(text, cap, "cond", needs->cond);
    if (!*text) add(text, cap, "the gate sound");
}

void ug_advice_needs(const ug_needs *needs, char *text, size_t cap)
{
    char a[UG_NUMBER_TEXT], b[UG_NUMBER_TEXT];
    limits_text(needs, text, cap);
    add(text, cap, "; %s", needs->dtype);
    if (needs->n_most >= 0) {
        add(text, cap, "; n %" PRId64 " to %" PRId64, needs->n_least, needs->n_most);
    }
    if (isfinite(needs->kappa_most)) {
        add(text, cap, "; kappa %s to %s", ug_number_short(needs->kappa_least, a),
            ug_number_short(needs->kappa_most, b));
    }
}

/* The largest error of the kind that was asked for. */
static void add_worst(char *text, size_t cap, const ug_needs *needs, const ug_choice *c)
{
    char number[UG_NUMBER_TEXT];
    if (!isnan(needs->abs)) add(text, cap, ", largest abs %s", ug_number_short(c->abs, number));
    if (!isnan(needs->ulp)) add(text, cap, ", largest ulp %s", ug_number_short(c->ulp, number));
    if (!isnan(needs->cond) || (isnan(needs->abs) && isnan(needs->ulp))) {
        add(text, cap, ", largest cond %s", ug_number_short(c->cond, number));
    }
}

static void add_speed(char *text, size_t cap, const ug_advice *a)
{
    const ug_choice *c = a->best, *fastest = &a->choice[0];
    if (isnan(c->behind)) {
        add(text, cap, "; no kernel that passes was timed, so that the smallest error decides");
        return;
    }
    if (!isnan(c->share)) add(text, cap, "; it reaches %.3f of a copy's speed", c->share);
    if (c == fastest) {
        add(text, cap, "%s the fastest that passes", isnan(c->share) ? "; it is" : " and is");
    } else {
        add(text, cap, "%s within 2%% of the fastest that passes, %s, which has the larger error",
            isnan(c->share) ? "; it is" : " and is", fastest->kernel);
    }
}

/* Of those that fail the one that passes most. */
static const ug_choice *closest(const ug_advice *a)
{
    const ug_choice *best = NULL;
    size_t i;
    for (i = 0; i < a->count; i++) {
        const ug_choice *c = &a->choice[i];
        if (c->fit != UG_FIT_FAILS) continue;
        if (!best || c->passed * best->judged > best->passed * c->judged) best = c;
    }
    return best;
}

void ug_advice_reason(const ug_needs *needs, const ug_advice *a, char *text, size_t cap)
{
    char limits[160];
    const ug_choice *c = a->best;
    limits_text(needs, limits, sizeof limits);
    text[0] = 0;
    if (c) {
        add(text, cap, "%s passes %s in all %" PRId64 " judged cases", c->kernel, limits,
            c->judged);
        add_worst(text, cap, needs, c);
        add_speed(text, cap, a);
        add(text, cap, ".");
        return;
    }
    c = closest(a);
    if (!c) {
        add(text, cap, "No kernel has enough judged cases of this kind: nothing is recommended.");
        return;
    }
    add(text, cap,
        "No kernel passes %s: nothing is recommended. The nearest is %s, which passes %" PRId64
        " of %" PRId64 " judged cases",
        limits, c->kernel, c->passed, c->judged);
    add_worst(text, cap, needs, c);
    add(text, cap, ".");
}

static int tensor_unknown(const ug_tensor_rec *t, size_t *index, char *text, size_t cap)
{
    char number[UG_NUMBER_TEXT];
    if (t->nonfinite && !(*index)--) {
        snprintf(text, cap, "%" PRId64 " rows hold NaN or infinity: no kernel's answer is judged.",
                 t->nonfinite);
        return 1;
    }
    if (t->out_of_range && !(*index)--) {
        snprintf(text, cap,
                 "%" PRId64 " rows may leave the range of float sums: what a kernel does there is "
                 "not part of this advice.",
                 t->out_of_range);
        return 1;
    }
    if (t->near_constant && !(*index)--) {
        snprintf(text, cap,
                 "%" PRId64 " rows have a variance of at most eps = %s: eps decides their output, "
                 "and their kappa was left out.",
                 t->near_constant, ug_number_short(t->eps, number));
        return 1;
    }
    if (!(*index)--) {
        snprintf(text, cap,
                 "The shape of the data within a row: cases of the same kappa and length stand for "
                 "it. `ulpgate run --case 'layernorm data=file(...)'` judges it itself.");
        return 1;
    }
    return 0;
}

int ug_advice_unknown(const ug_needs *needs, const ug_advice *a, const ug_tensor_rec *t,
                      size_t index, char *text, size_t cap)
{
    size_t i, untimed = 0, thin = 0;
    if (t && tensor_unknown(t, &index, text, cap)) return 1;
    for (i = 0; i < a->count; i++) {
        untimed += a->choice[i].fit == UG_FIT_PASSES && isnan(a->choice[i].behind);
        thin += a->choice[i].fit == UG_FIT_UNKNOWN;
    }
    if (thin && !index--) {
        snprintf(text, cap,
                 "Kernels with too few cases here, or none near enough to the largest kappa or "
                 "length that was asked for, neither recommended nor ruled out: %zu.",
                 thin);
        return 1;
    }
    if (untimed && !index--) {
        snprintf(text, cap, "The speed of kernels that pass and have no times in these files: %zu.",
                 untimed);
        return 1;
    }
    if (*a->device && !index--) {
        snprintf(text, cap, "Speed on anything but %s.", a->device);
        return 1;
    }
    if (!index--) {
        snprintf(text, cap,
                 "Other operands: judged were cases with eps 1e-5 and gamma and beta absent or of "
                 "ordinary size (below 1.5), without NaN or infinity.");
        return 1;
    }
    if (!isfinite(needs->kappa_most) && !index--) {
        snprintf(text, cap,
                 "Your kappa (about |mean| / std): all were taken; --kappa or --input "
                 "narrows it.");
        return 1;
    }
    return 0;
}
