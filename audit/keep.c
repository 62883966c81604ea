/* SPDX-License-Identifier: Apache-2.0 */
/* Output bits on disk, for those who want to look at them. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "audit/job.h"

int ug_keep_output(const char *dir, const char *id, const char *kernel, const void *y, size_t bytes,
                   char *err, size_t cap)
{
    char path[PATH_MAX], plain[128];
    FILE *f;
    size_t n;
    snprintf(plain, sizeof plain, "%s", kernel);
    for (char *p = plain; *p; p++)
        if (strchr(":/@", *p)) *p = '_';
    snprintf(path, sizeof path, "%s/%s-%s.bin", dir, id, plain);
    f = fopen(path, "wb");
    n = f ? fwrite(y, 1, bytes, f) : 0;
    if (f && !fclose(f) && n == bytes) return 0;
    snprintf(err, cap, "cannot write %s: %s", path, strerror(errno));
    return -1;
}
