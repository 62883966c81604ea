/* SPDX-License-Identifier: Apache-2.0 */
/* Runs of test plugins through ug_run, and their records. */
#ifndef AUDIT_FIXTURE_H
#define AUDIT_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <jansson.h>

#include "audit/audit.h"

typedef struct fixture {
    ug_case cases[64];
    const char *plugins[4];
    const char *kernels[8];
    ug_run_options options;
    ug_run_summary summary;
    char log[4096]; /* what the run told people */
    int rc;
    json_t *header, *end;
    json_t *records; /* array */
} fixture;

/* A run of lines (NULL-terminated) through one plugin, kernel globs separated by spaces. */
void fixture_init(fixture *f, const char *plugin, const char *globs, const char *const *lines);

/* Runs and reads the file (which is left where summary.out says). */
void fixture_run(fixture *f);
void fixture_read(fixture *f, const char *path);

/* Removes the file and frees. */
void fixture_done(fixture *f);

const char *record_text(const json_t *record, const char *key);

/* 1 when a reason of the record has this tag. */
int record_has(const json_t *record, const char *tag);

#endif
