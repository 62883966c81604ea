#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Other programs' answers judged through files: recorded inputs, three peers written here, the judge's verdicts.

usage: test_replay.py ULPGATE LIBULPGATE_REPLAY
"""
import json
import math
import os
import pathlib
import struct
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "tools" / "peers"))
import tables  # noqa: E402
import tensors  # noqa: E402

ULPGATE, PLUGIN = sys.argv[1:3]
CASES = ["layernorm n=48 rows=5 data=normal(mean=100,std=1) batch=7", "layernorm n=33 rows=3 gamma=none",
         "layernorm n=16 rows=4 xstride=20", "layernorm n=48 rows=2 special=nan@3 gamma=none beta=none"]


def floats(data):
    return struct.unpack(f"<{len(data) // 4}f", data)


def right(x, gamma, beta, eps):
    mean = math.fsum(x) / len(x)
    rstd = 1 / math.sqrt(math.fsum((v - mean) ** 2 for v in x) / len(x) + eps)
    return [(v - mean) * rstd * g + b for v, g, b in zip(x, gamma, beta)]


def wrong(x, gamma, beta, eps):
    """E[x^2] - mean^2 in float: not sound at kappa 100."""
    def f32(v):
        return struct.unpack("<f", struct.pack("<f", v))[0]
    s = q = 0.0
    for v in x:
        s, q = f32(s + v), f32(q + f32(v * v))
    mean = f32(s / len(x))
    var = max(f32(f32(q / len(x)) - f32(mean * mean)), 0.0)
    rstd = 1 / math.sqrt(var + eps)
    return [f32((v - mean) * rstd) * g + b for v, g, b in zip(x, gamma, beta)]


def answer(folder, name, formula, keep=lambda inputs: True):
    out = folder / "outputs" / name
    out.mkdir(parents=True)
    for file in (folder / "inputs").glob("*.safetensors"):
        inputs, metadata = tensors.read(file)
        (rows, n), x = inputs["x"][1], floats(inputs["x"][2])
        eps, = struct.unpack("<f", struct.pack("<I", int(metadata["eps"], 16)))
        gamma = floats(inputs["gamma"][2]) if "gamma" in inputs else [1.0] * n
        beta = floats(inputs["beta"][2]) if "beta" in inputs else [0.0] * n
        if not keep(inputs):
            continue
        y = [v for r in range(rows) for v in formula(x[r * n:(r + 1) * n], gamma, beta, eps)]
        tensors.write(out / file.name, {"y": ("f32", [rows, n], struct.pack(f"<{len(y)}f", *y))}, {})


class Replay(unittest.TestCase):
    def run_cases(self, folder, kernels):
        out = folder / "results.jsonl"
        options = [word for case in CASES for word in ("--case", case)]
        done = subprocess.run([ULPGATE, "run", *options, "--plugin", PLUGIN, "--kernel", kernels, "-q", "-o", str(out)],
                              env=dict(os.environ, ULPGATE_REPLAY=str(folder)), capture_output=True, text=True)
        records = [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()]
        return done, {(r["kernel"], r["case"]): r for r in records if r["type"] == "result"}

    def test_from_record_to_verdict(self):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            done, found = self.run_cases(folder, "peers:record")
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual([r["verdict"] for r in found.values()], ["PASS", "PASS", "DECLINED", "PASS"])
            answer(folder, "right", right)
            answer(folder, "wrong", wrong)
            answer(folder, "few", right, keep=lambda inputs: "gamma" in inputs)
            done, found = self.run_cases(folder, "peers:right,peers:wrong,peers:few")
            verdict = {kernel: [r["verdict"] for (k, _), r in found.items() if k == f"peers:{kernel}"]
                       for kernel in ("right", "wrong", "few")}
            self.assertEqual(verdict["right"], ["PASS", "PASS", "DECLINED", "PASS"])
            self.assertEqual(verdict["wrong"][:2], ["FAIL", "PASS"])
            self.assertEqual(verdict["few"], ["PASS", "DECLINED", "DECLINED", "DECLINED"])
            self.assertEqual(done.returncode, 1)
            wrong_one = found["peers:wrong", [c for k, c in found if "mean=100" in c][0]]
            self.assertTrue(any(reason.startswith("sound") for reason in wrong_one["reasons"]))
            best = found["peers:right", wrong_one["case"]]
            self.assertGreaterEqual(best["metrics"]["cr_share"], 0.999)

    def test_without_a_folder_there_is_no_kernel(self):
        env = {k: v for k, v in os.environ.items() if k != "ULPGATE_REPLAY"}
        done = subprocess.run([ULPGATE, "run", "--case", CASES[0], "--plugin", PLUGIN, "--kernel", "peers:*", "-q",
                               "-o", os.devnull], env=env, capture_output=True, text=True)
        self.assertEqual(done.returncode, 77, done.stderr)

    def test_ids_are_those_of_ulpgate(self):
        text = subprocess.run([ULPGATE, "list", "cases", "--suite", "bench", "--tier", "speed", "--format", "json"],
                              capture_output=True, text=True, check=True).stdout
        cases = json.loads(text)
        self.assertEqual(len(cases), 28)
        for entry in cases:
            self.assertEqual(tables.case_id(entry["case"]), entry["id"])
            self.assertIn(int(tables.case_params(entry["case"])["n"]) % 4, (0, 1, 3))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
