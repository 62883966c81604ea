/* SPDX-License-Identifier: Apache-2.0 */
/* ulpgate check: judges outputs that other programs left in an exported folder. */
#include "audit/exchange.h"
#include "cli/commands.h"
#include "cli/end.h"

static int run(const ug_cli *cli)
{
    ug_exchange exchange;
    char err[512] = "";
    int rc = UG_EXIT_USAGE;
    if (ug_exchange_open(&exchange, cli->operands.item[0], err, sizeof err))
        ug_error("%s", err);
    else
        rc = ug_run_cases(cli, &exchange.cases, &exchange);
    if (!cli->quiet && rc <= UG_EXIT_FAIL)
        ug_error("not judged, since files do not carry them: guards, aliasing, repeats, alignment, "
                 "strides, launches of row independence; each record says more");
    ug_exchange_close(&exchange);
    return rc;
}

const ug_command ug_command_check = {
    "check",
    UG_CMD_CHECK,
    "DIR",
    1,
    1,
    "Judge outputs that other programs left in an exported folder.",
    "Every folder DIR/outputs/NAME is judged as the kernel files:NAME, by the gates, with the "
    "report and the records of `ulpgate run`. What files cannot carry (guards, aliasing, repeats, "
    "alignment, strides, launches of row independence) is listed in each record as not exchanged. "
    "A case without outputs counts as declined; files that are damaged or do not fit are errors.",
    "ulpgate check exchange --gate sound\n"
    "ulpgate check exchange --kernel 'files:mine*' -o mine.jsonl",
    run};
