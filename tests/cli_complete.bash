#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The completion in a bash: COMP_WORDS as bash fills it, and what COMPREPLY then offers.
# usage: cli_complete.bash ULPGATE COMPLETION [PLUGIN]
set -u
program=$(realpath "$1") && [ -x "$program" ] || { echo "$1 is no program"; exit 1; }
plugin=${3:+$(realpath "$3")}
# shellcheck source=/dev/null
source "$2" || exit 1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
mkdir 'a folder' && touch 'a folder/kept.jsonl' one.jsonl 'two words.jsonl'
COMP_WORDBREAKS=$' \t\n"\'@><=;|&(:'
bad=0

# offers WORD...: what the line of these words offers goes to $got, one a line.
offers() {
    COMP_WORDS=("$program" "$@")
    COMP_CWORD=$#
    _ulpgate
    got=$(printf '%s\n' "${COMPREPLY[@]}")
}

fail() {
    echo "FAILED: ${COMP_WORDS[*]}: $1"
    printf '%s\n' "$got" | head -n 12 | sed 's/^/  | /'
    bad=1
}

# expect REPLIES WORD...: exactly these, given one a line, in any order.
expect() {
    want=$1
    shift
    offers "$@"
    [ "$(sort <<<"$got")" = "$(sort <<<"$want")" ] || fail "expected $(tr '\n' ' ' <<<"$want")"
}

# has REPLY WORD...: this one among others.
has() {
    want=$1
    shift
    offers "$@"
    grep -qxF -- "$want" <<<"$got" || fail "expected $want among others"
}

expect run ru
expect $'report' re
has --version ''
for command in $("$program" --help | sed -n '/^Commands:/,/^$/s/^  \([a-z]\{1,\}\) .*/\1/p'); do
    has "$command" ''
    # Every option that the help of the command names, and none besides.
    expect "$("$program" help "$command" | sed -n '/^Options:/,$s/^  \(-[a-z], \)\{0,1\}\(--[a-z-]*\).*/\2/p')" \
        "$command" -
done

# Values of options, apart and with =, which bash makes a word of its own.
expect $'smoke\nspeed' run --tier s
expect $'smoke\nspeed' run --tier = s
expect $'smoke\ndefault\nfull\nhuge\nspeed' run --tier = ''
expect $'always' run --quiet --color al
expect $'text\nmd\nman\nbash' help --format ''
expect $'certified' run --reference c
expect '' run --jobs ''
expect '' run --case lay

# Names through `ulpgate list`.
expect "$("$program" list suites | cut -d ' ' -f 1)" run --suite ''
expect 'checklist' run --suite che
expect 'condition,checklist' run --suite condition,che
expect "$("$program" list profiles | cut -d ' ' -f 1)" bench --profile ''
expect 'sound' run --gate so
expect 'ulp=' run --gate ul
all=$("$program" list kernels | cut -d ' ' -f 1 | grep :)
expect "$all" run --kernel ''
# Bash holds host and : for words: what it replaces is what follows.
expect "$(grep '^host:split/' <<<"$all" | cut -d : -f 2)" run --kernel host : split
expect "$(grep '^host:split/' <<<"$all" | cut -d : -f 2)" run --kernel = host : split
expect 'split/welford' list kernels --kernel host : split/w
expect 'split/welford' run --kernel host : split/sum2,host : split/w
if [ -n "$plugin" ]; then
    has 'steady/twopass' run --plugin "$plugin" --kernel port :
    has 'steady/twopass' run --plugin = "$plugin" --kernel port : st
    expect '' run --kernel port : st
fi

# Operands and files.
expect $'kernels\ncases\nsuites\nbackends\nprofiles\ngates' list ''
expect 'profiles' list p
expect 'run' help ru
expect $'one.jsonl' report on
expect $'two words.jsonl' report tw
expect $'a folder' run --keep-outputs ''
expect 'checklist' export che
expect $'a folder' check ''
expect '' explain lay
expect $'one.jsonl' merge 'two words.jsonl' on
expect $'one.jsonl' report -o on
expect $'one.jsonl' report --out = on
expect '' nosuch --x
exit $bad
