/* SPDX-License-Identifier: Apache-2.0 */
/* Which of two results is worse. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/summary.h"

double ug_rec_chain(const ug_rec *rec)
{
    if (rec->n <= 0) return 1;
    return ceil((double)rec->n / (double)(rec->threads > 0 ? rec->threads : 32));
}

double ug_rec_sound_limit(const ug_rec *rec) { return 8 + ug_rec_chain(rec) / 4; }

/* NaN is the worst value there is. */
static double weight(double v) { return isnan(v) ? INFINITY : v; }

static double metric(const ug_rec *rec, ug_rec_metric m)
{
    return rec->has & 1u << m ? weight(rec->metric[m]) : 0;
}

/* One part of a gate's text, such as "bound" or "abs=1e-5". */
static double part_excess(const ug_rec *rec, const char *part, size_t length)
{
    static const struct {
        const char *key;
        ug_rec_metric m;
    } limits[] = {{"ulp=", UG_REC_max_ulp},
                  {"abs=", UG_REC_max_abs},
                  {"term=", UG_REC_max_term},
                  {"cond=", UG_REC_max_cond}};
    size_t i;
    if (length == 5 && !strncmp(part, "bound", 5)) return metric(rec, UG_REC_max_bound);
    if (length == 5 && !strncmp(part, "sound", 5)) {
        return metric(rec, UG_REC_max_cond) / ug_rec_sound_limit(rec);
    }
    for (i = 0; i < sizeof limits / sizeof *limits; i++) {
        size_t key = strlen(limits[i].key);
        if (length > key && !strncmp(part, limits[i].key, key)) {
            double limit = strtod(part + key, NULL), value = metric(rec, limits[i].m);
            return value == 0 ? 0 : value / limit;
        }
    }
    return 0;
}

double ug_rec_excess(const ug_rec *rec)
{
    const char *part = rec->gate;
    double worst = 0;
    while (*part) {
        size_t length = strcspn(part, ",");
        double excess = part_excess(rec, part, length);
        if (excess > worst) worst = excess;
        part += length + (part[length] == ',');
    }
    return worst;
}

int ug_rec_structural(const ug_rec *rec)
{
    static const char *const accuracy[] = {"bound", "sound",    "ulp",   "abs",   "term", "cond",
                                           "exact", "faithful", "class", "stats", "note"};
    int r;
    size_t i;
    for (r = 0; r < rec->reasons; r++) {
        size_t length = strcspn(rec->reason[r], " :=");
        for (i = 0; i < sizeof accuracy / sizeof *accuracy; i++) {
            if (strlen(accuracy[i]) == length && !strncmp(rec->reason[r], accuracy[i], length)) {
                break;
            }
        }
        if (i == sizeof accuracy / sizeof *accuracy) return 1;
    }
    return 0;
}

static int severity(const ug_rec *rec)
{
    switch (rec->verdict) {
    case UG_REC_CRASH:
        return 6;
    case UG_REC_HANG:
        return 5;
    case UG_REC_ERROR:
        return 4;
    case UG_REC_FAIL:
        return ug_rec_structural(rec) ? 3 : 2;
    case UG_REC_PASS:
        return 1;
    default:
        return 0;
    }
}

int ug_rec_compare(const ug_rec *a, const ug_rec *b)
{
    int sa = severity(a), sb = severity(b);
    double ea, eb;
    if (sa != sb) return sb - sa;
    ea = ug_rec_excess(a);
    eb = ug_rec_excess(b);
    if (ea != eb) return ea > eb ? -1 : 1;
    return 0;
}
