/* SPDX-License-Identifier: Apache-2.0 */
/* Measures a tensor: kappa of every row, range, rows near constant. */
#include "cli/measure_tensor.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cases/tensor.h"
#include "reference/truth.h"
#include "ulpgate/dtype.h"

/* The eps that nearly everybody uses; rows whose variance is below it are near constant. */
static const float usual_eps = 1e-5f;

static int by_size(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void count_row(ug_tensor_rec *rec, const ug_row_stats *stats, double *kappa, int64_t *kappas)
{
    double std = sqrt(stats->var);
    if (stats->cls == UG_ROW_NONFINITE) {
        rec->nonfinite++;
        return;
    }
    if (!(rec->x_most >= stats->x_max)) rec->x_most = stats->x_max;
    if (stats->cls == UG_ROW_RANGE) {
        rec->out_of_range++;
        return;
    }
    rec->regular++;
    if (!(rec->std_least <= std)) rec->std_least = std;
    if (!(rec->std_most >= std)) rec->std_most = std;
    if (!(stats->var > (double)usual_eps)) {
        rec->near_constant++;
        return;
    }
    kappa[(*kappas)++] = stats->kappa;
}

static void take_quantiles(ug_tensor_rec *rec, double *kappa, int64_t kappas)
{
    if (!kappas) return;
    qsort(kappa, (size_t)kappas, sizeof *kappa, by_size);
    rec->kappa_least = kappa[0];
    rec->kappa_median = kappa[(kappas - 1) / 2];
    rec->kappa_99 = kappa[(int64_t)ceil(0.99 * (double)kappas) - 1];
    rec->kappa_most = kappa[kappas - 1];
}

static int measure(const ug_tensor *t, ug_tensor_rec *rec, char *err, size_t cap)
{
    const ug_reference *reference = ug_reference_find(NULL);
    const ug_row_out nothing = {NULL, NULL, NULL};
    void *state = reference->create();
    float *x = malloc(((size_t)t->n + 1) * sizeof *x);
    double *kappa = malloc(((size_t)t->rows + 1) * sizeof *kappa);
    ug_row_stats stats;
    int64_t r, i, kappas = 0;
    int rc = state && x && kappa ? 0 : -1;
    for (r = 0; r < t->rows && !rc; r++) {
        const ug_row_in in = {x, NULL, NULL, t->n, usual_eps, t->dtype};
        for (i = 0; i < t->n; i++) x[i] = ug_tensor_at(t, r, i);
        rc = reference->row(state, &in, &nothing, &stats);
        if (!rc) count_row(rec, &stats, kappa, &kappas);
    }
    if (rc) snprintf(err, cap, "out of memory for %" PRId64 " rows of %" PRId64, t->rows, t->n);
    if (!rc) take_quantiles(rec, kappa, kappas);
    if (state) reference->destroy(state);
    free(x);
    free(kappa);
    return rc;
}

int ug_measure_tensor(const char *path, const char *tensor, const char *raw16, ug_tensor_rec *rec,
                      char *err, size_t cap)
{
    ug_dtype raw = UG_F32;
    ug_tensor t;
    int d;
    for (d = 0; raw16 && d < UG_DTYPE_COUNT; d++) {
        if (!strcmp(ug_dtype_name((ug_dtype)d), raw16)) raw = (ug_dtype)d;
    }
    *rec = (ug_tensor_rec){.file = path, .tensor = tensor ? tensor : "", .eps = (double)usual_eps};
    if (ug_tensor_file_open(path, rec->tensor, raw, &t, err, cap)) return -1;
    rec->dtype = ug_dtype_name(t.dtype);
    rec->rows = t.rows;
    rec->n = t.n;
    rec->kappa_least = rec->kappa_median = rec->kappa_99 = rec->kappa_most = NAN;
    rec->x_most = rec->std_least = rec->std_most = NAN;
    if (!t.rows || !t.n) {
        snprintf(err, cap, "%s holds %" PRId64 " rows of %" PRId64 ": nothing to measure", path,
                 t.rows, t.n);
        return -1;
    }
    return measure(&t, rec, err, cap);
}
