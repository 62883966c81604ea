#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Properties that a whole run of the built-in kernels must have, read from its results file.

usage: check_run.py RESULTS declines            built-in kernels decline column strides and nothing else
       check_run.py RESULTS paths KERNELS.json  every path that a kernel can report was taken
       check_run.py RESULTS sound               sum2 fails `sound` on shifted normal rows, the stable ones never
KERNELS.json is what `ulpgate list kernels --format json` prints.
Exit 0 when the property holds, 1 with what was found, 77 when the file holds no result.
"""
import json
import re
import sys

STABLE = {"twopass", "welford", "shifted", "pairmean", "exact", "pairwise"}
SHOWN = 10


def results(path):
    with open(path, encoding="utf-8") as lines:
        records = [json.loads(line) for line in lines]
    if records[-1]["type"] != "end":
        sys.exit(f"{path}: no footer, the run was interrupted")
    found = [r for r in records if r["type"] == "result" and not r["yardstick"]]
    if not found:
        print(f"{path}: no result")
        sys.exit(77)
    return found


def check_declines(found, _):
    """The list of declines: a column stride other than 1. In place is never declined by these structures: each
    element is read for the last time by the thread that then writes it."""
    problems, declined = [], 0
    for r in found:
        expected = r["params"]["xcol"] != "1" or r["params"]["ycol"] != "1"
        got = r["verdict"] == "DECLINED"
        declined += got
        if got != expected:
            problems.append(f"{r['kernel']} {r['verdict']}, expected {'' if expected else 'not '}DECLINED: {r['case']}")
    if not declined:
        problems.append("no case with a column stride was run")
    return problems, f"{declined} declines, all of them column strides"


def check_paths(found, cards):
    with open(cards, encoding="utf-8") as text:
        kernels = json.load(text)
    taken = {}
    for r in found:
        if r["verdict"] in ("PASS", "FAIL"):
            taken.setdefault(r["kernel"], set()).add(r["path"])
    problems, count = [], 0
    for kernel in kernels:
        name = kernel["kernel"]
        if name not in taken:
            continue
        for path in kernel["paths"]:
            count += 1
            if path not in taken[name]:
                problems.append(f"{name}: path {path} was never taken")
        for path in taken[name] - set(kernel["paths"]):
            problems.append(f"{name}: path {path} is not declared")
    if not count:
        problems.append("no kernel of the run declares a path")
    return problems, f"{count} (kernel, path) pairs, all taken"


def must_fail(r):
    """float32 normal rows with mean/std 1e2 to 1e6, std >= 1e-2, N 32 to 16384."""
    match = re.fullmatch(r"normal\((.*)\)", r["params"]["data"])
    if not match or r["params"]["dtype"] != "f32" or not 32 <= int(r["params"]["n"]) <= 16384:
        return False
    args = dict(part.split("=") for part in match.group(1).split(","))
    mean, std = abs(float(args.get("mean", 0))), float(args.get("std", 1))
    return std >= 1e-2 and 0.99e2 <= mean / std <= 1.01e6 and "vary" not in args


def check_sound(found, _):
    problems, caught, stable = [], 0, 0
    for r in found:
        passed = r.get("passes", {}).get("sound")
        if r.get("variance") == "sum2" and must_fail(r):
            caught += 1
            if passed is not False:
                problems.append(f"{r['kernel']} passes sound ({r['metrics'].get('max_cond')}): {r['case']}")
        if r.get("variance") in STABLE:
            stable += 1
            if passed is False:
                problems.append(f"{r['kernel']} fails sound ({r['reasons']}): {r['case']}")
    if not caught or not stable:
        problems.append("no shifted normal case, or no stable kernel, was run")
    return problems, f"sum2 fails {caught} shifted normal cases, stable kernels pass {stable} cases"


def main():
    checks = {"declines": check_declines, "paths": check_paths, "sound": check_sound}
    if len(sys.argv) < 3 or sys.argv[2] not in checks:
        sys.exit(__doc__)
    problems, summary = checks[sys.argv[2]](results(sys.argv[1]), sys.argv[3] if len(sys.argv) > 3 else None)
    for problem in problems[:SHOWN]:
        print(problem)
    if len(problems) > SHOWN:
        print(f"... {len(problems) - SHOWN} more")
    print(f"{len(problems)} problems" if problems else summary)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
