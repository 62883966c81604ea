#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Two runs that differ by one perturbed kernel: `ulpgate diff` must name it, its first row and element.

usage: check_diff.py ULPGATE PLUGIN PERTURBED_PLUGIN

What it has to name is found here by comparing the kept outputs, which are arrays of binary32.
"""
import json
import pathlib
import re
import struct
import subprocess
import sys
import tempfile

CASE = "layernorm data=normal(mean=0,std=1) n=33 rows=40"
N = 33


def run(program, *arguments):
    done = subprocess.run([program, *arguments], capture_output=True, text=True, check=False)
    return done.returncode, done.stdout + done.stderr


def first_difference(old, new):
    for name in sorted(p.name for p in old.iterdir()):
        a, b = (old / name).read_bytes(), (new / name).read_bytes()
        for at in range(len(a) // 4):
            if a[4 * at:4 * at + 4] != b[4 * at:4 * at + 4]:
                yield name, at // N, at % N, struct.unpack_from("<f", a, 4 * at)[0]
                break


def main():
    program, plugins = sys.argv[1], sys.argv[2:4]
    bad = []

    def expect(condition, what, text=""):
        if not condition:
            bad.append(f"{what}\n{text}")

    with tempfile.TemporaryDirectory() as folder:
        work = pathlib.Path(folder)
        for side, plugin in zip(("old", "new"), plugins):
            code, text = run(program, "run", "--case", CASE, "--plugin", plugin, "--kernel", "port:*", "-q",
                             "--row-digests", "--keep-outputs", str(work / side), "--out", str(work / f"{side}.jsonl"))
            expect(code == 0, f"the {side} run exits {code}", text)
        old, new, outputs = str(work / "old.jsonl"), str(work / "new.jsonl"), f"{work / 'old'},{work / 'new'}"
        differing = list(first_difference(work / "old", work / "new"))
        expect(len(differing) == 1 and "perturbed" in differing[0][0] and differing[0][1] > 0, f"{differing}")
        _, row, col, value = differing[0]

        code, text = run(program, "diff", old, new)
        expect(code == 1, f"diff exits {code}", text)
        expect(re.search(rf"port:perturbed/twopass .*bits differ first in row {row}(,|$)", text, re.M), "row", text)
        expect("port:steady" not in text, "the steady kernel is named", text)
        expect(re.search(r"port device +one +another", text), "the device is not named", text)
        code, text = run(program, "diff", "--outputs", outputs, old, new)
        found = re.search(rf"first in row {row}, element {col}: (\S+) -> ", text)
        expect(code == 1 and found and float(found.group(1)) == value, f"expected {row}, {col}, {value}", text)

        code, text = run(program, "diff", old, old)
        expect(code == 0 and text.count("\n") == 1, f"the same file: exit {code}", text)
        code, text = run(program, "diff", "--any-bits", "port:pert*", old, new)
        expect(code == 0, f"--any-bits: exit {code}", text)

        code, page = run(program, "diff", old, new, "--format", "html", "-o", str(work / "diff.html"))
        checked = subprocess.run([sys.executable, pathlib.Path(__file__).with_name("check_html.py"),
                                  work / "diff.html"], capture_output=True, text=True, check=False)
        expect(code == 1 and checked.returncode == 0, "the page", page + checked.stdout)
        code, text = run(program, "diff", old, new, "--format", "md")
        expect(code == 1 and f"row {row}" in text and "| port:perturbed/twopass | 1 | 1 |" in text, "md", text)

        baseline = work / "baseline.jsonl"
        baseline.write_text("")
        code, text = run(program, "diff", "--update", str(baseline), old)
        expect(code == 0, f"--update exits {code}", text)
        kinds = [json.loads(line)["type"] for line in baseline.read_text().splitlines()]
        expect(kinds == ["run", "baseline", "end"], f"the baseline holds {kinds}")
        code, text = run(program, "diff", str(baseline), old)
        expect(code == 0 and "no difference in 2 results" in text, f"baseline and its own run: exit {code}", text)
        code, text = run(program, "diff", str(baseline), new)
        expect(code == 1 and "port:perturbed" in text, f"baseline and the other run: exit {code}", text)
        before = baseline.read_text()
        code, text = run(program, "diff", "--update", str(baseline), str(work / "none.jsonl"))
        expect(code == 2 and baseline.read_text() == before, f"--update from nothing: exit {code}", text)
    for line in bad:
        print(line)
    print(f"{len(bad)} findings")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
