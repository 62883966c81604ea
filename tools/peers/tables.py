# SPDX-License-Identifier: Apache-2.0
"""Times as figures: medians, records as `ulpgate bench` writes them, and the table of peers. No dependency."""
import json
import math
import platform
import statistics
import time

SIZES = {"f32": 4, "f16": 2, "bf16": 2}
DEFAULTS = {"rows": "8", "n": "768", "dtype": "f32", "wdtype": "f32", "eps": "1e-5", "gamma": "random",
            "beta": "random", "data": "normal", "stats": "1"}


def case_id(line):
    """The 64-bit FNV-1a hash of a canonical case line, as ulpgate prints it."""
    value = 0xcbf29ce484222325
    for byte in line.encode():
        value = (value ^ byte) * 0x100000001b3 % 2 ** 64
    return f"{value:016x}"


def case_params(line):
    """Parameters of a canonical case line, with the defaults of those that a bench needs."""
    words = line.split()
    if not words or words[0] != "layernorm":
        raise ValueError(f"no case: {line!r}")
    return DEFAULTS | dict(word.split("=", 1) for word in words[1:])


def median_spread(times):
    """Median and interquartile range, interpolated between the sorted times."""
    times = sorted(times)

    def quantile(share):
        at = share * (len(times) - 1)
        low = int(at)
        high = min(low + 1, len(times) - 1)
        return times[low] + (at - low) * (times[high] - times[low])
    return quantile(0.5), quantile(0.75) - quantile(0.25)


def bytes_moved(params):
    """x read once, y written once, gamma and beta once, mean and rstd where the case asks for them."""
    rows, n = int(params["rows"]), int(params["n"])
    parts = (params["gamma"] != "none") + (params["beta"] != "none")
    return (2 * rows * n * SIZES[params["dtype"]] + parts * n * SIZES[params["wdtype"]]
            + (8 * rows if params["stats"] == "1" else 0))


def record(line, name, times, copies, sets, yardstick=False, verdict="PASS", reasons=(), metrics=None):
    """One bench record. times: microseconds a launch; copies: {name: times} of the yardsticks."""
    params = case_params(line)
    found = {"type": "bench", "case": line, "id": case_id(line), "suite": "bench", "tier": "speed", "params": params,
             "kernel": name, "yardstick": yardstick, "verdict": verdict, "reasons": list(reasons)}
    if metrics:
        found["metrics"] = metrics
    if not times:
        return found
    copied = 2 * int(params["rows"]) * int(params["n"]) * SIZES[params["dtype"]]
    moved = copied if yardstick else bytes_moved(params)
    us, spread = median_spread(times)
    found |= {"bytes": float(moved), "sets": sets, "repeats": len(times), "clock": "device", "us": us,
              "us_spread": spread, "gbps": moved / us * 1e-3}
    if copies:
        best = min(copies, key=lambda copy: median_spread(copies[copy])[0])
        copy_us = median_spread(copies[best])[0]
        found |= {"copy": best, "copy_us": copy_us, "copy_share": (moved / us) / (copied / copy_us)}
    return found


def header(backends, command):
    return {"type": "run", "schema": 1, "version": "", "started": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
            "host": {"name": platform.node(), "os": platform.platform(), "cpu": platform.processor() or "?"},
            "compiler": f"Python {platform.python_version()}", "command": command, "kernels": [],
            "backends": [{"backend": name, "plugin": "", "facts": facts} for name, facts in backends.items()]}


def footer(records, seconds):
    verdicts = {name: sum(r["verdict"] == name for r in records)
                for name in ("PASS", "FAIL", "DECLINED", "CRASH", "HANG", "ERROR")}
    return {"type": "end", "results": len(records), "finished": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
            "seconds": seconds, "verdicts": verdicts}


def write_lines(path, records):
    with open(path, "w", encoding="utf-8") as file:
        for entry in records:
            file.write(json.dumps(entry, allow_nan=False) + "\n")


def merge(records):
    """{case: {kernel: (share, GB/s, us, spread)}} of timed records, medians where a kernel was timed several times."""
    found = {}
    for r in records:
        if r.get("type") == "bench" and "us" in r:
            found.setdefault(r["case"], {}).setdefault(r["kernel"], []).append(r)
    return {case: {kernel: (statistics.median(r.get("copy_share", math.nan) for r in several),
                            statistics.median(r["gbps"] for r in several),
                            statistics.median(r["us"] for r in several), max(r["us_spread"] for r in several))
                   for kernel, several in kernels.items()} for case, kernels in found.items()}


def ahead(ours, theirs):
    """1 ahead, -1 behind, 0 undecided: decided at 2% plus the larger of the two spreads, as shares of the median."""
    (share, _, us, spread), (other, _, other_us, other_spread) = ours, theirs
    margin = 0.02 + max(spread / us, other_spread / other_us)
    return (share > other * (1 + margin)) - (other > share * (1 + margin))


def geometric_mean(values):
    values = [v for v in values if v > 0]
    return math.exp(statistics.fmean(map(math.log, values))) if values else math.nan


def table(records, ours="cuda:", peers="peers:"):
    """The Markdown table of all cases: GB/s of the copy, of ours and of each peer, shares of copy of the best."""
    cases = merge(records)
    names = sorted({k for kernels in cases.values() for k in kernels if k.startswith(peers)})
    lines = ["| dtype | rows x N | copy | best of ours | " + " | ".join(n[len(peers):] for n in names)
             + " | best peer / copy | ours / copy | |",
             "|---|---|---:|---|" + "---:|" * (len(names) + 2) + "---|"]
    shares, other_shares, signs = [], [], []
    for case, kernels in cases.items():
        params = case_params(case)
        own = {k: v for k, v in kernels.items() if k.startswith(ours) and ":copy/" not in k}
        other = {k: v for k, v in kernels.items() if k.startswith(peers)}
        copy = max((v[1] for k, v in kernels.items() if ":copy/" in k), default=math.nan)
        best = max(own, key=lambda k: own[k][0], default=None)
        rival = max(other, key=lambda k: other[k][0], default=None)
        sign = ahead(own[best], other[rival]) if best and rival else 0
        signs.append(sign if best and rival else None)
        shares += [own[best][0]] if best else []
        other_shares += [other[rival][0]] if rival else []
        lines.append("| " + " | ".join(
            [params["dtype"], f"{params['rows']} x {params['n']}", f"{copy:.0f}",
             f"{own[best][1]:.0f} {best[len(ours):]}" if best else "-"]
            + [f"{other[n][1]:.0f}" if n in other else "-" for n in names]
            + [f"{other[rival][0]:.2f} {rival[len(peers):]}" if rival else "-", f"{own[best][0]:.2f}" if best else "-",
               {1: "ahead", 0: "even", -1: "behind"}[sign] if best and rival else ""]) + " |")
    lines.append("")
    lines.append(f"Geometric mean of the last shares: ours {geometric_mean(shares):.3f}, best of the peers "
                 f"{geometric_mean(other_shares):.3f}; ahead at {signs.count(1)}, even at {signs.count(0)}, behind at "
                 f"{signs.count(-1)} of {len(signs)} cases (decided at 2% plus the larger spread).")
    return "\n".join(lines) + "\n"
