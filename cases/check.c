/* SPDX-License-Identifier: Apache-2.0 */
/* What the keys of a case say together: sizes that overflow, contradictions. */
#include "cases/generate.h"
#include "cases/nist.h"
#include "cases/syntax.h"
#include "ulpgate/dtype.h"

typedef struct checker {
    ug_case *c;
    const int *column;
    ug_case_error *error;
} checker;

/* Column of the first of the keys that stands in the line, 0 when none does. */
static int where(const checker *k, ug_key a, ug_key b, ug_key d)
{
    return k->column[a] ? k->column[a] : k->column[b] ? k->column[b] : k->column[d];
}

/* All rows lie between one column and the next, as in a transposed matrix. */
static int interleaved(int64_t rows, int64_t stride, int64_t col)
{
    return stride > 0 && stride <= col / rows;
}

/* Resolves a row stride and holds it and the operand's extent against the limits. */
static int check_view(checker *k, char name, ug_key stride_key, ug_key col_key, int64_t *stride,
                      int64_t col, int64_t offset)
{
    const ug_case *c = k->c;
    int64_t rows = c->rows > c->batch ? c->rows : c->batch, span, extent = 0, last;
    if (__builtin_mul_overflow(c->n, col, &span) || span > UG_EXTENT_MAX)
        return ug_case_fail(k->error, where(k, col_key, UG_KEY_N, UG_KEY_N),
                            "n * %ccol is %lld * %lld, expected at most 2^46", name,
                            (long long)c->n, (long long)col);
    if (*stride < 0) *stride = span;
    if (rows > 1 && *stride < span && !(name == 'x' && *stride == 0) &&
        !interleaved(rows, *stride, col))
        return ug_case_fail(k->error, k->column[stride_key],
                            "%cstride is %lld, expected n * %ccol = %lld or more%s, or rows that "
                            "fit between the columns (rows * %cstride at most %ccol)",
                            name, (long long)*stride, name, (long long)span,
                            name == 'x' ? ", or 0 to repeat one row" : "", name, name);
    if (rows > 0 && c->n > 0 &&
        (__builtin_mul_overflow(rows - 1, *stride, &extent) ||
         __builtin_mul_overflow(c->n - 1, col, &last) ||
         __builtin_add_overflow(extent, last + 1 + offset, &extent) ||
         extent > UG_EXTENT_MAX / (int64_t)ug_dtype_size(c->dtype)))
        return ug_case_fail(k->error, where(k, stride_key, UG_KEY_ROWS, UG_KEY_BATCH),
                            "%c reaches over more than 2^46 bytes: %lld rows at a stride of %lld",
                            name, (long long)rows, (long long)*stride);
    return 0;
}

static int check_alias(checker *k)
{
    const ug_case *c = k->c;
    const struct {
        const char *name;
        int64_t x, y;
        ug_key xkey, ykey;
    } pair[] = {{"stride", c->xstride, c->ystride, UG_KEY_YSTRIDE, UG_KEY_XSTRIDE},
                {"col", c->xcol, c->ycol, UG_KEY_YCOL, UG_KEY_XCOL},
                {"offset", c->xoffset, c->yoffset, UG_KEY_YOFFSET, UG_KEY_XOFFSET}};
    if (c->alias != UG_ALIAS_INPLACE) return 0;
    for (int i = 0; i < 3; i++)
        if (pair[i].x != pair[i].y)
            return ug_case_fail(k->error, where(k, pair[i].xkey, pair[i].ykey, UG_KEY_ALIAS),
                                "alias=inplace with x%s %lld and y%s %lld, expected the same",
                                pair[i].name, (long long)pair[i].x, pair[i].name,
                                (long long)pair[i].y);
    if (c->xstride == 0 && c->rows > 1)
        return ug_case_fail(k->error, k->column[UG_KEY_XSTRIDE],
                            "alias=inplace with a row stride of 0: rows would lie on each other");
    return 0;
}

static int check_special(checker *k)
{
    const ug_case *c = k->c;
    if (k->column[UG_KEY_SPECIALROW]) {
        if (!c->specials)
            return ug_case_fail(k->error, k->column[UG_KEY_SPECIALROW],
                                "specialrow stands here without special");
        if (c->special_row >= c->rows)
            return ug_case_fail(k->error, k->column[UG_KEY_SPECIALROW],
                                "specialrow is %lld, expected less than rows = %lld",
                                (long long)c->special_row, (long long)c->rows);
        if (c->special_row > 0 && c->xstride == 0 && c->rows > 1)
            return ug_case_fail(k->error, k->column[UG_KEY_SPECIALROW],
                                "specialrow is %lld, expected 0 or all: xstride=0 repeats one row",
                                (long long)c->special_row);
    }
    for (int i = 0; i < c->specials; i++)
        if (c->special[i].column >= c->n)
            return ug_case_fail(k->error, k->column[UG_KEY_SPECIAL],
                                "special value at column %lld, expected less than n = %lld",
                                (long long)c->special[i].column, (long long)c->n);
    return 0;
}

static int check_period(checker *k)
{
    const ug_case *c = k->c;
    if (c->row_period > c->rows)
        return ug_case_fail(k->error, k->column[UG_KEY_ROWPERIOD],
                            "rowperiod is %lld, expected at most rows = %lld",
                            (long long)c->row_period, (long long)c->rows);
    if (c->row_period && c->special_row >= c->row_period)
        return ug_case_fail(k->error, k->column[UG_KEY_ROWPERIOD],
                            "rowperiod is %lld, expected more than specialrow = %lld",
                            (long long)c->row_period, (long long)c->special_row);
    if (c->col_period && (c->n == 0 || c->n % c->col_period))
        return ug_case_fail(k->error, k->column[UG_KEY_COLPERIOD],
                            "colperiod is %lld, expected a divisor of n = %lld",
                            (long long)c->col_period, (long long)c->n);
    if (c->col_period && c->specials)
        return ug_case_fail(k->error, k->column[UG_KEY_COLPERIOD],
                            "colperiod stands here with special values, which it would repeat");
    return 0;
}

static int check_almost(checker *k, const ug_gen *gen, ug_key key)
{
    const ug_gen_kind *kind = ug_gen_kind_at(gen->kind);
    for (int i = 0; i < UG_CASE_ARGS && kind->arg[i].name; i++)
        if (kind->arg[i].flags & UG_ARG_PLACE && gen->arg[i] > 0 &&
            gen->arg[i] >= (double)ug_case_width(k->c))
            return ug_case_fail(k->error, k->column[key],
                                "%s names column %.0f, expected less than n = %lld",
                                ug_keys[key].name, gen->arg[i], (long long)ug_case_width(k->c));
    return 0;
}

static int check_data(checker *k)
{
    const ug_case *c = k->c;
    if (ug_gen_kind_at(c->data.kind)->flags & UG_GEN_NIST &&
        ug_nist_count(c->data.path) != ug_case_width(c))
        return ug_case_fail(k->error, where(k, UG_KEY_N, UG_KEY_DATA, UG_KEY_DATA),
                            "n is %lld, the set %s has %lld values", (long long)c->n, c->data.path,
                            (long long)ug_nist_count(c->data.path));
    if (check_almost(k, &c->data, UG_KEY_DATA) || check_almost(k, &c->gamma, UG_KEY_GAMMA) ||
        check_almost(k, &c->beta, UG_KEY_BETA))
        return -1;
    if (c->wdtype != UG_F32 && c->wdtype != c->dtype)
        return ug_case_fail(k->error, k->column[UG_KEY_WDTYPE],
                            "wdtype is %s, expected f32 or the dtype of x, %s",
                            ug_dtype_name(c->wdtype), ug_dtype_name(c->dtype));
    return 0;
}

int ug_case_check(ug_case *c, const int column[UG_KEY_COUNT], ug_case_error *error)
{
    checker k = {c, column, error};
    return check_view(&k, 'x', UG_KEY_XSTRIDE, UG_KEY_XCOL, &c->xstride, c->xcol, c->xoffset) ||
                   check_view(&k, 'y', UG_KEY_YSTRIDE, UG_KEY_YCOL, &c->ystride, c->ycol,
                              c->yoffset) ||
                   check_alias(&k) || check_special(&k) || check_period(&k) || check_data(&k)
               ? -1
               : 0;
}
