#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The manual pages have no fault that groff or mandoc, whichever are there, know of.
# usage: cli_man.sh FOLDER
found=0
bad=0
report() { [ -z "$1" ] || { echo "$1"; bad=1; }; }
for page in "$1"/*.1; do
    if command -v groff >/dev/null; then
        found=1
        report "$(groff -man -ww -rCHECKSTYLE=3 -Tascii -z "$page" 2>&1)"
    fi
    # The pages bear the version; a date would have to be kept by hand. The line of NAME cannot be broken.
    if command -v mandoc >/dev/null; then
        found=1
        report "$(mandoc -T lint "$page" 2>&1 | grep -v 'missing date\|longer than 80 bytes: ulpgate')"
    fi
    grep -q '^\.SH EXIT STATUS' "$page" || report "$page: says nothing of exit codes"
done
[ "$found" = 1 ] || { echo 'neither groff nor mandoc is there'; exit 77; }
exit $bad
