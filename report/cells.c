/* SPDX-License-Identifier: Apache-2.0 */
/* Cells that tables of several kinds have. */
#include "report/cells.h"

#include <inttypes.h>
#include <math.h>

#include "report/words.h"

void ug_cell_kernel(ug_cell *cell, const char *kernel, int yardstick)
{
    ug_cell_put(cell, yardstick ? UG_DIM : UG_BOLD, "%.90s%s", kernel, yardstick ? " *" : "");
}

void ug_cell_number(ug_cell *cell, int known, double value)
{
    char text[UG_NUMBER_TEXT];
    if (known) {
        ug_cell_put(cell, isfinite(value) ? UG_PLAIN : UG_BAD, "%s", ug_number_short(value, text));
    } else {
        ug_cell_put(cell, UG_DIM, "-");
    }
}

void ug_cell_ratio(ug_cell *cell, double value)
{
    if (isnan(value)) {
        ug_cell_put(cell, UG_DIM, "-");
    } else {
        ug_cell_put(cell, UG_PLAIN, "%.3f", value);
    }
}

void ug_cell_share(ug_cell *cell, int64_t pass, int64_t judged)
{
    if (judged) {
        ug_cell_put(cell, pass == judged ? UG_GOOD : UG_BAD, "%" PRId64 "/%" PRId64, pass, judged);
    } else {
        ug_cell_put(cell, UG_DIM, "-");
    }
}
