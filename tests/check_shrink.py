#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`ulpgate shrink` on kernels with a planted fault: how far it comes, how long it takes, what its program shows.

usage: check_shrink.py ULPGATE PLUGIN.so RIGHT.so INCLUDE KERNEL=N[:ROWS]...

N: the length of the shortest row that can show the fault, ROWS: the least number of rows, 1 unless given. The same
program on a right kernel must show nothing. A plugin of mutants has its list beside it, with the case and the right
kernel of each; any other is called libtest_plugin_BACKEND.so and has a kernel `right`.
"""
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import time

MOST_ROWS, MOST_SECONDS = 4, 60
CASE = "layernorm rows=5 n=37 xstride=40 ystride=44"
BAD = []


def expect(condition, what):
    if not condition:
        BAD.append(what)
    return condition


def value(line, key, default):
    found = re.search(rf"(?:^| ){key}=(\S+)", line)
    return int(found[1]) if found else default


def shrink(program, plugin, mutant, case, source):
    started = time.monotonic()
    done = subprocess.run([program, "shrink", case, "--plugin", plugin, "--kernel", mutant, "-o", source],
                          capture_output=True, text=True, check=False)
    seconds = time.monotonic() - started
    expect(done.returncode == 0, f"{mutant}: exit {done.returncode}: {done.stdout}{done.stderr}")
    command = f"gcc -I include {source} -o {source.removesuffix('.c')} -ldl -lm"
    expect(command in done.stdout, f"{mutant}: no '{command}' in: {done.stdout}")
    found = re.search(r"^smallest: (layernorm.*)$", done.stdout, re.M)
    return found[1] if found else None, seconds, done.stdout


def build(source, include, binary):
    """With the flags that the documentation gives; a warning is a fault of the writer."""
    done = subprocess.run(["gcc", "-I", include, source, "-o", binary, "-ldl", "-lm"], capture_output=True, text=True,
                          check=False)
    return expect(done.returncode == 0 and not done.stderr, f"{source} does not build: {done.stderr}")


def show(binary, plugin):
    done = subprocess.run([binary, plugin], capture_output=True, text=True, check=False)
    return done.returncode, done.stdout


def check_program(entry, plugin, host, include, work):
    source, binary = str(work / "fault.c"), str(work / "fault")
    if not build(source, include, binary):
        return
    code, text = show(binary, plugin)
    expect(code == 1 and "FAULT" in text and "got" in text and "want" in text,
           f"{entry['name']}: its program exits {code}:\n{text}")
    right = pathlib.Path(source).read_text(encoding="utf-8").replace(
        f'kernel_name[] = "{entry["kernel"]}"', f'kernel_name[] = "{entry["parent"]}"')
    (work / "right.c").write_text(right, encoding="utf-8")
    if build(str(work / "right.c"), include, binary):
        code, text = show(binary, host)
        expect(code == 0 and "no fault shows" in text, f"{entry['name']}: on the right kernel it exits {code}:\n{text}")


def entries_of(plugin, names):
    """name -> backend, kernel, parent, case"""
    listed = pathlib.Path(plugin).with_suffix(".json")
    if listed.exists():
        return {e["name"]: e | {"backend": "mutant"} for e in json.loads(listed.read_text(encoding="utf-8"))}
    backend = pathlib.Path(plugin).stem.rpartition("_")[2]
    return {n: {"name": n, "backend": backend, "kernel": n, "parent": "right", "case": CASE} for n in names}


def check(program, plugin, host, include, entry, wanted, work):
    least_n, _, least_rows = wanted.partition(":")
    smallest, seconds, text = shrink(program, plugin, f"{entry['backend']}:{entry['kernel']}", entry["case"],
                                     str(work / "fault.c"))
    if smallest is None:
        return
    rows, n = value(smallest, "rows", 8), value(smallest, "n", 768)
    print(f"{entry['name']}: {smallest} in {seconds:.1f} s")
    expect(seconds <= MOST_SECONDS, f"{entry['name']}: {seconds:.0f} s")
    expect(rows <= MOST_ROWS and rows == int(least_rows or 1), f"{entry['name']}: {rows} rows\n{text}")
    expect(n == int(least_n), f"{entry['name']}: n {n}, {least_n} shows it\n{text}")
    check_program(entry, plugin, host, include, work)


def main():
    program, plugin, host, include = sys.argv[1:5]
    asked = [argument.partition("=") for argument in sys.argv[5:]]
    entries = entries_of(plugin, [name for name, _, _ in asked])
    for name, _, wanted in asked:
        with tempfile.TemporaryDirectory() as work:
            check(program, plugin, host, include, entries[name], wanted, pathlib.Path(work))
    for line in BAD:
        print(line)
    print(f"{len(sys.argv) - 5} kernels, {len(BAD)} findings")
    return 1 if BAD or len(sys.argv) == 5 else 0


if __name__ == "__main__":
    sys.exit(main())
