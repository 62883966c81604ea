/* SPDX-License-Identifier: Apache-2.0 */
/* Commands to a worker, and what its silence or its death means. */
#include "audit/client.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "audit/spawn.h"

enum { SLICE_MS = 100, REAP_MS = 200 };
static const double start_seconds = 120; /* a driver may take long to come up */

static volatile sig_atomic_t halted;

void ug_clients_halt(int halt) { halted = halt; }
int ug_clients_halted(void) { return halted != 0; }

static const char *const stage_names[UG_STAGE_COUNT] = {"between launches",
                                                        "while loading the plugin",
                                                        "while describing itself",
                                                        "in workspace_size",
                                                        "in geometry",
                                                        "while copying buffers",
                                                        "in launch",
                                                        "while waiting for the device"};

static const char *stage_of(const ug_wire *w)
{
    return w->stage < UG_STAGE_COUNT ? stage_names[w->stage] : "at an unknown point";
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

int ug_client_open(ug_client *client, const char *plugin, int arena_fd, char *err, size_t cap)
{
    *client = (ug_client){.plugin = plugin, .arena_fd = arena_fd, .socket = -1};
    client->control = memfd_create("ulpgate-control", MFD_CLOEXEC);
    if (client->control < 0 || ftruncate(client->control, sizeof(ug_wire))) {
        snprintf(err, cap, "cannot make shared memory: %s", strerror(errno));
        if (client->control >= 0) close(client->control);
        client->control = -1;
        return -1;
    }
    client->wire =
        mmap(NULL, sizeof(ug_wire), PROT_READ | PROT_WRITE, MAP_SHARED, client->control, 0);
    if (client->wire == MAP_FAILED) {
        snprintf(err, cap, "cannot map shared memory: %s", strerror(errno));
        close(client->control);
        client->wire = NULL;
        client->control = -1;
        return -1;
    }
    return 0;
}

void ug_client_stop(ug_client *client)
{
    if (!client->pid) return;
    kill(-client->pid, SIGKILL);
    kill(client->pid, SIGKILL);
    while (waitpid(client->pid, NULL, 0) < 0 && errno == EINTR) {}
    ug_spawn_forget(client->pid);
    close(client->socket);
    client->pid = 0;
    client->socket = -1;
}

void ug_client_close(ug_client *client)
{
    ug_client_stop(client);
    if (client->wire) munmap(client->wire, sizeof(ug_wire));
    if (client->control >= 0) close(client->control);
    client->wire = NULL;
    client->control = -1;
}

static int is_dead(const ug_client *client, siginfo_t *info)
{
    info->si_pid = 0;
    return !waitid(P_PID, (id_t)client->pid, info, WEXITED | WNOHANG | WNOWAIT) &&
           info->si_pid == client->pid;
}

/* The process closed its end: what does its exit status say? Leaves no process behind. */
static void tell_death(ug_client *client, char *why, size_t cap)
{
    const ug_wire *w = client->wire;
    siginfo_t info;
    int dead = is_dead(client, &info);
    for (int ms = 0; ms < REAP_MS && !dead; ms++) {
        poll(NULL, 0, 1);
        dead = is_dead(client, &info);
    }
    if (!dead)
        snprintf(why, cap, "closed its socket %s and went on", stage_of(w));
    else if (info.si_code == CLD_EXITED)
        snprintf(why, cap, "exited with status %d %s", info.si_status, stage_of(w));
    else
        snprintf(why, cap, "signal %d (%s) %s", info.si_status, strsignal(info.si_status),
                 stage_of(w));
    ug_client_stop(client);
}

/* Waits for the number `expected`. */
static ug_reply await(ug_client *client, uint64_t expected, double seconds, char *why, size_t cap)
{
    double end = now() + seconds;
    struct pollfd wait = {client->socket, POLLIN, 0};
    uint64_t got[2] = {0, 0};
    for (;;) {
        double left = end - now();
        int ms = left <= 0 ? 0 : left * 1e3 < SLICE_MS ? (int)(left * 1e3) + 1 : SLICE_MS;
        int ready = poll(&wait, 1, ms);
        if (halted) {
            snprintf(why, cap, "stopped");
            ug_client_stop(client);
            return UG_REPLY_STOPPED;
        }
        siginfo_t info;
        if (ready > 0) break;
        if (is_dead(client, &info)) { /* a child of it may still hold the socket open */
            tell_death(client, why, cap);
            return UG_REPLY_CRASH;
        }
        if (left > 0) continue;
        snprintf(why, cap, "no answer after %.3g s %s", seconds, stage_of(client->wire));
        ug_client_stop(client);
        return UG_REPLY_HANG;
    }
    ssize_t n = recv(client->socket, got, sizeof got, MSG_DONTWAIT);
    if (n == sizeof *got && got[0] == expected) return UG_REPLY_OK;
    if (n <= 0) {
        tell_death(client, why, cap);
        return UG_REPLY_CRASH;
    }
    snprintf(why, cap, "a stray message of %zd bytes came from the worker's socket %s", n,
             stage_of(client->wire));
    ug_client_stop(client);
    return UG_REPLY_GARBAGE;
}

int ug_client_start(ug_client *client, char *err, size_t cap)
{
    ug_wire *w = client->wire;
    char why[512];
    ug_client_stop(client);
    memset(w, 0, offsetof(ug_wire, windows));
    w->version = UG_WIRE_VERSION;
    client->sequence = 0;
    if (ug_spawn(client->plugin, client->control, client->arena_fd, &client->pid, &client->socket,
                 err, cap))
        return -1;
    if (await(client, 0, start_seconds, why, sizeof why) != UG_REPLY_OK) {
        snprintf(err, cap, "%s: the worker did not start: %s", client->plugin, why);
        return -1;
    }
    if (w->answer != UG_ANSWER_DONE || w->card.kernel_count > UG_CARDS_MAX) {
        w->message[sizeof w->message - 1] = 0;
        snprintf(err, cap, "%s: not usable as a plugin: %s", client->plugin, w->message);
        ug_client_stop(client);
        return -1;
    }
    return 0;
}

ug_reply ug_client_call(ug_client *client, ug_command command, double seconds, char *why,
                        size_t cap)
{
    ug_wire *w = client->wire;
    uint64_t sequence = ++client->sequence;
    ug_reply reply;
    w->command = (uint32_t)command;
    w->answer = UG_ANSWER_NONE;
    w->fault_signal = 0;
    if (send(client->socket, &sequence, sizeof sequence, MSG_NOSIGNAL) != sizeof sequence) {
        tell_death(client, why, cap);
        return UG_REPLY_CRASH;
    }
    reply = await(client, sequence, seconds, why, cap);
    if (reply != UG_REPLY_OK) return reply;
    w->message[sizeof w->message - 1] = 0;
    w->path[sizeof w->path - 1] = 0;
    if (w->answer == UG_ANSWER_NONE || w->answer > UG_ANSWER_UNFIT) {
        snprintf(why, cap, "the worker's answer %u is none", w->answer);
        ug_client_stop(client);
        return UG_REPLY_GARBAGE;
    }
    return UG_REPLY_OK;
}
