#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# ulpgate bench where there is only the executor: no time is taken for one, unless it is forced.
. "$(dirname "$0")/cli_check.sh"

expect 77 'times of the CPU executor mean nothing' "$program" bench --kernel 'host:*' --shapes 4x8
expect 77 'no kernel matches' "$program" bench --kernel 'nosuch:*' --shapes 4x8
expect 2 'expected ROWSxN' "$program" bench --shapes 4by8
expect 2 'expected ROWSxN' "$program" bench --shapes 0x8
expect 2 "'f64'" "$program" bench --shapes 4x8 --dtype f64
expect 2 'multiple of 32' "$program" bench --shapes 4x8 --block 100
expect 2 'none' "$program" bench --dtype f32
expect 2 'nosuch' "$program" bench --suite nosuch

expect 0 'mean nothing' "$program" bench --kernel 'host:vec4/*' --force --shapes 4x64 --dtype f32,bf16 --block 32,64 \
    --repeats 3 -o forced.jsonl
expect 0 'host:vec4@64/welford' "$program" report forced.jsonl
expect 0 ',bench,' "$program" report --format csv forced.jsonl
expect 0 'dtype=bf16' cat forced.jsonl
if [ "$(grep -c '"type":"bench"' forced.jsonl)" != 14 ]; then echo 'FAILED: not 2 x (1 copy + 2 x 3)'; bad=1; fi
exit $bad
