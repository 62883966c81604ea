#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The project of `ulpgate new kernel` builds against the public headers alone, is judged as it stands and ranked beside
# the built-in kernels; with a card that lies it fails. usage: kit_new.sh ULPGATE INCLUDE host|cuda CMAKE
set -eu
ulpgate=$1 include=$2 kind=$3 cmake=$4
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for name in $(env | sed -n 's/^\(ULPGATE_[A-Z_]*\)=.*/\1/p'); do unset "$name"; done

if [ "$kind" = cuda ] && ! command -v "${CUDACXX:-nvcc}" >/dev/null; then
    echo "nvcc was not found"
    exit 77
fi

# expect CODE WORDS COMMAND...: the exit code, and WORDS somewhere in what it prints
expect() {
    want=$1 words=$2
    shift 2
    set +e
    "$@" >"$work/said" 2>&1
    got=$?
    set -e
    if [ "$got" != "$want" ] || ! grep -q -- "$words" "$work/said"; then
        cat "$work/said"
        echo "exit $got, expected $want and '$words': $*"
        exit 1
    fi
}

build() {
    "$cmake" -S "$work/$1" -B "$work/$1/build" -DULPGATE_INCLUDE="$work/include" >"$work/said" 2>&1 &&
        "$cmake" --build "$work/$1/build" >>"$work/said" 2>&1 || { cat "$work/said"; exit 1; }
}

mkdir -p "$work/include/ulpgate"
cp "$include/ulpgate/kernel.h" "$work/include/ulpgate"
[ "$kind" = host ] || cp "$include/ulpgate/cuda_space.h" "$work/include/ulpgate"
cd "$work"
expect 0 "mine/mine_plugin.c" "$ulpgate" new kernel mine --"$kind"
test "$(find mine -type f | wc -l)" = 3
expect 2 "is there already" "$ulpgate" new kernel mine --"$kind"
build mine
test -f mine/build/mine.so

if [ "$kind" = cuda ]; then # no device: skipped, never passed; on a device it passes
    set +e
    "$ulpgate" run --tier smoke --plugin mine/build/mine.so --kernel 'mine:*' -o mine.jsonl >said 2>&1
    got=$?
    set -e
    cat said
    [ $got = 77 ] && grep -q "no usable device" said && exit 0
    exit $got
fi

expect 0 "^mine:mine/unknown" "$ulpgate" run --suite checklist --plugin mine/build/mine.so -o mine.jsonl
grep -q "^host:split/twopass " said
expect 0 PASS "$ulpgate" run --tier smoke --plugin mine/build/mine.so --kernel 'mine:*' -o smoke.jsonl

# It claims column strides and declines them; it hides that it works in place and accepts it.
cp -r mine claims && rm -r claims/build
sed -i 's/UG_CAN_ROW_STRIDE |/UG_CAN_ROW_STRIDE | UG_CAN_COL_STRIDE |/' claims/mine_plugin.c
build claims
expect 1 "what its card lists (row strides, column strides" "$ulpgate" run --plugin claims/build/mine.so \
    --kernel 'mine:*' --case 'layernorm n=8 rows=2 xcol=2'
cp -r mine hides && rm -r hides/build
sed -i 's/UG_CAN_IN_PLACE | //' hides/mine_plugin.c
build hides
expect 1 "its card does not list: in place" "$ulpgate" run --plugin hides/build/mine.so --kernel 'mine:*' \
    --case 'layernorm n=8 rows=2 alias=inplace'

# The command that repeats a failure, as the report prints it, does so.
repeat=$(sed -n 's/^ *ulpgate run /ulpgate run /p' said | head -n 1)
PATH=$(dirname "$(realpath "$ulpgate")"):$PATH
expect 1 "its card does not list: in place" sh -c "$repeat"
