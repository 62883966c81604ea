#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Everything that is measured on a device, into one folder; what cannot run here says so and the rest goes on.
# usage: measure.sh FOLDER [STEP...]      steps: bench blocks peers judge examples profile memcheck (default: all)
# ulpgate is the one on the PATH, $ULPGATE_PLUGINS the folder of its plugins. May be set: KERNELS (globs, 'cuda:*'),
# OURS (held against the peers, KERNELS), RUNS (3), LIMIT (seconds a step may take, 500), SUITES, JUDGED, SHAPES.
set -u
[ $# -ge 1 ] && [ -n "${ULPGATE_PLUGINS:-}" ] || { sed -n '4,6s/^# //p' "$0" >&2; exit 2; }
out=$1
shift
[ $# -gt 0 ] || set -- bench blocks peers judge examples profile memcheck
here=$(cd "$(dirname "$0")" && pwd)
plugins=$(cd "$ULPGATE_PLUGINS" && pwd)
kernels=${KERNELS:-cuda:*}
ours=${OURS:-$kernels}
mkdir -p "$out"

within() {
    limit=$1
    shift
    echo "+ $*"
    start=$(date +%s)
    timeout "$limit" "$@"
    echo "  exit $?, $(($(date +%s) - start)) s"
}

# The 28 rows of suite bench, several times: a report of all gives the medians.
bench() {
    for run in $(seq "${RUNS:-3}"); do
        within "$LIMIT" ulpgate bench --kernel "$kernels" -q -o "$out/bench$run.jsonl"
    done
    within 60 ulpgate report --format md -o "$out/bench.md" "$out"/bench?.jsonl
}

blocks() {
    within "$LIMIT" ulpgate bench --kernel 'cuda:split/*,cuda:fused/*,cuda:vec4/*' --block 128,256,512,1024 \
        --dtype f32 --shapes 65536x128,262144x256,4096x1024,32768x4096,8192x8192,4096x16384,1024x65536 \
        -q -o "$out/blocks.jsonl"
    within 60 ulpgate report --format md -o "$out/blocks.md" "$out/blocks.jsonl"
}

peers() {
    cases=$(mktemp)
    ulpgate list cases --suite bench --tier speed --format json >"$cases"
    within "$LIMIT" python3 "$here/peers/peers.py" --plugin "$plugins/libulpgate_cuda.so" --cases "$cases" \
        --kernel "$ours" --out "$out/peers.jsonl" --table "$out/peers.md" --budget $((LIMIT * 6 / 10))
    rm -f "$cases"
}

# The peers' answers to the suites that separate right from wrong, judged like any kernel.
judge() {
    folder=$(mktemp -d)
    # shellcheck disable=SC2046 # a list of suites
    within 120 ulpgate export $(echo "${SUITES:-condition,checklist}" | tr , ' ') -o "$folder"
    # Not torch.compile: compiling anew for each length takes seconds each.
    within "$LIMIT" python3 "$here/peers/answers.py" "$folder" --peers "${JUDGED:-torch,triton,liger,quack-nobeta}"
    within 300 ulpgate check "$folder" -q -o "$out/judged.jsonl"
    within 60 ulpgate report --format md -o "$out/judged.md" "$out/judged.jsonl"
    rm -rf "$folder"
}

# The examples with PyTorch, and their figures against float64 by torch; a file of records each, the tables in one.
examples() {
    set --
    for example in pytorch-cpu pytorch-cuda triton liger torch-compile; do
        within "$LIMIT" python3 "$here/../examples/$example/audit.py" -o "$out/$example.jsonl"
        [ ! -s "$out/$example.jsonl" ] || set -- "$@" "$out/$example.jsonl"
    done >"$out/examples.txt" 2>&1
    for device in cpu cuda; do
        within "$LIMIT" python3 "$here/../tests/test_torch.py" "$(command -v ulpgate)" "$device"
    done >>"$out/examples.txt" 2>&1
    [ $# -eq 0 ] || within 60 ulpgate report --format md -o "$out/examples.md" "$@"
}

profile() {
    within "$LIMIT" python3 "$here/profile/profile_kernels.py" --plugin "$plugins/libulpgate_cuda.so" \
        --kernel "$kernels" \
        --shapes "${SHAPES:-4096x1024,32768x4096}" --dtype f32 --out "$out/profile.md" --csv "$out/profile.csv" \
        --keep "$out/profile.log"
}

# Odd lengths, misaligned and padded rows, every path: no byte outside a row.
memcheck() {
    within "$LIMIT" compute-sanitizer --tool memcheck --target-processes all --error-exitcode 9 \
        --log-file "$out/memcheck.txt" \
        ulpgate run --suite checklist,edge --tier smoke --kernel "$kernels" --jobs 1 --time-limit 300 -q \
        -o "$out/memcheck.jsonl"
}

LIMIT=${LIMIT:-500}
ulpgate doctor >"$out/doctor.txt" 2>&1
for step in "$@"; do
    case $step in
        bench | blocks | peers | judge | examples | profile | memcheck) "$step" ;;
        *) echo "measure.sh: there is no step '$step'" >&2; exit 2 ;;
    esac
done
