#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Options and their environment twins, --out, colours, exit codes of mistakes.
. "$(dirname "$0")/cli_check.sh"
esc=$(printf '\033[')

cat >two.jsonl <<'TEXT'
{"type":"run","schema":1}
{"type":"result","case":"layernorm n=8","kernel":"host:a/sum2","verdict":"FAIL","gate":"bound"}
{"type":"end"}
TEXT

expect 2 "ULPGATE_JOBS is 'x'" env ULPGATE_JOBS=x "$program" run --case 'layernorm n=8'
expect 2 "ULPGATE_TIER is 'big', expected smoke|default|full|huge" env ULPGATE_TIER=big "$program" list suites
expect 2 "there is no profile 'a'" env ULPGATE_PROFILE=a "$program" run --case 'layernorm n=8'
expect 2 "there is no profile 'b'" env ULPGATE_PROFILE=a "$program" run --case 'layernorm n=8' --profile b
expect 2 '--gate' "$program" run --case 'layernorm n=8' --gate nosuch
expect 2 "there is no reference 'x'" "$program" run --case 'layernorm n=8' --reference x
expect 2 'needs a results file' "$program" run --resume -o - --case 'layernorm n=8'

# What is not there is told with what is, or with where it was looked for.
known='there is none of this name; known are '
expect 2 "suite 'nosuch': $known" "$program" run --suite nosuch
expect 2 "suite 'nosuch': $known" "$program" list cases --suite nosuch
if ! grep -q ' checklist, ' .out; then echo 'FAILED: the suites are not named'; bad=1; fi
expect 2 'cannot open nosuch.cases' "$program" run --suite nosuch.cases
expect 2 "cannot list 'nosuch', expected kernels|cases|suites|" "$program" list nosuch
mkdir -p data/suites
for command in 'list suites' doctor 'list cases' 'run --suite edge'; do
    # shellcheck disable=SC2086
    expect 2 'cannot open /nonexistent/suites' env ULPGATE_DATA=/nonexistent "$program" $command
    if ! grep -q 'ULPGATE_DATA names the folder /nonexistent' .out; then
        echo "FAILED: $command does not say where the folder comes from"
        bad=1
    fi
done
for command in doctor 'run --suite edge'; do
    # shellcheck disable=SC2086
    expect 2 'ULPGATE_DATA names the folder data' env ULPGATE_DATA=data "$program" $command
done
expect 2 'cannot write' "$program" list gates -o /nonexistent/x

# A case of the environment stands in for --case, and is dropped by it.
expect 0 'n=12' env ULPGATE_CASE='layernorm n=12' "$program" list cases
expect 0 'n=16' env ULPGATE_CASE='layernorm n=12' "$program" list cases --case 'layernorm n=16'
if grep -q 'n=12' .out; then echo 'FAILED: --case did not replace ULPGATE_CASE'; bad=1; fi

# -o and --out mean the same on every command; - is standard output.
for command in 'list gates' 'help run' 'report two.jsonl' "explain layernorm"; do
    # shellcheck disable=SC2086
    "$program" $command >plain.txt && "$program" $command -o short.txt && "$program" $command --out=long.txt &&
        "$program" $command --out - >dash.txt
    for file in short long dash; do
        if [ ! -s plain.txt ] || ! cmp -s plain.txt $file.txt; then
            echo "FAILED: $command --out ($file)"
            bad=1
        fi
    done
done

has_colour() { grep -qF "$esc" .out; }
colour() {
    hue=$1
    shift
    expect 0 'host:a/sum2' "$@"
    if has_colour; then got=1; else got=0; fi
    if [ "$got" != "$hue" ]; then echo "FAILED: colour is $got, expected $hue: $*"; bad=1; fi
}
colour 0 "$program" report two.jsonl
colour 1 "$program" report two.jsonl --color=always
colour 1 env CLICOLOR_FORCE=1 "$program" report two.jsonl
colour 0 env CLICOLOR_FORCE=1 NO_COLOR=1 "$program" report two.jsonl
colour 1 env NO_COLOR=1 "$program" report two.jsonl --color=always
colour 0 env CLICOLOR_FORCE=1 "$program" report two.jsonl --color=never
colour 1 env ULPGATE_COLOR=always "$program" report two.jsonl
exit $bad
