/* SPDX-License-Identifier: Apache-2.0 */
/* Starts worker processes. */
#ifndef ULPGATE_SPAWN_H
#define ULPGATE_SPAWN_H

#include <stddef.h>
#include <sys/types.h>

/* A worker for one plugin, in a process group of its own, ended by the kernel when the calling
 * thread ends. arena_fd may be -1. Returns 0 with *pid and the judge's end of a socket, or -1 with
 * err. */
int ug_spawn(const char *plugin, int control_fd, int arena_fd, pid_t *pid, int *socket, char *err,
             size_t cap);

/* The process is gone and waited for. */
void ug_spawn_forget(pid_t pid);

#endif
