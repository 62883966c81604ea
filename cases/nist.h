/* SPDX-License-Identifier: Apache-2.0 */
/* The nine univariate sets of the NIST StRD as decimals: four read from nist/NAME.txt, five made by
 * their rule. */
#ifndef ULPGATE_CASES_NIST_H
#define ULPGATE_CASES_NIST_H

#include "cases/case.h"

/* Values of the set of that name, -1 when there is none. */
int64_t ug_nist_count(const char *name);
const char *ug_nist_names(void);

/* Values `first`, `first + 1`, ... (cyclic), n of them, each times 10^exponent and rounded from the
 * decimal to t. 0, or -1 with err. Thread-safe. */
int ug_nist_values(const char *name, int exponent, ug_dtype t, int64_t first, int64_t n, float *x,
                   char *err, size_t cap);

#endif
