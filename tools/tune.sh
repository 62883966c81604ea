#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Times choices for the dispatcher `best` (cuda/best.cpp) on the device at hand, some eight minutes for everything.
#
# usage: tune.sh ULPGATE FOLDER [GROUP...]      GROUP: tiny short middle wide long huge odd (default: all)
#
# Writes FOLDER/tune-GROUP-DTYPE.jsonl; `tools/tune.py FOLDER/tune-*.jsonl` makes a table of them. What a choice means
# stands in cuda/tuned.cu; VARIANCES, REPEATS and BUDGET (seconds, 0: none) may be set in the environment.
set -eu
[ $# -ge 2 ] || { sed -n '5,8p' "$0" >&2; exit 2; }
ulpgate=$1
folder=$2
shift 2
[ $# -gt 0 ] || set -- middle long huge short odd wide tiny
variances=${VARIANCES:-shifted}
repeats=${REPEATS:-15}
budget=${BUDGET:-0}
start=$(date +%s)
data="data=normal(mean=3,std=7)"
mkdir -p "$folder"

# group DTYPE SHAPES CHOICES
group() {
    spent=$(($(date +%s) - start))
    if [ "$budget" -gt 0 ] && [ "$spent" -ge "$budget" ]; then
        echo "tune.sh: $name $1 left out after $spent s" >&2
        return 0
    fi
    kernels=
    for v in $variances; do kernels="$kernels,cuda:tuned@*/$v"; done
    dtype=$1 shapes=$2 choices=$3
    set -- # the cases of suite `bench`, by their shape
    for shape in $(echo "$shapes" | tr , ' '); do
        set -- "$@" --case "layernorm dtype=$dtype wdtype=$dtype rows=${shape%x*} n=${shape#*x} stats=0 $data"
    done
    ULPGATE_TUNE=$choices "$ulpgate" bench "$@" --kernel "${kernels#,}" --repeats "$repeats" -q \
        --out "$folder/tune-$name-$dtype.jsonl" || echo "tune.sh: $name $dtype: exit $?" >&2
    echo "$name $dtype: $(($(date +%s) - start)) s"
}

lanes='1x8x256.r1.p1 1x8x256.r2.p1 1x8x256.r2 1x8x128.r2.p1 1x8x128.r2 1x16x256.r2 1x16x256.r2.p1 1x16x128.r2
    1x16x128.r2.p1'
few='1x32x256.r2 1x32x256.r2.p1 1x32x128.r2 1x32x128.r2.p1 1x32x128 1x32x64 1x32x64.r2 1x64 1x64.r2 1x64.r2.p1
    1x96 1x128'
block='1x64 1x128 1x128.r2 1x128.p1 1x192 1x256 1x256.r2 1x256.p1 1x128.s2 1x256.s2 1x256.s3 1x512.s2 1x512.s3'
wide='1x256 1x512.s1 1x512.s2 1x512.s3 2x256.s2 2x256.s3 2x512.s2 2x512.s3 4x256.s2 4x256.s3 4x512.s2 4x512.s3
    8x256.s2 8x256.s3'
long='2x512.s2 4x256.s2 4x512.s1 4x512.s2 4x512.s3 8x256.s2 8x256.s3 8x512.s2 8x512.s3 8x512.s4 16x256.s2
    16x256.s3 16x512.s2 16x512.s3'
huge='8x512.s1 8x512.s2 16x512.s1 16x512.s2 16x512.s3 16x256.s2 16x256.s3'

for name in "$@"; do
    case $name in
    tiny)
        group f32 4096x768,4096x1024,4096x4096 "$few 1x256 1x128.s2"
        group bf16 4096x768,4096x1024,4096x4096 "$few 1x8x256.r2 1x16x256.r2"
        ;;
    short)
        group f32 65536x128,262144x256 "$lanes"
        group bf16 65536x128,262144x256 "$lanes"
        ;;
    middle)
        group f32 16384x1024 "$few"
        group f32 32768x4096,8192x8192 "$block"
        group bf16 16384x1024 "$few 1x16x256.r2"
        group bf16 32768x4096,8192x8192 "$block"
        ;;
    wide)
        group f32 4096x16384,2048x32768 "$wide"
        group bf16 4096x16384,2048x32768 "$wide"
        ;;
    long)
        group f32 1024x65536 "$long"
        group bf16 1024x65536 "$long 1x512.s1 2x256.s2 2x256.s3"
        ;;
    huge)
        group f32 256x262144 "$huge"
        group bf16 256x262144 "$huge 4x512.s1 4x512.s2 8x256.s2 8x256.s3 4x512.s3"
        ;;
    odd)
        group f32 4096x1023,4096x4097 "$few 1x256 1x512 1x128.s2 1x256.s2"
        group bf16 4096x1023,4096x4097 "$few 1x256 1x512 1x128.s2 1x256.s2 1x16x256.r2"
        ;;
    *)
        echo "tune.sh: unknown group '$name'" >&2
        exit 2
        ;;
    esac
done
