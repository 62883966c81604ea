/* SPDX-License-Identifier: Apache-2.0 */
/* A handler on its own stack, since a stack overflow is one of the faults. */
#include "audit/worker/fault.h"

#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/resource.h>

static ug_server *watched;
static char stack[65536];

static void on_fault(int number, siginfo_t *info, void *context)
{
    ug_wire *w = watched->wire;
    uint64_t address = (uint64_t)(uintptr_t)info->si_addr;
    uint64_t base = (uint64_t)(uintptr_t)watched->arena.base;
    (void)context;
    w->fault_inside = base && address >= base && address - base < watched->arena.span;
    w->fault_at = w->fault_inside ? address - base : address;
    w->fault_signal = (uint32_t)number;
    /* SA_RESETHAND restored the default: returning repeats the fault, now fatal. A signal that was
     * sent does not come again by itself. */
    if (info->si_code <= 0) raise(number);
}

void ug_fault_watch(ug_server *server)
{
    static const int numbers[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL};
    stack_t alternate = {.ss_sp = stack, .ss_size = sizeof stack};
    struct rlimit none = {0, 0};
    watched = server;
    setrlimit(RLIMIT_CORE, &none);
    sigaltstack(&alternate, NULL);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        struct sigaction action, old;
        memset(&action, 0, sizeof action);
        action.sa_sigaction = on_fault;
        action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESETHAND;
        if (!sigaction(numbers[i], NULL, &old) && old.sa_handler == SIG_DFL)
            sigaction(numbers[i], &action, NULL);
    }
}
