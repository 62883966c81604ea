#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`ulpgate advise` on kept results, against the same question answered here from the records.

usage: check_advise.py ULPGATE RESULTS.jsonl BENCH.jsonl...    (.xz as well)
"""
import collections
import json
import lzma
import math
import pathlib
import struct
import subprocess
import sys
import tempfile

NEEDS = [
    {"abs": 1e-4, "kappa": (5e3, 2e4)},
    {"abs": 1e-4, "kappa": (0.5, 2)},
    {"abs": 1e-3, "kappa": (50, 200), "n": (512, 2048)},
    {"cond": 4, "kappa": (1, 1e5)},
    {"cond": 4, "dtype": "bf16"},
    {"ulp": 1},
    {"abs": 1e-30},
    {},
]
BAD = []


def expect(condition, what):
    if not condition:
        BAD.append(what)


def read(paths, copy):
    """Records of the device's kernels without an approximate rsqrt; the copy lacks what advice does not need."""
    for path in paths:
        opened = lzma.open if path.endswith(".xz") else open
        with opened(path, "rt", encoding="utf-8") as lines:
            for line in lines:
                if '"kernel":"host:' in line or "-rsqrtf/" in line and not line.startswith('{"type":"run"'):
                    continue
                record = json.loads(line)
                for unused in ("worst", "classes", "rows", "ulp_hist"):
                    record.pop(unused, None)
                copy.write(json.dumps(record) + "\n")
                if record["type"] in ("result", "bench"):
                    yield record


def is_ordinary(record):
    """Operands of ordinary size and the usual eps, by the resolved parameters."""
    p = record["params"]
    return (p["gamma"] in ("random", "none", "negative") and p["beta"] in ("random", "none") and
            p["eps"] == "1e-5" and not p["special"])


def in_scope(record, needs):
    n, kappa = int(record["params"]["n"]), float(record["metrics"].get("kappa_max", "nan"))
    least, most = needs.get("kappa", (0, math.inf))
    short, long = needs.get("n", (0, math.inf))
    return (record["params"]["dtype"] == needs.get("dtype", "f32") and short <= n <= long and
            least <= kappa <= most)


def passes(record, needs):
    limits = {m: needs[m] for m in ("abs", "ulp", "cond") if m in needs}
    if not limits:
        return record["passes"].get("sound")
    return all(float(record["metrics"][f"max_{m}"]) <= limit for m, limit in limits.items())


def kernels_that_pass(results, needs):
    count, good = collections.Counter(), collections.Counter()
    for record in results:
        if in_scope(record, needs) and passes(record, needs) is not None:
            count[record["kernel"]] += 1
            good[record["kernel"]] += passes(record, needs)
    return {kernel for kernel in count if count[kernel] == good[kernel] and count[kernel] >= 3}


def slowness(benches, kernels, needs):
    """Geometric mean of a kernel's time over the least among those that pass, scaled to the fastest."""
    times = collections.defaultdict(lambda: collections.defaultdict(list))
    short, long = needs.get("n", (0, math.inf))
    for b in benches:
        if b["kernel"] in kernels and b["params"]["dtype"] == needs.get("dtype", "f32") and "us" in b \
                and short <= int(b["params"]["n"]) <= long:
            times[b["case"]][b["kernel"]].append(b["us"])
    logs = collections.defaultdict(list)
    for per_kernel in times.values():
        medians = {k: (sorted(v)[(len(v) - 1) // 2] + sorted(v)[len(v) // 2]) / 2 for k, v in per_kernel.items()}
        for kernel, us in medians.items():
            logs[kernel].append(math.log(us / min(medians.values())))
    mean = {kernel: math.exp(sum(v) / len(v)) for kernel, v in logs.items()}
    return {kernel: value / min(mean.values()) for kernel, value in mean.items()}


def ask(program, needs, files, *more):
    options = []
    for key, value in needs.items():
        options += [f"--{key}", f"{value[0]!r}..{value[1]!r}" if isinstance(value, tuple) else str(value)]
    done = subprocess.run([program, "advise", "--format", "json", *options, *more, *files], capture_output=True,
                          text=True, check=False)
    return done.returncode, [json.loads(line) for line in done.stdout.splitlines()]


def check_needs(program, files, results, benches, needs):
    passing = kernels_that_pass(results, needs)
    slow = slowness(benches, passing, needs)
    code, lines = ask(program, needs, files)
    advice = lines[0]
    best = advice.get("recommended")
    print(needs, "->", best, f"of {len(passing)} that pass, {len(slow)} timed")
    expect(code == (0 if passing else 1), f"{needs}: exit {code}")
    expect({k["kernel"] for k in advice["kernels"] if k["fit"] == "passes"} == passing, f"{needs}: who passes")
    expect((best in passing) == bool(passing), f"{needs}: {best} is recommended")
    if slow:
        expect(best in slow and slow[best] <= 1.02, f"{needs}: {best} is {slow.get(best)} behind the fastest")
    for choice in advice["kernels"]:
        if choice["kernel"] in slow:
            expect(abs(choice["behind"] / slow[choice["kernel"]] - 1) < 1e-6, f"{needs}: behind of {choice}")
    if needs == NEEDS[0]:
        expect(best and best.split("/")[1] not in ("sum2", "twopass", "welford"), f"{needs}: {best}")


def write_npy(path, rows):
    header = f"{{'descr': '<f4', 'fortran_order': False, 'shape': ({len(rows)}, {len(rows[0])}), }}"
    header = header.ljust(117) + "\n"
    data = b"".join(struct.pack(f"<{len(row)}f", *row) for row in rows)
    path.write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + data)


def check_tensor(program, files):
    """Rows m + s, m - s, ...: mean m, standard deviation s, all exact."""
    pairs = [(8, 2), (300, 1), (1e4, 1), (3, 0), (1e-3, 2 ** -10)]
    rows = [[m + s, m - s] * 32 for m, s in pairs] + [[math.nan] * 64, [1e30] * 32 + [-1e30] * 32]
    with tempfile.TemporaryDirectory() as work:
        path = pathlib.Path(work, "rows.npy")
        write_npy(path, rows)
        code, lines = ask(program, {"abs": 1e-4}, files, "--input", str(path))
        tensor, advice = lines
        wanted = sorted(math.sqrt(1 + (m / s) ** 2) for m, s in pairs[:3])
        expect(tensor["type"] == "tensor" and (tensor["rows"], tensor["n"], tensor["dtype"]) == (7, 64, "f32"), tensor)
        expect((tensor["regular"], tensor["near_constant"], tensor["nonfinite"], tensor["out_of_range"]) ==
               (5, 2, 1, 1), tensor)
        for got, want in zip((tensor["kappa"][k] for k in ("least", "median", "most")), wanted):
            expect(abs(got / want - 1) < 1e-12, f"kappa {got}, expected {want}")
        expect((tensor["std_least"], tensor["std_most"]) == (0, 2), tensor)
        best = advice.get("recommended", "")
        expect(code == 0 and best.split("/")[1] not in ("sum2", "twopass", "welford"), f"{best} for {tensor}")
        expect(any("NaN" in line for line in advice["not_known"]), f"unsaid: the NaN row: {advice['not_known']}")
        path.write_bytes(b"\x93NUMPY\x01\x00")
        done = subprocess.run([program, "advise", "--input", str(path)], capture_output=True, text=True, check=False)
        expect(done.returncode == 2 and "rows.npy" in done.stderr, f"a broken file: {done}")


def check(program, files, copy):
    with open(copy, "w", encoding="utf-8") as out:
        records = list(read(files, out))
    files = [str(copy)]
    results = [r for r in records if r["type"] == "result" and "metrics" in r and not r.get("yardstick") and
               is_ordinary(r)]
    benches = [r for r in records if r["type"] == "bench" and not r.get("yardstick")]
    expect(results and benches, "no results or no times")
    for needs in NEEDS:
        check_needs(program, files, results, benches, needs)
    check_tensor(program, files)


def main():
    with tempfile.TemporaryDirectory() as work:
        check(sys.argv[1], sys.argv[2:], pathlib.Path(work, "results.jsonl"))
    for line in BAD:
        print(line)
    print(f"{len(BAD)} findings")
    return 1 if BAD else 0


if __name__ == "__main__":
    sys.exit(main())
