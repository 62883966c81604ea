/* SPDX-License-Identifier: Apache-2.0 */
/* Which declared properties a case needs from a kernel. */
#ifndef ULPGATE_NEEDS_H
#define ULPGATE_NEEDS_H

#include "audit/audit.h"

/* must: a kernel that lacks one of these has to decline. may: it is free to. What a kernel declares
 * in full it has to accept, unless it accepts no launch of that size at all. */
typedef struct ug_needs {
    uint32_t must, may; /* UG_CAN_* */
    int foreign;        /* the op or the dtype is none of the kernel's */
} ug_needs;

void ug_needs_of(const ug_case *c, const ug_kernel_card *card, int has_gamma, int has_beta,
                 ug_needs *needs);

/* "row strides, no gamma" */
void ug_needs_text(uint32_t bits, char *text, size_t cap);

#endif
