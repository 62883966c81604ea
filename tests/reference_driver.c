/* SPDX-License-Identifier: Apache-2.0 */
/* Reads rows as text, answers with the exact answer as text: for checks in another language.
 *
 * A row is one line: IMPLEMENTATION DTYPE UNCENTERED REPEATS N EPS, then 3 N words for x, gamma and
 * beta; EPS and the words are the hexadecimal bits of floats. The answer is one line: the class,
 * eight statistics, then N times want, head, tail; doubles as hexadecimal bits. A malformed line
 * ends the program with 2.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "reference/implementations.h"
#include "ulpgate/dtype.h"

enum { MOST = 4096 };

static int read_floats(float *v, int64_t n)
{
    uint32_t bits;
    for (int64_t i = 0; i < n; i++) {
        if (scanf("%" SCNx32, &bits) != 1) return -1;
        v[i] = ug_bits_float(bits);
    }
    return 0;
}

static void print_double(double d)
{
    uint64_t bits;
    memcpy(&bits, &d, sizeof bits);
    printf(" %" PRIx64, bits);
}

static void print_row(const ug_row_stats *s, const ug_row_out *out, int64_t n)
{
    printf("%d", (int)s->cls);
    print_double(s->mean);
    print_double(s->var);
    print_double(s->rstd);
    print_double(s->kappa);
    print_double(s->abs_mean);
    print_double(s->mean_sq);
    print_double(s->x_max);
    print_double(s->dev_max);
    for (int64_t i = 0; i < n; i++) {
        printf(" %" PRIx32, out->want[i]);
        print_double(out->head[i]);
        print_double(out->tail[i]);
    }
    printf("\n");
    fflush(stdout);
}

int main(void)
{
    static float x[MOST], gamma[MOST], beta[MOST];
    static double head[MOST], tail[MOST];
    static uint32_t want[MOST];
    ug_row_out out = {head, tail, want};
    char name[32];
    int dtype, got;
    ug_row_kind kind;
    int64_t n;
    uint32_t eps;
    while ((got = scanf("%31s %d %d %" SCNd64 " %" SCNd64 " %" SCNx32, name, &dtype,
                        &kind.uncentered, &kind.repeats, &n, &eps)) == 6) {
        const ug_reference *ref = ug_reference_find(name);
        ug_row_stats stats;
        void *state;
        if (!ref || dtype < 0 || dtype >= UG_DTYPE_COUNT || n < 0 || n > MOST) return 2;
        if (read_floats(x, n) || read_floats(gamma, n) || read_floats(beta, n)) return 2;
        ug_row_in in = {x, gamma, beta, n, ug_bits_float(eps), (ug_dtype)dtype};
        state = ref->create();
        if (!state) return 1;
        if (!strcmp(name, "mpfr"))
            got = ug_mpfr_row(state, &in, &kind, &out, &stats);
        else
            got = ug_certified_row(state, &in, &kind, &out, &stats);
        if (got) return 1;
        print_row(&stats, &out, n);
        ref->destroy(state);
    }
    return got == EOF ? 0 : 2;
}
