/* SPDX-License-Identifier: Apache-2.0 */
/* Places of rows: permutations within classes of equal alignment. */
#include "audit/arrange.h"

#include <stdlib.h>
#include <string.h>

enum { CLASSES = 256 };

/* Remainders modulo 16 of a place's addresses in x and y, as one number. */
static int class_of(ug_depends depends, const ug_shape *x, const ug_shape *y, int64_t place)
{
    if (depends == UG_DEPENDS_ROW) return 0;
    int64_t a = (x->offset + place * x->stride) * (int64_t)x->size % 16;
    int64_t b = (y->offset + place * y->stride) * (int64_t)y->size % 16;
    return (int)(a * 16 + b);
}

/* Index in a class of m rows for the k-th place of that class. */
static int64_t pick(int launch, int64_t k, int64_t m)
{
    if (launch == 0) return k % m;
    if (launch == 1) return (k + (m + 1) / 2) % m;
    return m - 1 - k % m;
}

int ug_arrange(int launch, ug_depends depends, const ug_shape *x, const ug_shape *y, int64_t rows,
               int64_t places, int64_t *row, unsigned char *compared)
{
    int64_t first[CLASSES + 1] = {0}, used[CLASSES] = {0};
    int64_t *member;
    memset(compared, 1, (size_t)places);
    if (depends == UG_DEPENDS_ANY || rows == 0) {
        for (int64_t p = 0; p < places; p++) row[p] = rows ? p % rows : 0;
        if (places != rows) memset(compared, 0, (size_t)places);
        return 0;
    }
    member = malloc((size_t)rows * sizeof *member);
    if (!member) return -1;
    for (int64_t r = 0; r < rows; r++) first[class_of(depends, x, y, r) + 1]++;
    for (int c = 0; c < CLASSES; c++) first[c + 1] += first[c];
    for (int64_t r = 0; r < rows; r++) {
        int c = class_of(depends, x, y, r);
        member[first[c] + used[c]++] = r;
    }
    memset(used, 0, sizeof used);
    for (int64_t p = 0; p < places; p++) {
        int c = class_of(depends, x, y, p);
        int64_t m = first[c + 1] - first[c];
        row[p] = m ? member[first[c] + pick(launch, used[c]++, m)] : p % rows;
        compared[p] = m > 0;
    }
    free(member);
    return 0;
}
