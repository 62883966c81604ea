#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# An example builds, its tests pass, and its page says what came of it. usage: examples.sh ULPGATE CMAKE PYTHON FOLDER
set -u
PATH=$(dirname "$(realpath "$1")"):$PATH
cmake=$2 python=$3 folder=$4
here=$(dirname "$(realpath "$0")")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export CUDACXX=none
for name in $(env | sed -n 's/^\(ULPGATE_[A-Z_]*\)=.*/\1/p'); do unset "$name"; done
{ "$cmake" -S "$folder" -B "$work" && "$cmake" --build "$work" -j 2; } >"$work/said" 2>&1 || {
    cat "$work/said"
    exit 1
}
"$(dirname "$cmake")/ctest" --test-dir "$work" --output-on-failure || exit 1
exec "$python" "$here/check_example.py" "$folder/README.md" "$work"/ulpgate/*.jsonl
