/* SPDX-License-Identifier: Apache-2.0 */
/* Notes where a fatal signal struck before it takes the worker down. */
#ifndef ULPGATE_WORKER_FAULT_H
#define ULPGATE_WORKER_FAULT_H

#include "audit/worker/serve.h"

/* Signals that already have a handler (a sanitizer's) keep it. */
void ug_fault_watch(ug_server *server);

#endif
