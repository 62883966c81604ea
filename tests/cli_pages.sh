#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What is generated from the tables of commands and options is what is kept: docs/cli.md, a manual page for the program
# and for each command, the completion for bash.
# usage: cli_pages.sh ULPGATE SOURCE_FOLDER [--update]
set -u
program=$(realpath "$1") && [ -x "$program" ] || { echo "$1 is no program"; exit 1; }
cd "$2" || exit 1
made=$(mktemp -d)
trap 'rm -rf "$made"' EXIT
bad=0

# Commands as the usage lists them.
commands=$("$program" --help | sed -n '/^Commands:/,/^$/s/^  \([a-z]\{1,\}\) .*/\1/p')
[ "$(echo "$commands" | wc -l)" -gt 5 ] || { echo "found no commands in the usage"; exit 1; }

mkdir -p "$made/docs/man" "$made/cli/completion"
"$program" help --format md -o "$made/docs/cli.md" || bad=1
"$program" help --format bash -o "$made/cli/completion/ulpgate" || bad=1
"$program" help --format man -o "$made/docs/man/ulpgate.1" || bad=1
for command in $commands; do
    "$program" help --format man "$command" -o "$made/docs/man/ulpgate-$command.1" || bad=1
done
[ "$bad" = 0 ] || exit 1

# Every row of a table of options has its three cells and no more: a bar in a text is escaped.
if sed 's/\\|//g' "$made/docs/cli.md" | grep '^| `' | grep -vE '^\|[^|]*\|[^|]*\|[^|]*\|$'; then
    echo "docs/cli.md: rows that are not of three cells"
    exit 1
fi
if [ "${3:-}" = --update ]; then
    rm -f docs/man/*.1
    mkdir -p docs/man cli/completion
    cp -R "$made/docs" "$made/cli" .
    exit
fi
diff -u docs/cli.md "$made/docs/cli.md" || bad=1
diff -ru docs/man "$made/docs/man" || bad=1
diff -ru cli/completion "$made/cli/completion" || bad=1
[ "$bad" = 0 ] || echo "if the new text is right: cmake --build BUILD --target golden-update"
exit $bad
