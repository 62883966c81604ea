#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tools/python/ulpgate_torch.py without PyTorch: callables written here, on a stand-in for its tensors; the judge is
the real one.

usage: test_python.py ULPGATE
"""
import contextlib
import io
import json
import math
import pathlib
import random
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "tools" / "python")]
import fake_tensors  # noqa: E402
import ulpgate_torch  # noqa: E402
from ulpgate_torch import Declined, UlpgateError, audit, exit_code  # noqa: E402

ULPGATE = sys.argv[1]
WITHOUT_TORCH = "torch" not in sys.modules
sys.modules["torch"] = fake_tensors
KAPPA = "layernorm n=48 rows=5 data=normal(mean=1e4,std=1)"
CASES = [KAPPA, "layernorm n=33 rows=3 gamma=none", "layernorm n=40 rows=2 dtype=f16",
         "layernorm n=40 rows=2 dtype=bf16 beta=none", "layernorm rows=0 n=8"]


def exact(row, eps):
    mean = math.fsum(row) / len(row)
    return mean, 1 / math.sqrt(math.fsum((v - mean) ** 2 for v in row) / len(row) + eps)


def single(v):
    return fake_tensors.tensor([v], [1], fake_tensors.float32).tolist()[0]


def textbook(row, eps):
    """E[x^2] - mean^2 in float."""
    s = q = 0.0
    for v in row:
        s, q = single(s + v), single(q + single(v * v))
    mean = single(s / len(row))
    return mean, 1 / math.sqrt(max(single(single(q / len(row)) - single(mean * mean)), 0.0) + eps)


def layer_norm(x, normalized_shape, weight, bias, eps, statistics=exact):
    n, = normalized_shape
    gamma = weight.tolist() if weight else [1.0] * n
    beta = bias.tolist() if bias else [0.0] * n
    out = []
    for row in x.rows():
        mean, rstd = statistics(row, eps)
        out += [(v - mean) * rstd * g + b for v, g, b in zip(row, gamma, beta)]
    return fake_tensors.tensor(out, x.shape, x.dtype)


def with_statistics(x, shape, weight, bias, eps):
    stats = [exact(row, eps) for row in x.rows()]
    y = layer_norm(x, shape, weight, bias, eps)
    mean, rstd = (fake_tensors.tensor([s[k] for s in stats], [len(stats)], fake_tensors.float32) for k in (0, 1))
    return y, mean, rstd


class Audit(unittest.TestCase):
    def audit(self, fn, cases=KAPPA, **more):
        said, warned = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(said), contextlib.redirect_stderr(warned):
            records = audit(fn, suite=None, cases=cases, ulpgate=ULPGATE, **more)
        self.said, self.warned = said.getvalue(), warned.getvalue()
        return records

    def one(self, fn, **more):
        record, = self.audit(fn, **more)
        return record, record["reasons"][0] if record["reasons"] else ""

    def test_torch_is_not_needed_to_import_it(self):
        self.assertTrue(WITHOUT_TORCH)

    def test_right_everywhere(self):
        records = self.audit(layer_norm, cases=CASES)
        self.assertEqual([r["verdict"] for r in records], ["PASS"] * 5)
        self.assertEqual(exit_code(records), 0)
        self.assertEqual(records[0]["kernel"], "files:layer_norm")
        self.assertIn("files:layer_norm", self.said)
        for record in records[:4]:
            self.assertGreaterEqual(record["metrics"]["cr_share"], 0.99)  # float64 and one rounding
            self.assertEqual(record["not_exchanged"], ["guards", "rows", "scale"])

    def test_the_schema_is_that_of_a_built_in_kernel(self):
        with tempfile.TemporaryDirectory() as top:
            out = pathlib.Path(top) / "r.jsonl"
            subprocess.run([ULPGATE, "run", "--case", KAPPA, "--kernel", "host:split/welford", "-q", "-o", str(out)],
                           check=True)
            built_in = json.loads(out.read_text(encoding="utf-8").splitlines()[1])
        ours, = self.audit(with_statistics, declares={"variance": "twopass"}, gate=None)
        self.assertEqual((ours["gate"], ours["passes"]), ("bound", {"bound": True, "sound": True}))
        launched = {"path", "geometry", "time_us"}  # of a launch by the judge
        self.assertEqual(set(ours), (set(built_in) - launched) | {"not_exchanged"})
        for field in ("metrics", "rows", "classes", "worst", "params"):
            self.assertEqual(set(ours[field]), set(built_in[field]))
        for field in ("case", "id", "inputs", "params"):
            self.assertEqual(ours[field], built_in[field])

    def test_the_textbook_variance_is_not_sound(self):
        def sum2(*arguments):
            return layer_norm(*arguments, statistics=textbook)
        records = self.audit(sum2, cases=CASES[:2], name="sum2")
        self.assertEqual([r["verdict"] for r in records], ["FAIL", "PASS"])
        self.assertTrue(records[0]["reasons"][0].startswith("sound"))
        self.assertEqual((records[0]["kernel"], exit_code(records)), ("files:sum2", 1))

    def test_statistics_are_judged(self):
        def wrong(*arguments):
            y, mean, rstd = with_statistics(*arguments)
            return y, rstd, mean
        self.assertEqual(self.one(with_statistics)[0]["metrics"]["mean_err"] < 1, True)
        record, reason = self.one(wrong)
        self.assertEqual((record["verdict"], reason.split()[0]), ("FAIL", "stats"))

    def test_declining(self):
        def narrow(x, *rest):
            if x.dtype != fake_tensors.float32:
                raise Declined("needs float32")
            return layer_norm(x, *rest)
        records = self.audit(narrow, cases=CASES[:3])
        self.assertEqual([r["verdict"] for r in records], ["PASS", "PASS", "DECLINED"])
        self.assertEqual(records[2]["reasons"], ["declined needs float32"])
        records = self.audit(narrow, cases=CASES[2:4])
        self.assertEqual(exit_code(records), 77)
        self.assertIn("nothing was tested", self.warned)

    def test_exceptions_are_records(self):
        def raises(x, *rest):
            if x.shape[-1] == 33:
                raise RuntimeError("no tail\nstack and all")
            return layer_norm(x, *rest)

        def leaves(*arguments):
            sys.exit(3)
        records = self.audit(raises, cases=CASES[:3])
        self.assertEqual([r["verdict"] for r in records], ["PASS", "ERROR", "PASS"])
        self.assertEqual((records[1]["reasons"], exit_code(records)), (["error RuntimeError: no tail"], 1))
        self.assertEqual(self.one(leaves)[1], "error SystemExit: 3")

    def test_answers_that_are_none(self):
        def answers(shape, dtype):
            return lambda x, *rest: fake_tensors.Tensor(shape, dtype)
        for fn, word in ((lambda *a: None, "NoneType"), (answers([5, 47], fake_tensors.float32), "(5, 47)"),
                         (answers([5, 48], fake_tensors.float16), "float16")):
            record, reason = self.one(fn)
            self.assertEqual(record["verdict"], "ERROR")
            self.assertIn(word, reason)
            self.assertIn("expected (5, 48) of torch.float32", reason)

    def test_what_is_not_written_over(self):
        def in_place(x, *rest):
            x.fill(layer_norm(x, *rest).tolist())
            return x
        record, reason = self.one(in_place)
        self.assertEqual((record["verdict"], reason), ("FAIL", "input x was changed by the call"))

    def test_other_bits_in_a_second_call(self):
        def random_bits(x, *rest):
            y = layer_norm(x, *rest)
            y.memory[0] = bytes([random.choice([b for b in range(256) if b != random_bits.last])])
            random_bits.last = y.memory[0][0]
            return y
        random_bits.last = 0
        record, reason = self.one(random_bits)
        self.assertEqual((record["verdict"], reason), ("FAIL", "repeat 1 elements have other bits in a second call"))
        record, _ = self.one(random_bits, repeat=False)
        self.assertIn("repeat", record["not_exchanged"])
        self.assertEqual(record["verdict"], "PASS")

    def test_suites_dtypes_and_files_that_stay(self):
        with tempfile.TemporaryDirectory() as top, contextlib.redirect_stdout(io.StringIO()) as said:
            keep, out = pathlib.Path(top) / "keep", pathlib.Path(top) / "r.jsonl"
            records = audit(layer_norm, "condition", "sound", "cpu", "bf16", tier="smoke", ulpgate=ULPGATE, keep=keep,
                            out=out, wide_params=False, format="md")
            self.assertEqual({(r["params"]["dtype"], r["params"]["wdtype"]) for r in records}, {("bf16", "bf16")})
            self.assertEqual(len(list((keep / "outputs" / "layer_norm").glob("*.safetensors"))), len(records))
            self.assertIn("|", said.getvalue())
            header = json.loads(out.read_text(encoding="utf-8").splitlines()[0])
            self.assertEqual(header["backends"][-1]["facts"]["layer_norm torch"], "fake")

    def test_what_ulpgate_refuses(self):
        for more, word in (({"suite": "no-such-suite"}, "no-such-suite"), ({"gate": "best"}, "best"),
                           ({"dtypes": "f64"}, "f64"), ({"suite": None}, "needs a suite")):
            with self.assertRaises(UlpgateError) as caught:
                audit(layer_norm, tier="smoke", ulpgate=ULPGATE, quiet=True, **more)
            self.assertIn(word, str(caught.exception))

    def test_names(self):
        self.assertEqual(ulpgate_torch._name_of(math.fsum), "math.fsum")
        self.assertEqual(ulpgate_torch._name_of(lambda: 0).split(".")[-1], "_lambda_")
        self.assertTrue(self.one(lambda *a: layer_norm(*a))[0]["kernel"].endswith("_lambda_"))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
