#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every relative link of a page, and every file of a room that it names, is there.

usage: check_links.py SOURCE_FOLDER

Names that stand for others (NAME, K, *) and paths in results or installed trees are left alone.
"""
import pathlib
import re
import sys

LINK = re.compile(r"\]\(([^)#\s]+)(#[^)]*)?\)")
NAMED = re.compile(r"`((?:include|cases|reference|cuda|host|audit|report|cli|cmake|tests|tools|docs|examples|\.ci)"
                   r"/[A-Za-z0-9_./-]+)`")


def pages(root):
    for page in sorted(root.rglob("*.md")):
        parts = page.relative_to(root).parts
        if not any(part.startswith(("build", ".")) for part in parts[:-1]):
            yield page


def faults(root, page):
    for number, line in enumerate(page.read_text(encoding="utf-8").splitlines(), 1):
        for target, _ in LINK.findall(line):
            if "://" not in target and not (page.parent / target).exists():
                yield number, f"links to {target}, which is not there"
        for name in NAMED.findall(line):
            if not re.search(r"[A-Z]{2,}|/$", name.rsplit(".", 1)[0]) and not (root / name).exists():
                yield number, f"names {name}, which is not there"


def main():
    root = pathlib.Path(sys.argv[1])
    count = bad = 0
    for page in pages(root):
        count += 1
        for number, what in faults(root, page):
            print(f"{page.relative_to(root)}:{number}: {what}")
            bad += 1
    print(f"{count} pages, {bad} faults")
    return 1 if bad or not count else 0


if __name__ == "__main__":
    sys.exit(main())
