/* SPDX-License-Identifier: Apache-2.0 */
/* Judges side by side would each take most of a device's memory, and all but the first would be
 * told that there is none. A mutex keeps the judges of one run apart, a locked file those of
 * several; the kernel lets go of the file when its process ends, however it ends. */
#include "audit/device_lock.h"

#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

#include "audit/client.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

/* One file for each choice of visible devices: runs on other devices need not wait. */
static int open_file(void)
{
    const char *visible = getenv("CUDA_VISIBLE_DEVICES");
    uint64_t h = 14695981039346656037u; /* FNV-1a */
    char path[96];
    for (; visible && *visible; visible++) h = (h ^ (unsigned char)*visible) * 1099511628211u;
    snprintf(path, sizeof path, "/tmp/ulpgate-device-%ld-%016" PRIx64 ".lock", (long)getuid(), h);
    return open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
}

/* Tries again and again, so that a run that is stopped does not wait. */
static int wait_for(int (*taken)(int), int file)
{
    const struct timespec pause = {0, 5000000};
    while (!taken(file)) {
        if (ug_clients_halted()) return -1;
        nanosleep(&pause, NULL);
    }
    return 0;
}

static int mutex_taken(int unused)
{
    (void)unused;
    return pthread_mutex_trylock(&mutex) == 0;
}

static int file_taken(int file) { return flock(file, LOCK_EX | LOCK_NB) == 0; }

int ug_device_lock(ug_device_hold *hold)
{
    if (hold->held) return 0;
    if (wait_for(mutex_taken, -1)) return -1;
    hold->file = open_file();
    if (hold->file >= 0 && wait_for(file_taken, hold->file)) {
        close(hold->file);
        pthread_mutex_unlock(&mutex);
        return -1;
    }
    hold->held = 1;
    return 0;
}

void ug_device_unlock(ug_device_hold *hold)
{
    if (!hold->held) return;
    if (hold->file >= 0) close(hold->file);
    pthread_mutex_unlock(&mutex);
    hold->held = 0;
}
