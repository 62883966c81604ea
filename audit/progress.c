/* SPDX-License-Identifier: Apache-2.0 */
/* Progress by the clock. */
#include "audit/progress.h"

#include <time.h>
#include <unistd.h>

static const double terminal_every = 0.5, log_every = 10;

double ug_clock(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

void ug_progress_begin(ug_progress *p, FILE *log, size_t first, size_t total)
{
    *p = (ug_progress){.log = log, .first = first, .total = total, .start = ug_clock()};
    p->terminal = log && isatty(fileno(log));
    p->last = p->start;
}

void ug_progress_show(ug_progress *p, size_t done, size_t failed)
{
    double now = ug_clock(), spent = now - p->start, rate, left;
    if (!p->log || now - p->last < (p->terminal ? terminal_every : log_every)) return;
    p->last = now;
    rate = (double)(done - p->first) / spent;
    left = rate > 0 ? (double)(p->total - done) / rate : 0;
    fprintf(p->log, "%s%zu/%zu cases, %zu failed, %.1f cases/s", p->terminal ? "\r\033[K" : "",
            done, p->total, failed, rate);
    if (rate > 0) fprintf(p->log, ", %d:%02d left", (int)left / 60, (int)left % 60);
    if (!p->terminal) fputc('\n', p->log);
    fflush(p->log);
}

void ug_progress_end(ug_progress *p)
{
    if (p->log && p->terminal) fputs("\r\033[K", p->log);
}
