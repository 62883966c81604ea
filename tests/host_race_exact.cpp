/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of `exact` that are done a second and a third time, for the thread sanitizer: nothing may be
 * reported of what a block's threads leave for each other in shared memory. Fails by itself where
 * one that doubles leave in doubt was not done again. Usage: NAME right */
#include <math.h>
#include <stdio.h>

#include "cuda/exact_rows.cuh"
#include "cuda/variances/exact.cuh"
#include "host_rows.h"
#include "host_uniform.h"

namespace
{
constexpr int ROWS = 24, LENGTH = 4096;
float x[ROWS * LENGTH], y[ROWS * LENGTH], gamma[LENGTH], beta[LENGTH], mean[ROWS], rstd[ROWS];

/* Row 0 is turned by gamma and beta into numbers so small that doubles leave all in doubt; rows 3,
 * 6 and so on are that one again. With `lost` row 1 is none, which pairs find out. */
void fill(int n, bool lost)
{
    double sum = 0, squares = 0;
    for (int i = 0; i < n; i++) x[i] = (float)(4 * uniform() - 2);
    for (int i = 0; i < n; i++) sum += x[i];
    for (int i = 0; i < n; i++) squares += (x[i] - sum / n) * (x[i] - sum / n);
    for (int i = 0; i < n; i++) {
        gamma[i] = 1;
        beta[i] = (float)((sum / n - x[i]) / sqrt(squares / n + 1e-5f));
    }
    for (int i = n; i < ROWS * n; i++)
        x[i] = i / n % 3 == 0 ? x[i % n] : (float)(4 * uniform() - 2);
    if (lost) x[n + 7] = NAN;
}

/* Row 0 is rounded as it must be, against long double; what that cannot tell passes. */
bool right(int n)
{
    long double sum = 0, squares = 0;
    for (int i = 0; i < n; i++) sum += x[i];
    for (int i = 0; i < n; i++) squares += (x[i] - sum / n) * (x[i] - sum / n);
    const long double r = 1 / sqrtl(squares / n + 1e-5f);
    for (int i = 0; i < n; i++) {
        const long double e = (x[i] - sum / n) * r + beta[i];
        const float low = (float)(e - 0x1p-58L), high = (float)(e + 0x1p-58L);
        if (!(y[i] >= low && y[i] <= high)) return false;
    }
    return true;
}

template <int MEMBERS, int SLOTS, bool FULL, bool FLOATS> bool run(bool stats, bool lost)
{
    using row = ug_exact_row<MEMBERS, SLOTS, FULL, FLOATS, 1>;
    const int n = 4 * (MEMBERS * SLOTS - (FULL ? 0 : MEMBERS / 2 + 1));
    fill(n, lost);
    ug_args args = {};
    args.threads = 2;
    const ug_plan plan = plain_plan();
    ug_rows rows = plain_rows(x, y, gamma, beta, ROWS, n, 1e-5f);
    rows.mean = stats ? mean : nullptr;
    rows.rstd = stats ? rstd : nullptr;
    for (args.variation = 0; args.variation < 3; args.variation++) {
        if (ug_exact_hold<ug_exact, row>(&args, plan, rows) != UG_OK) {
            fprintf(stderr, "%s\n", args.message);
            return false;
        }
        if (!right(n) || (lost && y[n] == y[n])) {
            fprintf(stderr, "%d threads: a row came out wrong\n", MEMBERS);
            return false;
        }
    }
    return true;
}
} // namespace

int main(int argc, char **)
{
    if (argc != 2) {
        fprintf(stderr, "one argument, which is not looked at, expected\n");
        return 2;
    }
    for (int i = 0; i < 4; i++)
        if (!run<32, 4, false, false>(i & 1, i & 2) || !run<64, 4, false, false>(i & 1, i & 2) ||
            !run<128, 8, false, false>(i & 1, i & 2) || !run<96, 6, true, true>(i & 1, i & 2) ||
            !run<96, 8, false, true>(i & 1, i & 2))
            return 1;
    return 0;
}
