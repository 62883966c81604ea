#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A CUDA kernel without a GPU: the project of `ulpgate new kernel --cuda` passes on the CPU executor; without a barrier,
# past its row, or with a wrong formula it fails, and the sanitizers name the line of the .cu file.
# usage: faults.sh ULPGATE CMAKE
set -u
PATH=$(dirname "$(realpath "$1")"):$PATH
cmake=$2
ctest=$(dirname "$cmake")/ctest
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
export CUDACXX=none
for name in $(env | sed -n 's/^\(ULPGATE_[A-Z_]*\)=.*/\1/p'); do unset "$name"; done

# build NAME [TARGET...]
build() {
    folder=$1
    shift
    { "$cmake" -S "$folder" -B "$folder/build" &&
        "$cmake" --build "$folder/build" -j 2 ${1:+--target "$@"}; } >said 2>&1 || { cat said; exit 1; }
}

# fault NAME SED SANITIZER: the project with one edit of the kernel, built and tested
fault() {
    mkdir "$1"
    cp mine/CMakeLists.txt mine/*.cu "$1"
    sed -i "$2" "$1/mine.cu"
    cmp -s mine/mine.cu "$1/mine.cu" && { echo "$1: nothing was changed"; exit 1; }
    build "$1" mine-host "mine-host_$3"
    "$ctest" --test-dir "$1/build" --output-on-failure -R "checklist|$3" >"$1/log" 2>&1
}

# shows NAME PATTERN: the log of that fault has it
shows() {
    grep -q -- "$2" "$1/log" && return 0
    cat "$1/log"
    echo "$1: expected '$2'"
    exit 1
}

ulpgate new kernel mine --cuda >said || exit 1
build mine
if ! "$ctest" --test-dir mine/build --output-on-failure >said 2>&1 ||
    ! grep -q "100% tests passed.* out of 4" said; then
    cat said
    exit 1
fi
grep -q "mine-host.tsan .*Skipped" said && tsan=off || tsan=on

fault race '0,/__syncthreads();/s///' tsan
shows race "mine-host.checklist .*Failed"
[ $tsan = off ] || shows race "data race"
[ $tsan = off ] || shows race "race/mine.cu:1[0-9]"
fault past 's/i < cols; i += blockDim.x) sum/i <= cols; i += blockDim.x) sum/' asan
shows past "mine-host.checklist .*Failed"
shows past "heap-buffer-overflow .*past/mine.cu:25"
fault formula 's/block_sum(squares) \/ cols/block_sum(squares) \/ (cols - 1)/' asan
shows formula "mine-host.checklist .*Failed"
shows formula "mine-host.asan .*Passed"
