#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""House rules that a machine can check: SPDX line, line, file and function lengths, which room includes which.

usage: lint.py ROOT    exit 0 when clean, 1 with one line a finding, 77 when no source file is found
"""
import pathlib
import re
import sys

CODE = {".c", ".h", ".cu", ".cuh", ".cpp", ".hpp"}
SCRIPTS = {".py", ".sh", ".cmake"}
ROOMS = ["include", "cases", "reference", "cuda", "host", "audit", "report", "cli", "tests", "tools",
         "examples"]
# docs/architecture.md, "may use"; a room uses itself, and what is not named here may use all.
MAY_USE = {
    "include": {"ulpgate"},
    "cases": {"ulpgate"},
    "reference": {"ulpgate"},
    "cuda": {"ulpgate", "host/cuda_shim.h", "host/cluster_shim.h"},
    "host": {"ulpgate", "cuda"},
    "audit": {"ulpgate", "cases", "reference"},
    "report": {"ulpgate"},
}
INCLUDE = re.compile(r'^\s*#\s*include "(?:\.\./)*(([^"/]+)/[^"]+)"')
MAX_FILE, MAX_LINE, MAX_FUNCTION = 400, 100, 60
# A function body opens with a brace in column 1 (the format that .clang-format sets) and ends with one.
OPEN, CLOSE = re.compile(r"^\{\s*$"), re.compile(r"^\}")


def strange_includes(room, lines):
    for number, line in enumerate(lines, 1):
        found = INCLUDE.match(line)
        if not found or room not in MAY_USE or found[2] not in ROOMS + ["ulpgate"]:
            continue
        if not MAY_USE[room] & {found[1], found[2]} and found[2] != room:
            yield number, f"{room} may not use {found[1]} (docs/architecture.md)"


def findings(room, path, text):
    lines = text.split("\n")
    if "SPDX-License-Identifier: Apache-2.0" not in "\n".join(lines[:3]):
        yield 1, "no SPDX line in the first three lines"
    limit = MAX_LINE if path.suffix in CODE else 120
    for number, line in enumerate(lines, 1):
        if len(line) > limit:
            yield number, f"{len(line)} columns, expected at most {limit}"
    if path.suffix not in CODE:
        return
    yield from strange_includes(room, lines)
    if len(lines) - 1 > MAX_FILE:
        yield len(lines), f"{len(lines) - 1} lines in the file, expected at most {MAX_FILE}"
    start = None
    for number, line in enumerate(lines, 1):
        if start is None and OPEN.match(line):
            start = number
        elif start is not None and CLOSE.match(line):
            if not line.startswith("};") and number - start + 1 > MAX_FUNCTION:
                yield start, f"{number - start + 1} lines in the function, expected at most {MAX_FUNCTION}"
            start = None


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".")
    count = bad = 0
    for room in ROOMS:
        for path in sorted((root / room).rglob("*")):
            if path.suffix not in CODE | SCRIPTS or not path.is_file():
                continue
            count += 1
            for number, what in findings(room, path, path.read_text(encoding="utf-8")):
                print(f"{path.relative_to(root)}:{number}: {what}")
                bad += 1
    if not count:
        print(f"no source file under {root}")
        return 77
    print(f"{count} files, {bad} findings")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
