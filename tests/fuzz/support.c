/* SPDX-License-Identifier: Apache-2.0 */
/* Files in memory, and the end of a run that found something. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tests/fuzz/fuzz.h"

const char *ug_fuzz_file(const uint8_t *data, size_t size)
{
    static char path[64];
    static int fd = -1;
    if (fd < 0) fd = memfd_create("ulpgate-fuzz", 0);
    if (fd < 0 || ftruncate(fd, 0) || lseek(fd, 0, SEEK_SET) < 0) return NULL;
    for (size_t done = 0; done < size;) {
        ssize_t n = write(fd, data + done, size - done);
        if (n <= 0) return NULL;
        done += (size_t)n;
    }
    snprintf(path, sizeof path, "/proc/%d/fd/%d", (int)getpid(), fd);
    return path;
}

void ug_fuzz_require(int holds, const char *what)
{
    if (holds) return;
    fprintf(stderr, "a property does not hold: %s\n", what);
    abort();
}
