#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Registers, spills, stack, shared memory and barriers of every kernel, as the compiler reports them.

usage: resources.py compile -- NVCC ARGUMENT...
           compiles as told with -Xptxas -v added; what ptxas says goes to OBJECT.resources, the rest through
       resources.py table [--arch sm_90] [--no-spill REGEX] [--csv] [--note TEXT] [--out FILE] OBJECT...
           the table of those objects; exit 1 when a kernel spills whose name or source file matches REGEX,
           2 when an object has no report, or the report no kernel

The build uses the first form as a compiler launcher, so the figures are those of the objects that are linked.
"""
import argparse
import pathlib
import re
import shutil
import subprocess
import sys

ENTRY = re.compile(r"Compiling entry function '([^']+)' for '([^']+)'")
PROPERTIES = re.compile(r"Function properties for (\S+)")
STACK = re.compile(r"(\d+) bytes stack frame, (\d+) bytes spill stores, (\d+) bytes spill loads")
USED = re.compile(r"Used (\d+) registers")
BARRIERS = re.compile(r"used (\d+) barriers")
SHARED = re.compile(r"(\d+) bytes smem")
COLUMNS = ["kernel", "source", "arch", "registers", "spill stores", "spill loads", "stack", "shared", "barriers"]


def is_report(line):
    """ptxas's own lines; the one with stack and spills is indented and names nobody."""
    return line.startswith("ptxas info") or STACK.search(line) is not None


def parse(text, source):
    """One dict a kernel and architecture, in the order of the report. A device function that was not inlined has
    properties of its own; its spills count for the kernel that was compiled last before it."""
    found, entry, lines_for = [], None, None
    for line in text.splitlines():
        if match := ENTRY.search(line):
            entry = dict.fromkeys(COLUMNS, 0) | {"kernel": match[1], "source": source, "arch": match[2]}
            found.append(entry)
        elif match := PROPERTIES.search(line):
            lines_for = match[1]
        elif (match := STACK.search(line)) and entry:
            stack, stores, loads = map(int, match.groups())
            entry["spill stores"] += stores
            entry["spill loads"] += loads
            if lines_for == entry["kernel"]:
                entry["stack"] = stack
        elif (match := USED.search(line)) and entry:
            entry["registers"] = int(match[1])
            entry["barriers"] = int(m[1]) if (m := BARRIERS.search(line)) else 0
            entry["shared"] = int(m[1]) if (m := SHARED.search(line)) else 0
    return found


def demangle(kernels):
    """Readable names where c++filt is there: without `void`, and without the arguments, which say nothing."""
    tool = shutil.which("c++filt")
    if not tool or not kernels:
        return
    names = subprocess.run([tool], input="\n".join(k["kernel"] for k in kernels), text=True, check=True,
                           capture_output=True).stdout.splitlines()
    for kernel, name in zip(kernels, names):
        kernel["kernel"] = re.sub(r"\([^()]*\)$", "", name.removeprefix("void ")).strip()


def spilling(kernels, pattern):
    rule = re.compile(pattern) if pattern else None
    return [k for k in kernels if rule and k["spill stores"] + k["spill loads"] > 0
            and (rule.search(k["kernel"]) or rule.search(k["source"]))]


def compile_command(argv):
    done = subprocess.run(argv + (["-Xptxas", "-v"] if "-c" in argv or "-dc" in argv else []), text=True,
                          stderr=subprocess.PIPE)
    lines = done.stderr.splitlines(keepends=True)
    sys.stderr.write("".join(line for line in lines if not is_report(line)))
    if done.returncode == 0 and "-o" in argv:
        report = [line for line in lines if is_report(line) and "Compile time" not in line]
        pathlib.Path(argv[argv.index("-o") + 1] + ".resources").write_text("".join(report), encoding="utf-8")
    return done.returncode


def collect(objects, arch):
    kernels, missing = [], []
    for name in objects:
        report = pathlib.Path(name + ".resources")
        source = re.sub(r"(\.cu)?\.(o|obj)$", "", pathlib.Path(name).name)
        if report.is_file():
            kernels += [k for k in parse(report.read_text(encoding="utf-8"), source) if arch in (None, k["arch"])]
        elif ".cu" in pathlib.Path(name).name:
            missing.append(str(report))
    demangle(kernels)
    return sorted(kernels, key=lambda k: (k["source"], k["kernel"], k["arch"])), missing


def render(kernels, csv, note):
    rows = [[str(k[c]) for c in COLUMNS] for k in kernels]
    if csv:
        quoted = [['"%s"' % c.replace('"', '""') if "," in c else c for c in row] for row in [COLUMNS] + rows]
        return "".join(",".join(row) + "\n" for row in quoted)
    rule = "|---|---|---|" + "---:|" * (len(COLUMNS) - 3)
    cells = [[f"`{row[0]}`"] + row[1:] for row in rows]
    table = "\n".join(["| " + " | ".join(COLUMNS) + " |", rule] + ["| " + " | ".join(row) + " |" for row in cells])
    total = sum(k["spill stores"] + k["spill loads"] > 0 for k in kernels)
    most = max(kernels, key=lambda k: k["registers"])
    return (f"# Registers and spills\n\n{note}\n\n{len(kernels)} kernels, {total} with spills; at most "
            f"{most['registers']} registers (`{most['kernel']}`).\nBytes a thread for spills and stack, static bytes a "
            f"block for shared memory.\n\n{table}\n")


def table_command(argv):
    parser = argparse.ArgumentParser(prog="resources.py table")
    parser.add_argument("--arch")
    parser.add_argument("--no-spill", default="")
    parser.add_argument("--csv", action="store_true")
    parser.add_argument("--note", default="As the compiler reports them.")
    parser.add_argument("--out", default="-")
    parser.add_argument("objects", nargs="+")
    options = parser.parse_args(argv)
    kernels, missing = collect(options.objects, options.arch)
    for name in missing:
        print(f"resources.py: {name} is missing: was the object compiled by this launcher?", file=sys.stderr)
    if missing or not kernels:
        print(f"resources.py: {len(kernels)} kernels, {len(missing)} missing reports", file=sys.stderr)
        return 2
    text = render(kernels, options.csv, options.note)
    if options.out == "-":
        sys.stdout.write(text)
    else:
        pathlib.Path(options.out).write_text(text, encoding="utf-8")
    bad = spilling(kernels, options.no_spill)
    for k in bad:
        print(f"resources.py: {k['source']}: {k['kernel']} ({k['arch']}) spills {k['spill stores']} bytes out and "
              f"{k['spill loads']} back, expected none of '{options.no_spill}'", file=sys.stderr)
    return 1 if bad else 0


def main(argv):
    if len(argv) > 2 and argv[0] == "compile" and argv[1] == "--":
        return compile_command(argv[2:])
    if argv and argv[0] == "table":
        return table_command(argv[1:])
    print(__doc__.strip(), file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
