/* SPDX-License-Identifier: Apache-2.0 */
/* Cells that tables of several kinds have. */
#ifndef ULPGATE_REPORT_CELLS_H
#define ULPGATE_REPORT_CELLS_H

#include <stdint.h>

#include "report/table.h"

/* A kernel's name, with a star behind that of a yardstick. */
void ug_cell_kernel(ug_cell *cell, const char *kernel, int yardstick);

/* A measured number in short, bad when it is not finite; "-" where there is none. */
void ug_cell_number(ug_cell *cell, int known, double value);

/* Three digits behind the point; "-" for NaN. */
void ug_cell_ratio(ug_cell *cell, double value);

/* "pass/judged", good when they are equal; "-" where nothing was judged. */
void ug_cell_share(ug_cell *cell, int64_t pass, int64_t judged);

#endif
