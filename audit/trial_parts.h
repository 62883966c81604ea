/* SPDX-License-Identifier: Apache-2.0 */
/* What the two files of a trial share. */
#ifndef ULPGATE_TRIAL_PARTS_H
#define ULPGATE_TRIAL_PARTS_H

#include "audit/trial.h"

/* Sends the launch and tells how it ended; memory is not looked at. */
ug_end ug_trial_command(ug_trial *t, const ug_launch *l);

#endif
