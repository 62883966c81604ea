#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Times our kernels and the peers in one process, over the same buffers and by the same clock.

usage: peers.py --plugin libulpgate_cuda.so --cases CASES.json --out RESULTS.jsonl [--table TABLE.md]
                [--kernel GLOB,GLOB] [--block N,N] [--peers NAME,NAME] [--repeats N] [--budget SECONDS]

CASES.json is what `ulpgate list cases --suite bench --tier speed --format json` prints. Every kernel is recorded as one
CUDA graph over sets of x and y that leave the last-level cache (six times its size, at least two sets); the graphs are
replayed in turn with two copies of the same bytes. Peers that are missing, or that do not take a case, are named. When
the budget is spent, cases that are left get no torch.compile, which costs seconds each.

Exit 0: timed; 2: usage or environment; 77: no device.
"""
import argparse
import fnmatch
import json
import pathlib
import sys
import time

import abi
import frameworks
import tables

WARM, REACH = 3, 6
# Against float64, of outputs of some units: past these an answer is wrong, not merely inaccurate.
LIMITS = {"f32": 1e-3, "f16": 2e-2, "bf16": 1e-1}


class Panel:
    """The buffers of one case."""

    def __init__(self, torch, line, cache):
        self.torch, self.line = torch, line
        self.params = tables.case_params(line)
        self.rows, self.n = int(self.params["rows"]), int(self.params["n"])
        self.eps = float(self.params["eps"])
        kinds = {"f32": torch.float32, "f16": torch.float16, "bf16": torch.bfloat16}
        kind, wide = kinds[self.params["dtype"]], kinds[self.params["wdtype"]]
        size = 2 * self.rows * self.n * tables.SIZES[self.params["dtype"]]
        self.sets = max(2, REACH * cache // size + 1)
        torch.manual_seed(len(line))
        first = (torch.randn(self.rows, self.n, device="cuda") * 7 + 3).to(kind)
        self.x = [first] + [first.clone() for _ in range(self.sets - 1)]
        self.y = [torch.empty_like(first) for _ in self.x]
        self.gamma = (torch.rand(self.n, device="cuda") + 0.5).to(wide)
        self.beta = (torch.rand(self.n, device="cuda") * 2 - 1).to(wide)
        self.judged = max(1, min(self.rows, 2 ** 20 // self.n))

    def error(self, y, beta=True):
        """Largest difference from float64 over the first rows; infinite where an output is no number."""
        torch = self.torch
        x = self.x[0][:self.judged].double()
        d = x - x.mean(1, keepdim=True)
        want = d / torch.sqrt((d * d).mean(1, keepdim=True) + self.eps) * self.gamma.double()
        if beta:
            want = want + self.beta.double()
        got = y[:self.judged].double()
        return (got - want).abs().max().item() if bool(torch.isfinite(got).all()) else float("inf")


class Timed:
    """A graph over all sets, and what came of it."""

    def __init__(self, panel, name, function, beta=True):
        torch = panel.torch
        self.name, self.panel, self.times = name, panel, []
        side = torch.cuda.Stream()
        with torch.cuda.stream(side):
            for _ in range(2):
                out = function(0)
        torch.cuda.synchronize()
        self.error = None if out is None else panel.error(out, beta)
        self.graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(self.graph, capture_error_mode="relaxed"):
            self.outputs = [function(i) for i in range(panel.sets)]  # held: every set has an output of its own
        torch.cuda.synchronize()

    def replay(self, first, last):
        torch = self.panel.torch
        torch.cuda._sleep(100000)  # both events and the graph are queued before the first event is reached
        first.record()
        self.graph.replay()
        last.record()
        torch.cuda.synchronize()
        return first.elapsed_time(last) * 1e3 / self.panel.sets


def our_launch(panel, plugin, kernel, block):
    """A function of the set that launches our kernel on the current stream."""
    torch, dtype = panel.torch, panel.params["dtype"]
    made = []
    for x, y in zip(panel.x, panel.y):
        made.append(abi.args(abi.view(x.data_ptr(), panel.rows, panel.n, dtype),
                             abi.view(y.data_ptr(), panel.rows, panel.n, dtype), panel.gamma.data_ptr(),
                             panel.beta.data_ptr(), panel.params["wdtype"], panel.eps, block=block))
    size = abi.workspace_size(kernel, made[0])
    room = torch.empty(max(size, 1), dtype=torch.uint8, device="cuda")

    def function(i):
        a = made[i]
        a.workspace, a.workspace_bytes = (room.data_ptr(), size) if size else (None, 0)
        a.stream = torch.cuda.current_stream().cuda_stream
        abi.launch(kernel, a)
        return panel.y[i]
    return function


def copies(panel, plugin):
    """The two yardsticks: the driver's copy, and the plugin's kernel that copies 16-byte vectors."""
    torch = panel.torch
    size = panel.x[0].numel() * panel.x[0].element_size()

    def by_driver(i):
        panel.y[i].copy_(panel.x[i])

    def by_kernel(i):
        plugin.copy(1, panel.y[i].data_ptr(), panel.x[i].data_ptr(), size, torch.cuda.current_stream().cuda_stream)
    return {f"{plugin.backend}:copy/memcpy": by_driver, f"{plugin.backend}:copy/copy16": by_kernel}


def candidates(panel, plugin, options, peers):
    """Yields (name, makes the function, judged with beta)."""
    for name, function in copies(panel, plugin).items():
        yield name, lambda function=function: function, True
    for name, kernel in plugin.kernels.items():
        if not any(fnmatch.fnmatchcase(name, glob) for glob in options.kernel.split(",")):
            continue
        for block in options.blocks:
            head, slash, tail = name.partition("/")
            called = f"{head}@{block}{slash}{tail}" if block else name
            yield called, lambda kernel=kernel, block=block: our_launch(panel, plugin, kernel, block), True
    for name, make in peers.items():
        bare = name in frameworks.WITHOUT_BETA

        def function(make=make, bare=bare):
            with panel.torch.no_grad():
                forward = make(panel.x[0], panel.gamma, None if bare else panel.beta, panel.eps)
            return lambda i: forward(panel.x[i])
        yield f"peers:{name}", function, not bare


def bench_case(torch, line, plugin, options, peers, cache, say):
    panel = Panel(torch, line, cache)
    timed, records = [], []
    for name, make, beta in candidates(panel, plugin, options, peers):
        try:
            with torch.no_grad():
                timed.append(Timed(panel, name, make(), beta))
        except Exception as error:  # a peer that does not take a case is named, the others go on
            reason = f"declined {type(error).__name__}: {error}".splitlines()[0][:180]
            records.append(tables.record(line, name, [], {}, 0, verdict="DECLINED", reasons=[reason]))
            say(f"  {name}: {reason}")
            torch.cuda.synchronize()
    events = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    for turn in range(WARM + options.repeats):
        for k in range(len(timed)):
            one = timed[(k + turn) % len(timed)]
            us = one.replay(*events)
            if turn >= WARM:
                one.times.append(us)
    yard = {one.name: one.times for one in timed if ":copy/" in one.name}
    for one in timed:
        right = one.error is None or one.error <= LIMITS[panel.params["dtype"]]
        reasons = [] if right else [f"abs {one.error:.3g} from float64, expected at most "
                                    f"{LIMITS[panel.params['dtype']]:g}"]
        finite = one.error is not None and one.error != float("inf")
        records.append(tables.record(line, one.name, one.times, yard, panel.sets, ":copy/" in one.name,
                                     "PASS" if right else "FAIL", reasons, {"max_abs": one.error} if finite else None))
    return records


def parse(argv):
    parser = argparse.ArgumentParser(usage=__doc__.split("usage: ")[1].split("\n\n")[0])
    parser.add_argument("--plugin", required=True)
    parser.add_argument("--cases", required=True)
    parser.add_argument("--out", required=True)
    parser.add_argument("--table")
    parser.add_argument("--kernel", default="*")
    parser.add_argument("--block", default="")
    parser.add_argument("--peers", default=",".join(frameworks.PEERS))
    parser.add_argument("--repeats", type=int, default=30)
    parser.add_argument("--budget", type=float, default=450)
    options = parser.parse_args(argv)
    options.blocks = [int(b) for b in options.block.split(",")] if options.block else [0]
    return options


def absent(records, peers, missing):
    """What the table has no column of, in sentences: peers that are missing, or took no case."""
    text = "".join(f"\nMissing: {name} ({why}).\n" for name, why in missing.items())
    for name in peers:
        own = [r for r in records if r["kernel"] == f"peers:{name}"]
        if own and all(r["verdict"] == "DECLINED" for r in own):
            text += f"\nDeclined every case: {name} ({own[0]['reasons'][0].removeprefix('declined ')}).\n"
    return text


def main(argv):
    options = parse(argv)
    start = time.monotonic()
    try:
        import torch
    except ModuleNotFoundError:
        print("peers.py: PyTorch is not installed", file=sys.stderr)
        return 2
    if not torch.cuda.is_available():
        print("peers.py: no CUDA device", file=sys.stderr)
        return 77
    torch.empty(1, device="cuda")
    plugin = abi.Plugin(options.plugin)
    peers, missing = frameworks.importable(options.peers.split(","))
    for name, why in missing.items():
        print(f"peers.py: {name} is missing: {why}")
    cache = plugin.timing.cache_bytes() if plugin.timing else 64 << 20
    cases = [entry["case"] for entry in json.loads(pathlib.Path(options.cases).read_text(encoding="utf-8"))]
    facts = {"torch": torch.__version__, "missing": "; ".join(f"{k}: {v}" for k, v in missing.items())}
    lines = [tables.header({plugin.backend: plugin.facts(), "peers": facts}, " ".join(sys.argv))]
    records = []
    for line in cases:
        spent = time.monotonic() - start
        some = {k: v for k, v in peers.items() if k != "compile" or spent < options.budget}
        print(f"{spent:6.1f} s  {line}", flush=True)
        records += bench_case(torch, line, plugin, options, some, cache, print)
        tables.write_lines(options.out, lines + records)
        torch.cuda.empty_cache()
    tables.write_lines(options.out, lines + records + [tables.footer(records, time.monotonic() - start)])
    text = tables.table(records, f"{plugin.backend}:") + absent(records, peers, missing)
    if options.table:
        pathlib.Path(options.table).write_text(text, encoding="utf-8")
    print(text)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
