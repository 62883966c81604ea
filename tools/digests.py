#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares output digests between backends, or between runs, case by case.

usage: digests.py RESULTS... [--backends A,B]

One results file: the digests of A:NAME and B:NAME (default host, cuda) must be equal for every case that both
answered with an output. Two files: the digests of the same kernel and case must be equal. Kernels whose name
says rsqrtf are left out. Exit 0 equal, 1 differing (each difference is printed), 2 usage, 77 nothing to compare.
"""
import argparse
import json
import sys

SHOWN = 20


def digests(path):
    """Yields (case, backend, name, digest, inputs) for each result that has a digest."""
    with open(path, encoding="utf-8") as lines:
        for number, line in enumerate(lines, 1):
            try:
                record = json.loads(line)
            except ValueError:
                sys.exit(f"{path}:{number}: not JSON (a cut file?)")
            if record.get("type") == "result" and "digest" in record:
                backend, name = record["kernel"].split(":", 1)
                if "rsqrtf" not in name:
                    yield record["case"], backend, name, record["digest"], record.get("inputs")


def pairs_within(path, first, second):
    table = {}
    for case, backend, name, digest, inputs in digests(path):
        table.setdefault((case, name), {})[backend] = (digest, inputs)
    for (case, name), found in table.items():
        if first in found and second in found:
            yield f"{first}|{second}:{name}", case, found[first], found[second]


def pairs_between(path, other):
    table = {(c, b, n): (d, i) for c, b, n, d, i in digests(path)}
    for case, backend, name, digest, inputs in digests(other):
        key = (case, backend, name)
        if key in table:
            yield f"{backend}:{name}", case, table[key], (digest, inputs)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("results", nargs="+")
    parser.add_argument("--backends", default="host,cuda")
    options = parser.parse_args()
    backends = options.backends.split(",")
    if len(options.results) > 2 or len(backends) != 2:
        parser.error("expected one or two results files, and two backends")
    if len(options.results) == 1:
        pairs = pairs_within(options.results[0], *backends)
    else:
        pairs = pairs_between(*options.results)
    kernels, cases, different = set(), 0, 0
    for kernel, case, one, two in pairs:
        kernels.add(kernel)
        cases += 1
        if one != two:
            different += 1
            if different <= SHOWN:
                print(f"{kernel}: {one[0]} and {two[0]} for {case}")
    print(f"{cases} pairs of digests, {len(kernels)} kernels, {different} differ")
    if not cases:
        return 77
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main())
