#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""DRAM bytes, time, SM throughput and cache hit rates of kernels, by Nsight Compute, as a table.

usage: profile_kernels.py --plugin libulpgate_cuda.so [--kernel GLOB,GLOB] [--shapes ROWSxN,ROWSxN] [--dtype f32,bf16]
                  [--block N,N] [--out TABLE.md] [--csv TABLE.csv] [--keep LOG] [--ncu PROGRAM]
       profile_kernels.py --read LOG --plan PLAN.json [--out TABLE.md] [--csv TABLE.csv]

Clocks are left alone, the program is run anew for each set of counters, and the profiler does not touch the caches:
what a second kernel of a launch finds in the L2 is what it would find in use. The second form reads what was kept.
Exit 2: usage or environment; 77: no profiler or no device.
"""
import argparse
import csv
import fnmatch
import io
import json
import math
import pathlib
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "peers"))
import abi  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent
SEPARATOR = "ug_copy16"
METRICS = {"read": "dram__bytes_read.sum", "write": "dram__bytes_write.sum", "time": "gpu__time_duration.sum",
           "sm": "sm__throughput.avg.pct_of_peak_sustained_elapsed",
           "dram": "dram__throughput.avg.pct_of_peak_sustained_elapsed", "l1": "l1tex__t_sector_hit_rate.pct",
           "l2": "lts__t_sector_hit_rate.pct", "warps": "sm__warps_active.avg.pct_of_peak_sustained_active",
           "registers": "launch__registers_per_thread"}
UNITS = {"": 1, "%": 1, "register/thread": 1, "byte": 1, "kbyte": 1e3, "mbyte": 1e6, "gbyte": 1e9, "nsecond": 1e-3,
         "ns": 1e-3, "usecond": 1, "us": 1, "msecond": 1e3, "ms": 1e3, "second": 1e6, "s": 1e6}
ABSENT = {"", "n/a", "nan"}  # counters that this device does not have
HEADS = ["case", "kernel", "kernels", "DRAM read MB", "DRAM write MB", "ideal MB", "of ideal", "us", "GB/s", "SM %",
         "DRAM %", "L1 hit %", "L2 hit %", "warps %", "registers"]


def number(text, unit):
    """A value in bytes, microseconds or percent; thousands are separated by commas in one of the formats."""
    scale = UNITS.get(unit.strip().lower())
    if scale is None:
        raise ValueError(f"the profiler gives a unit that is not known here: '{unit}'")
    return float(text.replace(",", "")) * scale


def parse(text):
    """[{"name": kernel, "read": bytes, ..., "time": us}] in the order of launch, from either form of ncu's CSV: a line
    a metric (the default), or a line a kernel with a line of units below the heads (--page raw)."""
    lines = text.splitlines()
    first = next((i for i, line in enumerate(lines) if line.startswith('"ID"')), None)
    if first is None:
        raise ValueError("no line of the profiler's output starts with \"ID\": did it run?")
    rows = list(csv.reader(io.StringIO("\n".join(line for line in lines[first:] if line.startswith('"')))))
    heads, names = rows[0], {metric: short for short, metric in METRICS.items()}
    at = {head: i for i, head in enumerate(heads)}
    kernels = {}
    if "Metric Name" in at:
        for row in rows[1:]:
            kernel = kernels.setdefault(int(row[at["ID"]]), {"name": row[at["Kernel Name"]]})
            short = names.get(row[at["Metric Name"]])
            if short and row[at["Metric Value"]] not in ABSENT:
                kernel[short] = number(row[at["Metric Value"]], row[at["Metric Unit"]])
    else:
        units = rows[1]
        for row in rows[2:]:
            kernel = kernels.setdefault(int(row[at["ID"]]), {"name": row[at["Kernel Name"]]})
            for metric, short in names.items():
                if metric in at and row[at[metric]] not in ABSENT:
                    kernel[short] = number(row[at[metric]], units[at[metric]])
    return [kernels[i] for i in sorted(kernels)]


def launches(kernels):
    """The kernels of each launch: those between two copies."""
    found = []
    for kernel in kernels:
        if SEPARATOR in kernel["name"]:
            found.append([])
        elif found:
            found[-1].append(kernel)
        else:
            raise ValueError(f"{kernel['name']} comes before the first {SEPARATOR}")
    return found


def summed(kernels):
    """One launch: bytes and time added up, rates as means over its time, registers as the most."""
    for k in kernels:
        if not {"time", "read", "write"} <= k.keys():
            raise ValueError(f"the profile has no time or no DRAM bytes for {k['name']}")
    time = sum(k["time"] for k in kernels)
    row = {"kernels": len(kernels), "time": time, "registers": max(k.get("registers", 0) for k in kernels)}
    for key in ("read", "write"):
        row[key] = sum(k[key] for k in kernels)
    for key in ("sm", "dram", "l1", "l2", "warps"):
        row[key] = sum(k.get(key, math.nan) * k["time"] for k in kernels) / time
    return row


def table(plan, found):
    """Rows of the table, as texts in the order of HEADS."""
    if len(plan) != len(found):
        raise ValueError(f"{len(found)} launches in the profile, {len(plan)} in the plan")
    rows = []
    for item, kernels in zip(plan, found):
        name = item["kernel"]
        if item.get("block"):
            head, slash, tail = name.partition("/")
            name = f"{head}@{item['block']}{slash}{tail}"
        case = f"{item['dtype']} {item['rows']} x {item['n']}"
        if not kernels:
            rows.append([case, name, "0"] + ["-"] * (len(HEADS) - 3))
            continue
        r = summed(kernels)
        size = abi.SIZES[item["dtype"]]
        ideal = 2 * item["rows"] * item["n"] * size + 2 * item["n"] * size
        rows.append([case, name, str(r["kernels"]), f"{r['read'] / 1e6:.2f}", f"{r['write'] / 1e6:.2f}",
                     f"{ideal / 1e6:.2f}", f"{(r['read'] + r['write']) / ideal:.3f}", f"{r['time']:.2f}",
                     f"{ideal / r['time'] * 1e-3:.0f}", f"{r['sm']:.1f}", f"{r['dram']:.1f}", f"{r['l1']:.1f}",
                     f"{r['l2']:.1f}", f"{r['warps']:.1f}", f"{r['registers']:.0f}"])
    return rows


def markdown(rows):
    rule = "|---|---|" + "---:|" * (len(HEADS) - 2)
    return "\n".join(["| " + " | ".join(HEADS) + " |", rule] + ["| " + " | ".join(row) + " |" for row in rows]) + "\n"


def make_plan(options):
    plugin = abi.Plugin(options.plugin)
    if plugin.devices() < 1:
        return []
    names = [n for n in plugin.kernels if any(fnmatch.fnmatchcase(n, g) for g in options.kernel.split(","))]
    blocks = [int(b) for b in options.block.split(",")] if options.block else [0]
    shapes = [tuple(map(int, shape.split("x"))) for shape in options.shapes.split(",")]
    return [{"kernel": name, "block": block, "dtype": dtype, "rows": rows, "n": n}
            for dtype in options.dtype.split(",") for rows, n in shapes for name in names for block in blocks]


def profile(options, plan):
    """The profiler's log."""
    with tempfile.TemporaryDirectory() as folder:
        plan_file, log = pathlib.Path(folder, "plan.json"), pathlib.Path(folder, "ncu.csv")
        plan_file.write_text(json.dumps(plan), encoding="utf-8")
        command = [options.ncu, "--csv", "--print-units", "base", "--clock-control", "none", "--cache-control", "none",
                   "--replay-mode", "application", "--metrics", ",".join(METRICS.values()), "--log-file", str(log),
                   sys.executable, str(HERE / "launch.py"), "--plugin", options.plugin, "--plan", str(plan_file)]
        done = subprocess.run(command)
        text = log.read_text(encoding="utf-8") if log.exists() else ""
        if done.returncode:
            raise ValueError(f"{options.ncu} exited with {done.returncode}:\n{text[-2000:]}")
    return text


def read_options(argv):
    parser = argparse.ArgumentParser(usage=__doc__.split("usage: ")[1].split("\n\n")[0])
    parser.add_argument("--plugin")
    parser.add_argument("--kernel", default="*")
    parser.add_argument("--shapes", default="4096x1024,32768x4096")
    parser.add_argument("--dtype", default="f32")
    parser.add_argument("--block", default="")
    parser.add_argument("--ncu", default="ncu")
    for name in ("--out", "--csv", "--keep", "--read", "--plan"):
        parser.add_argument(name)
    options = parser.parse_args(argv)
    if bool(options.read) != bool(options.plan) or bool(options.read) == bool(options.plugin):
        parser.error("either --plugin, or --read and --plan")
    return options


def gather(options):
    """(plan, the profiler's log), or None with a word on why there is none."""
    if options.read:
        plan = json.loads(pathlib.Path(options.plan).read_text(encoding="utf-8"))
        return plan, pathlib.Path(options.read).read_text(encoding="utf-8")
    if not shutil.which(options.ncu):
        print(f"profile_kernels.py: {options.ncu} is not installed", file=sys.stderr)
        return None
    plan = make_plan(options)
    if not plan:
        print("profile_kernels.py: no device, or no kernel of that name", file=sys.stderr)
        return None
    text = profile(options, plan)
    if options.keep:
        pathlib.Path(options.keep).write_text(text, encoding="utf-8")
        pathlib.Path(options.keep + ".plan.json").write_text(json.dumps(plan), encoding="utf-8")
    return plan, text


def main(argv):
    options = read_options(argv)
    try:
        gathered = gather(options)
        if not gathered:
            return 77
        rows = table(gathered[0], launches(parse(gathered[1])))
    except (OSError, ValueError, abi.Failed) as error:
        print(f"profile_kernels.py: {error}", file=sys.stderr)
        return 2
    if options.csv:
        with open(options.csv, "w", newline="", encoding="utf-8") as file:
            csv.writer(file).writerows([HEADS] + rows)
    if options.out:
        pathlib.Path(options.out).write_text(markdown(rows), encoding="utf-8")
    print(markdown(rows))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
