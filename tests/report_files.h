/* SPDX-License-Identifier: Apache-2.0 */
/* Small hand-written results files for the tests of report/. */
#ifndef ULPGATE_TESTS_REPORT_FILES_H
#define ULPGATE_TESTS_REPORT_FILES_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "report/report.h"

#define HEADER                                                                                     \
    "{\"type\":\"run\",\"schema\":1,\"version\":\"0.1.0\",\"host\":{\"cpu\":\"a cpu\","            \
    "\"cores\":2},\"backends\":[{\"backend\":\"host\",\"plugin\":\"libulpgate_host.so\","          \
    "\"facts\":{\"device\":\"cpu\"}},{\"backend\":\"mine\",\"plugin\":\"/opt/my kernels.so\"}]}\n"
#define FOOTER_OF(results) "{\"type\":\"end\",\"results\":" results ",\"seconds\":1.5}\n"
#define FOOTER             FOOTER_OF("1")

/* A result with the fields that every verdict has; `rest` starts with a comma or is empty. */
#define RESULT(line, kernel, variance, verdict, rest)                                              \
    "{\"type\":\"result\",\"case\":\"" line "\",\"kernel\":\"" kernel                              \
    "\",\"variance\":\"" variance "\",\"verdict\":\"" verdict "\"" rest "}\n"

static char results_file[] = "/tmp/ulpgate_report_XXXXXX";

/* Writes text to a file of this test program; the name stays the same. */
static inline const char *write_results(const char *text)
{
    static int made;
    int fd = made ? -1 : mkstemp(results_file);
    FILE *out;
    made = 1;
    if (fd >= 0) close(fd);
    out = fopen(results_file, "w");
    assert_non_null(out);
    assert_true(fputs(text, out) >= 0);
    assert_int_equal(fclose(out), 0);
    return results_file;
}

static inline int remove_results(void **state)
{
    (void)state;
    unlink(results_file);
    return 0;
}

#endif
