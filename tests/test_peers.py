#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tools/peers without a GPU: the ABI for ctypes against a plugin, figures and tables known by hand.

usage: test_peers.py LIBULPGATE_HOST ULPGATE
"""
import ast
import contextlib
import ctypes
import io
import json
import math
import pathlib
import struct
import subprocess
import sys
import tempfile
import unittest
from unittest import mock

HERE = pathlib.Path(__file__).resolve().parent
PEERS = HERE.parent / "tools" / "peers"
sys.path[:0] = [str(PEERS), str(HERE)]
import abi  # noqa: E402
import answers  # noqa: E402
import fake_tensors  # noqa: E402
import fake_torch  # noqa: E402
import frameworks  # noqa: E402
import peers  # noqa: E402
import tables  # noqa: E402

PLUGIN, ULPGATE = sys.argv[1:3]
LINE = "layernorm data=normal(mean=3,std=7) n=1000 rows=500 stats=0"


def aligned(values):
    """A float buffer on a 16-byte boundary; returns what keeps it alive, and its address."""
    data = struct.pack(f"<{len(values)}f", *values)
    memory = ctypes.create_string_buffer(len(data) + 16)
    address = (ctypes.addressof(memory) + 15) // 16 * 16
    ctypes.memmove(address, data, len(data))
    return memory, address


class Abi(unittest.TestCase):
    def setUp(self):
        self.plugin = abi.Plugin(PLUGIN)

    def launch(self, name, block):
        rows, n = 2, 100
        x = [math.sin(i) * 3 + 5 for i in range(rows * n)]
        keep = [aligned(v) for v in (x, [0.0] * (rows * n), [2.0] * n, [0.5] * n)]
        address = [a for _, a in keep]
        a = abi.args(abi.view(address[0], rows, n, "f32"), abi.view(address[1], rows, n, "f32"), address[2], address[3],
                     block=block)
        kernel = self.plugin.kernels[name]
        size = abi.workspace_size(kernel, a)
        room = aligned([0.0] * (size // 4 + 1))
        a.workspace, a.workspace_bytes = room[1], size
        path = abi.launch(kernel, a)
        y = struct.unpack(f"<{rows * n}f", ctypes.string_at(address[1], 4 * rows * n))
        for r in range(rows):
            row = x[r * n:(r + 1) * n]
            mean = math.fsum(row) / n
            rstd = 1 / math.sqrt(math.fsum((v - mean) ** 2 for v in row) / n + 1e-5)
            for i, v in enumerate(row):
                self.assertAlmostEqual(y[r * n + i], (v - mean) * rstd * 2 + 0.5, delta=1e-5)
        return path, abi.geometry(kernel, a)

    def test_every_kernel_launches(self):
        self.assertGreaterEqual(len(self.plugin.kernels), 9)
        self.assertEqual(self.plugin.facts()["device"], "CPU executor")
        for name in self.plugin.kernels:
            path, geometry = self.launch(name, 0)
            self.assertTrue(path)
            self.assertEqual(geometry.threads % 8, 0)  # a row takes a group of lanes at least

    def test_a_block_size_arrives(self):
        self.assertEqual(self.launch("host:vec4/twopass", 96)[1].threads, 96)
        with self.assertRaises(abi.Failed) as caught:
            self.launch("host:vec4/twopass", 100)
        self.assertIn("multiple of 32", str(caught.exception))


class Tables(unittest.TestCase):
    def test_medians_as_the_bench_takes_them(self):
        self.assertEqual(tables.median_spread([5, 1, 9, 3, 7]), (5, 4))
        self.assertEqual(tables.median_spread([4, 2]), (3, 1))

    def test_a_record(self):
        r = tables.record(LINE, "peers:torch", [4.0, 6.0], {"a:copy/x": [3.0], "a:copy/y": [2.0]}, 7)
        self.assertEqual(r["bytes"], 2 * 4 * 500000 + 2 * 4 * 1000)
        self.assertEqual((r["us"], r["us_spread"], r["copy"], r["sets"]), (5.0, 1.0, "a:copy/y", 7))
        self.assertAlmostEqual(r["gbps"], 4008000 / 5 * 1e-3)
        self.assertAlmostEqual(r["copy_share"], 4008000 / 5 / (4000000 / 2))
        half = tables.case_params("layernorm beta=none dtype=bf16 n=8 rows=4 wdtype=bf16")
        self.assertEqual(tables.bytes_moved(half), 2 * 2 * 32 + 16 + 32)

    def test_what_decides(self):
        def timed(share, us, spread):
            return share, 0, us, spread
        self.assertEqual(tables.ahead(timed(0.99, 10, 0.1), timed(0.95, 10, 0)), 1)
        self.assertEqual(tables.ahead(timed(0.96, 10, 0.1), timed(0.95, 10, 0)), 0)
        self.assertEqual(tables.ahead(timed(0.99, 10, 0.1), timed(0.95, 10, 0.5)), 0)
        self.assertEqual(tables.ahead(timed(0.90, 10, 0), timed(0.95, 10, 0)), -1)

    def test_ids_are_those_of_ulpgate(self):
        text = subprocess.run([ULPGATE, "list", "cases", "--suite", "bench", "--tier", "speed", "--format", "json"],
                              capture_output=True, text=True, check=True).stdout
        cases = json.loads(text)
        self.assertEqual(len(cases), 28)
        for entry in cases:
            self.assertEqual(tables.case_id(entry["case"]), entry["id"])
            self.assertIn(int(tables.case_params(entry["case"])["n"]) % 4, (0, 1, 3))

    def test_the_table(self):
        copies = {"cuda:copy/x": [1.0]}
        records = [tables.record(LINE, "cuda:copy/x", [1.0], copies, 2, yardstick=True),
                   tables.record(LINE, "cuda:best/exact", [1.25], copies, 2),
                   tables.record(LINE, "cuda:split/sum2", [4.0], copies, 2),
                   tables.record(LINE, "peers:torch", [2.0], copies, 2),
                   tables.record(LINE, "peers:liger", [], copies, 2, verdict="DECLINED", reasons=["declined no"])]
        text = tables.table(records)
        self.assertIn("| f32 | 500 x 1000 | 4000 | 3206 best/exact | 2004 | 0.50 torch | 0.80 | ahead |", text)
        self.assertIn("ahead at 1, even at 0, behind at 0 of 1 cases", text)
        self.assertEqual(tables.footer(records, 1.0)["verdicts"]["DECLINED"], 1)


def layer_norm(x, gamma, beta, eps):
    """A peer on the fake; the second one is wrong, the third takes nothing."""
    def forward(x):
        fake_torch.called()
        d = x - x.mean(1, keepdim=True)
        return d / fake_torch.sqrt((d * d).mean(1, keepdim=True) + eps) * gamma + beta
    return forward


def doubled(x, gamma, beta, eps):
    return lambda x: layer_norm(x, gamma, beta, eps)(x) * 2.0


def none(x, gamma, beta, eps):
    raise ValueError("takes nothing")


class Flow(unittest.TestCase):
    """peers.py from its options to its files, on a stand-in for PyTorch and the CPU executor's kernels."""

    def test_from_cases_to_table(self):
        with tempfile.TemporaryDirectory() as folder, mock.patch.dict(sys.modules, {"torch": fake_torch}), \
                mock.patch.object(frameworks, "importable", lambda names: (
                    {"right": layer_norm, "wrong": doubled, "none": none}, {"gone": "ModuleNotFoundError: no"})), \
                mock.patch.object(peers, "REACH", 0):
            path = pathlib.Path(folder)
            (path / "cases.json").write_text(json.dumps([{"case": "layernorm n=64 rows=6 stats=0"}]), encoding="utf-8")
            with contextlib.redirect_stdout(io.StringIO()) as said:
                code = peers.main(["--plugin", PLUGIN, "--cases", str(path / "cases.json"), "--repeats", "4",
                                   "--out", str(path / "r.jsonl"), "--table", str(path / "t.md"),
                                   "--kernel", "host:vec4/*,host:split/sum2", "--block", "64,100"])
            records = [json.loads(line) for line in (path / "r.jsonl").read_text(encoding="utf-8").splitlines()]
            table = (path / "t.md").read_text(encoding="utf-8")
        self.assertEqual(code, 0, said.getvalue())
        self.assertEqual([r["type"] for r in (records[0], records[-1])], ["run", "end"])
        found = {r["kernel"]: r for r in records[1:-1]}
        self.assertAlmostEqual(found["peers:right"]["us"], fake_torch.CALL_US)
        self.assertEqual((found["peers:right"]["verdict"], found["peers:wrong"]["verdict"]), ("PASS", "FAIL"))
        self.assertLess(found["peers:right"]["metrics"]["max_abs"], 1e-5)
        self.assertEqual(found["peers:none"]["verdict"], "DECLINED")
        self.assertIn("takes nothing", found["peers:none"]["reasons"][0])
        self.assertLess(found["host:vec4@64/welford"]["metrics"]["max_abs"], 1e-5)
        self.assertIn("multiple of 32", found["host:split@100/sum2"]["reasons"][0])
        self.assertTrue(found["host:copy/memcpy"]["yardstick"])
        self.assertIn("Missing: gone", table)
        self.assertRegex(table, r"Declined every case: none \(.*takes nothing")
        self.assertEqual(table.count("Declined every case"), 1)
        self.assertIn("peers.py: gone is missing", said.getvalue())


def right(x, gamma, beta, eps):
    """As layer_norm above, on the other stand-in; takes gamma and beta of x's type alone."""
    if (gamma or x).dtype != x.dtype:
        raise RuntimeError("expected one type\nand a stack")

    def forward(x):
        n, out = x.shape[-1], []
        for row in x.rows():
            mean = math.fsum(row) / n
            rstd = 1 / math.sqrt(math.fsum((v - mean) ** 2 for v in row) / n + eps)
            out += [(v - mean) * rstd * (gamma.tolist()[i] if gamma else 1) + (beta.tolist()[i] if beta else 0)
                    for i, v in enumerate(row)]
        return fake_tensors.tensor(out, x.shape, x.dtype)
    return forward


class Answers(unittest.TestCase):
    """answers.py between export and check, on the stand-in for tensors of all types."""
    CASES = ["layernorm n=48 rows=5", "layernorm n=33 rows=3 beta=none", "layernorm dtype=f16 n=16 rows=2"]

    def test_from_export_to_verdict(self):
        with tempfile.TemporaryDirectory() as top, mock.patch.dict(sys.modules, {"torch": fake_tensors}), \
                mock.patch.object(frameworks, "importable", lambda names: (
                    {"right": right, "quack-nobeta": right, "none": none}, {"gone": "ModuleNotFoundError: no"})):
            folder, out = pathlib.Path(top) / "exchange", pathlib.Path(top) / "r.jsonl"
            lines = [word for case in self.CASES for word in ("--case", case)]
            subprocess.run([ULPGATE, "export", *lines, "-o", str(folder)], check=True, capture_output=True)
            with contextlib.redirect_stdout(io.StringIO()) as said:
                self.assertEqual(answers.main([str(folder), "--device", "cpu"]), 0)
            subprocess.run([ULPGATE, "check", str(folder), "-q", "-o", str(out)], check=True)
            records = [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()[1:-1]]
        verdicts = {name: [r["verdict"] for r in records if r["kernel"] == f"files:{name}"]
                    for name in ("right", "quack-nobeta", "none")}
        self.assertEqual(verdicts, {"right": ["PASS", "PASS", "DECLINED"], "none": ["DECLINED"] * 3,
                                    "quack-nobeta": ["DECLINED", "PASS", "DECLINED"]})
        for text in ("gone is missing", "right answered 2 of 3 cases", "not take 3 cases: ValueError: takes nothing",
                     "right does not take 1 cases: RuntimeError: expected one type\n", "takes no beta"):
            self.assertIn(text, said.getvalue())

    def test_a_folder_without_cases(self):
        with tempfile.TemporaryDirectory() as top, contextlib.redirect_stderr(io.StringIO()) as said, \
                self.assertRaises(SystemExit):
            answers.main([top])
        self.assertIn("manifest.json", said.getvalue())


class Programs(unittest.TestCase):
    def test_they_parse(self):
        for file in PEERS.glob("*.py"):
            ast.parse(file.read_text(encoding="utf-8"), str(file))

    def test_a_missing_peer_is_named(self):
        there, missing = frameworks.importable(["apex-fast", "te"])
        self.assertEqual(there, {})
        self.assertEqual(set(missing), {"apex-fast", "te"})
        self.assertIn("ModuleNotFoundError", missing["te"])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
