# SPDX-License-Identifier: Apache-2.0
# Sourced by the scripts that check the program from outside: `expect CODE TEXT COMMAND...`.
program=$(realpath "$1") && [ -x "$program" ] || { echo "$1 is no program"; exit 1; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
for name in $(env | sed -n 's/^\(ULPGATE_[A-Z_]*\)=.*/\1/p'); do
    case $name in ULPGATE_DATA | ULPGATE_PLUGINS) ;; *) unset "$name" ;; esac
done
unset NO_COLOR CLICOLOR CLICOLOR_FORCE COLUMNS
bad=0

# The command must exit with CODE, and TEXT must occur in what it prints.
expect() {
    want=$1 text=$2
    shift 2
    "$@" >"$work/.out" 2>&1
    code=$?
    if [ "$code" -ne "$want" ] || ! grep -qF -- "$text" "$work/.out"; then
        echo "FAILED: $*"
        echo "  exit $code, expected $want; expected to read: $text"
        sed 's/^/  | /' "$work/.out"
        bad=1
    fi
}
