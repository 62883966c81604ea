/* SPDX-License-Identifier: Apache-2.0 */
/* The judge's end of a worker process: start, command, time limit, end. */
#ifndef ULPGATE_CLIENT_H
#define ULPGATE_CLIENT_H

#include <sys/types.h>

#include "audit/wire.h"

typedef enum ug_reply {
    UG_REPLY_OK = 0,  /* wire holds the answer */
    UG_REPLY_CRASH,   /* the process ended or closed its socket; it is gone now */
    UG_REPLY_HANG,    /* no answer in time; it was killed */
    UG_REPLY_GARBAGE, /* something else came than the number expected; it was killed */
    UG_REPLY_STOPPED  /* the run is to stop; it was killed */
} ug_reply;

typedef struct ug_client {
    const char *plugin; /* path; the caller's */
    int arena_fd;       /* the caller's; -1 when nothing is launched */
    pid_t pid;          /* 0: no process */
    int socket, control;
    ug_wire *wire; /* outlives processes */
    uint64_t sequence;
} ug_client;

/* Makes the control page. Returns 0, or -1 with err. */
int ug_client_open(ug_client *client, const char *plugin, int arena_fd, char *err, size_t cap);
void ug_client_close(ug_client *client);

/* Starts a process and waits for its table: wire->card, wire->kernels. Returns 0, or -1 with err:
 * no process then. */
int ug_client_start(ug_client *client, char *err, size_t cap);

/* Sends a command and waits at most `seconds`. On anything but UG_REPLY_OK the process and its
 * group are gone and `why` says what is known. */
ug_reply ug_client_call(ug_client *client, ug_command command, double seconds, char *why,
                        size_t cap);

/* Kills the process and its group. */
void ug_client_stop(ug_client *client);

/* Makes every call return UG_REPLY_STOPPED soon; async-signal-safe. 0 clears. */
void ug_clients_halt(int halt);
int ug_clients_halted(void);

/* 1 when `pid` is a worker that this process started; async-signal-safe. */
int ug_clients_own(pid_t pid);

/* Path of the worker program: $ULPGATE_WORKER or ulpgate-worker beside the running program. */
const char *ug_worker_path(char *path, size_t cap);

#endif
