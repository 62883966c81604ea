/* SPDX-License-Identifier: Apache-2.0 */
/* What caught each mutant, as text and as the page docs/mutants.md. */
#include <string.h>

#include "cli/mutants.h"
#include "report/table.h"

static void put(ug_cell *cell, const char *text)
{
    snprintf(cell->text, UG_CELL_TEXT, "%.*s", UG_CELL_TEXT - 1, text);
}

/* x: caught, -: missed, ?: our guard pages ended the launch before the recipe could compare. */
static const char *mark(const ug_mutant *mutant, int peer)
{
    if (mutant->recipes >> peer & 1) return "x";
    return mutant->interrupted >> peer & 1 ? "?" : "-";
}

static int out_of_memory(ug_table *table)
{
    ug_error("out of memory");
    ug_table_free(table);
    return -1;
}

static int has_matrix(const ug_mutants *m) { return m->smoke_cases > 0; }

static int mutant_table(const ug_mutants *m, ug_table *t)
{
    ug_table_column(t, "mutant", 1, 0);
    ug_table_column(t, "class", 1, 0);
    ug_table_column(t, "parent", 1, 0);
    ug_table_column(t, "caught by", 1, 0);
    if (has_matrix(m)) {
        ug_table_column(t, "smoke", 0, 0);
        for (int k = 0; k < UG_PEER_COUNT; k++) ug_table_column(t, ug_peer_name((ug_peer)k), 0, 0);
    }
    for (size_t i = 0; i < m->count; i++) {
        const ug_mutant *mutant = &m->item[i];
        ug_cell *cell = ug_table_row(t);
        if (!cell) return -1;
        put(&cell[0], mutant->name);
        put(&cell[1], mutant->cls);
        put(&cell[2], mutant->parent);
        put(&cell[3], mutant->killed ? mutant->by : "SURVIVED");
        if (!has_matrix(m)) continue;
        snprintf(cell[4].text, UG_CELL_TEXT, "%zu", mutant->shown);
        for (int k = 0; k < UG_PEER_COUNT; k++) put(&cell[5 + k], mark(mutant, k));
    }
    return 0;
}

/* How many mutants of a class (NULL: all) are there, were caught, and by which recipe. */
static void totals(const ug_mutants *m, const char *cls, size_t *all, size_t *killed,
                   size_t recipe[UG_PEER_COUNT])
{
    *all = *killed = 0;
    memset(recipe, 0, UG_PEER_COUNT * sizeof *recipe);
    for (size_t i = 0; i < m->count; i++) {
        if (cls && strcmp(m->item[i].cls, cls)) continue;
        ++*all;
        *killed += (size_t)m->item[i].killed;
        for (int k = 0; k < UG_PEER_COUNT; k++) recipe[k] += m->item[i].recipes >> k & 1;
    }
}

static int total_row(const ug_mutants *m, const char *cls, ug_table *t)
{
    size_t all, killed, recipe[UG_PEER_COUNT];
    ug_cell *cell = ug_table_row(t);
    if (!cell) return -1;
    totals(m, cls, &all, &killed, recipe);
    put(&cell[0], cls ? cls : "all");
    snprintf(cell[1].text, UG_CELL_TEXT, "%zu", all);
    snprintf(cell[2].text, UG_CELL_TEXT, "%zu", killed);
    for (int k = 0; has_matrix(m) && k < UG_PEER_COUNT; k++)
        snprintf(cell[3 + k].text, UG_CELL_TEXT, "%zu", recipe[k]);
    return 0;
}

/* One row a class, in the order in which they occur, and one for all. */
static int class_table(const ug_mutants *m, ug_table *t)
{
    ug_table_column(t, "class", 1, 0);
    ug_table_column(t, "mutants", 0, 0);
    ug_table_column(t, "ulpgate", 0, 0);
    for (int k = 0; has_matrix(m) && k < UG_PEER_COUNT; k++)
        ug_table_column(t, ug_peer_name((ug_peer)k), 0, 0);
    for (size_t i = 0; i < m->count; i++) {
        size_t before = 0;
        while (strcmp(m->item[before].cls, m->item[i].cls)) before++;
        if (before == i && total_row(m, m->item[i].cls, t)) return -1;
    }
    return total_row(m, NULL, t);
}

/* Cases on which a recipe blames a right kernel: of its own inputs, of the ladder of means. */
static int right_table(const ug_mutants *m, ug_table *t)
{
    ug_table_column(t, "right kernel", 1, 0);
    for (int k = 0; k < UG_PEER_COUNT; k++) ug_table_column(t, ug_peer_name((ug_peer)k), 0, 0);
    for (size_t i = 0; i < m->rights; i++) {
        ug_cell *cell = ug_table_row(t);
        if (!cell) return -1;
        put(&cell[0], m->right[i].kernel);
        for (int k = 0; k < UG_PEER_COUNT; k++)
            snprintf(cell[1 + k].text, UG_CELL_TEXT, "%zu, %zu", m->right[i].cases[k],
                     m->right[i].ladder[k]);
    }
    return 0;
}

static int print_table(const ug_mutants *m, int (*fill)(const ug_mutants *, ug_table *), int md,
                       FILE *out)
{
    ug_table t = {0};
    if (fill(m, &t)) return out_of_memory(&t);
    ug_table_fit(&t, 0);
    if (!md) ug_table_print(&t, 0, out);
    if (md) ug_table_print_md_head(&t, out);
    for (size_t i = 0; md && i < t.rows; i++) ug_table_print_md_row(&t, i, out);
    fputc('\n', out);
    ug_table_free(&t);
    return 0;
}

int ug_mutants_text(const ug_mutants *m, const char *tier, FILE *out)
{
    size_t alive = ug_mutants_alive(m);
    if (print_table(m, mutant_table, 0, out) || print_table(m, class_table, 0, out)) return -1;
    if (has_matrix(m) && print_table(m, right_table, 0, out)) return -1;
    for (size_t i = 0; i < m->count; i++)
        if (!m->item[i].killed)
            fprintf(out, "SURVIVED  %s (%s): %s\n          names the case %s\n", m->item[i].name,
                    m->item[i].parent, m->item[i].what, m->item[i].line);
    fprintf(out, "%zu of %zu mutants killed in tier %s, %.1f s", m->count - alive, m->count, tier,
            m->seconds);
    if (has_matrix(m)) fprintf(out, "; matrix %.1f s", m->matrix_seconds);
    fputc('\n', out);
    return 0;
}

static void print_list(const ug_mutants *m, FILE *out)
{
    for (size_t i = 0; i < m->count; i++) {
        fprintf(out, "- `%s`: ", m->item[i].name);
        ug_print_md(out, m->item[i].what);
        fprintf(out, ".\n  `%s`\n", m->item[i].killed ? m->item[i].where : m->item[i].line);
    }
}

static const char intro[] =
    "# Planted faults\n\n"
    "Each mutant is a right kernel with one realistic fault, planted as a search and replacement\n"
    "in copies of the kernel sources when the tests are built (tests/mutants/). All must be\n"
    "caught in the default tier: a suite is worth what it catches. This page is written by\n"
    "`ulpgate mutants --matrix --format md --out docs/mutants.md`.\n\n";

static const char legend[] =
    "*caught by*: the checks that failed on the case which the mutant names, the first one first.\n"
    "*smoke*: on how many of the smoke tier's %zu cases it shows. The other columns are published\n"
    "comparisons of other suites on their own published inputs (gates and suites of these names;\n"
    "`ulpgate list gates` gives the sources): `x` caught, `-` missed, `?` an access outside the\n"
    "buffers met our guard pages, so that nobody knows what the comparison would have said. A\n"
    "failure that the right parent shares does not count. What a suite does beside its comparison\n"
    "(sentinels behind tensors, sanitizers, other operations) is not part of this.\n\n";

static const char right_legend[] =
    "## Right kernels that a recipe blames\n\n"
    "First number: of the recipe's own cases, on how many it fails a right kernel. Second: of the\n"
    "%zu smoke cases of the suite `condition`, where |mean| / std goes up to 1e6; sum2 is a right\n"
    "implementation of an unstable algorithm, so that its failures there are no blame.\n\n";

int ug_mutants_md(const ug_mutants *m, FILE *out)
{
    fputs(intro, out);
    fputs("## By class\n\n", out);
    if (print_table(m, class_table, 1, out)) return -1;
    fputs("## Mutants\n\n", out);
    if (has_matrix(m)) fprintf(out, legend, m->smoke_cases);
    if (print_table(m, mutant_table, 1, out)) return -1;
    if (has_matrix(m)) {
        fprintf(out, right_legend, m->ladder_cases);
        if (print_table(m, right_table, 1, out)) return -1;
        fputs("Cases of each recipe: ", out);
        for (int k = 0; k < UG_PEER_COUNT; k++)
            fprintf(out, "%s%s %zu", k ? ", " : "", ug_peer_name((ug_peer)k), m->recipe_cases[k]);
        fputs(".\n\n", out);
    }
    fputs("## What each mutant does, and the case that shows it\n\n", out);
    print_list(m, out);
    return 0;
}
