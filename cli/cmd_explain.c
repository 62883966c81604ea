/* SPDX-License-Identifier: Apache-2.0 */
/* ulpgate explain: the exact answer of one row, its class, its bounds, its elements. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <mpfr.h>

#include "cli/commands.h"
#include "cli/gather.h"
#include "reference/bound.h"
#include "reference/truth.h"
#include "report/table.h"
#include "report/words.h"
#include "ulpgate/dtype.h"

enum { BLOCK = 256, BLOCK_LEVELS = 8, SHOWN = 8, DECIMALS = 24 };

/* One row: operands and truth. gamma and beta are NULL when absent. */
typedef struct row_data {
    ug_case c;
    int64_t row;
    float *x, *gamma, *beta;
    double *head, *tail;
    uint32_t *want;
    ug_row_stats stats;
} row_data;

static void row_free(row_data *d)
{
    free(d->x);
    free(d->gamma);
    free(d->beta);
    free(d->head);
    free(d->tail);
    free(d->want);
}

/* Returns the operand, or NULL when it is absent; sets *bad with a message in err. */
static float *operand(const ug_case *c, int (*make)(const ug_case *, float *, char *, size_t),
                      int *bad, char *err, size_t cap)
{
    float *v = calloc((size_t)c->n + 1, sizeof *v);
    int rc = v ? make(c, v, err, cap) : -1;
    if (!v) snprintf(err, cap, "out of memory");
    if (rc < 0) *bad = 1;
    if (rc) {
        free(v);
        return NULL;
    }
    return v;
}

static int row_load(row_data *d, const ug_reference *reference, char *err, size_t cap)
{
    size_t room = (size_t)d->c.n + 1;
    ug_row_in in;
    ug_row_out out;
    void *state;
    int bad = 0;
    d->gamma = operand(&d->c, ug_case_gamma, &bad, err, cap);
    if (!bad) d->beta = operand(&d->c, ug_case_beta, &bad, err, cap);
    if (bad) return -1;
    d->x = calloc(room, sizeof *d->x);
    d->head = calloc(room, sizeof *d->head);
    d->tail = calloc(room, sizeof *d->tail);
    d->want = calloc(room, sizeof *d->want);
    state = reference->create();
    if (!d->x || !d->head || !d->tail || !d->want || !state) {
        snprintf(err, cap, "out of memory for %" PRId64 " columns", d->c.n);
        bad = 1;
    }
    if (!bad) bad = ug_case_row(&d->c, d->row, 1, d->x, err, cap);
    if (!bad) {
        in = (ug_row_in){d->x, d->gamma, d->beta, d->c.n, d->c.eps, d->c.dtype};
        out = (ug_row_out){d->head, d->tail, d->want};
        bad = reference->row(state, &in, &out, &d->stats);
        if (bad) snprintf(err, cap, "out of memory in the reference");
    }
    if (state) reference->destroy(state);
    return bad ? -1 : 0;
}

static float gamma_at(const row_data *d, int64_t i) { return d->gamma ? d->gamma[i] : 1; }
static float beta_at(const row_data *d, int64_t i) { return d->beta ? d->beta[i] : 0; }

static void print_stats(const row_data *d, FILE *out)
{
    static const char *const classes[UG_ROW_CLASS_COUNT] = {
        "regular", "non-finite: a NaN or Inf in x, no finite y is expected",
        "degenerate: 0/0, only guards and repeat are judged",
        "out of range: float sums can overflow or all squares underflow"};
    const struct {
        const char *name;
        double value;
    } value[] = {{"mean", d->stats.mean},
                 {"variance", d->stats.var},
                 {"rstd", d->stats.rstd},
                 {"kappa", d->stats.kappa},
                 {"mean |x| (M1)", d->stats.abs_mean},
                 {"mean x^2 (M2)", d->stats.mean_sq},
                 {"max |x|", d->stats.x_max},
                 {"max |x-mean|", d->stats.dev_max}};
    char line[UG_CASE_TEXT], text[UG_NUMBER_TEXT];
    size_t i;
    if (ug_case_format(&d->c, line, sizeof line) < 0) line[0] = 0;
    fprintf(out,
            "case           %s\nid             %016" PRIx64 "\nrow            %" PRId64
            " of %" PRId64 "\nclass          %s\n",
            line, ug_case_hash(&d->c), d->row, d->c.rows, classes[d->stats.cls]);
    for (i = 0; i < sizeof value / sizeof *value; i++) {
        fprintf(out, "%-14s %s\n", value[i].name, ug_number_exact(value[i].value, text));
    }
}

static void put(ug_cell *cell, const char *text) { snprintf(cell->text, UG_CELL_TEXT, "%s", text); }

/* The bounds a kernel would be held to with a row on one block of 256 threads. */
static int bounds_table(const row_data *d, ug_table *t)
{
    static const struct {
        ug_variance variance;
        const char *name;
    } known[] = {{UG_VAR_SUM2, "sum2"},         {UG_VAR_TWOPASS, "twopass"},
                 {UG_VAR_WELFORD, "welford"},   {UG_VAR_SHIFTED, "shifted"},
                 {UG_VAR_PAIRMEAN, "pairmean"}, {UG_VAR_PAIRWISE, "pairwise"},
                 {UG_VAR_EXACT, "exact"}};
    static const char *const heads[] = {"variance", "mean within", "variance within",
                                        "rstd within (relative)", "every y within"};
    char text[UG_NUMBER_TEXT];
    size_t v;
    int64_t i;
    for (v = 0; v < 5; v++) ug_table_column(t, heads[v], v == 0, 0);
    for (v = 0; v < sizeof known / sizeof *known; v++) {
        ug_bound_model model = {
            known[v].variance, {BLOCK, (d->c.n + BLOCK - 1) / BLOCK, BLOCK_LEVELS}, 1};
        ug_cell *cell = ug_table_row(t);
        ug_row_bound b;
        double most = 0;
        if (!cell) return -1;
        ug_bound_row(&model, &d->stats, &b);
        put(&cell[0], known[v].name);
        if (!b.applies) {
            put(&cell[1], b.why ? b.why : "does not apply");
            continue;
        }
        for (i = 0; i < d->c.n; i++) {
            double e = ug_bound_element(&b, d->x[i], gamma_at(d, i), beta_at(d, i), d->head[i]);
            if (!(e <= most)) most = e;
        }
        put(&cell[1], ug_number_short(b.mean, text));
        put(&cell[2], ug_number_short(b.var, text));
        put(&cell[3], ug_number_short(b.rstd_rel, text));
        put(&cell[4], ug_number_short(most, text));
    }
    return 0;
}

/* head + tail as one decimal: their sum is exact in 2200 bits. */
static void decimal(double head, double tail, char *text, size_t cap)
{
    mpfr_t sum;
    mpfr_init2(sum, 2200);
    mpfr_set_d(sum, head, MPFR_RNDN);
    mpfr_add_d(sum, sum, tail, MPFR_RNDN);
    mpfr_snprintf(text, cap, "%.*Re", DECIMALS, sum);
    mpfr_clear(sum);
}

static int elements_table(const row_data *d, int64_t first, int64_t last, ug_table *t)
{
    static const char *const heads[] = {"col",  "x",    "gamma", "beta", "y rounded",
                                        "bits", "head", "tail",  "y",    "cond divides by"};
    char text[UG_NUMBER_TEXT];
    int64_t i;
    size_t h;
    for (h = 0; h < sizeof heads / sizeof *heads; h++) ug_table_column(t, heads[h], 0, 0);
    for (i = first; i <= last; i++) {
        ug_cell *cell = ug_table_row(t);
        uint16_t half = (uint16_t)d->want[i];
        float want =
            d->c.dtype == UG_F32 ? ug_bits_float(d->want[i]) : ug_load(&half, d->c.dtype, 0);
        if (!cell) return -1;
        snprintf(cell[0].text, UG_CELL_TEXT, "%" PRId64, i);
        put(&cell[1], ug_number_exact(d->x[i], text));
        put(&cell[2], d->gamma ? ug_number_exact(d->gamma[i], text) : "-");
        put(&cell[3], d->beta ? ug_number_exact(d->beta[i], text) : "-");
        put(&cell[4], ug_number_exact(want, text));
        snprintf(cell[5].text, UG_CELL_TEXT, d->c.dtype == UG_F32 ? "0x%08x" : "0x%04x",
                 (unsigned)d->want[i]);
        put(&cell[6], ug_number_exact(d->head[i], text));
        put(&cell[7], ug_number_exact(d->tail[i], text));
        decimal(d->head[i], d->tail[i], cell[8].text, UG_CELL_TEXT);
        put(&cell[9], ug_number_short(
                          ug_cond_scale(&d->stats, d->x[i], gamma_at(d, i), beta_at(d, i)), text));
    }
    return 0;
}

static int range_of(const char *text, int64_t n, int64_t *first, int64_t *last)
{
    char *end;
    *first = 0;
    *last = n < SHOWN ? n - 1 : SHOWN - 1;
    if (!text) return 0;
    errno = 0;
    *first = strtoll(text, &end, 10);
    *last = *first;
    if (end != text && !strncmp(end, "..", 2)) {
        const char *second = end + 2;
        *last = strtoll(second, &end, 10);
        if (end == second) end = (char *)text;
    }
    if (end != text && !*end && !errno && *first >= 0 && *first <= *last && *last < n) return 0;
    ug_error("--elements is '%s', expected FIRST..LAST within 0..%" PRId64, text, n - 1);
    return -1;
}

static int print_row(const ug_cli *cli, row_data *d, FILE *out)
{
    ug_table bounds = {0}, elements = {0};
    int64_t first, last;
    if (range_of(cli->elements, d->c.n, &first, &last)) return -1;
    if (bounds_table(d, &bounds) || elements_table(d, first, last, &elements)) {
        ug_error("out of memory");
        ug_table_free(&bounds);
        ug_table_free(&elements);
        return -1;
    }
    print_stats(d, out);
    fputs("\nworst-case bounds with 256 threads a row, correctly rounded 1/sqrt:\n", out);
    ug_table_print(&bounds, 0, out);
    if (elements.rows) fputc('\n', out);
    if (elements.rows) ug_table_print(&elements, 0, out);
    ug_table_free(&bounds);
    ug_table_free(&elements);
    return 0;
}

static int run(const ug_cli *cli)
{
    const ug_reference *reference = ug_reference_find(cli->reference ? cli->reference : "mpfr");
    row_data d;
    ug_output output;
    char err[512] = "";
    int rc = -1;
    memset(&d, 0, sizeof d);
    if (!reference) {
        ug_error("--reference: there is no reference '%s'", cli->reference);
        return UG_EXIT_USAGE;
    }
    if (ug_gather_case(cli->operands.item[0], "explain", &d.c)) return UG_EXIT_USAGE;
    d.row = cli->row > 0 ? cli->row : 0;
    if (d.row >= d.c.rows) {
        ug_error("--row is %" PRId64 ", the case has rows 0..%" PRId64, d.row, d.c.rows - 1);
        return UG_EXIT_USAGE;
    }
    if (row_load(&d, reference, err, sizeof err)) {
        ug_error("%s", err);
    } else if (!ug_output_open(&output, cli->out)) {
        rc = print_row(cli, &d, output.stream);
        if (ug_output_close(&output)) rc = -1;
    }
    row_free(&d);
    return rc ? UG_EXIT_USAGE : UG_EXIT_PASS;
}

const ug_command ug_command_explain = {
    "explain",
    UG_CMD_EXPLAIN,
    "'CASE'",
    1,
    1,
    "Print the exact answer of one row of a case.",
    "Shows the row's class, exact statistics, the bounds that each variance algorithm would be "
    "held to, and for each element the exact value (as head + tail and as a decimal), its correct "
    "rounding and the scale that the condition-aware error divides by.",
    "ulpgate explain 'layernorm n=8 data=normal(mean=1e4,std=1)' --row 0 --elements 0..3",
    run};
