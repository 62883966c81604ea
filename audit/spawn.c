/* SPDX-License-Identifier: Apache-2.0 */
/* Starting a worker with its descriptors at fixed numbers. */
#include "audit/spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <spawn.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "audit/client.h"

extern char **environ;

/* Processes of this judge, for the signal handler. A full table only costs the distinction. */
enum { OWNED = 1024 };
static _Atomic pid_t owned[OWNED];

/* Those that ended last: a signal may be delivered after its sender was waited for. */
static _Atomic pid_t former[OWNED];
static atomic_uint formers;

int ug_clients_own(pid_t pid)
{
    for (int i = 0; i < OWNED; i++)
        if (pid > 0 && (atomic_load(&owned[i]) == pid || atomic_load(&former[i]) == pid)) return 1;
    return 0;
}

static void swap_owned(pid_t from, pid_t to)
{
    for (int i = 0; i < OWNED; i++) {
        pid_t expected = from;
        if (atomic_compare_exchange_strong(&owned[i], &expected, to)) return;
    }
}

void ug_spawn_forget(pid_t pid)
{
    atomic_store(&former[atomic_fetch_add(&formers, 1) % OWNED], pid);
    swap_owned(pid, 0);
}

const char *ug_worker_path(char *path, size_t cap)
{
    const char *given = getenv("ULPGATE_WORKER");
    char self[PATH_MAX];
    ssize_t n;
    if (given && *given) {
        snprintf(path, cap, "%s", given);
        return path;
    }
    n = readlink("/proc/self/exe", self, sizeof self - 1);
    self[n > 0 ? n : 0] = 0;
    if (strrchr(self, '/')) *strrchr(self, '/') = 0;
    snprintf(path, cap, "%s/ulpgate-worker", self);
    return path;
}

/* Descriptors out of the way of the fixed numbers, so that dup2 cannot overwrite one too early. */
static int lift(int fd) { return fcntl(fd, F_DUPFD_CLOEXEC, 16); }

/* Runs the worker with fds[i] as descriptor UG_FD_SOCKET + i. Returns 0 or an errno. */
static int start(const char *worker, const char *plugin, const int fds[3], pid_t *pid)
{
    char parent[32];
    char *argv[] = {(char *)worker, (char *)plugin, parent, NULL};
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t none, defaults;
    int rc;
    snprintf(parent, sizeof parent, "%ld", (long)getpid());
    sigemptyset(&none);
    sigemptyset(&defaults);
    sigaddset(&defaults, SIGPIPE);
    sigaddset(&defaults, SIGINT);
    sigaddset(&defaults, SIGTERM);
    posix_spawn_file_actions_init(&actions);
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK |
                                              POSIX_SPAWN_SETSIGDEF);
    posix_spawnattr_setpgroup(&attributes, 0);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setsigdefault(&attributes, &defaults);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    for (int i = 0; i < 3; i++)
        if (fds[i] >= 0) posix_spawn_file_actions_adddup2(&actions, fds[i], UG_FD_SOCKET + i);
    rc = posix_spawn(pid, worker, &actions, &attributes, argv, environ);
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
    return rc;
}

int ug_spawn(const char *plugin, int control_fd, int arena_fd, pid_t *pid, int *sock, char *err,
             size_t cap)
{
    char worker[PATH_MAX];
    int ends[2], fds[3], rc;
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends)) {
        snprintf(err, cap, "cannot make a socket: %s", strerror(errno));
        return -1;
    }
    fds[0] = lift(ends[1]);
    fds[1] = lift(control_fd);
    fds[2] = arena_fd >= 0 ? lift(arena_fd) : -1;
    close(ends[1]);
    ug_worker_path(worker, sizeof worker);
    rc = start(worker, plugin, fds, pid);
    for (int i = 0; i < 3; i++)
        if (fds[i] >= 0) close(fds[i]);
    if (rc) {
        snprintf(err, cap, "cannot start %s: %s", worker, strerror(rc));
        close(ends[0]);
        *pid = 0;
        return -1;
    }
    swap_owned(0, *pid);
    *sock = ends[0];
    return 0;
}
