/* SPDX-License-Identifier: Apache-2.0 */
/* Where suites and tensors lie. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cases/case.h"

static char found[4096];

static int holds_suites(const char *dir)
{
    char path[4096 + 16];
    snprintf(path, sizeof path, "%s/suites", dir);
    return access(path, R_OK | X_OK) == 0;
}

/* share/ulpgate beside the bin/ that the program runs from: an installed tree may be moved. */
static int beside_program(char *dir, size_t cap)
{
    char program[3900], *slash;
    ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    if (length <= 0) return -1;
    program[length] = 0;
    for (int up = 0; up < 2; up++) {
        slash = strrchr(program, '/');
        if (!slash) return -1;
        *slash = 0;
    }
    snprintf(dir, cap, "%s/share/ulpgate", program);
    return 0;
}

static void look(void)
{
    if (!beside_program(found, sizeof found) && holds_suites(found)) return;
    snprintf(found, sizeof found, "%s",
             holds_suites(UG_DATA_SOURCE) ? UG_DATA_SOURCE : UG_DATA_INSTALLED);
}

void ug_data_places(char *text, size_t cap)
{
    const char *chosen = getenv("ULPGATE_DATA");
    char beside[4096] = "";
    if (chosen && *chosen) {
        snprintf(text, cap, "ULPGATE_DATA names the folder %s", chosen);
        return;
    }
    beside_program(beside, sizeof beside);
    snprintf(text, cap, "ULPGATE_DATA may name the folder; suites were looked for in %s%s%s and %s",
             beside, *beside ? ", " : "", UG_DATA_SOURCE, UG_DATA_INSTALLED);
}

const char *ug_data_dir(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    const char *chosen = getenv("ULPGATE_DATA");
    if (chosen && *chosen) return chosen;
    pthread_once(&once, look);
    return found;
}
