/* SPDX-License-Identifier: Apache-2.0 */
/* Records of type bench. */
#include "report/record.h"

int ug_record_bench(ug_reading *at, const json_t *object, ug_rec_bench *bench)
{
    if (ug_record_result(at, object, &bench->rec)) return -1;
    bench->copy = ug_field_text(at, object, "", "copy");
    bench->us = ug_field_number(at, object, "", "us", NULL);
    bench->us_spread = ug_field_number(at, object, "", "us_spread", NULL);
    bench->gbps = ug_field_number(at, object, "", "gbps", NULL);
    bench->copy_share = ug_field_number(at, object, "", "copy_share", NULL);
    bench->copy_us = ug_field_number(at, object, "", "copy_us", NULL);
    bench->bytes = ug_field_number(at, object, "", "bytes", NULL);
    bench->block = ug_field_integer(at, object, "", "block");
    bench->repeats = ug_field_integer(at, object, "", "repeats");
    bench->sets = ug_field_integer(at, object, "", "sets");
    bench->judged_rows = ug_field_integer(at, object, "", "judged_rows");
    bench->emulated = json_is_true(json_object_get(object, "emulated"));
    return at->failed ? -1 : 0;
}
