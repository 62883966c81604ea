#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Which choice is fastest at each shape, from the records of tools/tune.sh.

usage: tune.py FILE.jsonl... [--all]

Prints one line a (variance, dtype, rows, N): the share of copy of the fastest choice and of those within 2% of it, in
order; --all prints every choice. Records that failed their gate are left out. Exit 0, or 77 when there is no time.
"""
import collections
import json
import sys

CLOSE = 0.98


def times(paths):
    """Yields (variance, dtype, rows, n), choice, share of copy, spread in percent."""
    for path in paths:
        with open(path, encoding="utf-8") as lines:
            for line in lines:
                r = json.loads(line)
                if r.get("type") != "bench" or not r["kernel"].startswith("cuda:") or r.get("yardstick"):
                    continue
                if r.get("verdict") != "PASS" or not r.get("copy_share"):
                    continue
                name, variance = r["kernel"].split(":", 1)[1].split("/", 1)
                p = r["params"]
                yield (variance, p["dtype"], int(p["rows"]), int(p["n"])), name, float(r["copy_share"]), \
                    100 * float(r["us_spread"]) / float(r["us"])


def main():
    paths = [a for a in sys.argv[1:] if not a.startswith("-")]
    if not paths:
        sys.exit(__doc__)
    table = collections.defaultdict(list)
    for key, name, share, spread in times(paths):
        table[key].append((share, name.removeprefix("tuned@"), spread))
    for key in sorted(table):
        found = sorted(table[key], reverse=True)
        least = 0 if "--all" in sys.argv else CLOSE * found[0][0]
        shown = "  ".join(f"{name} {share:.3f} (+-{spread:.0f}%)" for share, name, spread in found if share >= least)
        print(f"{key[0]:9} {key[1]:4} {key[2]:7} x {key[3]:<7} {shown}")
    return 0 if table else 77


if __name__ == "__main__":
    sys.exit(main())
