#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Puts a build into one folder that runs on a machine without the libraries it was built with: a node of a cluster, say.
# usage: pack.sh BUILD FOLDER [PLUGIN...]      then there: . FOLDER/env.sh; ulpgate doctor
# Plugins: host cuda openblas (default: all that are built).
# The C and C++ run-time libraries and the driver are that machine's own: build on an older system than it runs.
set -eu
[ $# -ge 2 ] && [ -x "$1/bin/ulpgate" ] || { sed -n '4,6s/^# //p' "$0" >&2; exit 2; }
source=$(cd "$(dirname "$0")/.." && pwd)
build=$1 folder=$2
shift 2
[ $# -gt 0 ] || set -- host cuda openblas
mkdir -p "$folder/bin" "$folder/lib/ulpgate" "$folder/share/ulpgate"
cp "$build/bin/ulpgate" "$build/bin/ulpgate-worker" "$folder/bin/"
for plugin in "$@"; do
    if [ -e "$build/lib/ulpgate/libulpgate_$plugin.so" ]; then
        cp "$build/lib/ulpgate/libulpgate_$plugin.so" "$folder/lib/ulpgate/"
    fi
done
cp -R "$source/cases/suites" "$source/cases/nist" "$source/cases/real" "$folder/share/ulpgate/"
strip --strip-debug "$folder"/bin/* "$folder"/lib/ulpgate/*.so
# Every library that the programs need, apart from the system's own.
for file in "$folder"/bin/* "$folder"/lib/ulpgate/*.so; do ldd "$file"; done |
    awk '$2 == "=>" && $3 ~ /^\// {print $3}' | sort -u | while read -r library; do
    case $(basename "$library") in
        libc.so* | libm.so* | libdl.so* | libpthread.so* | librt.so* | libstdc++.so* | libgcc_s.so* | libcuda.so*) ;;
        *) cp -L "$library" "$folder/lib/" ;;
    esac
done
cat >"$folder/env.sh" <<'TEXT'
# To be sourced, from the folder above or by its path in $ULPGATE_PACK.
ULPGATE_PACK=${ULPGATE_PACK:-$(cd "$(dirname "${BASH_SOURCE:-$0}")" && pwd)}
export PATH="$ULPGATE_PACK/bin:$PATH" LD_LIBRARY_PATH="$ULPGATE_PACK/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
export ULPGATE_DATA="$ULPGATE_PACK/share/ulpgate" ULPGATE_PLUGINS="$ULPGATE_PACK/lib/ulpgate"
TEXT
du -sh "$folder"
