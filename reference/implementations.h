/* SPDX-License-Identifier: Apache-2.0 */
/* The implementations of the exact answer, one file each. */
#ifndef ULPGATE_REFERENCE_IMPLEMENTATIONS_H
#define ULPGATE_REFERENCE_IMPLEMENTATIONS_H

#include "reference/truth.h"

extern const ug_reference ug_reference_mpfr, ug_reference_certified;

#endif
