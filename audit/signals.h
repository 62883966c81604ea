/* SPDX-License-Identifier: Apache-2.0 */
/* An interrupt stops the workers, and with them what is waiting for them. */
#ifndef ULPGATE_SIGNALS_H
#define ULPGATE_SIGNALS_H

#include <signal.h>

typedef struct ug_signals {
    struct sigaction interrupt, terminate; /* as they were */
} ug_signals;

/* From here on SIGINT and SIGTERM halt all clients (ug_clients_halted), unless a worker sent them.
 */
void ug_signals_watch(ug_signals *old);
void ug_signals_restore(const ug_signals *old);

#endif
