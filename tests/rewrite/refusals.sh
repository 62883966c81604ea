#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What ulpgate-rewrite refuses: by name, with file and line, in headers too, and without an output.
# usage: refusals.sh REWRITE SOURCE
set -u
rewrite=$(realpath "$1")
source=$(realpath "$2")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
bad=0

# refuse LINE WORDS: standard input is the source
refuse() {
    cat >k.cu
    "$rewrite" -o k.cpp k.cu 2>said
    got=$?
    if [ $got != 1 ] || ! grep -q "k.cuh\{0,1\}:$1: error: .*$2" said || [ -e k.cpp ]; then
        echo "exit $got, expected 1 and k.cu:$1: ... $2; said:"
        cat said
        cat k.cu
        bad=1
    fi
}

refuse 2 'inline PTX' <<'CU'
__device__ void f() {
    asm volatile("ret;");
}
CU
refuse 1 'texture objects' <<'CU'
__global__ void k(cudaTextureObject_t t) {}
CU
refuse 3 'dynamic parallelism' <<'CU'
__global__ void a() {}
__global__ void b() {
    a<<<1, 1>>>();
}
CU
refuse 1 'cooperative groups' <<'CU'
#include <cooperative_groups.h>
CU
refuse 1 'cooperative groups' <<'CU'
namespace cg = cooperative_groups;
CU
refuse 2 'CUB' <<'CU'

using R = cub::BlockReduce<float, 128>;
CU
refuse 2 'outside of a function' <<'CU'
namespace x {
__shared__ float s[4];
}
CU
refuse 2 'TYPE NAME' <<'CU'
__global__ void k() {
    __shared__ struct { int a; } s;
}
CU
refuse 1 'before the type' <<'CU'
__global__ void k() { float __shared__ s[3]; }
CU
refuse 1 "the kernel's name" <<'CU'
void f() { <<<1, 1>>>(); }
CU
refuse 1 'has no >>>' <<'CU'
void f() { k<<<1, 1; }
CU
refuse 1 'half precision' <<'CU'
__device__ __half f(__half a) { return __hfma(a, a, a); }
CU
refuse 3 '__activemask' <<'CU'
/* two
   lines */
__device__ unsigned f() { return __activemask(); }
CU
# Names of libraries are no reason in themselves, nor are signs that only look like a launch's.
cat >fine.cu <<'CU'
struct at { int cub; };
int f(int at, int cub) { return at ? at : cub << 2 >> 1; }
CU
"$rewrite" -o fine.cpp fine.cu && grep -q '^int f' fine.cpp || bad=1

printf '\n__device__ void f() { asm("ret;"); }\n' >k.cuh
refuse 2 'inline PTX' <<'CU'
#include "k.cuh"
CU
printf 'a\0b' >k.cu
"$rewrite" -o k.cpp k.cu 2>said && bad=1
grep -q 'zero byte' said || { cat said; bad=1; }
"$rewrite" -o k.cpp absent.cu 2>said
[ $? = 2 ] || bad=1
"$rewrite" 2>said
[ $? = 2 ] && grep -q usage said || bad=1
for help in -h --help; do
    "$rewrite" $help >told 2>said && grep -q '^usage' told && [ ! -s said ] || bad=1
done

# Whatever the text, an answer: a source that has everything, cut anywhere.
size=$(wc -c <"$source")
at=0
while [ $at -lt "$size" ]; do
    head -c $at "$source" >cut.cu
    "$rewrite" -o cut.cpp cut.cu 2>said
    got=$?
    if [ $got -gt 1 ]; then
        echo "cut at $at: exit $got"
        cat said
        bad=1
    fi
    at=$((at + 23))
done
exit $bad
