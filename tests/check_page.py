#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""docs/mutants.md speaks of the mutants that exist, and of the checks that catch them now.

usage: check_page.py PAGE FRESH    FRESH: the output of ulpgate mutants --format md; exit 1 where they differ
"""
import pathlib
import sys


def rows(path):
    """Mutant -> class, parent, checks, of the table of mutants; and the list of what each does."""
    text = pathlib.Path(path).read_text(encoding="utf-8")
    table, wanted = {}, False
    for line in text.splitlines():
        wanted = (wanted or line == "## Mutants") and not line.startswith("## Right")
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if wanted and line.startswith("|") and len(cells) >= 4 and cells[0] != "mutant" and "--" not in cells[0]:
            table[cells[0]] = cells[1:4]
    return table, text[text.index("## What each mutant does"):]


def main():
    page, fresh = rows(sys.argv[1]), rows(sys.argv[2])
    bad = 0
    for name in sorted(page[0].keys() | fresh[0].keys()):
        if page[0].get(name) != fresh[0].get(name):
            print(f"{name}: the page has {page[0].get(name)}, a run gives {fresh[0].get(name)}")
            bad += 1
    if page[1] != fresh[1]:
        print("the lists of what each mutant does differ")
        bad += 1
    if not fresh[0]:
        print("the run lists no mutant")
        bad += 1
    if bad:
        print("write the page anew: cmake --build build --target mutants-page")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
