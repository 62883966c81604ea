/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of `exact`, some of them in doubt, for the thread sanitizer: nothing may be reported of what
 * a block's threads leave for each other in shared memory. Usage: NAME right */
#include <stdio.h>

#include "cuda/exact_rows.cuh"
#include "cuda/variances/exact.cuh"

namespace
{
constexpr int ROWS = 24, LENGTH = 4096;
float x[ROWS * LENGTH], y[ROWS * LENGTH], gamma[LENGTH], beta[LENGTH], mean[ROWS], rstd[ROWS];

uint32_t next(void)
{
    static uint32_t state = 20261130;
    state = state * 1664525u + 1013904223u;
    return state >> 8;
}

template <int MEMBERS, int SLOTS, bool FULL> bool run(bool stats, bool inexact)
{
    const int n = 4 * MEMBERS * SLOTS;
    for (int i = 0; i < ROWS * n; i++) x[i] = (float)next() * 0x1p-22f - 2.0f;
    for (int i = 0; i < n; i++) {
        gamma[i] = (float)next() * 0x1p-23f;
        beta[i] = -gamma[i] * 0.125f; /* results of all sizes, down to the doubtful */
    }
    /* Every third row must be done a second time, every sixth a third one: not a number. */
    for (int r = 0; inexact && r < ROWS; r += 6) x[r * n + 7] = NAN;
    ug_args args = {};
    args.threads = 2;
    ug_plan plan = {};
    plan.limits = {"plain", 1000, 1024, 49152, 32};
    ug_rows rows = {};
    rows.x = x;
    rows.y = y;
    rows.gamma = gamma;
    rows.beta = beta;
    rows.mean = stats ? mean : nullptr;
    rows.rstd = stats ? rstd : nullptr;
    rows.rows = ROWS;
    rows.n = rows.x_stride = rows.y_stride = n;
    rows.eps = 1e-5f;
    rows.wide = rows.whole = rows.aligned = rows.straight = true;
    rows.inverse = 1.0 / n;
    for (args.variation = 0; args.variation < 3; args.variation++)
        if (ug_exact_hold<ug_exact, MEMBERS, SLOTS, FULL, 1>(&args, plan, rows) != UG_OK) {
            fprintf(stderr, "%s\n", args.message);
            return false;
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
        if (!run<32, 4, false>(i & 1, i & 2) || !run<64, 4, false>(i & 1, i & 2) ||
            !run<128, 8, false>(i & 1, i & 2) || !run<96, 6, true>(i & 1, i & 2))
            return 1;
    return 0;
}
