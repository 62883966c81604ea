/* SPDX-License-Identifier: Apache-2.0 */
/* A folder through which other programs answer cases: inputs out, outputs in.
 *
 * ug_export writes the inputs and the manifest; programs write DIR/outputs/NAME/; a run with
 * ug_run_options.exchange judges each NAME as the kernel `files:NAME`. Names of files follow from
 * the ids of cases; those in the manifest are for the programs. Format: docs/exchange.md.
 */
#ifndef ULPGATE_EXCHANGE_H
#define ULPGATE_EXCHANGE_H

#include "audit/audit.h"

enum { UG_EXCHANGE_PATH = 2048, UG_EXCHANGE_BYTES = 1 << 30 };

struct ug_exchange {
    char dir[UG_EXCHANGE_PATH / 2];
    int npy; /* .npy, a file a tensor, in place of .safetensors */
    ug_case_list cases;
    uint64_t *ids;        /* one a case */
    uint64_t *inputs;     /* digests of x, gamma and beta, one a case */
    ug_backend_card card; /* backend `files`, a kernel a folder of outputs */
};

/* What export did with the cases. */
typedef struct ug_exported {
    size_t cases;
    size_t left_out; /* larger than UG_EXCHANGE_BYTES */
    uint64_t bytes;  /* of the inputs */
} ug_exported;

/* Writes inputs and manifest into a folder that is new or empty; the manifest comes last. Cases
 * that are left out are named on log. Returns 0, or -1 with err. */
int ug_export(const ug_case *cases, size_t count, const char *dir, int npy, FILE *log,
              ug_exported *done, char *err, size_t cap);

/* Reads the manifest and what the folder says of its kernels. Returns 0, or -1 with err, which
 * names the file; ug_exchange_close is allowed in both cases. */
int ug_exchange_open(ug_exchange *x, const char *dir, char *err, size_t cap);
void ug_exchange_close(ug_exchange *x);

#endif
