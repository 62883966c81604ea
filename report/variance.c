/* SPDX-License-Identifier: Apache-2.0 */
/* Which variance: how far each algorithm stayed sound as rows lose their spread. */
#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "report/summary.h"
#include "report/words.h"

static ug_variance_sum *variance_of(ug_variances *v, const char *name)
{
    ug_variance_sum *item;
    size_t i;
    int d;
    for (i = 0; i < v->count; i++) {
        if (!strcmp(v->item[i].variance, name)) return &v->item[i];
    }
    if (v->count == sizeof v->item / sizeof *v->item) return NULL;
    item = &v->item[v->count++];
    memset(item, 0, sizeof *item);
    item->variance = name;
    item->breaks_at = INFINITY;
    for (d = 0; d < UG_DECADES; d++) item->cond[d] = -1;
    return item;
}

/* kappa of the row that shows the largest cond; the case's largest where the file does not say. */
static double kappa_at_worst(const ug_rec *rec)
{
    const ug_rec_place *place = &rec->worst[3];
    if (place->known && !isnan(place->kappa)) return place->kappa;
    return rec->has & 1u << UG_REC_kappa_max ? rec->metric[UG_REC_kappa_max] : NAN;
}

static int decade(double kappa)
{
    double limit = 10;
    int d;
    for (d = 0; d < UG_DECADES - 1 && !(kappa < limit); d++) limit *= 10;
    return d;
}

/* A fault that is no inaccuracy (a guard band, say) tells nothing about the variance. */
static int is_evidence(const ug_rec *rec) { return rec->sound >= 0 && !ug_rec_structural(rec); }

static void add(ug_variance_sum *v, const ug_rec *rec)
{
    double kappa = kappa_at_worst(rec), cond = rec->metric[UG_REC_max_cond];
    double *worst;
    if (!is_evidence(rec)) return;
    v->judged++;
    v->sound += rec->sound;
    if (!rec->sound && (kappa < v->breaks_at || !v->breaking)) {
        v->breaks_at = isnan(kappa) ? 1 : kappa;
        v->breaking = rec;
    }
    /* Rows beyond c kappa = 2^26 are shown by the judge and not judged: no evidence either way. */
    if (!(rec->has & 1u << UG_REC_max_cond) || !(ug_rec_chain(rec) * kappa <= 0x1p26)) return;
    worst = &v->cond[decade(kappa)];
    if (!isnan(*worst) && !(cond <= *worst)) *worst = cond;
}

static void add_sound_to(ug_variance_sum *v, const ug_rec *rec)
{
    double kappa = rec->metric[UG_REC_kappa_max];
    if (!is_evidence(rec) || !rec->sound || !(rec->has & 1u << UG_REC_kappa_max)) return;
    if (!(ug_rec_chain(rec) * kappa <= 0x1p26)) return;
    if (kappa < v->breaks_at && kappa > v->sound_to) v->sound_to = kappa;
}

void ug_sum_variances(const ug_results *results, ug_variances *variances)
{
    int pass, yardsticks;
    size_t i;
    memset(variances, 0, sizeof *variances);
    for (i = 0; i < results->count && results->rec[i].yardstick; i++) {}
    yardsticks = i == results->count;
    for (pass = 0; pass < 2; pass++) {
        for (i = 0; i < results->count; i++) {
            const ug_rec *rec = &results->rec[i];
            ug_variance_sum *v;
            if (rec->yardstick && !yardsticks) continue;
            v = variance_of(variances, *rec->variance ? rec->variance : "unknown");
            if (!v) continue;
            if (pass == 0) add(v, rec);
            if (pass == 1) add_sound_to(v, rec);
        }
    }
}

static void append(char *text, size_t cap, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static void append(char *text, size_t cap, const char *format, ...)
{
    size_t used = strlen(text);
    va_list ap;
    va_start(ap, format);
    vsnprintf(text + used, cap - used, format, ap);
    va_end(ap);
}

/* Names of the variances that stayed sound in every judged case, and the kappa all of them saw. */
static size_t list_sound(const ug_variances *v, char *names, size_t cap, double *kappa)
{
    size_t i, count = 0;
    *kappa = INFINITY;
    names[0] = 0;
    for (i = 0; i < v->count; i++) {
        const ug_variance_sum *s = &v->item[i];
        if (!s->judged || s->sound != s->judged) continue;
        append(names, cap, "%s%s", count ? ", " : "", s->variance);
        if (s->sound_to < *kappa) *kappa = s->sound_to;
        count++;
    }
    return count;
}

/* Where a variance stops being sound. Both limits may read the same; no kappa is below 1. */
static void append_limit(const ug_variance_sum *s, char *text, size_t cap)
{
    static const char kappa[] = "kappa (about |mean| / std)";
    char a[UG_NUMBER_TEXT], b[UG_NUMBER_TEXT];
    const char *to = ug_number_short(s->sound_to, a), *at = ug_number_short(s->breaks_at, b);
    int same = !strcmp(to, at);
    if (!(s->sound_to > 0) || (same && !(s->breaks_at > 1.005))) {
        append(text, cap, "not sound at %s %s already.", kappa, at);
        return;
    }
    append(text, cap, "only for rows with %s %s %s, not sound at %s.", kappa,
           same ? "below" : "up to", to, at);
}

void ug_variance_advice(const ug_variances *v, char *text, size_t cap)
{
    char names[256], number[UG_NUMBER_TEXT];
    double kappa;
    size_t i;
    text[0] = 0;
    if (list_sound(v, names, sizeof names, &kappa)) {
        append(text, cap, "%s: sound in every judged case, up to kappa %s.", names,
               ug_number_short(kappa, number));
    }
    for (i = 0; i < v->count; i++) {
        const ug_variance_sum *s = &v->item[i];
        if (s->sound == s->judged) continue;
        append(text, cap, "%s%s: ", *text ? " " : "", s->variance);
        append_limit(s, text, cap);
    }
    if (!*text) append(text, cap, "No case was judged by the gate sound.");
}
