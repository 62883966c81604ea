/* SPDX-License-Identifier: Apache-2.0 */
/* Signals while a run is on. */
#include "audit/signals.h"

#include <string.h>

#include "audit/client.h"

static void on_signal(int number, siginfo_t *info, void *context)
{
    (void)number;
    (void)context;
    /* A plugin cannot end the run. */
    if (info->si_code <= 0 && ug_clients_own(info->si_pid)) return;
    ug_clients_halt(1);
}

void ug_signals_watch(ug_signals *old)
{
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_sigaction = on_signal;
    action.sa_flags = SA_SIGINFO | SA_RESTART;
    ug_clients_halt(0);
    sigaction(SIGINT, &action, &old->interrupt);
    sigaction(SIGTERM, &action, &old->terminate);
}

void ug_signals_restore(const ug_signals *old)
{
    sigaction(SIGINT, &old->interrupt, NULL);
    sigaction(SIGTERM, &old->terminate, NULL);
}
