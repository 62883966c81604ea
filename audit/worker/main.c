/* SPDX-License-Identifier: Apache-2.0 */
/* ulpgate-worker: loads one plugin and serves a judge until the socket closes. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "audit/worker/fault.h"
#include "audit/worker/plugin.h"

static ug_server server;

/* The judge's file descriptors: a control page of this version. Exits when they are not there. */
static ug_wire *open_control(void)
{
    struct stat st;
    ug_wire *w;
    if (fstat(UG_FD_CONTROL, &st) || st.st_size < (off_t)sizeof *w) return NULL;
    w = mmap(NULL, sizeof *w, PROT_READ | PROT_WRITE, MAP_SHARED, UG_FD_CONTROL, 0);
    if (w == MAP_FAILED || w->version != UG_WIRE_VERSION) return NULL;
    return w;
}

static int tell(uint64_t sequence)
{
    return send(UG_FD_SOCKET, &sequence, sizeof sequence, MSG_NOSIGNAL) == sizeof sequence ? 0 : -1;
}

int main(int argc, char **argv)
{
    uint64_t sequence = 0;
    ssize_t got;
    if (argc != 3 || !(server.wire = open_control())) {
        fprintf(stderr, "ulpgate-worker: is started by ulpgate, with descriptors of its own\n");
        return 2;
    }
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != (pid_t)strtol(argv[2], NULL, 10)) return 2; /* the judge is already gone */
    for (int fd = UG_FD_SOCKET; fd <= UG_FD_ARENA; fd++) fcntl(fd, F_SETFD, FD_CLOEXEC);
    dup2(STDERR_FILENO, STDOUT_FILENO); /* results may go to the judge's standard output */
    server.arena.fd = UG_FD_ARENA;
    ug_fault_watch(&server);
    server.wire->stage = UG_STAGE_LOAD;
    server.plugin = ug_plugin_load(argv[1], server.wire);
    server.wire->answer = server.plugin ? UG_ANSWER_DONE : UG_ANSWER_UNFIT;
    server.wire->stage = UG_STAGE_IDLE;
    if (server.plugin) server.device.space = server.large.space = server.plugin->space;
    if (tell(0)) return 2;
    for (;;) {
        got = recv(UG_FD_SOCKET, &sequence, sizeof sequence, 0);
        if (got < 0 && errno == EINTR) continue;
        if (got != sizeof sequence || !server.plugin) return 0;
        ug_serve(&server);
        if (tell(sequence)) return 2;
    }
}
