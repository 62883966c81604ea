#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A downstream project against the installed tree, after that was moved: its gate passes, fails with a planted fault,
# is skipped without a device, gets the device that CTest gives it, and refuses what it does not understand.
# usage: package.sh CMAKE BUILD
set -eu
cmake=$1 build=$(realpath "$2")
ctest=$(dirname "$cmake")/ctest
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for name in $(env | sed -n 's/^\(ULPGATE_[A-Z_]*\)=.*/\1/p'); do unset "$name"; done
cd "$work"

# expect CODE WORDS COMMAND...: exit code (or ! for any but 0), and WORDS in what it prints, wherever a line ends
expect() {
    want=$1 words=$2
    shift 2
    set +e
    "$@" >said 2>&1
    got=$?
    set -e
    if [ "$want" = ! ]; then [ $got != 0 ]; else [ $got = "$want" ]; fi &&
        tr -s ' \n' ' ' <said | grep -q -- "$words" && return 0
    cat said
    echo "exit $got, expected $want and '$words': $*"
    exit 1
}

mkdir first
"$cmake" --install "$build" --prefix "$work/first/ulpgate" >said 2>&1 || { cat said; exit 1; }
mkdir -p else/where
mv first/ulpgate else/where/tree # nothing may know the old place
tree=$work/else/where/tree
PATH=$tree/bin:$PATH
expect 0 "$tree/share/ulpgate (" ulpgate doctor
ulpgate new kernel mine --host >said

# A right kernel; the project finds the package beside the program on PATH.
expect 0 "Generating done" "$cmake" -S mine -B mine/build
expect 0 "mine" "$cmake" --build mine/build
expect 0 "100% tests passed, 0 tests failed out of 2" "$ctest" --test-dir mine/build
expect 0 "mine.condition" "$ctest" --test-dir mine/build -N -L '^condition$'

# The same with a fault: the last element of a row goes without beta.
cp -r mine fault && rm -r fault/build
sed -i 's/if (beta) v += /if (beta \&\& i + 1 < cols) v += /' fault/mine.c
grep -q 'i + 1 < cols' fault/mine.c
expect 0 "Generating done" "$cmake" -S fault -B fault/build
expect 0 "mine" "$cmake" --build fault/build
expect ! "mine.checklist (Failed)" "$ctest" --test-dir fault/build
grep -q "0% tests passed, 2 tests failed out of 2" said

# A CUDA kernel on the executor of the installed tree.
ulpgate new kernel cu --cuda >said
expect 0 "Generating done" env CUDACXX=none "$cmake" -S cu -B cu/build
expect 0 "cu-host" "$cmake" --build cu/build --target cu-host
expect 0 "100% tests passed, 0 tests failed out of 1" "$ctest" --test-dir cu/build -R cu-host.checklist

# Every option; the device that CTest assigns is the one that the gate sees; no device is no pass.
mkdir more
cat >more/own.cases <<'CASES'
tier smoke
layernorm n={7,33} rows=3
CASES
cp mine/mine.c mine/mine_plugin.c more
cat >more/CMakeLists.txt <<'CMAKE'
cmake_minimum_required(VERSION 3.20)
project(more LANGUAGES C)
find_package(ulpgate 0.1 REQUIRED)
enable_testing()
add_library(mine MODULE mine.c mine_plugin.c)
target_link_libraries(mine PRIVATE ulpgate::kernel m)
ulpgate_add_gate(all PLUGIN mine SUITES own.cases special KERNELS mine:mine/* other:* GATE sound TIER smoke
                 PROFILE tiny LABELS nightly TIMEOUT 99 DEVICES 1)
ulpgate_add_gate(none PLUGIN mine SUITES special KERNELS nothing:*)
ulpgate_add_gate(loose PLUGIN mine SUITES special GATE abs=1e-30)
file(WRITE ${CMAKE_BINARY_DIR}/spec.json
  [[{"version": {"major": 1, "minor": 0}, "local": [{"gpus": [{"id": "5", "slots": 1}]}]}]])
CMAKE
expect 0 "Generating done" "$cmake" -S more -B more/build
expect 0 mine "$cmake" --build more/build
expect 0 "tests passed, 0 tests failed out of 2" "$ctest" --test-dir more/build -L nightly -j 2 \
    --resource-spec-file spec.json
grep -q '"gate": *"sound"' more/build/ulpgate/all.own.jsonl
expect 0 "none.special (Skipped)" "$ctest" --test-dir more/build -R none
expect ! "loose.special (Failed)" "$ctest" --test-dir more/build -R loose
expect 0 "device 5,7" env CTEST_RESOURCE_GROUP_COUNT=2 CTEST_RESOURCE_GROUP_0_GPUS=id:5,slots:1 \
    CTEST_RESOURCE_GROUP_1_GPUS=id:7,slots:1 sh "$tree/lib/cmake/ulpgate/gate.sh" \
    sh -c 'echo device $CUDA_VISIBLE_DEVICES'
expect 0 "device unset" sh "$tree/lib/cmake/ulpgate/gate.sh" sh -c 'echo device ${CUDA_VISIBLE_DEVICES-unset}'

# refuse WORDS ARGUMENTS: the call is an error when the project is configured
refuse() {
    rm -rf bad && mkdir bad
    cat >bad/CMakeLists.txt <<CMAKE
cmake_minimum_required(VERSION 3.20)
project(bad LANGUAGES C)
find_package(ulpgate REQUIRED)
enable_testing()
file(WRITE \${CMAKE_BINARY_DIR}/empty.c "")
add_library(mine MODULE \${CMAKE_BINARY_DIR}/empty.c)
ulpgate_add_gate($2)
CMAKE
    expect 1 "$1" "$cmake" -S bad -B bad/build
}
refuse "unknown argument" "g PLUGIN mine SUITES special GATES sound"
refuse "unknown argument 'TIMEOUTS'" "g PLUGIN mine SUITES special LABELS nightly TIMEOUTS 5"
refuse "unknown argument" "g extra PLUGIN mine SUITES special"
refuse "neither a target" "g PLUGIN yours SUITES special"
refuse "PLUGIN is missing" "g SUITES special"
refuse "SUITES" "g PLUGIN mine SUITES"
refuse "there is no suite 'specials'" "g PLUGIN mine SUITES specials"
refuse "there is no suite 'own.cases'" "g PLUGIN mine SUITES own.cases"
refuse "GATE without a value" "g PLUGIN mine SUITES special GATE"
refuse "TIER is 'most'" "g PLUGIN mine SUITES special TIER most"
refuse "TIMEOUT is 'soon'" "g PLUGIN mine SUITES special TIMEOUT soon"

# The headers alone: enough to build, and a gate says what is missing.
"$cmake" --install "$build" --component kit --prefix "$work/kit" >said
test "$(find kit -name '*.h' -path '*/include/ulpgate/*' | wc -l)" = 3
test ! -e kit/bin/ulpgate
PATH=$(echo "$PATH" | cut -d: -f2-)
expect 1 "only the headers are installed" "$cmake" -S more -B kit-build -DCMAKE_PREFIX_PATH="$work/kit"

if command -v pkg-config >/dev/null; then
    PKG_CONFIG_PATH=$tree/lib/pkgconfig
    export PKG_CONFIG_PATH
    cc -shared -fPIC $(pkg-config --cflags ulpgate) mine/mine.c mine/mine_plugin.c -o by-hand.so -lm
    expect 0 PASS "$tree/bin/ulpgate" run --tier smoke --suite special --plugin "$work/by-hand.so" --kernel 'mine:*'
fi

# An archive's tree: what the programs are linked with lies beside them, but for the system's own.
"$cmake" -DCMAKE_INSTALL_PREFIX="$tree" -P "$build/package/bundle.cmake" >said 2>&1 || { cat said; exit 1; }
system='linux-vdso|ld-linux|lib(c|m|dl|rt|pthread|stdc\+\+|gcc_s)\.so'
for file in "$tree/bin/ulpgate" "$tree/bin/ulpgate-worker" "$tree/lib/ulpgate/libulpgate_host.so"; do
    ldd "$file" | grep -v "$tree/" | grep -Ev "$system" >said || continue
    echo "$file needs of the system:"
    cat said
    exit 1
done
[ ! -e /usr/share/doc/libmpfr6/copyright ] || test -s "$tree/lib/ulpgate/bundled/licences/libmpfr.txt"
expect 0 "libmpfr" cat "$tree/lib/ulpgate/bundled/README"
