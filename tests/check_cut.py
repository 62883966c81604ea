#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A results file cut at its line ends, beside them and at places between: report and run --resume cope.

usage: check_cut.py ULPGATE RESULTS OPTION...    OPTIONs: those that RESULTS was written with

Neither may die of a signal or speak of a record that is not there, and a resumed file holds every record once.
"""
import json
import pathlib
import subprocess
import sys
import tempfile

STEP = 211  # bytes between the other cuts


def results(text):
    """(case, kernel, verdict) of every whole result line."""
    found = []
    for line in text.split("\n")[:-1]:
        record = json.loads(line)
        if record["type"] == "result":
            found.append((record["case"], record["kernel"], record["verdict"]))
    return found


def check(program, options, whole, cut, folder):
    """None, or what is wrong with this cut."""
    path = pathlib.Path(folder) / "cut.jsonl"
    path.write_text(whole[:cut])
    report = subprocess.run([program, "report", "--format", "csv", str(path)], capture_output=True, text=True,
                            check=False)
    if report.returncode not in (0, 1, 2, 77):
        return f"report: exit {report.returncode}"
    shown = max(len(report.stdout.splitlines()) - 1, 0) if report.returncode in (0, 1) else 0
    # A line may be whole without its newline.
    end = cut if whole[cut:cut + 1] == "\n" else whole[:cut].rfind("\n")
    there = len(results(whole[:end] + "\n")) if end > 0 else 0
    if shown > there:
        return f"report shows {shown} records, {there} are there"
    if path.read_text() != whole[:cut]:
        return "report changed the file"
    run = subprocess.run([program, "run", "--resume", "-q", "--out", str(path)] + options, capture_output=True,
                         text=True, check=False)
    if run.returncode != 0:
        return f"run --resume: exit {run.returncode}: {run.stderr}"
    if results(path.read_text()) != results(whole):
        return "run --resume left other records"
    return None


def main():
    program, name, options = sys.argv[1], sys.argv[2], sys.argv[3:]
    whole = pathlib.Path(name).read_text(encoding="utf-8")
    ends = [i for i, c in enumerate(whole) if c == "\n"]
    cuts = {cut for end in ends for cut in (end - 1, end, end + 1, end + 2)}
    cuts = sorted(cuts | set(range(0, len(whole), STEP)) | set(range(12)))
    bad = 0
    with tempfile.TemporaryDirectory() as folder:
        for cut in cuts:
            wrong = check(program, options, whole, cut, folder)
            if wrong:
                print(f"cut at byte {cut} of {len(whole)}: {wrong}")
                bad += 1
    print(f"{len(cuts)} cuts, {bad} findings")
    return 1 if bad or not cuts else 0


if __name__ == "__main__":
    sys.exit(main())
