/* SPDX-License-Identifier: Apache-2.0 */
/* The steps in order: rows, length, layout, data, operands, type, everything else. */
#include <stdlib.h>
#include <string.h>

#include "cli/shrink.h"

void ug_try(ug_tries *tries, const ug_case *from)
{
    char line[UG_CASE_TEXT];
    ug_case_error error;
    ug_case c;
    if (ug_case_format(from, line, sizeof line) < 0 || ug_case_parse(line, &c, &error)) return;
    if (tries->count == tries->room) {
        size_t room = tries->room ? 2 * tries->room : 64;
        ug_case *item = realloc(tries->item, room * sizeof *item);
        if (!item) {
            tries->failed = 1;
            return;
        }
        tries->item = item;
        tries->room = room;
    }
    tries->item[tries->count++] = c;
}

/* What a layout without any property is: member and plain value; the strides follow. */
static const struct {
    size_t at;
    int64_t plain;
} members[] = {{offsetof(ug_case, xoffset), 0},    {offsetof(ug_case, yoffset), 0},
               {offsetof(ug_case, goffset), 0},    {offsetof(ug_case, boffset), 0},
               {offsetof(ug_case, batch), 0},      {offsetof(ug_case, row_period), 0},
               {offsetof(ug_case, col_period), 0}, {offsetof(ug_case, xcol), 1},
               {offsetof(ug_case, ycol), 1}};
enum { MEMBERS = sizeof members / sizeof *members };

static int64_t *member(ug_case *c, int i) { return (int64_t *)((char *)c + members[i].at); }

static void plain_strides(ug_case *c, int x, int y)
{
    if (x) c->xstride = c->n * c->xcol;
    if (y) c->ystride = c->n * c->ycol;
}

/* A stride between the plain one and what it is: the smallest first. */
static void try_strides(const ug_case *from, int x, int y, ug_tries *tries)
{
    int64_t stride = x ? from->xstride : from->ystride;
    int64_t least = x ? from->n * from->xcol : from->n * from->ycol;
    if (stride <= least || (x && y && from->xstride != from->ystride)) return;
    for (int power = 0; power < 45 && least + ((int64_t)1 << power) < stride; power++) {
        for (int k = 0; k < 2; k++) {
            ug_case c = *from;
            int64_t to = ((int64_t)1 << power) + (k ? 0 : least);
            if (to < least || to >= stride) continue;
            if (x) c.xstride = to;
            if (y) c.ystride = to;
            ug_try(tries, &c);
        }
    }
    for (int halvings = 1; halvings < 45; halvings++) {
        ug_case c = *from;
        int64_t to = stride - (stride >> halvings ? stride >> halvings : 1);
        if (to < least) continue;
        if (x) c.xstride = to;
        if (y) c.ystride = to;
        ug_try(tries, &c);
    }
}

static void try_layout(const ug_case *from, ug_tries *tries)
{
    ug_case c = *from;
    for (int i = 0; i < MEMBERS; i++) *member(&c, i) = members[i].plain;
    plain_strides(&c, 1, 1);
    c.alias = UG_ALIAS_NONE;
    ug_try(tries, &c);
    for (int which = 3; which > 0; which--) {
        c = *from;
        plain_strides(&c, which & 1, which & 2);
        ug_try(tries, &c);
    }
    for (int i = 0; i < MEMBERS; i++) {
        c = *from;
        for (int64_t v = members[i].plain; v < *member((ug_case *)from, i) && v < 8; v++) {
            *member(&c, i) = v;
            c.xstride = from->xstride == from->n * from->xcol ? c.n * c.xcol : from->xstride;
            c.ystride = from->ystride == from->n * from->ycol ? c.n * c.ycol : from->ystride;
            ug_try(tries, &c);
        }
    }
    c = *from;
    c.alias = UG_ALIAS_NONE;
    ug_try(tries, &c);
    try_strides(from, 1, 1, tries);
    try_strides(from, 1, 0, tries);
    try_strides(from, 0, 1, tries);
}

/* A third launch of few rows more than the case has. */
static void try_batch(const ug_case *from, ug_tries *tries)
{
    for (int64_t batch = 1; batch < from->batch && batch <= from->rows + 8; batch++) {
        ug_case c = *from;
        c.batch = batch;
        ug_try(tries, &c);
    }
}

static void try_specials(const ug_case *from, ug_tries *tries)
{
    ug_case c = *from;
    c.specials = 0;
    c.special_row = 0;
    if (from->specials) ug_try(tries, &c);
    for (int i = 0; i < from->specials && from->specials > 1; i++) {
        c = *from;
        c.special[i] = c.special[--c.specials];
        ug_try(tries, &c);
    }
    for (int i = 0; i < from->specials; i++) {
        c = *from;
        if (c.special[i].column == UG_AT_FIRST) continue;
        c.special[i].column = UG_AT_FIRST;
        ug_try(tries, &c);
    }
    c = *from;
    c.special_row = 0;
    ug_try(tries, &c);
}

static void set_param(ug_gen *gen, const char *text)
{
    char line[64];
    ug_case_error error;
    ug_case c;
    snprintf(line, sizeof line, "layernorm gamma=%s", text);
    if (!ug_case_parse(line, &c, &error)) *gen = c.gamma;
}

static void try_operands(const ug_case *from, ug_tries *tries)
{
    static const char *const plain[] = {"none", "ones", "zeros", "random"};
    ug_case c = *from;
    int i, k;
    set_param(&c.gamma, "none");
    set_param(&c.beta, "none");
    c.wdtype = UG_F32;
    ug_try(tries, &c);
    for (i = 0; i < 2; i++) {
        for (k = 0; k < 4; k++) {
            ug_gen *gen = i ? &c.gamma : &c.beta;
            const ug_gen *now = i ? &from->gamma : &from->beta;
            c = *from;
            set_param(gen, plain[k]);
            if (gen->kind == now->kind && !memcmp(gen->arg, now->arg, sizeof gen->arg)) break;
            ug_try(tries, &c);
        }
    }
    c = *from;
    c.wdtype = UG_F32;
    ug_try(tries, &c);
    c = *from;
    c.stats = 0;
    ug_try(tries, &c);
}

/* Many faults show in one row of one or two elements: a look at those first saves most of the way.
 * Each length in the plain layout and in the case's own, so that no length is passed over. */
static void try_plainest(const ug_case *from, ug_tries *tries)
{
    for (int64_t n = 1; n <= 2 && n < from->n; n++) {
        for (int plain = 1; plain >= 0; plain--) {
            ug_case c = *from;
            c.rows = 1;
            c.n = n;
            c.special_row = c.row_period = c.col_period = 0;
            set_param(&c.gamma, "none");
            set_param(&c.beta, "none");
            for (int i = 0; i < c.specials; i++)
                if (c.special[i].column >= n) c.special[i].column = UG_AT_FIRST;
            for (int i = 0; i < MEMBERS && plain; i++) *member(&c, i) = members[i].plain;
            if (plain) c.alias = UG_ALIAS_NONE;
            plain_strides(&c, plain, plain);
            ug_try_each_data(&c, tries);
        }
    }
}

static void try_type(const ug_case *from, ug_tries *tries)
{
    ug_case c = *from;
    c.dtype = c.wdtype = UG_F32;
    ug_try(tries, &c);
}

static void try_rest(const ug_case *from, ug_tries *tries)
{
    ug_case c = *from;
    c.profile[0] = 0;
    ug_try(tries, &c);
    c = *from;
    c.eps = 1e-5f;
    ug_try(tries, &c);
}

int ug_shrink_step(int index, const ug_case *from, ug_tries *tries)
{
    static void (*const steps[])(const ug_case *, ug_tries *) = {
        try_plainest, ug_try_rows, ug_try_n,     try_layout, try_batch,
        try_specials, ug_try_data, try_operands, try_type,   try_rest};
    if (index < 0 || index >= (int)(sizeof steps / sizeof *steps)) return 0;
    steps[index](from, tries);
    return 1;
}
