#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# An empty run is not a pass: no case, no kernel, no result exit with 77 and say why.
. "$(dirname "$0")/cli_check.sh"

printf '# no case at all\n' >none.cases
printf "tier full\nlayernorm n=8\n" >later.cases
expect 77 'nothing was tested' "$program" run --suite ./none.cases
expect 77 'no case in tier smoke' "$program" run --suite ./later.cases --tier smoke
expect 77 'nothing was tested' "$program" run --case 'layernorm n=8' --kernel 'nosuch:*'
expect 77 'nosuch' "$program" run --case 'layernorm n=8' --kernel 'nosuch:*'
expect 77 'no case' "$program" list cases --suite ./none.cases
expect 77 'no kernel matches' "$program" list kernels --kernel 'nosuch:*'

: >empty.jsonl
printf '{"type":"run","schema":1}\n{"type":"end","results":0}\n' >header.jsonl
for format in table text md csv html junit; do
    expect 77 '' "$program" report --format $format empty.jsonl
    expect 77 '' "$program" report --format $format header.jsonl
done
expect 77 'nothing was tested' "$program" report header.jsonl
exit $bad
