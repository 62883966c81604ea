#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""F.layer_norm under audit, and an independent check of what the records say: float64 by torch, which the judge does
not use. Ends with 77 where PyTorch is not installed, or there is no such device.

usage: test_torch.py ULPGATE [DEVICE]
"""
import contextlib
import io
import json
import pathlib
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "tools" / "python"))
import ulpgate_torch  # noqa: E402

try:
    import torch
except ModuleNotFoundError:
    print("test_torch.py: PyTorch is not installed")
    sys.exit(77)

ULPGATE, DEVICE = sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else "cpu"
if DEVICE.startswith("cuda") and not torch.cuda.is_available():
    print("test_torch.py: there is no CUDA device")
    sys.exit(77)


def wide(entry):
    return ulpgate_torch._to_torch(torch, entry, "cpu").double()


def layer_norm64(inputs, eps):
    """Two passes in float64, about 1e-16 kappa from the exact answer: nothing beside a float's error."""
    x = wide(inputs["x"])
    d = x - x.mean(-1, keepdim=True)
    y = d / (d.square().mean(-1, keepdim=True) + eps).sqrt()
    y = y * wide(inputs["gamma"]) if "gamma" in inputs else y
    return y + wide(inputs["beta"]) if "beta" in inputs else y


class Real(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        keep = tempfile.TemporaryDirectory()
        cls.addClassCleanup(keep.cleanup)
        cls.folder = pathlib.Path(keep.name) / "exchange"
        cls.out = pathlib.Path(keep.name) / "results.jsonl"
        with contextlib.redirect_stdout(io.StringIO()) as said:
            cls.records = ulpgate_torch.audit(torch.nn.functional.layer_norm, suite="condition", device=DEVICE,
                                              ulpgate=ULPGATE, keep=cls.folder, out=cls.out, wide_params=False)
        cls.said = said.getvalue()

    def test_figures_agree_with_float64(self):
        manifest = json.loads((self.folder / "manifest.json").read_text(encoding="utf-8"))
        cases, compared = {c["id"]: c for c in manifest["cases"]}, set()
        for record in self.records:
            if record["rows"]["regular"] != int(record["params"]["rows"]):
                continue  # max_abs speaks of regular rows alone
            inputs, _ = ulpgate_torch.read_tensors(self.folder / "inputs" / f"{record['id']}.safetensors")
            path = self.folder / "outputs" / "torch.nn.functional.layer_norm" / f"{record['id']}.safetensors"
            got = wide(ulpgate_torch.read_tensors(path)[0]["y"])
            want = layer_norm64(inputs, cases[record["id"]]["eps"])
            largest = (got - want).abs().max().item()
            noise = 2 ** -50 * (float(record["metrics"]["kappa_max"]) + 1) * want.abs().max().item()  # float64
            stated = record["metrics"]["max_abs"]
            self.assertLessEqual(abs(largest - stated), 0.01 * stated + noise, (record["case"], largest, stated))
            if noise < 0.01 * stated:
                compared.add(record["id"])
        self.assertGreater(len(compared), 0.9 * len(self.records))
        print(f"max_abs of {len(compared)} of {len(self.records)} cases agrees with float64")

    def test_what_is_returned(self):
        self.assertEqual({r["params"]["dtype"] for r in self.records}, {"f32", "f16", "bf16"})
        lines = [json.loads(line) for line in self.out.read_text(encoding="utf-8").splitlines()]
        self.assertEqual([r for r in lines if r["type"] == "result"], self.records)
        facts = lines[0]["backends"][-1]["facts"]
        self.assertEqual(facts["torch.nn.functional.layer_norm torch"], torch.__version__)
        self.assertIn("files:torch.nn.functional.layer_norm", self.said)
        self.assertNotIn("ERROR", {r["verdict"] for r in self.records})

    def test_a_wrong_one_is_found(self):
        def sum2(x, shape, weight, bias, eps):
            mean = x.mean(-1, keepdim=True)
            var = (x.square().mean(-1, keepdim=True) - mean.square()).clamp(min=0)
            y = (x - mean) * torch.rsqrt(var + eps)
            return y * weight + bias
        records = ulpgate_torch.audit(sum2, suite=None, cases=["layernorm n=1024 rows=4 data=normal(mean=1e4,std=1)"],
                                      device=DEVICE, ulpgate=ULPGATE, quiet=True)
        self.assertEqual([r["verdict"] for r in records], ["FAIL"])
        self.assertEqual(ulpgate_torch.exit_code(records), 1)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
