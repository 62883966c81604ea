/* SPDX-License-Identifier: Apache-2.0 */
/* What a user's tensor is like, row by row, by the exact statistics of the reference. */
#ifndef ULPGATE_CLI_MEASURE_TENSOR_H
#define ULPGATE_CLI_MEASURE_TENSOR_H

#include "report/advise.h"

/* raw16: the dtype that untyped 16-bit words are taken for, or NULL. Strings of *rec are those
 * given and constants. Returns 0, or -1 with err. */
int ug_measure_tensor(const char *path, const char *tensor, const char *raw16, ug_tensor_rec *rec,
                      char *err, size_t cap);

#endif
