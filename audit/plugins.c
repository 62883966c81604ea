/* SPDX-License-Identifier: Apache-2.0 */
/* Where the built-in plugins lie. */
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "audit/audit.h"

static const char *const names[] = {"host", "cuda", "openblas"};
enum { BUILTIN = sizeof names / sizeof *names };

static pthread_once_t once = PTHREAD_ONCE_INIT;
static char path[BUILTIN][PATH_MAX + 64];
static const char *found[BUILTIN];
static size_t count;

static void find_all(void)
{
    const char *given = getenv("ULPGATE_PLUGINS");
    char folder[PATH_MAX];
    if (given && *given) {
        snprintf(folder, sizeof folder, "%s", given);
    } else { /* PREFIX/bin/program, PREFIX/lib/ulpgate/ */
        ssize_t n = readlink("/proc/self/exe", folder, sizeof folder - 32);
        folder[n > 0 ? n : 0] = 0;
        for (int up = 0; up < 2; up++)
            if (strrchr(folder, '/')) *strrchr(folder, '/') = 0;
        strcat(folder, "/lib/ulpgate");
    }
    for (int i = 0; i < BUILTIN; i++) {
        snprintf(path[count], sizeof path[count], "%s/libulpgate_%s.so", folder, names[i]);
        if (!access(path[count], R_OK)) {
            found[count] = path[count];
            count++;
        }
    }
}

size_t ug_builtin_plugins(const char *const **paths)
{
    pthread_once(&once, find_all);
    *paths = found;
    return count;
}
