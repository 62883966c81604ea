#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes cases/suites/shapes-pairs.cases: few cases in which every possible pair of
(n mod 8, offset, kind of stride, alias, gamma and beta, dtype) occurs."""
import itertools

FACTORS = {
    "n": list(range(8)),
    "offset": list(range(8)),
    "stride": ["tight", "padded", "apart", "repeat", "column"],
    "alias": ["none", "inplace"],
    "params": ["both", "gamma", "beta", "neither"],
    "dtype": ["f32", "f16", "bf16"],
}
NAMES = list(FACTORS)
SIZES = [16, 64, 256, 768, 1024, 2048]  # multiples of 8 that n mod 8 is added to


def possible(case):
    return not (case.get("alias") == "inplace" and case.get("stride") in ("apart", "repeat"))


def pairs_of(case):
    return {((a, case[a]), (b, case[b])) for a, b in itertools.combinations(NAMES, 2)}


def all_pairs():
    for a, b in itertools.combinations(NAMES, 2):
        for p, q in itertools.product(FACTORS[a], FACTORS[b]):
            if possible({a: p, b: q}):
                yield ((a, p), (b, q))


def cover():
    every = [c for c in (dict(zip(NAMES, v)) for v in itertools.product(*FACTORS.values()))
             if possible(c)]
    left, chosen = set(all_pairs()), []
    sets = [pairs_of(c) for c in every]
    while left:
        best = max(range(len(every)), key=lambda i: len(sets[i] & left))
        chosen.append(every[best])
        left -= sets[best]
    return chosen


def line(case, index):
    n = SIZES[index % len(SIZES)] + case["n"]
    words = ["layernorm", f"dtype={case['dtype']}", "rows=3", f"n={n}", f"offset={case['offset']}"]
    pad, other = 1 + index % 8, 2 + index % 5
    inplace = case["alias"] == "inplace"
    words += {
        "tight": [],
        "padded": [f"xstride={n + pad}", f"ystride={n + pad}"],
        "apart": [f"xstride={n + pad}", f"ystride={n + pad + other}"],
        "repeat": ["xstride=0"],
        "column": ["xcol=2", "ycol=2"] if inplace or index % 3 == 0 else
                  [["xcol=2", "ycol=3"][index % 2]],
    }[case["stride"]]
    if inplace:
        words.append("alias=inplace")
    if case["params"] in ("beta", "neither"):
        words.append("gamma=none")
    if case["params"] in ("gamma", "neither"):
        words.append("beta=none")
    words.append("data=normal(mean=1,vary=1)")
    return " ".join(words)


def main():
    print("# Written by tools/make-pairs.py: every possible pair of n mod 8, offset, kind of stride,")
    print("# alias, gamma and beta, dtype occurs.")
    for index, case in enumerate(cover()):
        print(line(case, index))


main()
