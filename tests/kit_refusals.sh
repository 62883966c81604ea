#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What `ulpgate new` refuses, and that it then leaves nothing behind; and that what it writes for CUDA does not build
# nothing and call that done. usage: kit_refusals.sh ULPGATE INCLUDE CMAKE
set -u
ulpgate=$1 include=$2 cmake=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
bad=0

# refuse WORDS ARGUMENT...
refuse() {
    words=$1
    shift
    "$ulpgate" new "$@" >said 2>&1
    got=$?
    if [ $got != 2 ] || ! grep -q -- "$words" said; then
        echo "new $*: exit $got, expected 2 and '$words'"
        cat said
        bad=1
    fi
    rm said
    if [ -n "$(ls)" ]; then
        echo "new $*: left $(ls)"
        bad=1
    fi
}

refuse "is no name" kernel 1st --host
refuse "is no name" kernel a/b --host
refuse "is no name" kernel '' --host
refuse "is no name" kernel "$(printf '%041d' 0 | tr 0 a)" --host
refuse "is taken" kernel test --host
refuse "is taken" kernel launch --cuda
refuse "one of --cuda and --host" kernel mine
refuse "one of --cuda and --host" kernel mine --cuda --host
refuse "there is no new 'colonel'" colonel mine --host
refuse "No such file" kernel mine --host -o "$work/absent/mine"

"$ulpgate" new kernel mine --cuda >/dev/null || bad=1
if PATH=/usr/bin:/bin CUDACXX=none "$cmake" -S mine -B mine/build -DULPGATE_INCLUDE="$include" \
    -DCMAKE_DISABLE_FIND_PACKAGE_ulpgate=ON >said 2>&1 || ! grep -q "no nvcc, and no installed ulpgate" said; then
    echo "a project that cannot be built was configured:"
    cat said
    bad=1
fi
exit $bad
