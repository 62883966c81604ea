#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Golden tests of command-line text: every NAME.cmd is a shell snippet, NAME.out its output, errors and exit code.
# usage: cli_golden.sh ULPGATE GOLDEN_FOLDER [--update]
set -u
program=$(realpath "$1") && [ -x "$program" ] || { echo "$1 is no program"; exit 1; }
golden=$(realpath "$2")
update=${3:-}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# The text must not depend on whoever runs the test.
for name in $(env | sed -n 's/^\(ULPGATE_[A-Z_]*\)=.*/\1/p'); do unset "$name"; done
unset CLICOLOR CLICOLOR_FORCE COLUMNS
export LC_ALL=C TERM=dumb
PATH=$(dirname "$program"):$PATH

bad=0
count=0
for snippet in "$golden"/*.cmd; do
    name=$(basename "$snippet" .cmd)
    mkdir "$work/$name"
    cp "$golden"/*.jsonl "$golden"/*.cases "$work/$name" 2>/dev/null
    (cd "$work/$name" && sh "$snippet" >"$work/stdout" 2>"$work/stderr")
    code=$?
    {
        cat "$work/stdout"
        echo "--- stderr"
        cat "$work/stderr"
        echo "--- exit $code"
    } >"$work/$name.out"
    count=$((count + 1))
    if [ "$update" = --update ]; then
        cp "$work/$name.out" "$golden/$name.out"
    elif ! diff -u "$golden/$name.out" "$work/$name.out"; then
        echo "$name: differs; if the new text is right: cmake --build BUILD --target golden-update"
        bad=1
    fi
done
for text in "$golden"/*.out; do
    [ -e "${text%.out}.cmd" ] && continue
    if [ "$update" = --update ]; then
        rm "$text"
    else
        echo "$text: no snippet makes it"
        bad=1
    fi
done
[ "$count" -gt 0 ] || { echo "no snippet in $golden"; exit 1; }
exit $bad
