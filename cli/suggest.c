/* SPDX-License-Identifier: Apache-2.0 */
/* "Did you mean": the nearest candidate by edit distance. */
#include <string.h>

#include "cli/cli.h"

enum { WORD = 64 };

static size_t least(size_t a, size_t b) { return a < b ? a : b; }

/* Insertions, deletions, replacements and swaps of neighbours, each 1. */
static size_t distance(const char *a, const char *b)
{
    size_t before[WORD + 1], last[WORD + 1], now[WORD + 1];
    size_t n = strlen(a), m = strlen(b), i, j;
    if (n > WORD || m > WORD) return WORD;
    for (j = 0; j <= m; j++) last[j] = j;
    for (i = 1; i <= n; i++) {
        now[0] = i;
        for (j = 1; j <= m; j++) {
            now[j] = least(last[j - 1] + (a[i - 1] != b[j - 1]), 1 + least(last[j], now[j - 1]));
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
                now[j] = least(now[j], before[j - 2] + 1);
            }
        }
        memcpy(before, last, sizeof before);
        memcpy(last, now, sizeof last);
    }
    return last[m];
}

const char *ug_nearest(const char *word, const char *(*next)(const void *context, size_t index),
                       const void *context)
{
    const char *candidate, *nearest = NULL;
    size_t i, best = strlen(word) / 3 + 2;
    for (i = 0; (candidate = next(context, i)); i++) {
        size_t d = distance(word, candidate);
        if (d < best) {
            best = d;
            nearest = candidate;
        }
    }
    return nearest;
}
